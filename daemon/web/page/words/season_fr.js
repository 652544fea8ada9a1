/* The texts about a season of a league, in French. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.SeasonLanguage} */
export const season = {
  columns: ["Équipe", "Points", "Joués", "Gagnés", "Nuls", "Perdus", "Manches"],
  marks: { promoted: "monte", relegated: "descend" }, withdrawn: "a déclaré forfait général", deducted: (n) => `${n} retirés`,
  day: (n) => `Journée ${n}`, rests: (name) => `${name} est exempt`, heads: ["Match", "Score", "Remarque"], postponed: "reporté",
  how: { playing: "pas encore terminé", forfeit: "forfait", annulled: "ne compte pas" },
  statistics: "Statistiques de cette saison", unknown: "La ligue n’a pas cette saison.",
};
