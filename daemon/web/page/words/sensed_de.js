/* What a board that sees its darts asks and needs, in German. Loaded with that, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const sensed = {
  title: "Darts im Board",
  found: (darts) => `Während das Board weg war, wurde geworfen: ${darts}.`,
  other: (darts) => `Im Board stecken Darts einer anderen Aufnahme, die nicht zählen: ${darts}.`,
  cleared: "Das Board wurde von Hand zurückgesetzt.",
  unread: (n) => (n === 1 ? "einen hat das Board nicht erkannt" : `${n} hat das Board nicht erkannt`),
  take: (n) => (n === 1 ? "Diesen Dart übernehmen" : `Diese ${n} Darts übernehmen`), leave: (n) => (n === 1 ? "Ihn weglassen" : "Sie weglassen"),
  over: "Aufnahme vorbei", goOn: "Weiterwerfen", ok: "OK",
  start: "Kameras starten", reset: "Board zurücksetzen",
};
