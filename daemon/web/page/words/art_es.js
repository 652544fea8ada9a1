/* What is said of art, in Spanish. Loaded with the choice of it, in the language of the page alone. */

/** @satisfies {Oche.ArtLanguage} */
export const art = {
  choice: "Estilo",
  plain: "Sencillo",
  names: { chalk: "Tiza", neon: "Neón" },
  about: "Un estilo es un archivo zip con hojas de estilo, imágenes y sonidos. Elígelo en el menú de cada pantalla, en Estilo.",
  empty: "Aún no tienes ninguno.",
  add: "Añadir un estilo",
  remove: "Eliminar",
  shipped: "viene con oche",
  sending: "Enviando y comprobando…",
  failed: "El archivo no llegó: inténtalo de nuevo.",
  art: (files, kilobytes) => `archivos: ${files}, ${kilobytes} kB`,
  added: (art, files, leftOut) => `Se añadió ${art}. Archivos: ${files}${leftOut ? `. Omitidos, porque no forman parte de un estilo: ${leftOut}` : ""}`,
  removed: (art) => `Se eliminó ${art}.`,
  sure: (art) => `¿Eliminar ${art} de verdad?`,
  ownTitle: "Tu imagen o sonido para un momento",
  ownAbout: "Un GIF de 10 segundos como máximo, otra imagen o un sonido, de 1 MB como máximo. Todas las pantallas de pared lo muestran, con cualquier estilo; los sonidos se oyen donde Sonido está activado.",
  event: "Momento",
  picture: "Elegir una imagen",
  sound: "Elegir un sonido",
  kept: "Guardado.",
  gone: "Eliminado.",
  events: { 180: "180", big_fish: "Big fish (170)", nine_darter: "Leg perfecto", shanghai: "Shanghai", white_horse: "White horse", three_in_a_bed: "Tres en la misma zona", hat_trick: "Hat trick", high_out: "Cierre alto", first_leg: "Primer leg de todos", match_dart_missed: "Dardo de partida fallado", comeback: "Remontada", bust: "Bust", leg_won: "Leg ganado", match_won: "Partida ganada", badge: "Insignia", walk_on: "Entrada de los jugadores" },
};
