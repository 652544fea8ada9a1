/* The texts about rivals, goals and practice, in Spanish. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.RivalsLanguage} */
export const rivals = {
  title: "Rivales",
  league: {
    title: "Liga del mes", month: "Mes", none: "Este mes nadie ha terminado todavía una partida de dos jugadores.",
    rule: "Tres puntos por victoria, uno por empate. Solo cuentan las partidas entre dos personas. A igualdad de puntos deciden las partidas entre esos jugadores y después la media en el juego más jugado.",
    columns: ["Jugador", "Puntos", "Jugadas", "Ganadas", "Empates", "Perdidas", "Legs"], value: (kind, game) => `${kind}, ${game}`,
  },
  ratings: {
    title: "Nivel de juego", game: "Juego", others: (game) => `${game}: tres o más, y equipos`, columns: ["Jugador", "Nivel", "Al menos", "Partidas", "Última", "Evolución"],
    rule: "Un jugador nuevo tiene 1500. El nivel está casi siempre dentro del número que sigue a ±. El orden es por lo que cada uno tiene al menos, así que unas pocas partidas con suerte no bastan para liderar.",
    way: (from, to, n) => `De ${from} a ${to} en ${n}`,
    classes: "Medias y clases", heads: ["Jugador", "PR"], ppd: "PPD, X01", mpr: "MPR, Cricket",
    classRule: "El PR son los puntos por dardo más diez veces las marcas por ronda. Una clase quiere decir «más o menos esta clase según esa tabla», primero en X01 y luego en Cricket; no es la clasificación de un fabricante. DARTSLIVE 80 % es la tabla del fabricante, para el primer 80 % de cada leg; las demás son de una no oficial de 2026.",
  },
  pair: {
    title: "Cara a cara", players: ["Primer jugador", "Segundo jugador"], choose: "Elige dos jugadores.",
    never: (one, other) => `${one} y ${other} aún no han terminado ninguna partida entre ellos.`,
    leads: (name, won, lost) => `${name} lidera ${won} a ${lost}`, level: (won) => `Empatados a ${won}`,
    drawn: (n) => (n === 1 ? "1 empate" : `${n} empates`), streak: (name, n) => (n === 1 ? `${name} ganó la última partida.` : `${name} ganó las últimas ${n} partidas.`),
    latest: "Últimas partidas, de la más antigua a la más reciente", draw: "empate", game: "Juego", drawnHead: "Empates", streakHead: "Racha", run: (name, n) => `${name}, ${n}`,
    teams: "Solo cuentan las partidas entre estos dos jugadores, no las de equipos.",
    handicap: {
      find: "Calcular un hándicap justo", title: "Hándicap justo", working: "Calculando…",
      starts: (game, one, score, other, otherScore) => `${game}: ${one} empieza con ${score}, ${other} con ${otherScore}.`, even: (game) => `${game}: nadie necesita hándicap.`,
      chance: (name, fair, before) => `Así ${name} gana un leg el ${fair} de las veces; con la misma puntuación sería el ${before}.`, from: (one, darts, other, otherDarts) => `Según ${darts} de ${one} y ${otherDarts} de ${other}.`,
      few: (darts, game) => `Hacen falta ${darts} de cada uno en juegos como ${game}.`, none: "Un hándicap necesita partidas de X01 con el mismo inicio para todos, entrada simple.",
    },
  },
  goals: {
    title: "Metas", reached: "conseguida",
    kinds: { darts: "Dardos por semana", days: "Días seguidos", weeks: "Semanas seguidas", average: "Media en un juego" },
    progress: (value, amount) => `${value} de ${amount}`, average: (game) => `Media, ${game}`, mpr: (game) => `Marcas por ronda, ${game}`, notPlayed: "aún sin jugar",
    kind: "Meta", amount: "Cuánto", game: "Juego", add: "Añadir una meta", remove: "Quitar esta meta",
    help: "La media es la de las últimas cinco partidas. La ficha en las estadísticas muestra cómo va cada meta.",
  },
  calendar: { title: "Calendario", label: "Dardos de cada día de las últimas doce semanas", weekOf: (day) => `Semana del ${day}`, on: (day, darts) => `${day}: ${darts}` },
  practice: {
    title: "Dobles para entrenar", help: "Los dobles que menos se aciertan, treinta dardos a cada uno.", double: (name, hits, darts) => `${name}: ${hits} de ${darts}`,
    start: "Empezar el entrenamiento", by: (name, doubles) => `${name}: ${doubles}`, none: "Aquí nadie ha tirado todavía diez dardos a un doble.",
    running: (title) => `En esta mesa se está jugando ${title}.`, stop: "Detenerla y empezar el entrenamiento", no: "Seguir jugando",
  },
};
