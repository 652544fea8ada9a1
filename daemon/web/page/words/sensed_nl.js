/* What a board that sees its darts asks and needs, in Dutch. Loaded with that, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const sensed = {
  title: "Pijlen in het bord",
  found: (darts) => `Terwijl het bord weg was, is dit gegooid: ${darts}.`,
  other: (darts) => `In het bord zitten pijlen van een andere beurt, die niet tellen: ${darts}.`,
  cleared: "Het bord is met de hand gereset.",
  unread: (n) => (n === 1 ? "één heeft het bord niet herkend" : `${n} heeft het bord niet herkend`),
  take: (n) => (n === 1 ? "Deze pijl overnemen" : `Deze ${n} pijlen overnemen`), leave: (n) => (n === 1 ? "Hem weglaten" : "Ze weglaten"),
  over: "Beurt voorbij", goOn: "Verder gooien", ok: "OK",
  start: "Camera’s starten", reset: "Bord resetten",
};
