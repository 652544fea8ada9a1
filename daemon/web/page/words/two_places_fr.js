/* The texts of a match in two places, in French. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const twoPlaces = {
  ask: (t) => `La table ${t} veut jouer un match avec vous ici.`,
  agree: "D’accord", refuse: "Non", end: "Ne plus jouer avec elle",
  lent: (t) => `Vous jouez avec la table ${t}.`,
  waits: (t) => `En attente d’un match à la table ${t}.`,
  waiting: (n) => (n === 1 ? "1 fléchette attend." : `${n} fléchettes attendent.`),
  away: (t) => `Pas de connexion avec la table ${t}.`,
  asked: (t) => `La table ${t} a été invitée à jouer.`,
  left: (t) => `La table ${t} ne joue pas.`,
  offline: (t) => `La cible de la table ${t} n’est pas connectée.`,
  wish: (t, what) => `La table ${t} demande : ${what}`,
  wished: (what) => `L’autre table est sollicitée : ${what}`,
  wishes: { amend: "corriger une fléchette", retire: "un camp abandonne", concede: "céder le match", stop: "terminer le match", undo: "annuler", redo: "répéter" },
};
