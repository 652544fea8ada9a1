/* The texts of what everybody sees of a tournament, in Spanish; what the organiser sees too is in tournament_es.js. */

/** @satisfies {Oche.BracketLanguage} */
export const bracket = {
  bracket: "Cuadro", standings: "Clasificación", rounds: "Rondas", onWall: "Mostrar como en la pared", browse: "Mostrar todas las rondas", winnersSide: "Cuadro de ganadores", losersSide: "Cuadro de perdedores", ladder: "Escalera", places: "Puestos",
  status: { ready: "lista", called: "llamada", playing: "en juego", disputed: "en revisión", walkover: "sin jugar", bye: "libre", annulled: "anulada" },
  due: (clock) => `hacia las ${clock}`, ends: (clock, early, late) => `Acaba hacia las ${clock} (entre ${early} y ${late})`,
  choose: "Toca un nombre para seguirlo.", stop: "No seguir a nadie", yourNext: "tu próxima partida", against: (name) => `contra ${name}`, noNext: "ninguna partida por ahora", placed: (places) => `puesto ${places}`,
  winner: "Victoria", wins: "gana el torneo", notDrawn: "Aún no se ha hecho el sorteo.", entered: "Inscritos",
  name: "Nombre", played: "Jugadas", won: "Ganadas", drawn: "Empates", lost: "Perdidas", legs: "Legs", points: "Puntos", average: "Promedio", cross: "Resultados", notMet: "Faltan por jugar", metAll: "ha jugado con todos", page: (n, of) => `${n} de ${of}`,
  writes: (name) => `${name} anota`, free: "libre", paused: "en pausa", away: "sin conexión", else: "juega otra cosa", paper: "en papel", nextUp: (pair) => `Después: ${pair}`, noTables: "Ninguna mesa juega aún en este torneo.",
  pressStart: "pulsad empezar", here: "aquí", goTo: (table) => `${table}: os toca`, soon: "enseguida", notNow: "Ahora no",
  paperSize: "Papel", printNow: "Imprimir", time: "Hora", table: "Mesa", match: "Partida", result: "Resultado", scan: "Escanea el código para inscribirte.", asOf: (clock) => `A las ${clock}`,
  leg: (n) => `Leg ${n}`, legsTo: (legs) => (legs === 1 ? "Un leg" : `A ${legs} legs ganados`), setsTo: (sets, legs) => `A ${sets} sets de ${legs} legs`, signature: "Firma",
  parts: { bracket: "Cuadro", standings: "Clasificaciones", order: "Orden de juego", code: "Código de inscripción", sheets: "Hojas de puntuación" },
};
