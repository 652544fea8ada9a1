/* The texts of a match in two places, in German. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const twoPlaces = {
  ask: (t) => `Der Tisch ${t} möchte hier mit euch ein Match spielen.`,
  agree: "Einverstanden", refuse: "Nein", end: "Nicht mehr mitspielen",
  lent: (t) => `Ihr spielt am Tisch ${t} mit.`,
  waits: (t) => `Es wird auf ein Match am Tisch ${t} gewartet.`,
  waiting: (n) => (n === 1 ? "1 Dart wartet." : `${n} Darts warten.`),
  away: (t) => `Keine Verbindung zum Tisch ${t}.`,
  asked: (t) => `Der Tisch ${t} ist gefragt, ob er mitspielt.`,
  left: (t) => `Der Tisch ${t} spielt nicht mit.`,
  offline: (t) => `Das Board am Tisch ${t} ist nicht verbunden.`,
  wish: (t, what) => `Der Tisch ${t} möchte: ${what}`,
  wished: (what) => `Der andere Tisch ist gefragt: ${what}`,
  wishes: { amend: "einen Dart korrigieren", retire: "eine Seite gibt auf", concede: "das Match überlassen", stop: "das Match beenden", undo: "zurücknehmen", redo: "wiederholen" },
};
