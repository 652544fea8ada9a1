/* The voice of this screen: calls what happens, by a sound pack, the voice in the box, or the browser's own; loaded where
   the caller is switched on. One queue says what and when: see call_queue.js. */

import { describeDart, describeVisit, findAmbience, findWays } from "./call_keys.js";
import { CallQueue, speak } from "./call_queue.js";
import { MOMENTS } from "./facts.js";
import { fetchFirst, fetchRecording, findDeadline, findRecordings, loadPacks, playRecordings, stopRecordings, waitUntil } from "./packs.js";
import { preference } from "../preferences.js";
import { findRecordedName } from "./recorded_names.js";
import { duck, findAudio, isQuiet } from "./sounds.js";
import { store, watch } from "../store.js";
import { isReason, sayTask } from "../words/tasks.js";
import { words } from "../words/words.js";

const TOTAL = "TOTAL"; // of a visit without beds
const TONS = ["180", "low_ton", "high_ton", "high_out"]; // their number says it
const LONGEST_MS = 8_000; // what a browser does not say in that time, and for each character so much more
const CHARACTER_MS = 150;
const LETTER_LAST = /[\p{L}\p{M}\p{N}]$/u, LETTER_FIRST = /^[\p{L}\p{M}\p{N}]/u, MARKS_FIRST = /^[\s\p{P}]+/u;
const LOSSES = ["halved", "life_lost", "eliminated", "match_dart_missed"]; // what a visit brings that is no gain
const RANKS = Object.keys(MOMENTS); // the least first
const ENDS = /** @type {const} */ (["match_won", "set_won", "leg_won"]); // the greatest first

const queue = new CallQueue(begin);
/** What is said now; another number says that it was stopped. */
let said = 0;
/** Counts what makes noises late that have not begun. */
let times = 0;
/** What the browser says; kept, for some browsers forget to say when it ends. @type {SpeechSynthesisUtterance | null} */
let spoken = null;
/** The task that each side was told last. @type {string[]} */
const called = [];
/** The leg that was begun last. */
let begun = "";

/** Reads the packs; without them the browser speaks. */
export async function prepareVoice() {
  await loadPacks().catch(() => {});
  let chosen = preference("pack");
  watch(() => {
    if (chosen === preference("pack")) return;
    chosen = preference("pack");
    loadPacks().catch(() => {});
  });
}

/** Calls what is worth it among the facts of one input; `state` is what they led to, and `now` when that was.
    @param {Oche.Fact[]} facts @param {Oche.State} state @param {number} now */
export function callFacts(facts, state, now) {
  if (facts.some(({ event_type: type }) => type === "dart")) { // the next visit: what waits is late
    queue.clear();
    times += 1;
  }
  for (const call of makeCalls(facts.filter(({ event_type: type }) => type !== "badge"), state)) put(call, now); // of which there may be many at once
  queue.pump();
}

/** Takes back what is said: it has not been so, or is over. A visit that was corrected before its call is called as it is
    now. @param {boolean} isCorrected @param {Oche.State | null} state */
export function takeBack(isCorrected, state) {
  queue.revise((call) => (isCorrected && state ? correct(call, state) : null));
  stop();
  queue.pump();
}

/** Says the name of a player as soon as what waits was said; `text` is what the browser's voice says.
    @param {string} name @param {string} text */
export function sayName(name, text) {
  put({ kind: "news", ways: findWays("name", { name }), text }, performance.now());
  queue.pump();
}

/** Plays the sound with this key, if a pack has it, after what waits. @param {string} key */
export function playSound(key) {
  put({ kind: "ambience", ways: [[{ isOptional: false, keys: [key.toLowerCase()] }]], text: "" }, performance.now());
  queue.pump();
}

/** @param {Oche.Call} call @param {number} now */
function put(call, now) {
  const files = findRecordings(call.ways ?? []);
  if (findAudio()) for (const step of files ?? [[findRecordedName(call.name ?? "") ?? []].flat()]) fetchFirst(step);
  if (files || call.text) queue.put({ ...call, files }, now);
}

/** @param {Oche.Fact[]} facts @param {Oche.State} state @returns {Oche.Call[]} */
function makeCalls(facts, state) {
  const of = (/** @type {Oche.Fact["event_type"]} */ type) => facts.find((fact) => fact.event_type === type);
  const turn = of("turn_changed"), dart = of("dart"), visit = of("visit");
  const end = ENDS.map(of).find(Boolean), bust = of("bust"), start = of("match_started");
  const isTold = visit || bust || end || facts.some(({ event_type: type }) => type in MOMENTS);
  const number = turn ? state.last?.visit : state.turn.visit;
  return [
    ...(start ? callStart("match_started", state) : []),
    ...(dart && !isTold && preference("darts") ? callDart(dart) : []),
    ...(isTold ? callVisit(facts, state, number) : []),
    ...(turn ? callTurn(state, turn.side ?? 0, turn.player ?? "") : []),
  ];
}

