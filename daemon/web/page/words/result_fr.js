/* The texts of the result of a match, in French. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.ResultLanguage} */
export const result = {
  out: (points) => `Finish ${points}`, darts: (n) => (n === 1 ? "1 fléchette" : `${n} fléchettes`),
  figures: {
    average: "Moyenne", mpr: "MPR", firstNine: "9 premières", checkouts: "Fermetures", highFinish: "Top finish",
    highVisit: "Top volée",
  },
  missed: "Fléchettes de match manquées",
  curve: "Le fil du match", leads: (name, points) => `${name} a mené de ${points} au plus`,
  turning: "Tournant",
  best: "Meilleures volées", marks: (n) => (n === 1 ? "1 marque" : `${n} marques`), again: "Revoir la dernière volée",
};
