/* Puts the newest state on the page. It is a function of the store alone (and of what stands on the page already), knows
   no game by name, and shows what it finds as short words; a game's own face (faces.js) takes their place. */

import { $, keepChildren, make, rebuild, setFittedText, setSideColour, setStyle, setText } from "../dom.js";
import { makeGlyph, makeSpans, setDrawnText } from "../glyphs.js";
import { hasSplitSingles } from "../words/naming.js";
import { preparePart } from "../parts.js";
import { describeEnd, describeProgress, describeSide, describeVisit, describeWorth, isAhead, isNext, nameDart, readWay, sayUnit } from "./describe.js";
import { renderPrompts, taskAsks } from "./prompts.js";
import { store } from "../store.js";
import { isElsewhere, isTyped, TOTAL } from "./tap.js";
import { isLoss, sayQuestion, sayTask } from "../words/tasks.js";
import { words } from "../words/words.js";

const openCorrection = preparePart(async () => (await import("./correction.js")).correct, "static/wall/correction.css");
const openEntry = preparePart(async () => (await import("./correction.js")).enterDart, "static/wall/correction.css");
const openTotal = preparePart(async () => (await import("./keypad.js")).correctTotal, "static/wall/keypad.css");

const DANGER = 0.6; // from here on it is called that
const MOST = 8; // sides that have room beside each other
const MOST_NAMED = 8; // targets that are read; of more the board tells
/** The visits that a card has lines for: in a duel, in one with a format, where they are typed; of more sides, of many. */
const LINES = { duel: 12, format: 6, typed: 8, more: 4, many: 3 };

/** @param {Oche.State} state */
export function render(state) {
  const { phase, sides, turn, winners } = state;
  const { board, places, waiting } = store;
  const isIdle = state.match === null && !sides.length;
  const isOn = phase !== "over" && !isIdle;
  Object.assign(document.body.dataset, { phase: isIdle ? "none" : phase, shape: store.face.shape ?? "score" });
  const title = words.title(state.title || "oche");
  document.title = title + (isOn ? ` · ${turn.player} ${sides[turn.side]?.score}` : "");
  setText($("title"), title);
  setText($("variant"), sayTask(state.variant));
  setText($("progress"), isIdle ? "" : describeProgress(state));
  setSideColour(document.body, (phase === "over" ? winners[0] : null) ?? turn?.side ?? 0);

  $("hero").hidden = !isOn;
  $("result").hidden = isOn;
  const isDuel = !isIdle && sides.length === 2 && Boolean(store.face.isDuel); // its end, too, moves nothing
  document.body.classList.toggle("duel", isDuel);
  document.body.classList.toggle("typed", (isOn || isDuel) && isTyped(state));
  document.body.classList.toggle("format-legs", state.format.legs > 1 || state.format.sets > 1);
  document.body.classList.toggle("format-sets", state.format.legs > 1 && state.format.sets > 1);
  document.body.classList.toggle("teams", sides.some(({ players }) => players.length > 1)); // a side does not say who throws
  if (isOn) renderTurn(state);
  else renderResult(state, isIdle);
  renderSides(state);
  renderPrompts(state);
  renderPhase(state, isIdle);
  renderFace(state, isOn, isIdle);
  const targets = phase === "throwing" ? state.targets : [];
  const advised = state.advice ? [state.advice.segment] : [];
  board?.show(targets, isIdle ? [] : turn.darts, places, waiting, readWay(state).slice(1), advised);
  $("board").ariaLabel = words.boardLabel(targets.map(words.targetName));
}

/** The parts of the page that only some games fill. @param {Oche.State} state @param {boolean} isOn @param {boolean} isIdle */
function renderFace(state, isOn, isIdle) {
  const { board, face, seat } = store;
  /** @type {[HTMLElement, false | (() => void) | undefined | null][]} */
  const parts = [
    [$("panel"), isOn && board && face.panel && (() => face.panel?.($("panel"), state, board))],
    [$("sheet"), !isIdle && board && face.sheet && (() => face.sheet?.($("sheet"), state))],
    [$("hand"), !isIdle && seat !== null && board && face.hand && (() => face.hand?.($("hand"), state))],
  ];
  for (const [element, draw] of parts) {
    element.hidden = !draw;
    if (draw) draw();
  }
  if (board && !isIdle) face.map?.(state, board);
  if (isOn) renderOwnFacts(state);
  markFace(state);
}

