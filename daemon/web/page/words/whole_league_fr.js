/* The texts about the pages of a league, in French. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.WholeLeagueLanguage} */
export const wholeLeague = {
  of: "Statistiques de", board: "Cette cible", league: "Toute la ligue",
  place: "Lieu", everywhere: "Partout", game: "Jeu", allGames: "Tous les jeux", season: "Saison", anyTime: "Toute période", from: "Du", to: "Au", show: "Afficher", seasons: "Saisons",
  kept: (time) => `La ligue ne répond pas. Voici ce qu’elle a dit le ${time}.`, none: "La ligue ne répond pas. Voici les matchs de cette cible seulement.",
};
