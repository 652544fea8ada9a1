/* The texts of a wall at rest, in Dutch. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.IdleLanguage} */
export const idle = {
  label: "Klaar om te spelen", touch: "Tik om te spelen", best: "De besten van de week", lately: "Deze week gespeeld",
  wins: "Meest gewonnen", ofMatches: (won, matches) => `${won} van ${matches}`, finish: "Hoogste finish",
  highest: (kind, label) => `${kind}, ${label}`, kinds: { average: "Beste gemiddelde", mpr: "Meeste marks per ronde" },
  league: (month) => `Competitie van ${month}`, results: (won, drawn, lost) => `${won} gewonnen, ${drawn ? `${drawn} gelijk, ` : ""}${lost} verloren`,
};