/** @param {"match_started" | "leg_started"} what @param {Oche.State} state @returns {Oche.Call[]} */
function callStart(what, state) {
  begun = `${state.match} ${state.set} ${state.leg}`;
  const values = { name: state.turn.player ?? undefined };
  return [{ kind: "news", ways: findWays(what, values), text: "" }, { kind: "ambience", ways: findAmbience(what, values), text: "" }];
}

/** @param {Oche.Fact} dart @returns {Oche.Call[]} */
function callDart({ segment = "", points = 0 }) {
  const found = describeDart(segment, points);
  return [{ kind: "dart", ways: found ? findWays(found.what, found.values) : [], text: words.segment(segment) }];
}

/** Calls what a visit came to, or what ended with it. @param {Oche.Fact[]} facts @param {Oche.State} state
    @param {number | undefined} number that of the visit @returns {Oche.Call[]} */
function callVisit(facts, state, number) {
  const of = (/** @type {Oche.Fact["event_type"]} */ type) => facts.find((fact) => fact.event_type === type);
  const bust = of("bust"), visit = of("visit"), end = ENDS.map(of).find(Boolean);
  const gains = facts.filter(({ event_type: type, award = "" }) => type in MOMENTS && !TONS.includes(award));
  const isRead = ![state.turn, state.last].find((each) => each?.visit === number)?.darts.some(({ unread }) => unread);
  const text = isReason(state) && bust ? sayTask(state.task) : describeResult(of, gains, isRead);
  if (!text || end?.isOrder) return text ? [{ kind: "visit", number, ways: [], text }] : [];
  const gain = gains.find(({ event_type: type }) => type !== "match_dart_missed");
  const { legs, sets } = state.sides.reduce((sum, side) => ({ legs: sum.legs + side.legs, sets: sum.sets + side.sets }), { legs: 0, sets: 0 });
  const values = {
    name: end?.names?.[0] ?? (end ?? bust ?? visit)?.player, leg: legs, set: sets,
    award: [...gains].sort((one, other) => rank(other) - rank(one)).map(({ event_type: type, award }) => award ?? type),
    ...(visit ? describeVisit(visit.points ?? 0, visit.darts ?? []) : {}),
    ...(gain && !visit?.points && { points: undefined }), // what was gained without points is no score of none
    ...(gains.some(({ event_type: type }) => !LOSSES.includes(type)) && { none: undefined }),
  };
  const what = end?.event_type ?? (bust ? "bust" : "visit");
  return [
    { kind: "visit", number, ways: findWays(what, values), text, ...(end && { name: values.name }) },
    { kind: "ambience", number, ways: findAmbience(what, values), text: "" },
  ];
}

/** Returns a number that is larger for what is greater. @param {Oche.Fact} gain */
const rank = ({ event_type: type, great }) => RANKS.indexOf(type) + (great ? 0.5 : 0);

/** Calls whose turn it is: what is required, or what there is to do. @param {Oche.State} state @param {number} side
    @param {string} player @returns {Oche.Call[]} */
function callTurn(state, side, player) {
  const own = `${state.match} ${state.set} ${state.leg}`;
  const start = begun && begun !== own ? callStart("leg_started", state) : [];
  begun = own;
  const { score, detail } = state.sides[state.turn.side];
  const left = detail.left ?? score; // in games that go up the score is not what is left
  const values = { name: player, number: side + 1, left };
  return [...start, ...callTask(state, values, state.turn.side === side), { kind: "ambience", ways: findAmbience("turn", values), text: "" }];
}

/** @param {Oche.State} state @param {Oche.KeyValues} values @param {boolean} isTurn @returns {Oche.Call[]} */
function callTask({ match, routes, task, turn }, values, isTurn) {
  if (routes?.length && isTurn) {
    const name = `${values.name}`;
    return [{ kind: "turn", ways: findWays("requires", values), text: words.requires(name, Number(values.left)), name }];
  }
  const told = match + (task?.key ?? "");
  if (!task || called[turn.side] === told) return [];
  called[turn.side] = told; // what is the same every visit is said once
  return [{ kind: "turn", ways: [], text: sayTask(task) }];
}