/** What is said of the side that throws, each once, for a phone, whose cards are for the others: the score, where the great
    figure is none, then what a card would say, then the figures. @param {Oche.State} state */
function renderOwnFacts(state) {
  const { face } = store;
  const { sides, turn: { side } } = state;
  const isElsewhere = face.shape === "whole" || $("score").classList.contains("no-score");
  const score = isElsewhere && !face.points?.(state, side)
    ? [make("span", {}, make("b", { test: "own-score" }, String(sides[side].score)), " ", make("i", {}, sayUnit(state, sides[side])))] : [];
  const figures = $("panel").hidden ? [] : [...$("panel").querySelectorAll(".figures > span")].map((each) => each.cloneNode(true));
  const all = new Map([...score, ...makeSpans(describeSide(state, side)), ...figures].map((each) => [each.textContent, each]));
  for (const told of [$("score").textContent, `${$("caption").textContent} ${$("score").textContent}`]) all.delete(told);
  rebuild($("own-facts"), [...all.keys()], () => [...all.values()]);
}

/** @param {Oche.State} state */
function renderTurn(state) {
  const { phase, turn, sides } = state;
  const { face } = store;
  const side = sides[turn.side];
  setText($("badge"), turn.side + 1);
  setFittedText($("player"), turn.player);
  mark($("player"), "ahead", isAhead(state, turn.side));
  renderTeam(side, turn.player);
  setFittedText($("task"), sayTask(state.task));
  $("task").classList.toggle("reason", isLoss(state));
  const hero = face.hero?.(state) ?? null;
  setDrawnText($("score"), String(hero ?? side.score));
  $("score").classList.toggle("named", hero !== null);
  $("score").classList.toggle("no-score", hero !== null && Boolean(face.caption));
  const caption = face.caption?.(state) ?? words.unit(state.board.unit ?? "points", side.score);
  setText($("caption"), caption);
  setStyle($("score"), "--caption", caption.length);

  const count = turn.darts.length + (isTyped(state) ? 0 : turn.darts_left);
  $("visit").hidden = !count;
  setStyle($("darts"), "--slots", Math.max(3, count));
  keepChildren($("darts"), count, makeSlot).forEach((item, index) =>
    renderSlot(/** @type {HTMLButtonElement} */ (item.firstChild), turn.darts[index], index + 1, state));
  const visit = describeVisit(state);
  setFittedText($("visit-points"), visit.text);
  $("visit-points").classList.toggle("bust", visit.isLoss);

  const { advice } = state;
  const hint = advice ? [advice.segment] : phase === "throwing" ? state.hint : [];
  const targets = (face.aims?.(state) ?? state.targets).filter((target) => !hint.includes(target));
  renderLabelled($("hint"), advice ? words.purposes[advice.purpose] : state.routes?.length ? words.hint : words.target, hint.map((each) => words.segment(each)));
  renderLabelled($("targets"), words.target, targets.length > MOST_NAMED ? [] : targets.map(words.targetName));
  renderLast(state);
}

/** With whom a player throws, and then the name of the team where it has one.
    @param {Oche.Side} side @param {string} player */
function renderTeam({ name, players }, player) {
  const partners = players.filter((each) => each !== player);
  const seen = partners.length ? words.partners(partners) : "";
  const ownName = [player, players.join(" & ")].includes(name) ? "" : name;
  setText($("team"), [seen, ownName].filter(Boolean).join(" · "));
  setStyle($("team"), "--chars", seen.length || 1);
}

const makeSlot = (/** @type {number} */ index) => make("li", {},
  make("button", { type: "button", className: "slot", test: `dart-${index}` }, make("b"), " ", make("span")));

