/* The texts of the scenes of a wall, in Spanish. Loaded with them and with the menu, in the language of the page alone. */

/** @satisfies {Oche.ScenesLanguage} */
export const scenes = {
  label: "Escenas", full: "Completas", short: "Cortas", off: "Ninguna",
  behind: (n, unit) => `iba ${n} ${unit} por detrás`, units: { points: "puntos", rounds: "rondas", legs: "legs", sets: "sets" },
  thisMonth: (kind) => `${kind} este mes`,
  leads: (name, won, lost) => `${name} lidera ${won} a ${lost}`, level: (n) => `Empatados a ${n}`, neverMet: "Su primer cara a cara",
  lastOnes: (n) => (n === 1 ? "última partida" : `últimas ${n}`),
};
