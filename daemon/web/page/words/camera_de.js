/* The texts of the camera for moments, in German. Loaded with it, in the language of the page alone. */

/** @type {Oche.CameraLanguage} */
export const camera = {
  title: "Kamera", about: "Dieses Gerät behält die letzten Sekunden seiner Kamera für sich, ohne Ton. Bei einem großen Moment schickt es sie an oche, das sie beim Match aufbewahrt.",
  start: "Kamera starten", stop: "Kamera ausschalten", ready: "Die Kamera läuft.", ended: "Die Kamera ist aus.", sent: (n) => `Gesendete Clips: ${n}.`,
  paused: (names) => `Auf Wunsch von ${names} wird in diesem Match nicht gefilmt.`,
  refused: "Diese Seite darf die Kamera nicht benutzen. Erlaube es im Browser und starte noch einmal.",
  noCamera: "Hier ist keine Kamera, oder ein anderes Programm benutzt sie.", noRecorder: "Dieser Browser kann nicht aufnehmen. Nimm einen neueren.",
  insecure: (host, local) => `Dieses Gerät hat die Seite unter ${host} ohne https geöffnet. Browser geben so einer Seite keine Kamera. Öffne auf dem Rechner, auf dem oche läuft, ${local}. Für ein Handy stell einen Webserver mit https vor oche: docs/reverse-proxy.md sagt, wie.`,
  mayNot: "Dieses Gerät darf nur zuschauen: gib zuerst auf der Seite das Token ein.",
  off: "Hier werden keine Clips aufbewahrt. Stell in den Einstellungen unter Seite „Aufbewahrte Clips“ ein, und lade diese Seite neu.",
  when: "Aufbewahren", moments: { few: "die größten Momente und gewonnene Matches", usual: "große Momente, gewonnene Legs und Matches", many: "jede Auszeichnung und alles, was gewonnen wird" },
  what: "Als", kinds: { film: "Film", still: "Bild" },
  who: "Nicht vor die Kamera?", whoHelp: "Jeder darf Nein sagen. Dann wird in Matches mit dieser Person nicht gefilmt, und die Clips des laufenden Matches werden gelöscht.",
  no: "Nicht filmen", sureNo: "Noch einmal tippen: nicht filmen", yes: "Darf gefilmt werden", sureYes: "Noch einmal tippen: darf gefilmt werden", saidNo: "wird nicht gefilmt",
  clips: "Clips", remove: "Löschen", sureRemove: "Zum Löschen noch einmal tippen",
};
