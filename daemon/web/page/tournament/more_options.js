/* What is seldom changed of a tournament that is made, with values that fit an evening: only what belongs to its kind. */

import { make } from "../dom.js";
import { makeChoice, makeStepper, makeSwitch } from "./fields.js";
import { texts } from "./texts.js";
import { words } from "../words/words.js";

/** @typedef {Oche.TournamentSpec["kind"]} Kind */

const KNOCK_OUT = ["knock_out", "double_knock_out", "groups"];
const IN_TABLES = ["round_robin", "groups", "swiss", "open"];
const LEVEL = ["direct", "leg_difference", "level_leg_difference", "legs_won", "wins", "opponents", "average", "lots"];
const USUAL = { swiss: ["opponents", "direct", "leg_difference"], others: ["direct", "leg_difference", "legs_won"] };
const MOST_TIE_BREAKS = 3;
const MINUTE_S = 60;

/** Which of the fields belongs to which kinds; the others belong to all. @type {Record<string, string[]>} */
const ONLY = {
  third: ["knock_out", "groups"], second: ["double_knock_out"], groups: ["groups"], through: ["groups"], twice: ["round_robin", "groups"],
  rounds: ["swiss"], reach: ["ladder"], seeding: [...KNOCK_OUT, "swiss"], byRound: KNOCK_OUT, win: IN_TABLES, drawn: IN_TABLES, ties: IN_TABLES, withdrawn: IN_TABLES,
};

/** The rounds that may differ from the others, and which kinds have them. @type {Record<string, string[]>} */
const ROUNDS = { group: ["groups"], losers: ["double_knock_out"], "last-8": ["knock_out", "groups"], "last-4": ["knock_out", "groups"], final: KNOCK_OUT };

const said = texts.options;

function makeFields() {
  return {
    size: makeStepper(said.size, 2, [2, 4], "size"),
    doubles: makeSwitch(said.doubles, true, "doubles"),
    sets: makeStepper(words.lobby.sets, 1, [1, 9], "sets"),
    byRound: makeByRound(),
    third: makeSwitch(said.third, false, "third"),
    second: makeSwitch(said.second, true, "second"),
    groups: makeStepper(said.groups, 2, [2, 32], "groups"),
    through: makeStepper(said.through, 2, [1, 16], "through"),
    twice: makeSwitch(said.twice, false, "twice"),
    rounds: makeStepper(said.rounds, 0, [0, 32], "rounds"),
    reach: makeStepper(said.reach, 2, [1, 32], "reach"),
    seeding: makeChoice(said.seeding, said.seedings, "draw", "seeding"),
    first: makeChoice(said.first, said.firsts, "drawn", "first"),
    win: makeStepper(said.win, 2, [1, 9], "win"),
    drawn: makeStepper(said.drawn, 1, [0, 9], "drawn"),
    ties: makeTies(),
    withdrawn: makeChoice(said.withdrawn, said.withdrawals, "walkover", "withdrawn"),
    rest: makeStepper(said.rest, 0, [0, 60], "rest"),
    confirm: makeSwitch(said.confirm, true, "confirm"),
  };
}

/** The rounds that are longer or shorter than the others. */
function makeByRound() {
  const { final, quarter, semi } = texts.rounds;
  const named = { group: said.groups, losers: said.losers, "last-8": quarter, "last-4": semi, final };
  const steppers = Object.entries(named).map(([round, label]) => ({ round, ...makeStepper(label, 0, [0, 21], `legs-${round}`) }));
  const sets = makeStepper(said.finalSets, 0, [0, 9], "sets-final");
  return {
    element: make("fieldset", { className: "lines" }, make("legend", {}, said.byRound), ...steppers.map(({ element }) => element), sets.element),
    /** @param {Kind} kind */
    follow(kind) {
      for (const { element, round } of steppers) element.hidden = !ROUNDS[round].includes(kind);
    },
    /** Returns the formats of the rounds that differ. @param {Kind} kind @param {{ legs: number, sets?: number }} usual */
    read(kind, usual) {
      return Object.fromEntries(steppers.filter(({ round }) => ROUNDS[round].includes(kind)).flatMap(({ read, round }) => {
        const own = { ...(read() && { legs: read() }), ...(round === "final" && sets.read() && { sets: sets.read() }) };
        return Object.keys(own).length ? [[round, { ...usual, ...own }]] : [];
      }));
    },
  };
}

