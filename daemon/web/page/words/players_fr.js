/* The texts of the page of players, in French. Loaded with it, in the language of the page alone. */

/** @type {Oche.PlayersLanguage} */
export const players = {
  title: "Joueurs", none: "Il n’y a pas encore de joueurs.", add: "Ajouter", newName: "Nom du nouveau joueur", save: "Enregistrer", saved: "Enregistré.",
  help: "Appuyez sur un joueur pour remplir son profil. Il faut pouvoir modifier les réglages pour renommer un joueur.",
  nickname: "Surnom", colour: "Couleur", noColour: "Automatique", hand: "Lance de", hands: { "": "Non précisé", right: "la main droite", left: "la main gauche" },
  doubles: "Doubles préférés", doublesHelp: "Des nombres séparés par des virgules, le meilleur d’abord ; 25 est la bulle. Les conseils de fermeture finissent dessus à partir du prochain nouveau match.",
  noNumbers: "Saisissez les doubles préférés comme des nombres séparés par des virgules, par exemple 16, 8.",
  sound: "Son d’entrée", sounds: { "": "Aucun", name: "Le nom, dit à voix haute", rising: "Notes montantes", fanfare: "Fanfare", bell: "Cloche", drum: "Tambour" },
  soundHelp: "S’entend au début d’un match, sur les appareils où le son est activé dans le menu ; le nom, là où l’annonceur est activé.", hear: "Écouter",
  recorded: {
    title: "Nom enregistré", choose: "Choisir ou faire un enregistrement", record: "Enregistrer au micro", recording: (seconds) => `Dites le nom : cet appareil enregistre pendant ${seconds} secondes.`,
    help: "Dites le nom comme l’annonceur doit le dire. Les écrans où l’annonceur est activé le diront ainsi à partir du prochain match. Toute personne qui peut ouvrir la page peut l’entendre.",
    heard: "Écoutez-le, puis gardez-le.", again: "Recommencer", listen: "Écouter", keep: "Garder cet enregistrement", remove: "Supprimer l’enregistrement",
    unreadable: "Ce navigateur ne peut pas lire l’enregistrement, ou on n’y entend rien. Enregistrez le nom à nouveau, ou choisissez un autre fichier.",
    refused: "Cette page n’a pas le droit d’utiliser le micro. Autorisez-le dans le navigateur, ou choisissez un fichier.",
  },
  counts: "Compter les matchs dans les statistiques", filmed: "La caméra des grands moments peut filmer cette personne", takePicture: "Prendre une photo", choosePicture: "Choisir un fichier", removePicture: "Supprimer la photo",
  noPicture: "Ce navigateur ne peut pas lire ce fichier comme une photo. Choisissez un JPEG ou un PNG.",
  pictureHelp: "Cet appareil la recadre en carré et la réduit. Toute personne qui peut ouvrir la page la voit.",
  figures: "Statistiques", known: (names) => `Dans les matchs enregistrés : ${names}`, split: (name) => `${name} est un autre joueur`,
  rename: "Renommer", renameTo: "Nouveau nom", merge: "Fusionner", mergeInto: "est la même personne que", forget: "Oublier…",
  renameHelp: "Les matchs passés montrent aussi le nouveau nom.", mergeHelp: "Tous les matchs des deux noms vont alors à l’autre joueur. Le profil de ce joueur est supprimé. Les noms pourront être séparés à nouveau.",
  sureRename: (name, to) => `Renommer ${name} en ${to} ?`, sureMerge: (name, to) => `${name} et ${to} sont la même personne ?`,
  sureForget: (name, matches) => `Oublier ${name} ? Dans ${matches} ${matches > 1 ? "matchs" : "match"}, le nom devient « Forgotten player ». Les fléchettes restent, mais ne comptent dans aucune statistique. Le profil est supprimé. Ce choix est définitif.`,
  kept: (files) => `Ces fichiers contiennent peut-être encore le nom. Supprimez ceux dont vous n’avez pas besoin : ${files}`,
  backups: "Les sauvegardes plus anciennes contiennent aussi le nom.", league: "La ligue l’apprend dès qu’elle est joignable.", configured: "La configuration contient ce nom. Supprimez-le dans les réglages.",
  yes: "Oui", no: "Non", forgotten: (name) => `Le nom ${name} a été oublié.`, forgetForGood: "Oublier définitivement",
};
