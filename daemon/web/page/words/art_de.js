/* What is said of art, in German. Loaded with the choice of it, in the language of the page alone. */

/** @satisfies {Oche.ArtLanguage} */
export const art = {
  choice: "Stil",
  plain: "Schlicht",
  names: { chalk: "Kreide", neon: "Neon" },
  about: "Ein Stil ist eine Zip-Datei mit Stylesheets, Bildern und Klängen. Wähle ihn im Menü jedes Bildschirms unter Stil.",
  empty: "Es gibt noch keinen eigenen.",
  add: "Stil hinzufügen",
  remove: "Entfernen",
  shipped: "bei oche dabei",
  sending: "Wird gesendet und geprüft …",
  failed: "Die Datei ist nicht angekommen: versuch es noch einmal.",
  art: (files, kilobytes) => `Dateien: ${files}, ${kilobytes} kB`,
  added: (art, files, leftOut) => `${art} wurde hinzugefügt. Dateien: ${files}${leftOut ? `. Weggelassen, weil sie nicht zum Stil gehören: ${leftOut}` : ""}`,
  removed: (art) => `${art} wurde entfernt.`,
  sure: (art) => `${art} wirklich entfernen?`,
  ownTitle: "Dein Bild oder Klang für einen Moment",
  ownAbout: "Ein GIF von höchstens 10 Sekunden, ein anderes Bild oder ein Klang, höchstens 1 MB. Jeder Bildschirm an der Wand zeigt es, mit jedem Stil; Klänge hört man, wo Ton an ist.",
  event: "Moment",
  picture: "Bild wählen",
  sound: "Klang wählen",
  kept: "Gespeichert.",
  gone: "Entfernt.",
  events: { 180: "180", big_fish: "Big Fish (170)", nine_darter: "Perfektes Leg", shanghai: "Shanghai", white_horse: "White Horse", three_in_a_bed: "Drei in einem Feld", hat_trick: "Hattrick", high_out: "Hohes Finish", first_leg: "Erstes Leg überhaupt", match_dart_missed: "Matchdart vergeben", comeback: "Comeback", bust: "Überworfen", leg_won: "Leg gewonnen", match_won: "Match gewonnen", badge: "Abzeichen", walk_on: "Walk-on" },
};
