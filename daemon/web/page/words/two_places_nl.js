/* The texts of a match in two places, in Dutch. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const twoPlaces = {
  ask: (t) => `De tafel ${t} wil hier een wedstrijd met jullie spelen.`,
  agree: "Akkoord", refuse: "Nee", end: "Niet meer meespelen",
  lent: (t) => `Jullie spelen mee aan de tafel ${t}.`,
  waits: (t) => `Er wordt gewacht op een wedstrijd aan de tafel ${t}.`,
  waiting: (n) => (n === 1 ? "1 pijl wacht." : `${n} pijlen wachten.`),
  away: (t) => `Geen verbinding met de tafel ${t}.`,
  asked: (t) => `De tafel ${t} is gevraagd mee te spelen.`,
  left: (t) => `De tafel ${t} speelt niet mee.`,
  offline: (t) => `Het bord van de tafel ${t} is niet verbonden.`,
  wish: (t, what) => `De tafel ${t} vraagt: ${what}`,
  wished: (what) => `De andere tafel is gevraagd: ${what}`,
  wishes: { amend: "een pijl corrigeren", retire: "een partij geeft op", concede: "de wedstrijd weggeven", stop: "de wedstrijd beëindigen", undo: "terugnemen", redo: "herhalen" },
};
