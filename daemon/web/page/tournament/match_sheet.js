/* What can be done with a match: call it, move it, call it back, enter or correct its result. */

import { make } from "../dom.js";
import { makeLabelled } from "../form.js";
import { makeButton, makeChoice, makeGrave, makeStepper, openSheet } from "./fields.js";
import { listEntrants, listOutdated } from "./needs.js";
import { findMatch, nameEntrant, nameMatch, namePair, nameTable, texts } from "./texts.js";
import { words } from "../words/words.js";

/** @typedef {Oche.TournamentMatchView} Match */
/** @typedef {import("./source.js").Source} Source */
/** @typedef {(doing: () => Promise<any>, stays?: boolean) => Promise<void>} Act */

const CALLED = ["called", "playing"];
const OPEN = ["ready", "called", "playing"];
const ENDED = ["played", "walkover", "disputed"];
const MOST_LEGS = 99;
const IN_TABLES = ["group", "round"];

/** @param {Source} source @param {string} id */
export function openMatch(source, id) {
  const view = source.view, match = view && findMatch(view, id);
  if (!view || !match) return;
  const isPaper = view.tables.some(({ name, paper }) => paper && name === match.table); // where the result is awaited from here
  openSheet(namePair(view, match), (act) => {
    const calls = OPEN.includes(match.status) ? makeCalls(source, match, act) : [];
    if (CALLED.includes(match.status)) calls.push(makeWriter(source, match, act));
    const result = [...OPEN, ...ENDED].includes(match.status) ? [makeResult(source, match, act)] : [];
    return [
      make("p", { className: "aside" }, [nameMatch(view, match), texts.status[match.status], nameTable(view, match.table)].filter(Boolean).join(" · ")),
      ...listOutdated(view, match).map((said) => make("p", { className: "remark", test: "outdated" }, said)),
      ...(match.status === "disputed" ? makeDispute(source, match, act) : []),
      ...(isPaper ? [...result, ...calls] : [...calls, ...result]),
      ...(["ready", "called"].includes(match.status) ? [makeNewTon(source, match)] : []),
    ];
  });
}

/** Calls a match to a table. @param {Source} source @param {Match} match @param {string | null} table */
const call = (source, match, table) =>
  source.do({ do: "call", match: match.id, table }, table === null ? texts.callBack : texts.callTo(nameTable(/** @type {Oche.TournamentView} */ (source.view), table)));

/** Says who keeps the score, and has someone else keep it who neither plays nor does so at another table.
    @param {Source} source @param {Match} match @param {Act} act */
function makeWriter(source, match, act) {
  const view = /** @type {Oche.TournamentView} */ (source.view);
  const busy = new Set(view.matches.filter(({ status }) => CALLED.includes(status)).flatMap(({ id, sides, writer }) => (id === match.id ? sides : [...sides, writer])));
  const free = listEntrants(view).filter(({ confirmed, id, left }) => id === match.writer || (confirmed && !left && !busy.has(id)));
  const choice = make("select", { test: "writer", onchange: () => act(() => source.do({ do: "set_writer", match: match.id, writer: Number(choice.value) }, texts.writer)) },
    new Option(texts.nobody, "0"), ...free.map(({ id, name }) => new Option(name, String(id))));
  choice.value = String(match.writer);
  return makeLabelled(texts.writer, choice);
}

/** Offers the tables, those that are free first. @param {Source} source @param {Match} match @param {Act} act @returns {HTMLElement[]} */
function makeCalls(source, match, act) {
  const isCalled = CALLED.includes(match.status);
  const tables = (source.view?.tables ?? []).filter(({ name }) => !isCalled || name !== match.table)
    .toSorted((one, other) => Number(other.status === "free" && !other.paused) - Number(one.status === "free" && !one.paused));
  const view = /** @type {Oche.TournamentView} */ (source.view);
  const buttons = tables.map(({ name, status, paused }) => {
    const button = makeButton(nameTable(view, name), () => act(() => call(source, match, name)), `call-${name}`, status === "free" && !paused ? "free" : "");
    button.append(make("small", {}, paused ? texts.paused : texts.tableStatus[status]));
    return button;
  });
  return [make("h3", {}, isCalled ? texts.move : texts.call), make("div", { className: "grid" }, ...buttons),
    ...(isCalled ? [makeGrave(texts.callBack, () => act(() => call(source, match, null)), "call-back")] : [])];
}

