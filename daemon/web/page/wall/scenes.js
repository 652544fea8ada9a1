/* The scenes of a wall, as a table: which fact each tells, what it writes, how long it stands and what flies. The first
   whose fact happened is shown. The rarest come first: a leg that ends with 170 is the fish, and says below who won. */

import { words } from "../words/words.js";

/** @typedef {{ id: string, is: (fact: Oche.Fact) => boolean, layout?: "number" | "count" | "portrait", write?: (fact: Oche.Fact, state: Oche.State, text: Oche.SceneTexts) => string,
    note?: (fact: Oche.Fact, state: Oche.State, text: Oche.SceneTexts) => string, ms?: number, flies?: boolean, waits?: boolean }} Row */
/** A scene to be shown: the great text and the line below it, whose it is, and how long it stands.
    @typedef {{ id: string, layout: "number" | "count" | "portrait", text: string, note: string, side: number | undefined, player: string, tier: number, ms: number, flies: boolean, waits: boolean }} Scene */

const USUAL_MS = 3_200;

const isAward = (/** @type {string} */ name) => (/** @type {Oche.Fact} */ { award, event_type: type }) => type === "award" && award === name;
const isType = (/** @type {string[]} */ ...types) => (/** @type {Oche.Fact} */ { event_type: type }) => types.includes(type);
const isWin = (/** @type {Oche.Fact} */ { event_type: type, isOrder, names }) => type === "match_won" && !isOrder && Boolean(names?.length);

/** Returns what the visit hit last. @param {Oche.Fact} fact @param {Oche.State} state */
const writeBed = ({ side }, state) => words.segment(listDarts(state, side).at(-1)?.segment ?? "", true);
/** Returns where the legs or the sets stand. @param {Oche.Fact} fact @param {Oche.State} state */
const writeStanding = ({ event_type: type }, { sides }) => (sides.length > 1 ? sides.map(({ legs, sets }) => (type === "set_won" ? sets : legs)).join(" : ") : "");
/** Returns how many darts the leg took: of this match the fewest, for no leg can have fewer. @param {Oche.Fact} fact @param {Oche.State} state */
const writeLeg = ({ side }, { sides }) => String(sides[side ?? 0]?.detail.best_leg ?? 9);

/** Returns what the badge is called. @param {Oche.Fact} fact @param {Oche.State} _ @param {Oche.SceneTexts} text */
const writeBadge = ({ badge = "" }, _, { named }) => named[badge]?.[0] ?? words.option(badge);

/** @type {Row[]} */
const SCENES = [
  { id: "nine_darter", is: isAward("nine_darter"), layout: "count", write: writeLeg, ms: 5_000, flies: true },
  { id: "big_fish", is: isAward("big_fish"), layout: "number", write: () => "170", ms: 5_000, flies: true },
  { id: "shanghai", is: isAward("shanghai"), ms: 4_000, flies: true },
  { id: "comeback", is: isType("comeback"), layout: "portrait", note: ({ from, of = "points" }, _, { behind, units }) => (from ? behind(from, units[of]) : ""), ms: 4_000 },
  { id: "match_won", is: isWin, layout: "portrait", ms: 4_500, flies: true },
  { id: "leg_won", is: isType("set_won"), layout: "portrait", note: writeStanding, ms: 3_600, flies: true },
  { id: "leg_won", is: isType("leg_won"), layout: "portrait", note: writeStanding, flies: true },
  { id: "180", is: isAward("180"), layout: "number", write: () => "180", flies: true },
  { id: "white_horse", is: isAward("white_horse"), flies: true },
  { id: "three_in_a_bed", is: isAward("three_in_a_bed"), layout: "number", write: (fact, state) => Array(3).fill(writeBed(fact, state)).join("\n"), flies: true },
  { id: "award", is: ({ event_type: type, great }) => type === "award" && Boolean(great), flies: true },
  { id: "first_leg", is: ({ badge, event_type: type }) => type === "badge" && badge === "first_leg", layout: "portrait", write: writeBadge, ms: 4_000, waits: true },
  { id: "badge", is: isType("badge"), layout: "portrait", write: writeBadge, note: ({ tier = 1 }, _, { tiers }) => tiers[tier - 1], waits: true },
  { id: "match_dart_missed", is: isType("match_dart_missed"), ms: 1_600, flies: true },
];

/** Returns the darts of the visit that this state ends with: those on the board, or the last ones where the next side throws already.
    @param {Oche.State} state @param {number | undefined} side @returns {Oche.Dart[]} */
export function listDarts({ last, turn }, side) {
  if (turn.darts.length) return turn.darts;
  return last && (side === undefined || last.side === side) ? last.darts : [];
}

/** Returns the scene for what happened together, or null where it has none. @param {Oche.Fact[]} facts @param {Oche.Fact} greatest what
    is told of it first @param {Oche.State} state @param {Oche.SceneTexts} text @returns {Scene | null} */
export function chooseScene(facts, greatest, state, text) {
  for (const { id, is, layout, write, note, ms = USUAL_MS, flies = false, waits = false } of SCENES) {
    const fact = facts.find(is);
    if (!fact) continue;
    const said = words.moment(fact);
    const great = write?.(fact, state, text) || said;
    if (!great) continue;
    const side = fact.winners?.[0] ?? fact.side;
    const player = fact.player ?? fact.names?.[0] ?? state.sides[side ?? -1]?.name ?? "";
    const notes = [write ? said : "", note?.(fact, state, text) ?? "", greatest === fact ? "" : words.moment(greatest)];
    return {
      id, layout: layout ?? "number", text: great, note: notes.filter((each) => each && each !== great).join(" · "), side, player, tier: fact.tier ?? 1, ms, flies, waits,
    };
  }
  return null;
}

/** Returns which side begins the leg after this one, as matches are played unless the plan says otherwise.
    @param {Oche.State} state @param {boolean} isSetOver @param {string} [first] @param {number} [winner] */
function findStarter({ leg, set, sides }, isSetOver, first, winner = 0) {
  if (first === "loser" && sides.length === 2) return 1 - winner;
  return (isSetOver ? set : set - 1 + (first === "same" ? 0 : leg)) % sides.length;
}

/** Returns who throws next, and the score; after a leg the legs. Null when the match is over. @param {Oche.Fact[]} facts @param {Oche.State} state
    @param {Oche.Plan | null} plan @returns {{ name: string, side: number, score: string } | null} */
export function findNextThrower(facts, state, plan) {
  const { next, phase, sides, turn } = state;
  if (phase === "over" || !sides.length) return null;
  const tell = (/** @type {number} */ side, name = "") => ({ name: name || sides[side].name, side, score: String(sides[side].score) });
  if (phase !== "takeout") return tell(turn.side, turn.player);
  if (next) return tell(next.side, next.player);
  const won = facts.find(isType("leg_won"));
  if (!won) return tell((turn.side + 1) % sides.length);
  const side = findStarter(state, facts.some(isType("set_won")), plan?.format?.first, won.side);
  return { ...tell(side), score: words.legs(sides[side].legs) };
}
