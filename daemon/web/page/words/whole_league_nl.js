/* The texts about the pages of a league, in Dutch. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.WholeLeagueLanguage} */
export const wholeLeague = {
  of: "Statistieken van", board: "Dit bord", league: "De hele competitie",
  place: "Locatie", everywhere: "Overal", game: "Spel", allGames: "Alle spellen", season: "Seizoen", anyTime: "Altijd", from: "Van", to: "Tot en met", show: "Tonen", seasons: "Seizoenen",
  kept: (time) => `De competitie antwoordt niet. Dit is haar stand van ${time}.`, none: "De competitie antwoordt niet. Dit zijn alleen de partijen van dit bord.",
};
