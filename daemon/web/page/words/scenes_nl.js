/* The texts of the scenes of a wall, in Dutch. Loaded with them and with the menu, in the language of the page alone. */

/** @satisfies {Oche.ScenesLanguage} */
export const scenes = {
  label: "Scènes", full: "Volledig", short: "Kort", off: "Uit",
  behind: (n, unit) => `stond ${n} ${unit} achter`, units: { points: "punten", rounds: "rondes", legs: "legs", sets: "sets" },
  thisMonth: (kind) => `${kind} deze maand`,
  leads: (name, won, lost) => `${name} leidt met ${won} - ${lost}`, level: (n) => `Gelijke stand: ${n} - ${n}`, neverMet: "Hun eerste onderlinge partij",
  lastOnes: (n) => (n === 1 ? "laatste partij" : `laatste ${n}`),
};