/** @param {HTMLButtonElement} button @param {Oche.Dart | undefined} dart @param {number} number @param {Oche.State} state */
function renderSlot(button, dart, number, state) {
  const [name, small] = /** @type {Iterable<HTMLElement>} */ (button.children);
  const way = dart || state.phase !== "throwing" ? undefined : readWay(state)[number - 1 - state.turn.darts.length];
  const note = dart && describeWorth(dart, number - 1, state);
  const isSplit = hasSplitSingles(state);
  const isNext = number === state.turn.darts.length + 1 && canEnter(state);
  const seen = dart ? nameDart(dart, isSplit) : way ? words.segment(way) : "";
  if (seen) setFittedText(name, seen);
  else if (!name.querySelector("svg")) name.replaceChildren(makeGlyph("dart")); // a number would be read as one to hit
  button.classList.toggle("advised", Boolean(way));
  button.classList.toggle("leaving", Boolean(way) && !state.hint.length);
  const asks = dart ? dart.unread && mayMend() && !store.choices.kiosk : isNext && !way;
  setText(small, dart?.segment === TOTAL && note !== "–" ? "" : asks ? words.enterShort : note ?? "");
  button.classList.toggle("thrown", Boolean(dart));
  button.classList.toggle("unread", Boolean(dart?.unread));
  button.classList.toggle("nothing", note === 0 || note === "–" || dart?.counts === false && !dart.unread);
  if (!dart && canEnter(state)) makeEnterable(button, number, seen); // never disabled in between: it would lose the focus
  else makeCorrectable(button, dart, number, isSplit);
}

/** Whether this device may put a dart right. */
const mayMend = () => Boolean(store.board) && store.seat === null && store.role !== "look"; // it is corrected on the board

/** Whether the next dart can be entered on this device. @param {Oche.State} state */
const canEnter = ({ phase }) => phase === "throwing" && mayMend() && !store.choices.kiosk;

/** Makes the button of an empty place enter the next dart, which a board may have missed.
    @param {HTMLButtonElement} button @param {number} number @param {string} way what is advised there, or nothing */
function makeEnterable(button, number, way) {
  button.disabled = false;
  button.dataset.segment = "";
  button.ariaLabel = words.enterLabel(way, number);
  button.onclick = openEntry;
}

/** Makes a button correct its dart; without one it only shows the place.
    @param {HTMLButtonElement} button @param {Oche.Dart | undefined} dart @param {number} number @param {boolean} isSplit */
function makeCorrectable(button, dart, number, isSplit) {
  button.disabled = !dart || !mayMend();
  button.dataset.segment = dart?.segment ?? "";
  button.ariaLabel = dart
    ? words.correctLabel(button.textContent, number, words.spoken(dart.unread ? "UNREAD" : dart.segment, isSplit)) : words.emptyLabel(number);
  button.onclick = () => dart && (dart.segment === TOTAL ? openTotal(dart) : openCorrection(dart, number));
}

/** @param {HTMLElement} element @param {string} label @param {string[]} items */
function renderLabelled(element, label, items) {
  element.hidden = !items.length;
  rebuild(element, [label, items], () => [make("span", { className: "label" }, label), ...makeSpans(items, "item")]);
}

/** The visit before this one, so that the room can still see it and put it right. @param {Oche.State} state */
function renderLast(state) {
  const { last, sides } = state;
  $("last").hidden = !last;
  if (!last) return;
  setSideColour($("last"), last.side);
  // Kept, not built anew: the focus comes back to a dart that was corrected.
  const [label, darts, sum] = keepChildren($("last"), 3, (part) => make("span", { className: ["label", "thrown", "sum"][part] }));
  setText(label, sides[last.side]?.name ?? words.last);
  const isTotal = last.darts.length === 1 && last.darts[0].segment === TOTAL; // which is the sum
  const total = isTotal || store.face.noPoints && !last.points ? "" : store.face.sumLast?.(state) ?? words.sum(last.points);
  setText(sum, last.bust ? words.bust : total);
  keepChildren(darts, last.darts.length, (index) => make("button", { type: "button", className: "item", test: `last-${index}` }))
    .forEach((button, index) => {
      setText(button, nameDart(last.darts[index], hasSplitSingles(state)));
      button.classList.toggle("nothing", last.bust || last.darts[index].counts === false);
      makeCorrectable(button, last.darts[index], index + 1, hasSplitSingles(state));
    });
}

