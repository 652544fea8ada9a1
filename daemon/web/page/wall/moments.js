/* What happens, to eyes and ears: a few words flashed large for the great moments, a tone, the caller's voice, a line
   for a screen reader. The facts that followed from one input are taken together, and the greatest of them is shown.
   A fact is told once, whatever is undone, redone or corrected later; one that is taken back is hushed at once. */

import { announce, callFacts, takeBackCalls } from "./caller.js";
import { $, make, setSideColour, setStyle } from "../dom.js";
import { MOMENTS } from "./facts.js";
import { hasSplitSingles } from "../words/naming.js";
import { preference } from "../preferences.js";
import { playTones } from "./sounds.js";
import { store } from "../store.js";
import { sayQuestion } from "../words/tasks.js";
import { words } from "../words/words.js";

const RANKS = Object.keys(MOMENTS);
const SETTLE_MS = 30; // the facts of one input come within that
const SHOWN_MS = 2_300;
const WON_MS = 4_000;
const PASSED_MS = 800; // on a phone, and over a stream once the visit that it is of is over
const PHONES = ["remote", "seat"];
const MOST_TOLD = 500;

/** What shows scenes in place of the label. @type {Oche.Stage | undefined} */
let stage;

/** By what facts that were told are known again. @type {Set<string>} */
const told = new Set();
/** The line that was just corrected or brought back. @type {number | null} */
let corrected = null;
/** The facts of one input. @type {Oche.Fact[]} */
let gathered = [];
/** Badges that are shown after what is shown. @type {Oche.Fact[]} */
let earned = [];
/** What they led to. @type {Oche.State} */
let result;
let settling = 0;
let leaving = 0;

/** Has moments shown as scenes. @param {Oche.Stage} found */
export function useStage(found) {
  stage = found;
}

/** Takes a fact; the state that it led to is in the store. @param {Oche.Fact} fact */
export function showMoment(fact) {
  const { state } = store;
  const { event_type: type, line } = fact;
  if (["undone", "corrected", "match_started"].includes(type)) withdraw(type === "corrected");
  if (state && isNew(fact)) {
    if (gathered.length && gathered[0].line !== line) perform(); // that was another input
    result = state;
    const names = fact.winners?.map((side) => state.sides[side]?.name ?? "");
    const isOrder = Boolean(names && state.board.order); // to throw first is no win
    const isSteel = store.board?.layout.dartboard === "steel"; // where machines' words are not at home
    const isUnread = type === "dart" && state.turn.darts.find((dart) => dart.line === line)?.unread;
    gathered.push({ ...fact, ...(isUnread && { segment: "UNREAD" }), names, isOrder, isAlone: state.sides.length === 1, isSteel, points: fact.points ?? findPoints(gathered, fact) });
    clearTimeout(settling);
    settling = setTimeout(perform, SETTLE_MS);
  }
  corrected = type === "corrected" ? line ?? null : null;
}

/** Returns what the visit scored that a fact about it came with. @param {Oche.Fact[]} facts @param {Oche.Fact} fact */
const findPoints = (facts, { line }) => facts.find((each) => each.event_type === "visit" && each.line === line)?.points;

/** Takes off the board what is shown of a turn that is over; what is said goes on. */
export function endMoment() {
  $("moment").hidden = true;
}

/** Takes back what is shown and said: it has not been so, or is over. @param {boolean} isCorrected */
function withdraw(isCorrected) {
  gathered = earned = [];
  endMoment();
  stage?.end();
  takeBackCalls(isCorrected, store.state);
}

/** Whether this was not told yet. An end that a redo brings back comes with a line of its own, but right after the line
    that made it. @param {Oche.Fact} fact */
function isNew({ match, line, event_type: type, side, target, cell, award, badge, tier }) {
  if (!match || type === "undone" || type === "corrected") return true;
  const lines = ["match_won", "match_stopped"].includes(type) && corrected !== null ? [line, corrected] : [line];
  const keys = lines.map((each) => [match, each, type, side, target, cell, award, badge, tier].join(" "));
  const isKnown = keys.some((key) => told.has(key));
  for (const key of keys) told.add(key);
  for (const oldest of told) if (told.size > MOST_TOLD) told.delete(oldest);
  return !isKnown;
}

function perform() {
  const facts = gathered;
  if (!facts.length) return;
  gathered = [];
  if (facts.some(({ event_type: type }) => type === "badge") && !$("moment").hidden) { // earned by the match: after its end
    earned = facts;
    return;
  }
  const rank = (/** @type {Oche.Fact} */ { event_type: type }) => RANKS.indexOf(type);
  const greatest = facts.reduce((most, fact) => (rank(fact) > rank(most) ? fact : most));
  const isShown = rank(greatest) >= 0 && words.moment(greatest) !== "";
  if (stage?.play(facts, greatest, result)) endMoment();
  else if (isShown) show(greatest);
  const isArt = !dispatchEvent(new CustomEvent("moment", { cancelable: true, detail: facts })); // whose sounds are played instead
  if (!isArt) playTones(isShown ? readKind(greatest) : facts.some((fact) => fact.event_type === "dart") ? "dart" : "");
  if (preference("ear")) return; // which tells it otherwise
  callFacts(facts, result);
  for (const line of describeFacts(facts, result)) announce(line);
}

/** @param {Oche.Fact} fact */
const readKind = ({ event_type: type, great, isOrder }) => (isOrder ? "claimed" : great ? "great" : type);

/** @param {Oche.Fact} fact */
function show(fact) {
  const text = words.moment(fact), kind = readKind(fact);
  const element = $("moment");
  element.dataset.kind = kind;
  setSideColour(element, fact.winners?.[0] ?? fact.side);
  setStyle(element, "--chars", Math.max(text.length, 4));
  element.replaceChildren(make("b", {}, text)); // it enters anew
  element.hidden = false;
  clearTimeout(leaving);
  const { view = "" } = document.documentElement.dataset;
  const isPassed = PHONES.includes(view) || view !== "wall" && result.phase === "throwing" && !result.turn.darts.length;
  leaving = setTimeout(leave, isPassed ? PASSED_MS : kind === "match_won" ? WON_MS : SHOWN_MS);
}

function leave() {
  endMoment();
  [gathered, earned] = [[...earned, ...gathered], []];
  perform();
}

/** Returns what a screen reader is told; a question only where it can be answered.
    @param {Oche.Fact[]} facts @param {Oche.State} state */
function describeFacts(facts, state) {
  const isBust = facts.some((fact) => fact.event_type === "bust");
  return facts.map((fact) => {
    if (fact.event_type === "visit" && isBust) return "";
    if (fact.event_type !== "prompt") return words.tell(fact, hasSplitSingles(state));
    const prompt = state.prompts.find((each) => each.id === fact.id);
    return prompt && (store.seat ?? fact.seat) === fact.seat ? `${fact.player}${words.colon}${sayQuestion(prompt, state.game)}` : "";
  }).filter(Boolean);
}
