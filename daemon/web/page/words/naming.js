/* What players call the beds of a board; ids are for programs. The kinds of ids: T20 (S, O and I are singles), the bulls,
   Yatzy-Dart's circles with their ring (56m), Ground Round's hexagons by column and row (1,-1; red: 1,-1!), and with
   bars between them where a dart is on a line. */

const SINGLE = /^([SOI])(\d+)$/;
const RINGED = /^([TD])(\d+)$/;
const CIRCLES = /^(\d+)([imo])$/;
const HEXAGON = /^-?\d,-?\d!?(\||$)/;
/** @type {Record<string, string>} */
const BULLS = { SB: "25", DB: "Bull" };

const capitalize = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the row of a hexagon as a letter, A on top, and its place there from the left: C3 is in the middle.
    @param {string} id */
function nameHexagon(id) {
  const [q, r] = id.replace("!", "").split(",").map(Number);
  return `${"ABCDE"[r + 2]}${q + Math.min(2, 2 + r) + 1}`;
}

/** Returns what names beds, for the eye and for the ear. `isSplit`: the game tells inner and outer singles apart.
    @param {Pick<Oche.Language, "beds" | "halves" | "rings">} words */
export function makeBedNaming({ beds, halves, rings }) {
  const nameHexagons = (/** @type {string} */ id, /** @type {string} */ between) => id.split("|")
    .map((each) => nameHexagon(each) + (each.endsWith("!") ? ` ${rings.i}` : "")).join(between);
  return {
    segment(/** @type {string} */ id, isSplit = false) {
      const [, half, number] = SINGLE.exec(id) ?? [];
      if (number) return isSplit && halves[half] ? `${number} ${halves[half]}` : number;
      const [, circles, ring] = CIRCLES.exec(id) ?? [];
      if (ring) return `${[...circles].join("·")} ${rings[ring]}`;
      if (HEXAGON.test(id)) return nameHexagons(id, "/");
      return BULLS[id] ?? (beds[id] ? capitalize(beds[id]) : id);
    },
    spoken(/** @type {string} */ id, isSplit = false) {
      const [, half, single] = SINGLE.exec(id) ?? [];
      if (single) return `${rings[isSplit ? half : "S"]} ${single}`;
      const [, ring, number] = RINGED.exec(id) ?? [];
      if (number) return `${rings[ring]} ${number}`;
      const [, circles, colour] = CIRCLES.exec(id) ?? [];
      if (colour) return `${[...circles].join(", ")} ${rings[colour]}`;
      return HEXAGON.test(id) ? nameHexagons(id, ", ") : beds[id] ?? id;
    },
  };
}

/** Whether the game of this match tells inner and outer singles apart. @param {Oche.State | null} state */
export const hasSplitSingles = (state) => Boolean(state?.board.split_singles);
