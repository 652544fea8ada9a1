/* The texts of the camera for moments, in French. Loaded with it, in the language of the page alone. */

/** @type {Oche.CameraLanguage} */
export const camera = {
  title: "Caméra", about: "Cet appareil garde pour lui les dernières secondes de sa caméra, sans le son. À un grand moment, il les envoie à oche, qui les garde avec le match.",
  start: "Démarrer la caméra", stop: "Arrêter la caméra", ready: "La caméra tourne.", ended: "La caméra est arrêtée.", sent: (n) => `Clips envoyés : ${n}.`,
  paused: (names) => `Rien n’est filmé dans ce match, comme demandé par ${names}.`,
  refused: "Cette page ne peut pas utiliser la caméra. Autorisez-la dans le navigateur, puis recommencez.",
  noCamera: "Il n’y a pas de caméra ici, ou un autre programme l’utilise.", noRecorder: "Ce navigateur ne sait pas enregistrer. Prenez-en un plus récent.",
  insecure: (host, local) => `Cet appareil a ouvert la page sur ${host} sans https. Les navigateurs ne donnent pas de caméra à une telle page. Sur la machine où tourne oche, ouvrez ${local}. Pour un téléphone, placez un serveur web en https devant oche : docs/reverse-proxy.md explique comment.`,
  mayNot: "Cet appareil peut seulement regarder : entrez d’abord le jeton sur la page.",
  off: "Aucun clip n’est gardé ici. Réglez « Clips gardés » dans les réglages, sous Page, puis rechargez cette page.",
  when: "Garder", moments: { few: "les plus grands moments et les matchs gagnés", usual: "les grands moments, les manches et les matchs gagnés", many: "chaque exploit et tout ce qui est gagné" },
  what: "Sous forme de", kinds: { film: "film", still: "photo" },
  who: "Pas devant la caméra ?", whoHelp: "Chacun peut dire non. Plus rien n’est alors filmé dans les matchs de cette personne, et les clips du match en cours sont supprimés.",
  no: "Ne pas filmer", sureNo: "Appuyez encore : ne pas filmer", yes: "Autoriser à filmer", sureYes: "Appuyez encore : autoriser à filmer", saidNo: "à ne pas filmer",
  clips: "Clips", remove: "Supprimer", sureRemove: "Appuyez encore pour supprimer",
};
