/* The announcer's page: everything that the state of one table has, to be read aloud from. It is read-only. */

import { make, rebuild, setText } from "../dom.js";
import { makeSpans } from "../glyphs.js";
import { describeAim, describeQuestion, isOn, makeDarts, makeOwn, makeSigns, markSide, readScore, readUnit, renderDarts, renderOwn, renderSum } from "./parts.js";
import { store } from "../store.js";
import { text } from "./texts.js";
import { describeEnd, describeProgress, describeSide, nameDart } from "../wall/describe.js";
import { hasSplitSingles } from "../words/naming.js";
import { sayTask } from "../words/tasks.js";
import { words } from "../words/words.js";

/** Makes the page, and returns what draws it. @param {HTMLElement} main */
export function prepareAnnouncer(main) {
  const own = makeOwn();
  const made = {
    title: make("h1", { test: "title" }), about: make("p", { className: "about", test: "about" }), link: make("p", { className: "link", role: "status", test: "link" }),
    player: make("h2", { test: "player" }), team: make("p", { className: "team" }), task: make("p", { className: "task", test: "task" }), darts: makeDarts(),
    sum: make("p", { className: "sum", test: "sum" }), left: make("p", { className: "darts-left", test: "left" }), next: make("p", { className: "next-up", test: "next" }),
    aim: make("div", { className: "aiming", test: "aim" }), last: make("p", { className: "last-visit", test: "last" }), sides: make("div", { className: "sides", test: "sides" }),
  };
  const turn = make("section", { className: "pane turn", ariaLabel: words.labels.hero }, made.player, made.team, made.task,
    make("div", { className: "visiting" }, made.darts, made.sum), made.left, made.next, made.aim, made.last);
  own.element.classList.add("pane");
  main.replaceChildren(make("div", { className: "headline" }, made.title, made.about, made.link), turn,
    make("section", { ariaLabel: text.players }, made.sides), own.element);
  return { svg: own.svg, draw: () => draw(made, own), wrong: "" };
}

/** @param {Record<string, HTMLElement>} made @param {ReturnType<typeof makeOwn>} own */
function draw(made, own) {
  const { board, link, state } = store;
  setText(made.link, link === "lost" ? words.lostLong : "");
  if (!state || !board) return;
  const { sides, turn } = state;
  const on = isOn(state);
  setText(made.title, sides.length ? words.title(state.title) : words.idle);
  setText(made.about, sides.length ? [sayTask(state.variant), describeProgress(state)].filter(Boolean).join(" · ") : "");
  for (const each of [made.darts, made.sum, made.left, made.next, made.aim]) each.hidden = !on;
  if (on) {
    const side = sides[turn.side];
    setText(made.player, turn.player);
    setText(made.team, side.players.length > 1 || side.name !== turn.player ? side.name : "");
    renderDarts(made.darts, state);
    renderSum(made.sum, state);
    setText(made.left, describeQuestion(state) || (state.phase === "takeout" ? words.pull : words.throwing(turn.darts_left, turn.darts.length)));
    setText(made.next, sayNext(state));
    const ways = describeWays(state);
    rebuild(made.aim, ways, () => ways.map(([label, items, more]) => make("p", {}, make("span", {}, label), ...makeSpans(items, "item"), make("span", { className: "more" }, more))));
  } else if (sides.length) {
    const { kind, who } = describeEnd(state);
    setText(made.player, `${kind}${words.colon}${who}`);
    setText(made.team, "");
  }
  setText(made.task, sides.length ? sayTask(state.task) : "");
  setText(made.last, sayLast(state));
  rebuild(made.sides, [state, store.face.shape], () => sides.map((_, index) => makeSide(state, index)));
  renderOwn(own, state, { hasGame: true, hasBoard: board.layout.dartboard === null });
}

/** Who throws after this visit; of two it is the other one. @param {Oche.State} state */
function sayNext({ next, sides, turn }) {
  const name = next?.player ?? (sides.length === 2 ? sides[1 - turn.side].name : "");
  return name && name !== turn.player ? text.next(name) : "";
}

/** Returns each way out with its chance, then what to aim at, and what to leave: a label, beds, and more.
    @param {Oche.State} state @returns {[label: string, items: string[], more: string][]} */
function describeWays(state) {
  const { leave, phase, routes = [] } = state;
  const name = (/** @type {string} */ bed) => words.segment(bed);
  const ways = phase === "throwing" ? routes.map(({ chance, darts }, index) => /** @type {[string, string[], string]} */ (
    [index ? "" : words.hint, darts.map(name), text.chance(Math.round(chance))])) : [];
  const [label, items] = routes.length || leave ? ["", []] : describeAim(state);
  return [...ways, ...(items.length ? [/** @type {[string, string[], string]} */ ([label, items, ""])] : []),
    ...(leave && phase === "throwing" ? [/** @type {[string, string[], string]} */ ([words.target, leave.darts.map(name), text.leaves(leave.left)])] : [])];
}

/** The visit before this one. @param {Oche.State} state */
function sayLast(state) {
  const { last, sides } = state;
  if (!last || !sides[last.side]) return "";
  const isSplit = hasSplitSingles(state);
  const worth = last.bust ? words.bust : store.face.sumLast?.(state) ?? (store.face.noPoints && !last.points ? "" : words.sum(last.points));
  return `${words.last} · ${sides[last.side].name}${words.colon}${last.darts.map((dart) => nameDart(dart, isSplit)).join(" ")} ${worth}`.trim();
}

/** Makes a card with all that is known of a side. @param {Oche.State} state @param {number} index */
function makeSide(state, index) {
  const { name, players, visits = [] } = state.sides[index];
  const card = make("article", { className: "pane", test: `side-${index}` },
    make("h2", {}, make("span", { className: "badge" }, String(index + 1)), make("span", { className: "called" }, name), ...makeSigns(state, index)),
    ...(players.length > 1 ? [make("p", {}, players.join(", "))] : []),
    make("p", { className: "score" }, make("b", { test: `score-${index}` }, readScore(state, index)), " ", make("span", {}, readUnit(state, index))),
    make("p", { className: "told", test: `told-${index}` }, ...makeSpans(describeSide(state, index))),
    ...(visits.length ? [makeVisits(visits)] : []));
  markSide(card, state, index);
  return card;
}

/** Makes a table of visits, the latest first. @param {Oche.PastVisit[]} visits */
const makeVisits = (visits) => make("table", {}, make("caption", {}, text.visits),
  make("thead", {}, make("tr", {}, make("th", { scope: "col" }, text.scored), make("th", { scope: "col" }, text.left))),
  make("tbody", {}, ...visits.toReversed().map(({ bust, points, score }) =>
    make("tr", {}, make("td", {}, bust ? words.bust : String(points)), make("td", {}, String(score))))));
