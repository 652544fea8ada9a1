/* The texts about a season of a league, in English. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const season = {
  columns: ["Side", "Points", "Played", "Won", "Drawn", "Lost", "Legs"],
  marks: { promoted: "goes up", relegated: "goes down" }, withdrawn: "withdrew", deducted: (n) => `${n} deducted`,
  day: (n) => `Match day ${n}`, rests: (name) => `${name} rests`, heads: ["Match", "Score", "Note"], postponed: "postponed",
  how: { playing: "not over yet", forfeit: "given away", annulled: "does not count" },
  statistics: "Statistics of this season", unknown: "The league has no such season.",
};
