/* The texts of a wall at rest, in English. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const idle = {
  label: "Ready to play", touch: "Touch to play", best: "Best of the week", lately: "Played this week",
  wins: "Most wins", ofMatches: (won, matches) => `${won} of ${matches}`, finish: "Highest finish",
  highest: (kind, label) => `Best ${kind}, ${label}`, kinds: { average: "average", mpr: "marks per round" },
  league: (month) => `${month} league`, results: (won, drawn, lost) => `${won} won, ${drawn ? `${drawn} drawn, ` : ""}${lost} lost`,
};