/** The order of the tie-breaks, as lists to choose from. */
function makeTies() {
  const lists = Array.from({ length: MOST_TIE_BREAKS }, (_, at) => make("select", { ariaLabel: said.tieBreak(at + 1), test: `tie-${at}` },
    new Option("–", ""), ...LEVEL.map((each) => new Option(/** @type {Record<string, string>} */ (said.tieBreaks)[each], each))));
  const element = make("fieldset", { className: "lines" }, make("legend", {}, said.ties), ...lists);
  const write = (/** @type {string[]} */ values) => lists.forEach((list, at) => { list.value = values[at] ?? ""; });
  return { element, write, read: () => [...new Set(lists.map(({ value }) => value).filter(Boolean))] };
}

export function makeMore() {
  const fields = makeFields();
  let hasTies = false;
  fields.ties.element.onchange = () => { hasTies = true; };
  const element = make("div", { className: "fields" }, ...Object.values(fields).map((each) => each.element));
  return {
    element,
    readSize: () => fields.size.read(),
    readSets: () => (fields.sets.read() > 1 ? { sets: fields.sets.read() } : {}),
    /** @param {string} side */
    setSides(side) {
      fields.size.element.hidden = side === "singles";
      fields.doubles.element.hidden = side !== "teams";
    },
    /** Returns what two teams play: each against the one of the same place, and the first two together. @returns {Oche.TournamentSlot[]} */
    readSlots() {
      const singles = Array.from({ length: fields.size.read() }, (_, at) => ({ home: [at], away: [at] }));
      return fields.doubles.read() ? [...singles, { home: [0, 1], away: [0, 1] }] : singles;
    },
    /** Shows what belongs to this kind. @param {Kind} kind */
    follow(kind) {
      for (const [name, kinds] of Object.entries(ONLY)) fields[/** @type {keyof typeof fields} */ (name)].element.hidden = !kinds.includes(kind);
      fields.byRound.follow(kind);
      if (!hasTies) fields.ties.write(USUAL[kind === "swiss" ? "swiss" : "others"]);
    },
    /** Returns what a tournament of this kind says of it. @param {Kind} kind @param {{ legs: number, sets?: number }} usual
        the format of the rounds that do not differ @returns {Partial<Oche.TournamentSpec>} */
    read(kind, usual) {
      const has = (/** @type {string} */ name) => ONLY[name].includes(kind);
      return {
        ...(has("byRound") && { formats: fields.byRound.read(kind, usual) }),
        ...(has("third") && { third_place: fields.third.read() }),
        ...(has("second") && { second_final: fields.second.read() }),
        ...(has("groups") && { groups: fields.groups.read(), through: fields.through.read() }),
        ...(has("twice") && { twice: fields.twice.read() }),
        ...(has("rounds") && fields.rounds.read() && { rounds: fields.rounds.read() }),
        ...(has("reach") && { reach: fields.reach.read() }),
        ...(has("seeding") && { seeding: fields.seeding.read() }),
        ...(has("ties") && {
          points: { win: fields.win.read(), draw: fields.drawn.read() }, withdrawn: fields.withdrawn.read(),
          tie_breaks: /** @type {Oche.TournamentSpec["tie_breaks"]} */ (fields.ties.read()),
        }),
        first: fields.first.read(), rest_s: fields.rest.read() * MINUTE_S, confirm: fields.confirm.read(),
      };
    },
  };
}
