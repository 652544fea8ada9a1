/* The texts of a match in two places, in English. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const twoPlaces = {
  ask: (t) => `The table ${t} wants to play a match with you here.`,
  agree: "Agree", refuse: "No", end: "Stop playing along",
  lent: (t) => `You play along at the table ${t}.`,
  waits: (t) => `Waiting for a match at the table ${t}.`,
  waiting: (n) => (n === 1 ? "1 dart waits." : `${n} darts wait.`),
  away: (t) => `No connection with the table ${t}.`,
  asked: (t) => `The table ${t} was asked to play along.`,
  left: (t) => `The table ${t} does not play along.`,
  offline: (t) => `The board of the table ${t} is not connected.`,
  wish: (t, what) => `The table ${t} asks: ${what}`,
  wished: (what) => `The other table was asked: ${what}`,
  wishes: { amend: "correct a dart", retire: "a side retires", concede: "give the match away", stop: "end the match", undo: "take back", redo: "repeat" },
};
