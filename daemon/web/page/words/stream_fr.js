/* The texts of the views for a stream, in French. */

/** @satisfies {Oche.StreamLanguage} */
export const stream = {
  title: "Pour une diffusion", how: "Copiez l’adresse d’un lien dans OBS, ou ouvrez-le pour l’annonceur.",
  overlay: "Incrustation", strip: "Incrustation en bandeau", announcer: "Annonceur", tables: "Toutes les tables",
  needsToken: "Cette adresse demande un jeton : copiez le lien que « Rejoindre » affiche sur le tableau des scores.",
  noTable: (wanted, tables) => `La table « ${wanted} » n’existe pas. Mettez l’une de celles-ci dans l’adresse : ${tables}.`,
  noPart: (wanted, parts) => `La partie « ${wanted} » n’existe pas. Mettez une ou plusieurs de celles-ci dans l’adresse : ${parts}.`,
  noChoice: (name, wanted, values) => `${name}=${wanted} n’est pas possible. Mettez l’une de ces valeurs dans l’adresse : ${values}.`,
  noSize: (wanted, least, most) => `size=${wanted} n’est pas possible. Mettez un nombre de ${least} à ${most} dans l’adresse.`,
  ways: "Fermetures possibles", chance: (percent) => `${percent} %`, leaves: (left) => `laisse ${left}`,
  players: "Joueurs", visits: "Dernières volées", scored: "Marqué", left: "Reste", next: (name) => `Ensuite : ${name}`,
};
