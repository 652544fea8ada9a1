/* The texts of the result of a match, in French. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.ResultLanguage} */
export const result = {
  out: (points) => `${points} ${points < 2 ? "fermé" : "fermés"}`,
  figures: {
    average: "Moyenne", mpr: "MPR", firstNine: "9 premières", checkouts: "Fermetures", highFinish: "Ferm. max",
    highVisit: "Volée max",
  },
  missed: "Fléchettes de match manquées",
  curve: "Le fil du match", leads: (name, points) => `${name} a compté jusqu’à ${points} d’avance`,
  turning: "Tournant",
  best: "Meilleures volées", again: "Revoir la dernière volée",
};
