/* What a board that sees its darts asks and needs, in French. Loaded with that, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const sensed = {
  title: "Fléchettes dans la cible",
  found: (darts) => `Pendant l’absence de la cible, on a lancé : ${darts}.`,
  other: (darts) => `La cible a des fléchettes d’une autre volée, qui ne comptent pas : ${darts}.`,
  cleared: "La cible a été vidée à la main.",
  unread: (n) => (n === 1 ? "dont une que la cible n’a pas lue" : `dont ${n} que la cible n’a pas lues`),
  take: (n) => (n === 1 ? "Prendre cette fléchette" : `Prendre ces ${n} fléchettes`), leave: (n) => (n === 1 ? "La laisser" : "Les laisser"),
  over: "Volée finie", goOn: "Continuer", ok: "OK",
  start: "Démarrer les caméras", reset: "Réinitialiser la cible",
};
