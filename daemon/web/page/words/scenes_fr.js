/* The texts of the scenes of a wall, in French. Loaded with them and with the menu, in the language of the page alone. */

/** @satisfies {Oche.ScenesLanguage} */
export const scenes = {
  label: "Scènes", full: "Complètes", short: "Courtes", off: "Aucune",
  behind: (n, unit) => `avait ${n} ${unit} de retard`, units: { points: "points", rounds: "tours", legs: "manches", sets: "sets" },
  thisMonth: (kind) => `${kind} ce mois-ci`,
  leads: (name, won, lost) => `${name} mène ${won} à ${lost}`, level: (n) => `Égalité : ${n} partout`, neverMet: "Leur premier match l’un contre l’autre",
  lastOnes: (n) => (n === 1 ? "dernier match" : `${n} derniers`),
};