/** What was said later of a match on whose result others have begun. @param {Source} source @param {Match} match @param {Act} act */
function makeDispute(source, match, act) {
  const view = /** @type {Oche.TournamentView} */ (source.view);
  const place = view.matches.indexOf(match);
  const later = view.matches.filter((each, at) => at > place && !each.of && ["playing", "played", "called", "walkover"].includes(each.status)
    && each.sides.some((side) => match.sides.includes(side)));
  return [make("p", {}, texts.disputeHow), makeButton(texts.settle, () => act(() => source.do({ do: "settle", match: match.id }, texts.settle)), "settle"),
    ...later.map((each) => makeGrave(texts.takeBackOf(namePair(view, each)), () => act(async () => {
      if (CALLED.includes(each.status)) await call(source, each, null);
      else await source.do({ do: "take_back", match: each.id }, texts.takeBack, each);
    }), `take-back-${each.id}`))];
}

/** The form of a result: who wins, and by how much. @param {Source} source @param {Match} match @param {Act} act */
function makeResult(source, match, act) {
  const view = /** @type {Oche.TournamentView} */ (source.view);
  const { legs = 1, sets = 1 } = findFormat(view, match);
  const isSets = sets > 1, need = isSets ? sets : legs;
  const names = match.sides.map((id) => nameEntrant(view, id));
  const isKnown = ["played", "disputed"].includes(match.status) && match.score;
  const steppers = names.map((name, side) => makeStepper(name, (isKnown && match.score?.[side]) || 0, [0, MOST_LEGS], `score-${side}`, () => follow()));
  const winners = { 0: names[0], 1: names[1], ...(IN_TABLES.includes(match.stage) && { draw: texts.drawn }) };
  const won = match.winner === null ? (isKnown ? "draw" : "") : String(match.sides.indexOf(match.winner));
  const winner = makeChoice(texts.winner, /** @type {Record<string, string>} */ (winners), won, "winner", (value) => {
    if (value !== "draw" && steppers[Number(value)].read() < need) steppers[Number(value)].write(need);
  });
  const follow = () => {
    const [one, other] = steppers.map((each) => each.read());
    const ahead = one === other ? null : one > other ? "0" : "1";
    const button = /** @type {HTMLInputElement | null} */ (winner.element.querySelector(`[value="${ahead}"]`));
    if (button) button.checked = true;
  };
  const send = (/** @type {boolean} */ walkover, /** @type {string} */ chosen) => {
    const score = /** @type {[number, number]} */ (steppers.map((each) => each.read()));
    return source.do({
      do: "result", match: match.id, sides: match.sides, winner: chosen === "draw" ? null : match.sides[Number(chosen)],
      ...(walkover ? { walkover } : isSets ? { sets: score } : { legs: score }),
    }, texts.result, match);
  };
  return make("details", { open: match.status !== "ready", test: "result" },
    make("summary", {}, isKnown ? texts.correct : texts.result),
    winner.element, make("p", { className: "aside" }, isSets ? words.lobby.sets : words.lobby.legs, ` (${need})`), ...steppers.map((each) => each.element),
    makeButton(isKnown ? texts.saveCorrection : texts.enterResult, () => act(async () => {
      const chosen = winner.read();
      if (!chosen) throw new Error(texts.whoWon);
      await send(false, chosen);
    }), "enter-result", "go"),
    ...(isKnown || match.status === "walkover" ? [makeGrave(texts.takeBack, () => act(() => source.do({ do: "take_back", match: match.id }, texts.takeBack, match)), "take-back")]
      : names.map((name, side) => makeGrave(texts.givesAway(name), () => act(() => send(true, String(1 - side))), `walkover-${side}`))));
}

/** Returns the format of a match. @param {Oche.TournamentView} view @param {Match} match */
function findFormat({ spec: { format = {}, formats = {} } }, { last, round, stage }) {
  return formats[`${stage}-${round}`] ?? (last ? formats[`last-${last}`] : undefined) ?? formats[stage] ?? format;
}

/** Hands the match over to a tablet with NewTon, and takes its result. @param {Source} source @param {Match} match */
function makeNewTon(source, match) {
  const details = make("details", { test: "newton" }, make("summary", {}, texts.newton.title));
  details.ontoggle = async () => {
    details.ontoggle = null;
    const { makeHandOver } = await import("./newton.js");
    details.append(await makeHandOver(source, match));
  };
  return details;
}
