/* The texts of what players take home, the picture of a match and the story of an evening, in French. */

/** @satisfies {Oche.TakeHomeLanguage} */
export const takeHome = {
  picture: "L’image du match", story: "La soirée", match: "Tout le match", upright: "Portrait", wide: "Paysage",
  share: "Partager", save: "Enregistrer", shareAll: "Partager toutes les images", saveAll: "Enregistrer toutes les images", print: "Imprimer", drawing: "L’image se dessine…",
  lastVisit: "Dernière volée", bestVisit: "Meilleure volée",
  wins: (name) => `${name} gagne`, win: (names) => `${names} gagnent`, stopped: "Match arrêté", drawn: "Pas de vainqueur", finished: "Entraînement",
  scan: "Emportez l’image", scanStory: "Emportez la soirée", scanHow: "Le code est valable une heure.",
  newton: "Scannez ceci avec NewTon", newtonHow: "Le résultat du match",
  matches: "Matchs", players: "Les joueurs", firsts: "Pour la première fois", records: "Records", ofMatches: (won, matches) => `${won} ${won === "0" || won === "1" ? "gagné" : "gagnés"} sur ${matches}`,
  firstTimes: { match: "premier match", win: "première victoire", 180: "premier 180", high_finish: "première fermeture de 100 ou plus" },
  best: { visit: "Meilleure volée", finish: "Meilleure fermeture", 180: "Le plus de 180", leg: "Le moins de fléchettes", result: "Meilleur résultat" },
  personal: "record personnel", none: "Aucun match n’a été terminé ce soir-là.", earlier: "La soirée précédente", later: "La soirée suivante",
  more: (n) => `Seuls les ${n} derniers matchs sont affichés.`, reading: (done, of) => `Lecture des matchs : ${done} sur ${of}.`,
  noDay: "Il manque un jour dans l’adresse, comme ?day=2026-11-29, ou une semaine, comme ?week=2026-W48.",
  ofWeek: { story: "La semaine", scanStory: "Emportez la semaine", none: "Aucun match n’a été terminé cette semaine-là.", earlier: "La semaine précédente", later: "La semaine suivante" },
};