/** Returns the call as it is after a correction; null: it is none any more. @param {Oche.Call} call @param {Oche.State} state */
function correct(call, state) {
  if (call.kind === "turn") return call;
  const found = call.number === undefined ? null : [state.turn, state.last].find((visit) => visit?.visit === call.number);
  const isOpen = found === state.turn && state.phase === "throwing" && state.turn.darts_left > 0;
  if (!found || isOpen || call.kind === "ambience") return null;
  const darts = found.darts.map(({ segment }) => segment);
  const fact = { points: found.points, darts, side: found.side, player: state.sides[found.side]?.players[0] };
  const types = found.bust ? ["bust", "visit"] : ["visit"];
  const facts = types.map((type) => (/** @type {Oche.Fact} */ (/** @type {unknown} */ ({ event_type: type, ...fact }))));
  const [revised] = callVisit(facts, state, call.number);
  return revised ? { ...revised, files: findRecordings(revised.ways ?? []) } : null;
}

/** @param {(type: Oche.Fact["event_type"]) => Oche.Fact | undefined} of @param {Oche.Fact[]} gains
    @param {boolean} isRead whether each dart of the visit was: of the others nobody knows what they scored */
function describeResult(of, gains, isRead) {
  const won = of("match_won");
  if (won?.isOrder) return words.moment(won);
  if (won) return won.names?.length ? words.gameShotMatch(words.list(won.names)) : words.over;
  const part = of("set_won") ?? of("leg_won");
  if (part) return `${words.gameShot}. ${words.moment(part)}`;
  if (of("bust")) return words.bust;
  const visit = of("visit");
  const none = visit && isRead && !gains.length && (store.face.callsNoScore || visit.darts?.every((dart) => dart === "MISS" || dart === TOTAL));
  return [...gains.map(words.moment), visit?.points || (none && words.noScore)].filter(Boolean).join(". ");
}

/** @param {Oche.Call} call @param {number} now */
function begin({ files, kind, name, text }, now) {
  if (isQuiet()) return;
  if (kind === "ambience") return makeNoise(files ?? []);
  hush(); // only noises still play
  const mine = said;
  const isWanted = () => mine === said;
  const until = findDeadline(); // one for all that this call waits for
  const done = () => { if (isWanted()) finish(); };
  const canSpeak = text && globalThis.speechSynthesis;
  const say = (/** @type {number} */ from) => {
    duck(true);
    const longest = LONGEST_MS + text.length * CHARACTER_MS; // it says itself when it has ended
    queue.hold(from + longest);
    setTimeout(() => { if (isWanted()) duck(false); }, longest);
    sayText(text, name ?? "", isWanted, until).finally(done);
  };
  if (files && findAudio()) {
    duck(true);
    queue.hold(Infinity);
    playRecordings(files, isWanted, false, until).catch(() => false).then((isHeard) => {
      if (isHeard || !canSpeak || !isWanted()) return done();
      say(performance.now());
      queue.pump(); // what waits then comes, although the browser may never tell that it has spoken
    });
  } else if (canSpeak) say(now);
}

/** Says a text, and in it the name as its player has recorded it. @param {string} text @param {string} name
    @param {() => boolean} isWanted whether it is to go on @param {number} until when it does without that recording */
async function sayText(text, name, isWanted, until) {
  const recorded = findAudio() && findRecordedName(name);
  const [before, after] = recorded && await waitUntil(fetchRecording(recorded), until) ? splitAt(text, name) : [text];
  if (before && isWanted()) await sayPart(before);
  if (after === undefined || !recorded) return;
  await playRecordings([[recorded]], isWanted, false);
  if (after && isWanted()) await sayPart(after);
}

/** Resolves once it is said, or was stopped. @type {(text: string) => Promise<void>} */
const sayPart = (text) => new Promise((done) => { spoken = speak(text, done); });

/** Returns what stands before and after the name; the text alone, where it is not there once. @param {string} text
    @param {string} name @returns {[before: string, after?: string]} */
function splitAt(text, name) {
  const [before, after, more] = text.split(name);
  const isName = after !== undefined && more === undefined && !LETTER_LAST.test(before) && !LETTER_FIRST.test(after);
  return isName ? [before.trim(), after.replace(MARKS_FIRST, "")] : [text];
}

/** Plays a noise, beside what else sounds; the next call stops it, but only if it has begun by then. @param {string[][]} files */
function makeNoise(files) {
  const mine = times;
  playRecordings(files, () => mine === times, true);
}

function finish() {
  spoken = null;
  duck(false);
  queue.finish();
}

function stop() {
  duck(false);
  queue.hold(0);
  hush();
  times += 1;
}

/** Has nothing sound any more. */
function hush() {
  said += 1;
  stopRecordings();
  if (spoken) speechSynthesis.cancel();
  spoken = null;
}
