/* The texts about rivals, goals and practice, in French. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.RivalsLanguage} */
export const rivals = {
  title: "Duels",
  league: {
    title: "Classement du mois", month: "Mois", none: "Ce mois-ci, aucun match entre deux joueurs n’a été terminé.",
    rule: "Trois points par victoire, un par match nul. Seuls les matchs entre deux personnes comptent. À égalité de points, les matchs entre ces joueurs décident, puis la moyenne dans le jeu le plus joué.",
    columns: ["Joueur", "Points", "Joués", "Gagnés", "Nuls", "Perdus", "Manches"], value: (kind, game) => `${kind}, ${game}`,
  },
  ratings: {
    title: "Niveau de jeu", game: "Jeu", others: (game) => `${game} : trois ou plus, et équipes`, columns: ["Joueur", "Niveau", "Au moins", "Matchs", "Dernier", "Évolution"],
    rule: "Un nouveau joueur a 1500. Le niveau est presque toujours dans la marge indiquée après ±. Le classement suit ce que chacun a au moins : quelques matchs chanceux ne suffisent pas pour mener.",
    way: (from, to, n) => `De ${from} à ${to} en ${n}`,
    classes: "Moyennes et classes", heads: ["Joueur", "PR"], ppd: "PPD, X01", mpr: "MPR, Cricket",
    classRule: "Le PR est la moyenne par fléchette plus dix fois les marques par tour. Une classe veut dire « environ cette classe selon ce tableau », d’abord au X01, puis au Cricket ; ce n’est pas le classement d’un fabricant. DARTSLIVE 80 % est le tableau du fabricant, pour les premiers 80 % de chaque manche ; les autres viennent d’un tableau non officiel de 2026.",
  },
  pair: {
    title: "Face-à-face", players: ["Premier joueur", "Second joueur"], choose: "Choisissez deux joueurs.",
    never: (one, other) => `${one} et ${other} n’ont encore terminé aucun match l’un contre l’autre.`,
    leads: (name, won, lost) => `${name} mène ${won} à ${lost}`, level: (won) => `Égalité, ${won} partout`,
    drawn: (n) => (n > 1 ? `${n} matchs nuls` : `${n} match nul`), streak: (name, n) => (n === 1 ? `${name} a gagné le dernier match.` : `${name} a gagné les ${n} derniers matchs.`),
    latest: "Derniers matchs, du plus ancien au plus récent", draw: "nul", game: "Jeu", drawnHead: "Nuls", streakHead: "Série", run: (name, n) => `${name}, ${n}`,
    teams: "Seuls les matchs entre ces deux joueurs comptent, pas ceux par équipes.",
    handicap: {
      find: "Calculer un handicap équitable", title: "Handicap équitable", working: "Calcul en cours…",
      starts: (game, one, score, other, otherScore) => `${game} : ${one} part de ${score}, ${other} de ${otherScore}.`, even: (game) => `${game} : personne n’a besoin de handicap.`,
      chance: (name, fair, before) => `${name} gagne alors une manche dans ${fair} des cas ; à score égal, ce serait ${before}.`, from: (one, darts, other, otherDarts) => `D’après ${darts} de ${one} et ${otherDarts} de ${other}.`,
      few: (darts, game) => `Il faut ${darts} de chacun dans des jeux comme ${game}.`, none: "Un handicap demande des matchs de X01 avec le même départ pour tous, entrée simple.",
    },
  },
  goals: {
    title: "Objectifs", reached: "atteint",
    kinds: { darts: "Fléchettes par semaine", days: "Jours de suite", weeks: "Semaines de suite", average: "Moyenne dans un jeu" },
    progress: (value, amount) => `${value} sur ${amount}`, average: (game) => `Moyenne, ${game}`, mpr: (game) => `Marques par tour, ${game}`, notPlayed: "pas encore joué",
    kind: "Objectif", amount: "Combien", game: "Jeu", add: "Ajouter un objectif", remove: "Retirer cet objectif",
    help: "La moyenne est celle des cinq derniers matchs. La fiche dans les statistiques montre où en est chaque objectif.",
  },
  calendar: { title: "Calendrier", label: "Fléchettes de chaque jour des douze dernières semaines", weekOf: (day) => `Semaine du ${day}`, on: (day, darts) => `${day} : ${darts}` },
  practice: {
    title: "Doubles à travailler", help: "Les doubles touchés le moins souvent, trente fléchettes sur chacun.", double: (name, hits, darts) => `${name} : ${hits} sur ${darts}`,
    start: "Commencer l’entraînement", by: (name, doubles) => `${name} : ${doubles}`, none: "Ici, personne n’a encore lancé dix fléchettes sur un double.",
    running: (title) => `${title} est en cours à cette table.`, stop: "L’arrêter et commencer l’entraînement", no: "Continuer à jouer",
  },
};
