/* The texts of a wall at rest, in Spanish. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.IdleLanguage} */
export const idle = {
  label: "Listo para jugar", touch: "Toca para jugar", best: "Lo mejor de la semana", lately: "Jugado esta semana",
  wins: "Más victorias", ofMatches: (won, matches) => `${won} de ${matches}`, finish: "Cierre más alto",
  highest: (kind, label) => `${kind}, ${label}`, kinds: { average: "Mejor media", mpr: "Más marcas por ronda" },
  league: (month) => `Liga de ${month}`, results: (won, drawn, lost) => `${won} ${won === 1 ? "ganada" : "ganadas"}, ${drawn ? `${drawn} ${drawn === 1 ? "empate" : "empates"}, ` : ""}${lost} ${lost === 1 ? "perdida" : "perdidas"}`,
};
