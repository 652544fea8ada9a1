/* The texts about the pages of a league, in English. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const wholeLeague = {
  of: "Statistics of", board: "This board", league: "The whole league",
  place: "Place", everywhere: "Everywhere", game: "Game", allGames: "All games", season: "Season", anyTime: "Any time", from: "From", to: "To", show: "Show", seasons: "Seasons",
  kept: (time) => `The league does not answer. This is what it said on ${time}.`, none: "The league does not answer. These are the matches of this board alone.",
};
