/* What is said of art, in French. Loaded with the choice of it, in the language of the page alone. */

/** @satisfies {Oche.ArtLanguage} */
export const art = {
  choice: "Habillage",
  plain: "Simple",
  names: { chalk: "Craie", neon: "Néon" },
  about: "Un habillage est un fichier zip avec des feuilles de style, des images et des sons. Choisissez-le dans le menu de chaque écran, sous Habillage.",
  empty: "Vous n’en avez pas encore.",
  add: "Ajouter un habillage",
  remove: "Supprimer",
  shipped: "fourni avec oche",
  sending: "Envoi et vérification…",
  failed: "Le fichier n’est pas arrivé : réessayez.",
  art: (files, kilobytes) => `fichiers : ${files}, ${kilobytes} ko`,
  added: (art, files, leftOut) => `${art} a été ajouté. Fichiers : ${files}${leftOut ? `. Laissés de côté, car ils n’en font pas partie : ${leftOut}` : ""}`,
  removed: (art) => `${art} a été supprimé.`,
  sure: (art) => `Vraiment supprimer ${art} ?`,
  ownTitle: "Votre image ou votre son pour un moment",
  ownAbout: "Un GIF de 10 secondes au maximum, une autre image ou un son, 1 Mo au maximum. Chaque écran mural le montre, avec n’importe quel habillage ; les sons s’entendent là où Son est activé.",
  event: "Moment",
  picture: "Choisir une image",
  sound: "Choisir un son",
  kept: "Enregistré.",
  gone: "Supprimé.",
  events: { 180: "180", big_fish: "Big fish (170)", nine_darter: "Manche parfaite", shanghai: "Shanghai", white_horse: "White horse", three_in_a_bed: "Brelan", hat_trick: "Hat trick", high_out: "Grosse fermeture", first_leg: "Toute première manche", match_dart_missed: "Fléchette de match manquée", comeback: "Remontée", bust: "Bust", leg_won: "Manche gagnée", match_won: "Match gagné", badge: "Badge", walk_on: "Entrée des joueurs" },
};
