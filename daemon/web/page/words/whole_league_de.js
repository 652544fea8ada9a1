/* The texts about the pages of a league, in German. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.WholeLeagueLanguage} */
export const wholeLeague = {
  of: "Statistik von", board: "Dieses Board", league: "Die ganze Liga",
  place: "Ort", everywhere: "Überall", game: "Spiel", allGames: "Alle Spiele", season: "Saison", anyTime: "Jederzeit", from: "Von", to: "Bis", show: "Anzeigen", seasons: "Saisons",
  kept: (time) => `Die Liga antwortet nicht. Das ist ihr Stand vom ${time}.`, none: "Die Liga antwortet nicht. Das sind nur die Matches dieses Boards.",
};
