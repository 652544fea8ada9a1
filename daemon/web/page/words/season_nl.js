/* The texts about a season of a league, in Dutch. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.SeasonLanguage} */
export const season = {
  columns: ["Team", "Punten", "Gespeeld", "Gewonnen", "Gelijk", "Verloren", "Legs"],
  marks: { promoted: "promoveert", relegated: "degradeert" }, withdrawn: "teruggetrokken", deducted: (n) => `${n} in mindering`,
  day: (n) => `Speeldag ${n}`, rests: (name) => `${name} is vrij`, heads: ["Partij", "Uitslag", "Opmerking"], postponed: "verplaatst",
  how: { playing: "nog niet afgelopen", forfeit: "opgegeven", annulled: "telt niet" },
  statistics: "Statistieken van dit seizoen", unknown: "De competitie heeft geen zo’n seizoen.",
};
