/* The texts of what players take home, the picture of a match and the story of an evening, in Spanish. */

/** @satisfies {Oche.TakeHomeLanguage} */
export const takeHome = {
  picture: "Imagen de la partida", story: "La noche", match: "La partida entera", upright: "Vertical", wide: "Horizontal",
  share: "Compartir", save: "Guardar", shareAll: "Compartir todas las imágenes", saveAll: "Guardar todas las imágenes", print: "Imprimir", drawing: "Dibujando la imagen…",
  lastVisit: "Última tirada", bestVisit: "Mejor tirada",
  wins: (name) => `Gana ${name}`, win: (names) => `Ganan ${names}`, stopped: "Partida detenida", drawn: "Sin ganador", finished: "Entrenamiento",
  scan: "Llévate la imagen", scanStory: "Llévate la noche", scanHow: "El código vale una hora.",
  newton: "Escanea esto con NewTon", newtonHow: "El resultado de la partida",
  matches: "Partidas", players: "Quién jugó", firsts: "Por primera vez", records: "Récords", ofMatches: (won, matches) => `${won} ${won === "1" ? "ganada" : "ganadas"} de ${matches}`,
  firstTimes: { match: "primera partida", win: "primera victoria", 180: "primer 180", high_finish: "primer cierre de 100 o más" },
  best: { visit: "Tirada más alta", finish: "Cierre más alto", 180: "Más 180", leg: "Menos dardos", result: "Mejor resultado" },
  personal: "récord personal", none: "Esa noche no se terminó ninguna partida.", earlier: "La noche anterior", later: "La noche siguiente",
  more: (n) => `Solo se muestran las últimas ${n} partidas.`, reading: (done, of) => `Leyendo partidas: ${done} de ${of}.`,
  noDay: "La dirección necesita un día, como ?day=2026-11-29, o una semana, como ?week=2026-W48.",
  ofWeek: { story: "La semana", scanStory: "Llévate la semana", none: "Esa semana no se terminó ninguna partida.", earlier: "La semana anterior", later: "La semana siguiente" },
};
