/* Puts one state on the page. It is a function of the state alone (and of what stands on the page already), knows no
   game by name, and shows what it finds as short words; a game's own face (faces.js) takes their place. */

import { $, fit, keep, make, rebuild, say, spans, tint } from "./dom.js";
import { renderPrompts } from "./prompts.js";
import { others } from "./tables.js";
import { words } from "./words.js";

const DANGER = 0.6; // from here on it is called that
const MOST = 8; // sides that have room beside each other

/** `screen` is what app.js keeps by the state: board, face, seat, busts, places, and in `does` what a touch does. */
export function render(state, screen, plan) {
  const { phase, prompts, sides, turn, winners } = state;
  const { board, face } = screen;
  const over = phase === "over";
  const idle = state.match === null && !sides.length;
  const plays = turn && !over && !idle;
  Object.assign(document.body.dataset, { phase: idle ? "none" : phase, shape: face.shape ?? "score" });
  document.title = (state.title || "oche") + (plays ? ` · ${turn.player} ${sides[turn.side]?.score}` : "");
  say($("title"), state.title || "oche");
  const parts = idle ? [] : ["set", "leg", "round"].filter((part) => part === "round" || several(`${part}s`, state, plan));
  say($("progress"), parts.map((part) => words[part](state[part])).join(" · "));
  tint(document.body, (over ? winners?.[0] : null) ?? turn?.side ?? 0);

  $("hero").hidden = !plays;
  $("result").hidden = plays;
  if (plays) renderTurn(state, screen);
  else renderResult(state, screen, idle, plan);
  renderSides(state, face, plan);
  renderPrompts(state, screen);
  renderPhase(state, screen, idle, prompts?.find((prompt) => prompt.blocking));
  const shown = { panel: plays, sheet: !idle, hand: !idle && screen.seat !== null };
  for (const [part, wanted] of Object.entries(shown)) {
    $(part).hidden = !(wanted && board && face[part]);
    if (!$(part).hidden) face[part]($(part), state, part === "panel" ? board : screen);
  }
  if (board && !idle) face.map?.(state, board);
  const targets = over ? [] : (state.targets ?? []);
  board?.show(targets, plays ? turn.darts : [], screen.places);
  $("board").ariaLabel = words.boardLabel(targets.map(words.targetName));
}

/** Whether more than one leg, or set, is played; the plan knows it from the start. */
const several = (parts, { title, sides, ...state }, plan) => state[parts.slice(0, -1)] > 1
  || sides.some((side) => side[parts] > 1) || (plan?.title === title && plan.format[parts] > 1);

/** By what a visit that went bust is known again after undo and redo, and not when a dart or a score was corrected. */
export const standing = ({ match, sides, turn }) => JSON.stringify([match, sides[turn.side].score, turn.darts]);

function renderTurn(state, screen) {
  const { phase, turn, sides } = state;
  const { board, face } = screen;
  const side = sides[turn.side];
  say($("badge"), turn.side + 1);
  fit($("player"), turn.player ?? side.name);
  say($("team"), side.name === turn.player ? "" : side.name);
  fit($("score"), side.score ?? "–");

  const count = turn.darts.length + turn.darts_left;
  $("darts").style.setProperty("--slots", Math.max(3, count));
  keep($("darts"), count, slot).forEach((item, index) =>
    renderSlot(item.firstChild, turn.darts[index], index + 1, state, screen));
  const bust = screen.busts.has(standing(state));
  const points = turn.darts.reduce((sum, dart) => sum + dart.points, 0);
  const sum = face.sum && board ? face.sum(state, board) : turn.darts.length ? words.sum(points) : "";
  fit($("visit-points"), bust ? words.bust : sum);
  $("visit-points").classList.toggle("bust", bust);

  const hint = phase === "throwing" ? (state.hint ?? []) : [];
  const targets = (face.aims?.(state) ?? state.targets ?? []).filter((target) => !hint.includes(target));
  labelled($("hint"), words.hint, hint);
  labelled($("targets"), words.target, targets.map(words.targetName));
  renderLast(state, screen);
}

const slot = (index) => make("li", {}, make("button", { type: "button", className: "slot", test: `dart-${index}` },
  make("b"), " ", make("span")));

function renderSlot(button, dart, number, state, screen) {
  const [name, small] = button.children;
  const { board, face } = screen;
  const note = dart && (face.note && board ? face.note(dart, state, board) : dart.points);
  fit(name, dart ? words.segment(dart.segment) : number);
  say(small, note ?? "");
  button.classList.toggle("thrown", Boolean(dart));
  button.classList.toggle("nothing", note === 0 || note === "–");
  correctable(button, dart, number, screen);
}

