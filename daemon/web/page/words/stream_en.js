/* The texts of the views for a stream, in English. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const stream = {
  title: "For a stream", how: "Copy the address of a link into OBS, or open it for the announcer.",
  overlay: "Overlay", strip: "Overlay as a strip", announcer: "Announcer", tables: "All tables",
  needsToken: "This address needs a token: copy the link that Join shows on the scoreboard.",
  noTable: (wanted, tables) => `There is no table “${wanted}”. Put one of these into the address: ${tables}.`,
  noPart: (wanted, parts) => `There is no part “${wanted}”. Put some of these into the address: ${parts}.`,
  noChoice: (name, wanted, values) => `${name}=${wanted} is not possible. Put one of these into the address: ${values}.`,
  noSize: (wanted, least, most) => `size=${wanted} is not possible. Put a number from ${least} to ${most} into the address.`,
  ways: "Ways to finish", chance: (percent) => `${percent} %`, leaves: (left) => `leaves ${left}`,
  players: "Players", visits: "Last visits", scored: "Scored", left: "Left", next: (name) => `Next: ${name}`,
};
