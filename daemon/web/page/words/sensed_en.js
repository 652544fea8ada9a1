/* What a board that sees its darts asks and needs, in English. Loaded with that, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const sensed = {
  title: "Darts on the board",
  found: (darts) => `While the board was away, these darts were thrown: ${darts}.`,
  other: (darts) => `The board has darts of another visit, which do not count: ${darts}.`,
  cleared: "The board was cleared by hand.",
  unread: (n) => (n === 1 ? "one the board could not read" : `${n} the board could not read`),
  take: (n) => (n === 1 ? "Take this dart" : `Take these ${n} darts`), leave: (n) => (n === 1 ? "Leave it" : "Leave them"),
  over: "Visit over", goOn: "Go on", ok: "OK",
  start: "Start the cameras", reset: "Reset the board",
};
