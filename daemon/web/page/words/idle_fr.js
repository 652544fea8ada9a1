/* The texts of a wall at rest, in French. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.IdleLanguage} */
export const idle = {
  label: "Prêt à jouer", touch: "Touchez l’écran pour jouer", best: "Les meilleurs de la semaine", lately: "Joués cette semaine",
  wins: "Le plus de victoires", ofMatches: (won, matches) => `${won} sur ${matches}`, finish: "Meilleure fermeture",
  highest: (kind, label) => `${kind}, ${label}`, kinds: { average: "Meilleure moyenne", mpr: "Le plus de marques par tour" },
  league: (month) => `Classement ${/^[ao]/.test(month) ? "d’" : "de "}${month}`, results: (won, drawn, lost) => `${won} ${won > 1 ? "gagnés" : "gagné"}, ${drawn ? `${drawn} ${drawn > 1 ? "nuls" : "nul"}, ` : ""}${lost} ${lost > 1 ? "perdus" : "perdu"}`,
};
