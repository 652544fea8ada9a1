/* The texts of the statistics that no other page needs, in French. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.StatisticsLanguage} */
export const statistics = {
  about: {
    mpr: "marques par tour de trois fléchettes", average: "points en trois fléchettes", ppd: "points par fléchette",
    firstNine: "moyenne des neuf premières fléchettes de chaque manche",
    upTo80: "moyenne jusqu’à ce que le premier ait fait 80 % de la manche : c’est ainsi que les bornes électroniques classent les joueurs",
    level: "niveau comme sur les bornes électroniques, 18 est le meilleur", rate: "part des fléchettes lancées pour fermer qui ont fermé",
    checkouts: "fermetures, sur les fléchettes lancées pour fermer", highFinish: "le plus de points fermés en une volée",
    bestLeg: "le moins de fléchettes pour une manche gagnée", highVisit: "le plus de points en une volée", visits: "volées d’autant de points",
    marks: "volées d’autant de marques",
  },
  loading: "Lecture des matchs…", offline: "oche ne répond pas. Dès qu’il répondra, les matchs s’afficheront d’eux-mêmes.",
  more: "Autres chiffres", won: "Matchs gagnés", bestResult: "Meilleur résultat", latest: "Dernier résultat",
  lastFive: (value) => `${value} sur les cinq derniers matchs`,
  trends: { up: "en hausse", down: "en baisse", level: "stable" },
  columns: ["Match", "Heure", "Résultat", "Fléchettes"], mpr: "MPR : marques par tour de trois fléchettes.",
  onlyBed: (bed, n) => `Les ${n} fléchettes étaient toutes dans ${bed}.`,
  onlyThese: (n) => `Seuls ${n} matchs sont affichés ; appuyez sur un titre de colonne pour les trier.`,
  picture: "Image", evening: "La soirée",
  rivals: "Duels",
  edit: "Modifier le profil",
  ghost: "Jouer contre la meilleure manche", ghosts: (name) => `Jouer contre une manche de ${name} :`,
  empty: {
    title: "Ce que vous verrez ici",
    items: [
      "votre moyenne, et si elle monte", "votre meilleure manche, votre meilleure fermeture, et combien de fois vous touchez chaque double",
      "chaque match avec son score, à revoir fléchette par fléchette",
    ],
    how: "oche retient tout cela de lui-même : jouez un match jusqu’au bout.", play: "Jouer le premier match",
    tokens: "Commencez le premier match sur un appareil qui a le droit de jouer.",
  },
};
