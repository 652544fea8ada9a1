/* The texts of the views for a stream, in Spanish. */

/** @satisfies {Oche.StreamLanguage} */
export const stream = {
  title: "Para un directo", how: "Copia la dirección de un enlace en OBS, o ábrelo para el locutor.",
  overlay: "Superposición", strip: "Superposición en una franja", announcer: "Locutor", tables: "Todas las mesas",
  needsToken: "Esta dirección necesita un token: copia el enlace que muestra «Unirse» en el marcador.",
  noTable: (wanted, tables) => `No existe la mesa «${wanted}». Pon una de estas en la dirección: ${tables}.`,
  noPart: (wanted, parts) => `No existe la parte «${wanted}». Pon algunas de estas en la dirección: ${parts}.`,
  noChoice: (name, wanted, values) => `${name}=${wanted} no es posible. Pon uno de estos valores en la dirección: ${values}.`,
  noSize: (wanted, least, most) => `size=${wanted} no es posible. Pon un número de ${least} a ${most} en la dirección.`,
  ways: "Formas de cerrar", chance: (percent) => `${percent} %`, leaves: (left) => `deja ${left}`,
  players: "Jugadores", visits: "Últimas tiradas", scored: "Puntos", left: "Quedan", next: (name) => `Después: ${name}`,
};
