/* The texts of the page of players, in German. Loaded with it, in the language of the page alone. */

/** @type {Oche.PlayersLanguage} */
export const players = {
  title: "Spieler", none: "Es gibt noch keine Spieler.", add: "Hinzufügen", newName: "Name eines neuen Spielers", save: "Speichern", saved: "Gespeichert.",
  help: "Tippe auf einen Spieler, um das Profil auszufüllen. Umbenennen kann nur, wer Einstellungen ändern darf.",
  nickname: "Spitzname", colour: "Farbe", noColour: "Automatisch", hand: "Wirft mit", hands: { "": "Keine Angabe", right: "der rechten Hand", left: "der linken Hand" },
  doubles: "Lieblingsdoppel", doublesHelp: "Zahlen mit Kommas dazwischen, das beste zuerst; 25 ist das Bull. Ab dem nächsten neuen Match enden die Checkout-Hinweise darauf.",
  noNumbers: "Gib die Lieblingsdoppel als Zahlen mit Kommas dazwischen ein, etwa 16, 8.",
  sound: "Walk-on-Sound", sounds: { "": "Keiner", name: "Der Name, gesprochen", rising: "Steigende Töne", fanfare: "Fanfare", bell: "Glocke", drum: "Trommel" },
  soundHelp: "Zu Beginn eines Matches zu hören, auf Geräten, bei denen im Menü der Ton an ist; der gesprochene Name, wo die Ansage an ist.", hear: "Anhören",
  counts: "Matches in der Statistik zählen", filmed: "Darf von der Kamera für große Momente gefilmt werden", takePicture: "Foto aufnehmen", choosePicture: "Datei wählen", removePicture: "Bild entfernen",
  noPicture: "Dieser Browser kann die Datei nicht als Bild lesen. Wähle ein JPEG oder PNG.",
  pictureHelp: "Dieses Gerät schneidet es quadratisch zu und verkleinert es. Alle, die die Seite öffnen können, sehen es.",
  recorded: {
    title: "Aufgenommener Name", choose: "Aufnahme wählen oder machen", record: "Aufnehmen", recording: (seconds) => `Sprich den Namen: dieses Gerät nimmt ${seconds} Sekunden lang auf.`,
    help: "Sprich den Namen so, wie der Caller ihn sagen soll. Bildschirme mit Ansage spielen ihn ab dem nächsten Match. Alle, die die Seite öffnen können, können ihn hören.",
    heard: "Hör sie an und behalte sie dann.", again: "Noch einmal aufnehmen", listen: "Anhören", keep: "Aufnahme behalten", remove: "Aufnahme entfernen",
    unreadable: "Dieser Browser kann die Aufnahme nicht abspielen, oder es ist nichts darauf zu hören. Nimm den Namen noch einmal auf, oder wähle eine andere Datei.",
    refused: "Diese Seite darf das Mikrofon nicht benutzen. Erlaube es im Browser, oder wähle eine Datei.",
  },
  figures: "Statistik", known: (names) => `In den Aufzeichnungen: ${names}`, split: (name) => `${name} ist ein anderer Spieler`,
  rename: "Umbenennen", renameTo: "Neuer Name", merge: "Zusammenführen", mergeInto: "ist dieselbe Person wie", forget: "Vergessen …",
  renameHelp: "Auch die bisherigen Matches zeigen den neuen Namen.", mergeHelp: "Alle Matches beider gehören dann dem anderen Spieler. Das Profil dieses Spielers wird gelöscht. Die Namen lassen sich wieder trennen.",
  sureRename: (name, to) => `${name} von jetzt an ${to} nennen?`, sureMerge: (name, to) => `Sind ${name} und ${to} dieselbe Person?`,
  sureForget: (name, matches) => `${name} vergessen? In ${matches} ${matches === 1 ? "Match" : "Matches"} wird der Name zu „Forgotten player“. Die Darts bleiben, zählen aber in keiner Statistik. Das Profil wird gelöscht. Das lässt sich nicht rückgängig machen.`,
  kept: (files) => `Diese Dateien enthalten den Namen vielleicht noch. Lösche die, die du nicht brauchst: ${files}`,
  backups: "Auch ältere Sicherungen enthalten den Namen.", league: "Die Liga erfährt es, sobald sie zu erreichen ist.", configured: "Die Konfiguration enthält diesen Namen. Entferne ihn in den Einstellungen.",
  yes: "Ja", no: "Nein", forgotten: (name) => `${name} wurde vergessen.`, forgetForGood: "Endgültig vergessen",
};
