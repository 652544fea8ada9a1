/* The texts of a match in two places, in Spanish. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const twoPlaces = {
  ask: (t) => `La mesa ${t} quiere jugar una partida con vosotros aquí.`,
  agree: "De acuerdo", refuse: "No", end: "Dejar de jugar con ella",
  lent: (t) => `Jugáis con la mesa ${t}.`,
  waits: (t) => `Esperando una partida en la mesa ${t}.`,
  waiting: (n) => (n === 1 ? "1 dardo espera." : `${n} dardos esperan.`),
  away: (t) => `Sin conexión con la mesa ${t}.`,
  asked: (t) => `Se ha preguntado a la mesa ${t} si juega.`,
  left: (t) => `La mesa ${t} no juega.`,
  offline: (t) => `La diana de la mesa ${t} no está conectada.`,
  wish: (t, what) => `La mesa ${t} pide: ${what}`,
  wished: (what) => `Se ha preguntado a la otra mesa: ${what}`,
  wishes: { amend: "corregir un dardo", retire: "un lado se retira", concede: "ceder la partida", stop: "terminar la partida", undo: "deshacer", redo: "repetir" },
};
