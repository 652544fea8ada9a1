/* What the page of the players says, in German. Loaded with them, in the language of the page alone. */

/** @type {Oche.PlayersLanguage} */
export const players = {
  title: "Spieler", none: "Es gibt noch keine Spieler.", add: "Hinzufügen", newName: "Name eines neuen Spielers", save: "Speichern", saved: "Gespeichert.",
  help: "Tippe auf einen Spieler, um das Profil auszufüllen. Namen ändert, wer Einstellungen ändern darf.",
  nickname: "Spitzname", colour: "Farbe", noColour: "Keine", hand: "Wirft mit", hands: { "": "Keine Angabe", right: "der rechten Hand", left: "der linken Hand" },
  doubles: "Lieblingsdoppel", doublesHelp: "Zahlen mit Kommas dazwischen, das liebste zuerst; 25 ist das Bull. Die Checkout-Hinweise des nächsten neuen Matches führen dorthin.",
  noNumbers: "Lieblingsdoppel sind Zahlen mit Kommas dazwischen, etwa 16, 8.",
  sound: "Klang zu Beginn eines Matches", sounds: { "": "Keiner", name: "Der Name, gesprochen", rising: "Steigende Töne", fanfare: "Fanfare", bell: "Glocke", drum: "Trommel" },
  soundHelp: "Man hört ihn, wo im Menü der Ton an ist, den Namen, wo der Caller an ist.", hear: "Anhören",
  counts: "Matches zählen in der Statistik", picture: "Bild", choose: "Bild wählen oder aufnehmen", removePicture: "Bild entfernen",
  noPicture: "Diese Datei ist kein Bild, das dieser Browser lesen kann: wähle ein JPEG oder PNG.",
  pictureHelp: "Es wird auf diesem Gerät klein und quadratisch geschnitten, und alle sehen es, die die Seite sehen.",
  figures: "Statistik", known: (names) => `In den Aufzeichnungen: ${names}`, split: (name) => `${name} ist ein anderer Spieler`,
  rename: "Umbenennen", renameTo: "Neuer Name", merge: "Zusammenführen", mergeInto: "ist dieselbe Person wie", forget: "Vergessen …",
  renameHelp: "Auch die bisherigen Matches zeigen ihn.", mergeHelp: "Alle Matches beider sind dann die des anderen. Die Namen lassen sich wieder trennen; das Profil dieses Spielers wird gelöscht.",
  sureRename: (name, to) => `${name} von jetzt an ${to} nennen?`, sureMerge: (name, to) => `Sind ${name} und ${to} dieselbe Person?`,
  sureForget: (name, matches) => `${name} vergessen? In ${matches} ${matches === 1 ? "Match" : "Matches"} wird der Name zu „Forgotten player“, die Darts bleiben und zählen in keiner Statistik. Das Profil wird gelöscht. Das lässt sich nicht zurücknehmen.`,
  kept: (files) => `Diese Dateien haben den Namen vielleicht noch, lösche sie, wenn du sie nicht brauchst: ${files}`,
  backups: "Auch Sicherungen von früher behalten den Namen.", configured: "Die Konfiguration nennt diesen Namen: nimm ihn in den Einstellungen heraus.",
  yes: "Ja", no: "Nein", forgotten: (name) => `${name} ist vergessen.`, forgetForGood: "Endgültig vergessen",
};
