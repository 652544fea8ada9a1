/* The texts of the result of a match, in Spanish. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.ResultLanguage} */
export const result = {
  out: (points) => `Cierre de ${points}`,
  figures: {
    average: "Media", mpr: "MPR", firstNine: "Primeros 9", checkouts: "Cierres", highFinish: "Mejor cierre",
    highVisit: "Mejor tirada",
  },
  missed: "Dardos de partida fallados",
  curve: "Cómo fue la partida", leads: (name, points) => `${name} llegó a ir ${points} por delante`,
  turning: "Momento decisivo",
  best: "Mejores tiradas", again: "Ver otra vez la última tirada",
};
