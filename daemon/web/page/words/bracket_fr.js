/* The texts of what everybody sees of a tournament, in French; what the organiser sees too is in tournament_fr.js. */

/** @satisfies {Oche.BracketLanguage} */
export const bracket = {
  bracket: "Tableau", standings: "Classement", rounds: "Tours", onWall: "Afficher comme au mur", browse: "Afficher tous les tours", winnersSide: "Tableau des gagnants", losersSide: "Tableau des perdants", ladder: "Échelle", places: "Places",
  status: { ready: "prêt", called: "appelé", playing: "en cours", disputed: "en vérification", walkover: "forfait", bye: "exempt", annulled: "annulé" },
  due: (clock) => `vers ${clock}`, ends: (clock, early, late) => `Fin vers ${clock} (entre ${early} et ${late})`,
  choose: "Touchez un nom pour le suivre.", stop: "Ne suivre personne", yourNext: "votre prochain match", against: (name) => `contre ${name}`, noNext: "aucun match pour l’instant", placed: (places) => `place ${places}`,
  winner: "Victoire", wins: "gagne le tournoi", notDrawn: "Le tirage n’est pas encore fait.", entered: "Inscrits",
  name: "Nom", played: "Joués", won: "Gagnés", drawn: "Nuls", lost: "Perdus", legs: "Manches", points: "Points", average: "Moyenne", cross: "Résultats", notMet: "Restent à rencontrer", metAll: "a rencontré tout le monde", page: (n, of) => `${n} sur ${of}`,
  writes: (name) => `${name} marque`, free: "libre", paused: "en pause", away: "non connectée", else: "joue autre chose", paper: "sur papier", nextUp: (pair) => `Ensuite : ${pair}`, noTables: "Aucune table ne joue encore dans ce tournoi.",
  pressStart: "appuyez sur démarrer", here: "ici", goTo: (table) => `${table} : c’est à vous`, soon: "bientôt", notNow: "Pas maintenant",
  paperSize: "Papier", printNow: "Imprimer", time: "Heure", table: "Table", match: "Match", result: "Résultat", scan: "Scannez le code pour vous inscrire.", asOf: (clock) => `État à ${clock}`,
  leg: (n) => `Manche ${n}`, legsTo: (legs) => (legs === 1 ? "Une manche" : `En ${legs} manches gagnantes`), setsTo: (sets, legs) => `En ${sets} sets gagnants de ${legs} manches`, signature: "Signature",
  parts: { bracket: "Tableau", standings: "Classements", order: "Ordre des matchs", code: "Code d’inscription", sheets: "Feuilles de marque" },
};
