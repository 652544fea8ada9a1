/* The texts about a season of a league, in German. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.SeasonLanguage} */
export const season = {
  columns: ["Mannschaft", "Punkte", "Gespielt", "Gewonnen", "Unentschieden", "Verloren", "Legs"],
  marks: { promoted: "steigt auf", relegated: "steigt ab" }, withdrawn: "zurückgezogen", deducted: (n) => `${n} abgezogen`,
  day: (n) => `${n}. Spieltag`, rests: (name) => `${name} hat spielfrei`, heads: ["Match", "Ergebnis", "Anmerkung"], postponed: "verlegt",
  how: { playing: "noch nicht zu Ende", forfeit: "kampflos", annulled: "zählt nicht" },
  statistics: "Statistik dieser Saison", unknown: "Die Liga hat keine solche Saison.",
};