/** Makes a button correct its dart; without one it only shows the place. */
function correctable(button, dart, number, { does, seat }) {
  button.disabled = dart?.line == null || seat !== null;
  button.dataset.segment = dart?.segment ?? "";
  button.ariaLabel = dart ? words.correctLabel(button.textContent, number, words.spoken(dart.segment)) : words.emptyLabel(number);
  button.onclick = () => does.correct(dart, number);
  return button;
}

function labelled(element, label, items) {
  element.hidden = !items.length;
  rebuild(element, [label, items], () => [make("span", { className: "label" }, label), ...spans(items, "item")]);
}

/** The visit before this one, so that the room can still see it and put it right. */
function renderLast({ last, sides }, screen) {
  $("last").hidden = !last;
  if (!last) return;
  tint($("last"), last.side);
  // Kept, not built anew: the focus comes back to a dart that was corrected.
  const [label, darts, sum] = keep($("last"), 3, (part) => make("span", { className: ["label", "thrown", "sum"][part] }));
  say(label, sides[last.side]?.name ?? words.last);
  say(sum, words.sum(last.points));
  keep(darts, last.darts.length, (index) => make("button", { type: "button", className: "item", test: `last-${index}` }))
    .forEach((button, index) => {
      say(button, words.segment(last.darts[index].segment));
      correctable(button, last.darts[index], index + 1, screen);
    });
}

function renderResult(state, { face }, idle, plan) {
  const winners = state.winners ?? [];
  const names = winners.map((side) => state.sides[side]?.name ?? String(side));
  const order = state.board?.order?.map((side) => state.sides[side].name); // what was thrown for
  say($("result-kind"), idle ? words.welcome : order ? words.order : names.length > 1 ? words.winners : names.length ? words.winner : words.over);
  fit($("winner"), idle ? words.idle : names.length ? words.wins(names) : words.drawn);
  rebuild($("result-score"),
    order ? [words.ordered(order.slice(1))] : names.length ? sideWords(state, winners[0], face, plan) : [], spans);
  say($("again"), startWords(state, plan));
}

/** What a start begins: it may be another match, the one that was thrown for, or planned on another display. */
export const startWords = ({ match, title }, plan) =>
  (!plan ? words.start : match && plan.title === title ? words.again : words.begin(plan.title));

function renderSides(state, face, plan) {
  const { phase, sides, turn, winners } = state;
  $("sides").dataset.count = sides.length;
  $("sides").style.setProperty("--columns", Math.ceil(sides.length / Math.ceil(sides.length / MOST)) || 1);
  document.body.classList.toggle("many", sides.length > 4);
  document.body.classList.toggle("crowd", sides.length > MOST);
  keep($("sides"), sides.length, sideCard).forEach((card, index) => {
    const side = sides[index];
    const [name, points, facts, danger] = card.children;
    const up = phase !== "over" && turn?.side === index;
    const near = face.danger?.(state, index) ?? null;
    const is = { up, won: winners?.includes(index), out: side.out, endangered: near >= DANGER };
    for (const [what, so] of Object.entries(is)) card.classList.toggle(what, Boolean(so));
    card.ariaCurrent = up ? "true" : null;
    tint(card, index);
    fit(name.lastChild, side.name);
    name.title = [side.name, ...(side.players.length > 1 ? side.players : [])].join(" · ");
    fit(points, side.score ?? "–");
    danger.hidden = near === null;
    danger.style.setProperty("--near", near);
    rebuild(facts, sideWords(state, index, face, plan), spans);
  });
}

const sideCard = (index) => make("li", { className: "side", test: `side-${index}` },
  make("p", { className: "name" },
    make("span", { className: "badge" }, String(index + 1)), make("b", { test: `name-${index}` })),
  make("p", { className: "points", test: `score-${index}` }),
  make("p", { className: "facts", test: `facts-${index}` }), make("p", { className: "danger" }));

/** Legs and sets where they are played, then whatever this game tells about a side, as short texts. */
function sideWords(state, index, face, plan) {
  const side = state.sides[index];
  return [
    ...(side.out ? [words.out] : []),
    ...["sets", "legs"].filter((parts) => several(parts, state, plan)).map((parts) => words[parts](side[parts])),
    ...(face.facts?.(state, index) ?? others(side.detail)),
  ];
}

function renderPhase({ phase, turn }, { seat }, idle, asked) {
  const waits = seat !== null && turn && phase !== "over" && turn.seat !== seat && asked?.seat !== seat;
  const text = idle ? words.idlePhase
    : waits ? words.notYet(turn.player)
      : phase === "throwing" ? words.throwing(turn?.darts_left ?? 0)
        : phase === "deciding" && asked ? words.first(words.question(asked)) : words[phase];
  fit($("phase"), text ?? phase);
  $("phase").dataset.phase = phase;
  $("miss").disabled = idle || phase !== "throwing";
  $("next").disabled = idle || phase === "over" || phase === "deciding";
  $("undo").disabled = $("redo").disabled = idle;
}