/** @param {Oche.State} state @param {boolean} isIdle */
function renderResult(state, isIdle) {
  const { board, sides, winners } = state;
  /** What was thrown for, if it was the order of the sides. @type {string[] | undefined} */
  const order = board.order?.map((/** @type {number} */ side) => sides[side].name);
  const end = isIdle ? { kind: words.welcome, who: words.idle } : describeEnd(state);
  $("result").classList.toggle("order", Boolean(order));
  $("result").classList.toggle("chooses", isIdle || isForNothing(state)); // a new game comes first
  setText($("result-kind"), end.kind);
  setFittedText($("winner"), end.who);
  rebuild($("result-score"),
    order ? [words.ordered(order.slice(1))] : winners.length ? describeSide(state, winners[0]) : [], (texts) => makeSpans(texts));
  setText($("again"), describeStart(state));
  $("again").hidden = $("other").hidden = Boolean(store.lent?.state); // the other table begins the next one
}

/** Whether an order was thrown for that no match waits for. @param {Oche.State} state */
const isForNothing = ({ board, title }) => Boolean(board.order) && (store.plan?.title ?? title) === title;

/** Returns what a start begins: it may be another match, the one that was thrown for, or planned on another display.
    @param {Oche.State | null} state */
export function describeStart(state) {
  const { plan, tournament } = store;
  if (!plan || !state) return words.start;
  if (plan.ref && tournament?.start) return tournament.start;
  if (!state.match || plan.title !== state.title) return words.begin(words.title(plan.title));
  const { players, teams } = plan;
  return players.length > 1 && !state.board.order ? words.againBy(players[teams ? teams[0][0] : 0]) : words.again;
}

/** @param {Oche.State} state */
function renderSides(state) {
  const { phase, sides, turn, winners } = state;
  $("sides").dataset.count = String(sides.length);
  setStyle($("sides"), "--columns", Math.ceil(sides.length / Math.ceil(sides.length / MOST)) || 1);
  setStyle($("sides"), "--digits", Math.max(3, ...sides.map(({ score }) => `${score}`.length)));
  document.body.classList.toggle("crowd", sides.length > 2);
  document.body.classList.toggle("many", sides.length > 4);
  document.body.classList.toggle("packed", sides.length > MOST);
  keepChildren($("sides"), sides.length, makeSideCard).forEach((card, index) => {
    const side = sides[index];
    const [name, points, visits, facts, danger] = /** @type {Iterable<HTMLElement>} */ (card.children);
    const isUp = phase !== "over" && turn?.side === index;
    const [, called, ahead, following] = /** @type {Iterable<HTMLElement>} */ (name.children);
    const near = store.face.danger?.(state, index) ?? null;
    const is = { up: isUp, next: isNext(state, index), won: winners.includes(index), out: side.out, endangered: near !== null && near >= DANGER };
    for (const [what, so] of Object.entries(is)) card.classList.toggle(what, so);
    card.ariaCurrent = isUp ? "true" : null;
    setSideColour(card, index);
    setFittedText(called, side.name);
    ahead.hidden = !isAhead(state, index);
    following.hidden = !isNext(state, index);
    name.title = [side.name, ...(side.players.length > 1 ? side.players : [])].join(" · ");
    const named = store.face.points?.(state, index) ?? null;
    setFittedText(points, named ?? side.score);
    points.classList.toggle("named", named !== null && Number.isNaN(Number(named)));
    points.dataset.unit = store.face.unit?.(state, index) ?? (named === null ? sayUnit(state, side) : "");
    renderVisits(visits, state, side);
    danger.hidden = near === null;
    setStyle(danger, "--near", near);
    const texts = describeSide(state, index);
    setStyle(facts, "--chars", texts.filter((text) => !Array.isArray(text)).join(" ").length || 1);
    rebuild(facts, texts, () => makeSpans(texts));
  });
}

const makeSideCard = (/** @type {number} */ index) => make("li", { className: "side", test: `side-${index}` },
  make("p", { className: "name" },
    make("span", { className: "badge" }, String(index + 1)), make("b", { test: `name-${index}` }),
    makeSign("ahead", words.leads, index), makeSign("following", words.throwsNext, index)),
  make("p", { className: "points", test: `score-${index}` }),
  make("ol", { className: "visits", test: `visits-${index}` }),
  make("p", { className: "facts", test: `facts-${index}` }), make("p", { className: "danger" }));

/** The latest visits of this leg, what was scored and what was left: as on a chalkboard, and each in a place that stays.
    @param {HTMLElement} list @param {Oche.State} state @param {Oche.Side} side */
