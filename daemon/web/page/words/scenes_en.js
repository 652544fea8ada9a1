/* The texts of the scenes of a wall, in English. Loaded with them and with the menu, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const scenes = {
  label: "Scenes", full: "Full", short: "Short", off: "Off",
  behind: (n, unit) => `was ${n} ${unit} behind`, units: { points: "points", rounds: "rounds", legs: "legs", sets: "sets" },
  thisMonth: (kind) => `${kind} this month`,
  leads: (name, won, lost) => `${name} leads ${won} : ${lost}`, level: (n) => `Level at ${n} : ${n}`, neverMet: "Their first match against each other",
  lastOnes: (n) => (n === 1 ? "last match" : `last ${n}`),
};
