/* What a board that sees its darts asks and needs, in Spanish. Loaded with that, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const sensed = {
  title: "Dardos en la diana",
  found: (darts) => `Mientras la diana no estaba, se lanzó: ${darts}.`,
  other: (darts) => `La diana tiene dardos de otro turno, que no cuentan: ${darts}.`,
  cleared: "La diana se ha vaciado a mano.",
  unread: (n) => (n === 1 ? "uno no lo ha leído la diana" : `${n} no los ha leído la diana`),
  take: (n) => (n === 1 ? "Anotar este dardo" : `Anotar estos ${n} dardos`), leave: (n) => (n === 1 ? "Dejarlo" : "Dejarlos"),
  over: "Turno terminado", goOn: "Seguir", ok: "OK",
  start: "Iniciar las cámaras", reset: "Reiniciar la diana",
};
