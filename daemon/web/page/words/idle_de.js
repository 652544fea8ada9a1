/* The texts of a wall at rest, in German. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.IdleLanguage} */
export const idle = {
  label: "Bereit zum Spielen", touch: "Zum Spielen berühren", best: "Die Besten der Woche", lately: "Diese Woche gespielt",
  wins: "Die meisten Siege", ofMatches: (won, matches) => `${won} von ${matches}`, finish: "Höchstes Finish",
  highest: (kind, label) => `${kind}, ${label}`, kinds: { average: "Bester Schnitt", mpr: "Die meisten Marken je Runde" },
  league: (month) => `Liga im ${month}`, results: (won, drawn, lost) => `${won} gewonnen, ${drawn ? `${drawn} unentschieden, ` : ""}${lost} verloren`,
};