function renderVisits(list, state, { visits = [] }) {
  const isDuel = state.sides.length === 2;
  const is = (/** @type {string} */ name) => document.body.classList.contains(name);
  const isChalked = Boolean(store.face.isDuel) && (isDuel || is("typed"));
  const most = LINES[!isDuel ? is("many") ? "many" : "more" : is("typed") ? "typed" : is("format-legs") ? "format" : "duel"];
  const shown = isChalked ? visits.slice(-most) : [];
  list.hidden = !isChalked;
  list.ariaLabel = list.dataset.head = words.visits;
  keepChildren(list, shown.length, () => make("li", {}, make("span"), " ", make("b"))).forEach((line, at) => {
    const { bust, points, score } = shown[at];
    const [scored, left] = line.children;
    setText(scored, bust ? "–" : points);
    setText(left, score);
  });
}

const SIGNS = { ahead: "crown", following: "chevrons" };

/** @param {"ahead" | "following"} className @param {string} label @param {number} index */
const makeSign = (className, label, index) =>
  make("i", { className: `sign ${className}`, role: "img", ariaLabel: label, title: label, test: `${className}-${index}` },
    makeGlyph(SIGNS[className]));

/** Puts a sign into a text, or takes it out of it: who leads before it, who follows behind it.
    @param {Element} element @param {"ahead" | "following"} what @param {boolean} isSo */
function mark(element, what, isSo) {
  const sign = element.querySelector(`.${SIGNS[what]}`);
  if (!isSo) sign?.remove();
  else if (!sign) element[what === "ahead" ? "prepend" : "append"](makeGlyph(SIGNS[what]));
}

/** Marks the same where a face has the points, in the place of the cards. @param {Oche.State} state */
function markFace(state) {
  for (const [index, { score }] of state.sides.entries()) {
    const cell = $("panel").querySelector(`[data-testid=points-${index}]`);
    const is = { ahead: isAhead(state, index), following: isNext(state, index) };
    if (!cell) return;
    for (const what of /** @type {const} */ (["ahead", "following"])) mark(cell, what, is[what]);
    cell.ariaLabel = [score, is.ahead && words.leads, is.following && words.throwsNext].filter((text) => text !== false).join(", ");
  }
}

/** Returns what is to be done, and who throws then, if more than two play: whoever is left alone throws always.
    @param {Oche.State} state @param {string} text @param {boolean} isButton whether it ends with the button that goes there */
const sayNext = ({ next, turn }, text, isButton) => (!next || next.player === turn.player ? text : isButton ? `${text}${words.colon}${next.player}` : words.thenThrows(text, next.player));

/** What is to be done now, and which buttons do something. @param {Oche.State} state @param {boolean} isIdle */
function renderPhase(state, isIdle) {
  const { game, phase, prompts, turn } = state;
  const { role, seat } = store;
  const asked = prompts.find((prompt) => prompt.blocking);
  const isFar = isElsewhere(state);
  const waits = isFar || seat !== null && phase !== "over" && turn.seat !== seat && asked?.seat !== seat;
  const isKiosk = Boolean(store.choices.kiosk) || role === "look"; // it has no buttons to ask for
  const isOrder = phase === "over" && Boolean(state.board.order); // no match is over then, but one can begin
  const text = isOrder && seat !== null ? words.over : isIdle || isOrder ? isKiosk ? "" : isIdle || isForNothing(state) ? words.idlePhase : describeStart(state)
    : waits ? words.notYet(turn.player)
      : phase === "throwing" ? sayNext(state, isTyped(state) ? words.toThrow(turn.player) : words.throwing(turn.darts_left, turn.darts.length), false)
        : taskAsks(state) && asked?.seat === turn.seat ? words.chooses(turn.player)
        : phase === "deciding" && asked ? words.first(sayQuestion(asked, game))
          : phase === "takeout" ? sayNext(state, isKiosk ? words.pull : words.takeout, !isKiosk) : words[phase];
  setFittedText($("phase"), text);
  $("phase").dataset.phase = phase;
  const hasDarts = !document.body.classList.contains("typed"); // and not totals alone
  $("miss").hidden = !hasDarts;
  $("miss").disabled = isIdle || isFar || phase !== "throwing" || !hasDarts;
  $("next").disabled = isIdle || isFar || phase === "over" || phase === "deciding";
  $("undo").disabled = $("redo").disabled = isIdle;
}
