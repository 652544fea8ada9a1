/* The texts about a season of a league, in Spanish. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.SeasonLanguage} */
export const season = {
  columns: ["Equipo", "Puntos", "Jugadas", "Ganadas", "Empatadas", "Perdidas", "Legs"],
  marks: { promoted: "asciende", relegated: "desciende" }, withdrawn: "retirado", deducted: (n) => `${n} descontados`,
  day: (n) => `Jornada ${n}`, rests: (name) => `${name} descansa`, heads: ["Partida", "Resultado", "Nota"], postponed: "aplazada",
  how: { playing: "sin terminar", forfeit: "no presentado", annulled: "no cuenta" },
  statistics: "Estadísticas de esta temporada", unknown: "La liga no tiene esa temporada.",
};
