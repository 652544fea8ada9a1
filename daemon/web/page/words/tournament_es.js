/* Los textos de los torneos, en español. */

/** @satisfies {Oche.TournamentLanguage} */
export const tournament = {
  tournaments: "Torneos", list: "Torneos", make: "Torneo nuevo", loading: "Cargando …", gone: "No hay ningún torneo con este enlace.",
  offline: "Sin conexión. Se sigue intentando …", waits: (n) => (n === 1 ? "Sin conexión. Lo que tocaste está guardado y se enviará." : `Sin conexión. ${n} toques están guardados y se enviarán.`),
  needsSetup: "Para crear un torneo, introduce el token de los ajustes en este dispositivo.", enterSetup: "Introducir el token de los ajustes",
  views: { bracket: "Cuadro", tables: "Mesas", organise: "Organizar", print: "Imprimir" },
  phases: { sign_up: "Inscripción", playing: "En juego", over: "Terminado" }, played: (played, matches) => `${played} de ${matches} partidas jugadas`,
  wonBy: (name) => `Ganador: ${name}`,
  close: "Cerrar", less: (label) => `${label}: menos`, more: (label) => `${label}: más`, sure: (label) => `¿${label}? Pulsa otra vez`,

  kind: "Tipo",
  kinds: {
    knock_out: "Eliminatoria", double_knock_out: "Doble eliminación", round_robin: "Todos contra todos", groups: "Grupos y eliminatoria",
    swiss: "Sistema suizo", ladder: "Escalera", open: "Noche abierta",
  },
  sides: "Bandos", sideKinds: { singles: "Individual", fixed: "Parejas", drawn: "Parejas por sorteo", teams: "Equipos" }, teamHow: "Escribe un equipo y sus jugadores: «Casa: Ann, Bo». El primero juega contra el primero, el segundo contra el segundo.", teamExample: "Casa: Ann, Bo", inTurn: (n) => (n === 2 ? "Toca a los compañeros uno tras otro." : `Toca a los ${n} de un bando uno tras otro.`),
  name: "Nombre del torneo", draw: "Sortear", drawOf: (n) => `Sortear (${n})`, openSignUp: "Abrir inscripción", makes: "Creando el torneo …",
  tooFew: "Un torneo necesita dos bandos: toca jugadores o escribe sus nombres.", lacksPartner: (n) => (n === 2 ? "El último jugador aún no tiene compañero." : `El último bando tiene menos de ${n} jugadores.`),
  options: {
    size: "Jugadores por bando", doubles: "Equipos: también una partida de parejas", sets: "Sets para ganar", byRound: "Legs para ganar en algunas rondas (0: como en las demás)", finalSets: "Final: sets para ganar", losers: "Cuadro de perdedores", third: "Partida por el tercer puesto", second: "Segunda final si el invicto pierde la primera",
    groups: "Grupos", through: "Pasan de cada grupo", twice: "Ida y vuelta", rounds: "Rondas (0: las mínimas para un ganador)", reach: "Puestos que se puede retar hacia arriba",
    seeding: "Cabezas de serie", seedings: { draw: "Por sorteo", hand: "A mano", average: "Por promedio", rating: "Por nivel de juego" }, first: "Tira primero", firsts: { drawn: "Sorteo equilibrado", bull: "Tirar al bull" },
    win: "Puntos por victoria", drawn: "Puntos por empate", ties: "Con puntos iguales", tieBreak: (n) => `Criterio ${n}`,
    tieBreaks: {
      direct: "La partida entre ellos", leg_difference: "Diferencia de legs", level_leg_difference: "Diferencia de legs entre ellos", legs_won: "Legs ganados", wins: "Partidas ganadas",
      opponents: "Puntos de los rivales", average: "Promedio", lots: "Sorteo",
    },
    withdrawn: "Si un bando se retira", withdrawals: { walkover: "Los demás ganan sin jugar", annul: "Anular sus partidas si jugó pocas" },
    rest: "Descanso entre dos partidas, en minutos", confirm: "Confirmar cada inscripción",
  },

  // Lo que hace quien organiza.
  needs: {
    disputed: (pair) => `${pair}: el resultado se corrigió, pero otros ya empezaron`, other: (table) => `${table} juega otra cosa`, away: (table) => `${table} no responde`, board: (table) => `${table}: la diana no está conectada. Enciéndela, o anota los dardos a mano`,
    paper: (pair, table) => `Anota el resultado: ${pair} (${table})`, confirm: (name) => `${name} quiere participar`, late: (name) => `${name} llegó tarde: busca un sitio`, noTable: "Añade una mesa",
    few: (n) => (n === 1 ? "Para los grupos falta uno más" : `Para los grupos faltan ${n} más`),
    draw: (n) => `Sortear (${n} inscritos)`, drawNext: "Sortear la ronda siguiente", code: "Mostrar el código para inscribirse",
  },
  inputs: {
    enter: (name) => `Inscripción de ${name}`, change: (name) => `Cambio de ${name}`, leave: (name) => `Salida de ${name}`, draw_sides: "Sorteo de los bandos", draw_seats: "Sorteo", draw_groups: "Sorteo de los grupos",
    draw_round: "Sorteo de la ronda", draw_ladder: "Sorteo", seat_late: (name) => `Entrada tardía de ${name}`, pair: (pair) => `Partida ${pair}`, set_tables: "Cambio de las mesas",
    call_to: (pair, table) => `${pair} llamados a ${table}`, callBack: (pair) => `Llamada retirada: ${pair}`, result: (pair, score) => `${pair} ${score}`, take_back: (pair) => `Resultado retirado: ${pair}`,
    set_writer: (pair) => `Anotador de ${pair}`, settle: (pair) => `${pair} se mantiene`, end: "Fin",
  },
  status: {
    waiting: "en espera", ready: "lista", called: "llamada", playing: "en juego", played: "jugada", disputed: "en disputa", walkover: "sin jugar", bye: "libre", annulled: "anulada",
  },
  boardAway: "la diana no está conectada",
  tableStatus: { free: "libre", called: "llamada", playing: "en juego", else: "juega otra cosa", away: "no responde" },
  tables: "Mesas", ready: "Listas para jugar", pairing: "Quién contra quién", people: "Participantes", results: "Resultados", more_: "Códigos, archivos, fin", match: "Partida", next: (pair) => `después: ${pair}`, auto: "Llamar las partidas solas",
  ends: (end, early, late) => `acaba hacia las ${end} (de ${early} a ${late})`, notOrganiser: "Esto solo lo ve quien organiza: abre su enlace o introduce el token de los ajustes en este dispositivo.",
  undo: "Deshacer", redo: "Rehacer", writer: "Anota", writes: (name) => `${name} anota`, youWrite: (pair, table) => `Tú anotas: ${pair}, ${table}`,
  call: "Llamar a", callTo: (table) => `Llamar a ${table}`, move: "Mover a", callBack: "Retirar la llamada", paused: "en pausa",
  result: "Anotar el resultado", correct: "Corregir el resultado", enterResult: "Anotar", saveCorrection: "Corregir", winner: "Ganador", drawn: "Empate", whoWon: "Elige quién ganó.",
  takeBack: "Retirar el resultado", takeBackOf: (pair) => `Retirar ${pair}`, givesAway: (name) => `${name} cede la partida`,
  outdated: (score, table) => `terminó ${score} en ${table}, después de llamarse a otra mesa o retirarse la llamada. Eso no cuenta en ningún sitio`,
  disputeHow: "En la mesa se corrigió este resultado y el ganador es otro. Ya empezaron partidas que dependen de él.", settle: "Mantener el primer resultado",
  pause: "Pausar", resume: "Seguir", playFirst: "Darle partidas primero", removeTable: "Quitar la mesa", addTable: "Añadir una mesa", paper: "Una mesa sin oche", paperHow: "Tú llamas sus partidas y anotas los resultados.", otherTable: "Mesas de otros oche", otherNone: "Aún no se ha encontrado ninguna. Cada oche debe estar en marcha y usar el mismo bróker que este.", tableOf: (bridge) => `en ${bridge}`, olderTable: (bridge) => `en ${bridge} · oche más antiguo: los resultados se anotan a mano`,
  paperName: "Nombre de la mesa", paperNumber: (n) => `Papel ${n}`,
  confirm: "Confirmar", toConfirm: "sin confirmar", paid: "Pagado", rename: "Cambiar el nombre", save: "Guardar", teamName: "Nombre del bando", leave: "Deja el torneo", refuse: "Rechazar", hasLeft: "se fue", change: "Cambio",
  seed: "Número de cabeza de serie (0: ninguno)", seeded: (n) => `cabeza de serie ${n}`, rated: (average, darts) => `Promedio de los últimos 90 días: ${average} (${darts})`, ratedAs: (rating) => `Nivel de juego ${rating}`, unrated: "Sin promedio de los últimos 90 días",
  late: "Entrada tardía: en un puesto libre", joinNow: "Entra ahora", noBye: "No hay puesto libre: están ocupados o sus rivales ya empezaron.", addEntrant: "Nombre de alguien nuevo",
  challenges: (name) => `${name} reta a`, plays: (name) => `${name} juega contra`, isTop: "No hay nadie por encima.", notMet: "Aún no se han enfrentado", metBefore: "Ya se enfrentaron",
  signUpCode: "Inscribirse", organiserLink: "Organizar en otro dispositivo", saveFile: "Guardar como archivo", saveResults: "Resultados en CSV", end: "Terminar el torneo", restore: "Restaurar desde un archivo",
  newton: {
    title: "Jugar con NewTon", handOver: "Escanea esto con la tableta", text: "Lo mismo como texto", take: "Tomar su resultado", paste: "Pega el texto del resultado", read: "Leer el texto", photo: "Foto del código", accept: "Aceptar este resultado", noPicture: "Este archivo no es una imagen.",
    play: "Jugar una partida de NewTon", playHow: "NewTon muestra un código para cada partida. Hazle una foto o pega su texto.", pasteMatch: "Pega el texto de la partida", planned: (match, table) => `${match}: prevista en ${table}. Empiézala allí; al terminar, la mesa muestra el código para NewTon.`,
  },

  // La inscripción.
  signUp: "Inscribirse", signUpFor: (kind) => `Inscripción: ${kind}`, yourName: "Tu nombre", playerNumber: (n) => `Jugador ${n}`, code: "Código en la pantalla", signUpMore: "Inscribir a otra persona", signUpClosed: "La inscripción está cerrada: pregunta a quien organiza.",
  happensNext: "Participas enseguida. Esta página muestra después cuándo y dónde juegas.", happensConfirmed: "Quien organiza te confirma. Esta página muestra después cuándo y dónde juegas.",
  entered: (n) => `Inscritos: ${n}`, youAreIn: (name, n) => `${name}, participas: número ${n}`, youWait: (name) => `${name}, aún falta que te confirmen`,
  yourNext: "Tu próxima partida", youPlay: "Juegas ahora", about: (time) => `hacia las ${time}`, drawComes: "Ahora viene el sorteo.", noNext: "No te espera ninguna partida.", yourPlace: (first, last) => (first === last ? `Tu puesto: ${first}` : `Tu puesto: ${first} a ${last}`),
  placed: (place) => `Puesto ${place} de la tabla`, placedIn: (place, group) => `Puesto ${place} del grupo ${group}`,

  redraw: "Sortear de nuevo", start: "Empezar", swap: "Toca dos nombres para que cambien de sitio.", order: "Orden", rests: "Descansa", bye: "Libre", sideNumber: (n) => `Bando ${n}`,
  nobody: "nadie", unknown: "por saber",
  awaits: { winner: (match) => `Ganador ${match}`, loser: (match) => `Perdedor ${match}`, place: (group, place) => `Puesto ${place} del grupo ${group}` },
  rounds: {
    final: "Final", second: "Segunda final", semi: "Semifinal", quarter: "Cuartos de final", third: "Partida por el tercer puesto", last: (n) => `Últimos ${n}`, round: (n) => `Ronda ${n}`,
    winners: (n) => `Cuadro de ganadores, ronda ${n}`, losers: (n) => `Cuadro de perdedores, ronda ${n}`, group: (group) => `Grupo ${group}`, match: (round, n) => `${round} · ${n}`,
  },
};
