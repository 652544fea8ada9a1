/* The texts of the scenes of a wall, in German. Loaded with them and with the menu, in the language of the page alone. */

/** @satisfies {Oche.ScenesLanguage} */
export const scenes = {
  label: "Szenen", full: "Ausführlich", short: "Kurz", off: "Aus",
  behind: (n, unit) => `lag ${n} ${unit} zurück`, units: { points: "Punkte", rounds: "Runden", legs: "Legs", sets: "Sätze" },
  thisMonth: (kind) => `${kind} in diesem Monat`,
  leads: (name, won, lost) => `${name} führt ${won} : ${lost}`, level: (n) => `Gleichstand ${n} : ${n}`, neverMet: "Das erste Duell der beiden",
  lastOnes: (n) => (n === 1 ? "letztes Match" : `die letzten ${n}`),
};
