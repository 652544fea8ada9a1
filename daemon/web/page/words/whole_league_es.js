/* The texts about the pages of a league, in Spanish. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.WholeLeagueLanguage} */
export const wholeLeague = {
  of: "Estadísticas de", board: "Esta diana", league: "Toda la liga",
  place: "Lugar", everywhere: "En todas partes", game: "Juego", allGames: "Todos los juegos", season: "Temporada", anyTime: "Cualquier fecha", from: "Desde", to: "Hasta", show: "Mostrar", seasons: "Temporadas",
  kept: (time) => `La liga no responde. Esto es lo que dijo el ${time}.`, none: "La liga no responde. Estas son solo las partidas de esta diana.",
};
