/* Les textes des tournois, en français. */

/** @satisfies {Oche.TournamentLanguage} */
export const tournament = {
  tournaments: "Tournois", list: "Tournois", make: "Nouveau tournoi", loading: "Chargement …", gone: "Aucun tournoi ne correspond à ce lien.",
  offline: "Pas de connexion. Nouvel essai en cours …", waits: (n) => (n < 2 ? "Pas de connexion. Votre saisie est gardée et sera envoyée." : `Pas de connexion. ${n} saisies sont gardées et seront envoyées.`),
  needsSetup: "Pour créer un tournoi, saisissez le jeton des réglages sur cet appareil.", enterSetup: "Saisir le jeton des réglages",
  views: { bracket: "Tableau", tables: "Tables", organise: "Organiser", print: "Imprimer" },
  phases: { sign_up: "Inscriptions", playing: "En cours", over: "Terminé" }, played: (played, matches) => `${played} ${played < 2 ? "match joué" : "matchs joués"} sur ${matches}`,
  wonBy: (name) => `Vainqueur : ${name}`,
  close: "Fermer", less: (label) => `${label} : moins`, more: (label) => `${label} : plus`, sure: (label) => `${label} ? Appuyez encore`,

  kind: "Formule",
  kinds: {
    knock_out: "Élimination directe", double_knock_out: "Double élimination", round_robin: "Toutes rondes", groups: "Poules, puis élimination",
    swiss: "Système suisse", ladder: "Échelle", open: "Soirée libre",
  },
  sides: "Camps", sideKinds: { singles: "Simples", fixed: "Doublettes", drawn: "Doublettes tirées", teams: "Équipes" }, teamHow: "Saisissez une équipe et ses joueurs : « Maison : Ann, Bo ». Le premier joue contre le premier, le deuxième contre le deuxième.", teamExample: "Maison: Ann, Bo", inTurn: (n) => (n === 2 ? "Touchez les partenaires l’un après l’autre." : `Touchez les ${n} joueurs d’un camp l’un après l’autre.`),
  name: "Nom du tournoi", draw: "Tirage", drawOf: (n) => `Tirage (${n})`, openSignUp: "Ouvrir les inscriptions", makes: "Création du tournoi …",
  tooFew: "Un tournoi demande deux camps : touchez des joueurs ou saisissez leurs noms.", lacksPartner: (n) => (n === 2 ? "Le dernier joueur n’a pas encore de partenaire." : `Le dernier camp a moins de ${n} joueurs.`),
  options: {
    size: "Joueurs par camp", doubles: "Équipes : aussi un match en doublette", sets: "Sets gagnants", byRound: "Manches gagnantes à certains tours (0 : comme aux autres)", finalSets: "Finale : sets gagnants", losers: "Tableau des perdants", third: "Match pour la troisième place", second: "Seconde finale si le camp invaincu perd la première",
    groups: "Poules", through: "Qualifiés par poule", twice: "Matchs aller et retour", rounds: "Tours (0 : le moins possible pour un vainqueur)", reach: "Places que l’on peut défier vers le haut",
    seeding: "Têtes de série", seedings: { draw: "Tirées au sort", hand: "À la main", average: "Selon la moyenne", rating: "Selon le niveau de jeu" }, first: "Commence", firsts: { drawn: "Tiré équitablement", bull: "Lancer à la bulle" },
    win: "Points par victoire", drawn: "Points par match nul", ties: "À égalité de points", tieBreak: (n) => `Critère ${n}`,
    tieBreaks: {
      direct: "Le match entre eux", leg_difference: "Différence de manches", level_leg_difference: "Différence de manches entre eux", legs_won: "Manches gagnées", wins: "Matchs gagnés",
      opponents: "Points des adversaires", average: "Moyenne", lots: "Tirage au sort",
    },
    withdrawn: "Si un camp abandonne", withdrawals: { walkover: "Les autres gagnent par forfait", annul: "Annuler ses matchs si peu sont joués" },
    rest: "Repos entre deux matchs, en minutes", confirm: "Confirmer chaque inscription",
  },

  // Ce que fait l’organisateur.
  needs: {
    disputed: (pair) => `${pair} : le résultat a été corrigé, mais d’autres ont déjà commencé`, other: (table) => `${table} joue autre chose`, away: (table) => `${table} ne répond pas`, board: (table) => `${table} : la cible n’est pas connectée. Allumez-la, ou saisissez les fléchettes à la main`,
    paper: (pair, table) => `Saisir le résultat : ${pair} (${table})`, confirm: (name) => `${name} veut participer`, late: (name) => `${name} est en retard : trouvez une place`, noTable: "Ajoutez une table",
    few: (n) => (n === 1 ? "Pour les poules, il manque un inscrit" : `Pour les poules, il manque ${n} inscrits`),
    draw: (n) => `Tirage (${n} inscrits)`, drawNext: "Tirer le tour suivant", code: "Montrer le code d’inscription",
  },
  inputs: {
    enter: (name) => `Inscription de ${name}`, change: (name) => `Modification de ${name}`, leave: (name) => `Départ de ${name}`, draw_sides: "Tirage des camps", draw_seats: "Tirage", draw_groups: "Tirage des poules",
    draw_round: "Tirage du tour", draw_ladder: "Tirage", seat_late: (name) => `Entrée tardive de ${name}`, pair: (pair) => `Match ${pair}`, set_tables: "Modification des tables",
    call_to: (pair, table) => `${pair} appelés à ${table}`, callBack: (pair) => `Rappel de ${pair}`, result: (pair, score) => `${pair} ${score}`, take_back: (pair) => `Résultat de ${pair} repris`,
    set_writer: (pair) => `Marqueur de ${pair}`, settle: (pair) => `${pair} maintenu`, end: "Fin",
  },
  status: {
    waiting: "en attente", ready: "prêt", called: "appelé", playing: "en cours", played: "joué", disputed: "contesté", walkover: "forfait", bye: "exempt", annulled: "annulé",
  },
  boardAway: "la cible n’est pas connectée",
  tableStatus: { free: "libre", called: "appelée", playing: "en jeu", else: "joue autre chose", away: "ne répond pas" },
  tables: "Tables", ready: "Prêts à jouer", pairing: "Qui joue contre qui", people: "Participants", results: "Résultats", more_: "Codes, fichiers, fin", match: "Match", next: (pair) => `ensuite : ${pair}`, auto: "Appeler les matchs tout seul",
  ends: (end, early, late) => `fin vers ${end} (de ${early} à ${late})`, notOrganiser: "Seul l’organisateur voit cela : ouvrez son lien, ou saisissez le jeton des réglages sur cet appareil.",
  undo: "Annuler", redo: "Rétablir", writer: "Marque", writes: (name) => `${name} marque`, youWrite: (pair, table) => `Vous marquez : ${pair}, ${table}`,
  call: "Appeler à", callTo: (table) => `Appeler à ${table}`, move: "Déplacer à", callBack: "Rappeler", paused: "en pause",
  result: "Saisir le résultat", correct: "Corriger le résultat", enterResult: "Saisir", saveCorrection: "Corriger", winner: "Vainqueur", drawn: "Match nul", whoWon: "Choisissez qui a gagné.",
  takeBack: "Reprendre le résultat", takeBackOf: (pair) => `Reprendre ${pair}`, givesAway: (name) => `${name} donne le match`,
  outdated: (score, table) => `s’est terminé ${score} à ${table}, après avoir été appelé ailleurs ou rappelé. Cela ne compte nulle part`,
  disputeHow: "La table a corrigé ce résultat, et le vainqueur est un autre. Des matchs qui en dépendent ont commencé.", settle: "Maintenir le premier résultat",
  pause: "Mettre en pause", resume: "Reprendre", playFirst: "Lui donner les matchs d’abord", removeTable: "Retirer la table", addTable: "Ajouter une table", paper: "Une table sans oche", paperHow: "Vous appelez ses matchs et saisissez leurs résultats.", otherTable: "Tables d’autres oche", otherNone: "Aucune trouvée pour l’instant. Chaque oche doit être en marche et utiliser le même broker que celui-ci.", tableOf: (bridge) => `sur ${bridge}`, olderTable: (bridge) => `sur ${bridge} · oche plus ancien : les résultats sont saisis à la main`,
  paperName: "Nom de la table", paperNumber: (n) => `Papier ${n}`,
  confirm: "Confirmer", toConfirm: "non confirmé", paid: "Payé", rename: "Renommer", save: "Enregistrer", teamName: "Nom du camp", leave: "Quitte le tournoi", refuse: "Refuser", hasLeft: "est parti", change: "Modification",
  seed: "Numéro de tête de série (0 : aucun)", seeded: (n) => `tête de série ${n}`, rated: (average, darts) => `Moyenne des 90 derniers jours : ${average} (${darts})`, ratedAs: (rating) => `Niveau de jeu ${rating}`, unrated: "Pas de moyenne des 90 derniers jours",
  late: "Entrée tardive : à la place d’un exempt", joinNow: "Entre maintenant", noBye: "Pas de place libre : elles sont prises, ou leurs adversaires ont commencé.", addEntrant: "Nom d’un nouveau",
  challenges: (name) => `${name} défie`, plays: (name) => `${name} joue contre`, isTop: "Personne n’est au-dessus.", notMet: "Pas encore rencontrés", metBefore: "Déjà rencontrés",
  signUpCode: "S’inscrire", organiserLink: "Organiser sur un autre appareil", saveFile: "Enregistrer un fichier", saveResults: "Résultats en CSV", end: "Terminer le tournoi", restore: "Restaurer depuis un fichier",
  newton: {
    title: "Jouer avec NewTon", handOver: "Scannez ceci avec la tablette", text: "Le même en texte", take: "Reprendre son résultat", paste: "Collez le texte du résultat", read: "Lire le texte", photo: "Photo du code", accept: "Accepter ce résultat", noPicture: "Ce fichier n’est pas une image.",
    play: "Jouer un match de NewTon", playHow: "NewTon affiche un code pour chaque match. Prenez-le en photo, ou collez son texte.", pasteMatch: "Collez le texte du match", planned: (match, table) => `${match} : prévu à ${table}. Lancez-le là-bas ; après le match, la table affiche le code pour NewTon.`,
  },

  // L’inscription.
  signUp: "S’inscrire", signUpFor: (kind) => `Inscription : ${kind}`, yourName: "Votre nom", playerNumber: (n) => `Joueur ${n}`, code: "Code à l’écran", signUpMore: "Inscrire quelqu’un d’autre", signUpClosed: "Les inscriptions sont closes : demandez à l’organisateur.",
  happensNext: "Vous participez aussitôt. Cette page montre ensuite quand et où vous jouez.", happensConfirmed: "L’organisateur vous confirme. Cette page montre ensuite quand et où vous jouez.",
  entered: (n) => `Inscrits : ${n}`, youAreIn: (name, n) => `${name}, vous participez : numéro ${n}`, youWait: (name) => `${name}, l’organisateur doit encore vous confirmer`,
  yourNext: "Votre prochain match", youPlay: "Vous jouez maintenant", about: (time) => `vers ${time}`, drawComes: "Le tirage vient ensuite.", noNext: "Aucun match ne vous attend.", yourPlace: (first, last) => (first === last ? `Votre place : ${first}` : `Votre place : ${first} à ${last}`),
  placed: (place) => `Place ${place} au classement`, placedIn: (place, group) => `Place ${place} dans la poule ${group}`,

  redraw: "Nouveau tirage", start: "Commencer", swap: "Touchez deux noms pour les faire changer de place.", order: "Ordre", rests: "Se repose", bye: "Exempt", sideNumber: (n) => `Camp ${n}`,
  nobody: "personne", unknown: "pas encore connu",
  awaits: { winner: (match) => `Vainqueur ${match}`, loser: (match) => `Perdant ${match}`, place: (group, place) => `Place ${place} de la poule ${group}` },
  rounds: {
    final: "Finale", second: "Seconde finale", semi: "Demi-finale", quarter: "Quart de finale", third: "Match pour la troisième place", last: (n) => `${n} derniers`, round: (n) => `Tour ${n}`,
    winners: (n) => `Tableau des gagnants, tour ${n}`, losers: (n) => `Tableau des perdants, tour ${n}`, group: (group) => `Poule ${group}`, match: (round, n) => `${round} · ${n}`,
  },
};
