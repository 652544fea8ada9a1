/* The texts of the views for a stream, in German. */

/** @satisfies {Oche.StreamLanguage} */
export const stream = {
  title: "Für einen Stream", how: "Kopiere die Adresse eines Links nach OBS, oder öffne ihn für die Moderation.",
  overlay: "Einblendung", strip: "Einblendung als Streifen", announcer: "Moderation", tables: "Alle Tische",
  needsToken: "Diese Adresse braucht ein Token: Kopiere den Link, den „Mitmachen“ auf der Anzeige zeigt.",
  noTable: (wanted, tables) => `Einen Tisch „${wanted}“ gibt es nicht. Schreibe einen von diesen in die Adresse: ${tables}.`,
  noPart: (wanted, parts) => `Einen Teil „${wanted}“ gibt es nicht. Schreibe einige von diesen in die Adresse: ${parts}.`,
  noChoice: (name, wanted, values) => `${name}=${wanted} geht nicht. Schreibe eines von diesen in die Adresse: ${values}.`,
  noSize: (wanted, least, most) => `size=${wanted} geht nicht. Schreibe eine Zahl von ${least} bis ${most} in die Adresse.`,
  ways: "Wege zum Finish", chance: (percent) => `${percent} %`, leaves: (left) => `lässt ${left}`,
  players: "Spieler", visits: "Letzte Aufnahmen", scored: "Geworfen", left: "Rest", next: (name) => `Danach: ${name}`,
};
