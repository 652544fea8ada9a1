/* The texts of the statistics that no other page needs, in Spanish. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.StatisticsLanguage} */
export const statistics = {
  about: {
    mpr: "marcas por ronda de tres dardos", average: "puntos con tres dardos", ppd: "puntos por dardo",
    firstNine: "media de los primeros nueve dardos de cada leg",
    upTo80: "media hasta que el primero lleva hecho el 80 % del leg: así clasifican las máquinas electrónicas",
    level: "nivel como en las máquinas electrónicas, 18 es el mejor", rate: "porcentaje de los dardos lanzados para cerrar que acertaron",
    checkouts: "cierres, de los dardos lanzados para cerrar", highFinish: "el mayor número de puntos cerrado en una tirada",
    bestLeg: "el menor número de dardos en un leg ganado", highVisit: "el mayor número de puntos en una tirada", visits: "tiradas con esos puntos",
    marks: "tiradas con esas marcas",
  },
  loading: "Leyendo las partidas…", offline: "oche no responde. Cuando responda, las partidas aparecerán solas.",
  more: "Más cifras", won: "Partidas ganadas", bestResult: "Mejor resultado", latest: "Último resultado",
  lastFive: (value) => `${value} en las cinco últimas partidas`,
  trends: { up: "sube", down: "baja", level: "estable" },
  columns: ["Partida", "Hora", "Resultado", "Dardos"], mpr: "MPR: marcas por ronda de tres dardos.",
  onlyBed: (bed, n) => `Los ${n} dardos cayeron todos en ${bed}.`,
  onlyThese: (n) => `Estas son ${n} de todas las partidas; toca el título de una columna para ordenarlas.`,
  picture: "Imagen", evening: "La noche",
  rivals: "Rivales",
  edit: "Editar el perfil",
  ghost: "Jugar contra el mejor leg", ghosts: (name) => `Jugar contra un leg de ${name}:`,
  empty: {
    title: "Lo que verás aquí",
    items: [
      "tu media, y si sube", "tu mejor leg, tu cierre más alto y cuántas veces aciertas cada doble",
      "cada partida con su resultado, para volver a verla dardo a dardo",
    ],
    how: "oche lo guarda todo por su cuenta: juega una partida hasta el final.", play: "Jugar la primera partida",
    tokens: "Empieza la primera partida en un dispositivo que pueda jugar.",
  },
};
