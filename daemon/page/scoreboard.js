/* Puts one state on the page. It is a function of the state alone (and of what stands on the page already), knows no
   game by name, and shows what it does not know as short words; a game's own face (faces.js) takes their place. */

import { $, fit, keep, make, say, tint } from "./dom.js";
import { renderPrompts } from "./prompts.js";
import { words } from "./words.js";

const STATS = 4; // as many as have room beside the score

/** `screen` is what app.js keeps beside the state: board, face, seat, busts, places, and in `does` what a touch does. */
export function render(state, screen) {
  const { turn, sides } = state;
  const over = state.phase === "over";
  const idle = state.match === null && !sides.length;
  document.body.dataset.phase = idle ? "none" : state.phase;
  const now = turn && !over ? ` · ${turn.player} ${sides[turn.side]?.score}` : "";
  document.title = (state.title || "oche") + now;
  say($("title"), state.title || "oche");
  say($("progress"), idle ? "" : progress(state));
  const winning = over && state.winners?.length ? state.winners[0] : null;
  tint(document.body, Number.isInteger(winning) ? winning : (turn?.side ?? 0));

  $("hero").hidden = over || idle || !turn;
  $("result").hidden = !$("hero").hidden;
  if ($("hero").hidden) renderResult(state, screen, idle);
  else renderTurn(state, screen);
  renderSides(state, screen.face);
  renderPrompts(state, screen);
  renderPhase(state, screen, idle);
  renderFace(state, screen, idle);
  const targets = over ? [] : (state.targets ?? []);
  screen.board?.show(targets, turn && !over ? turn.darts : [], screen.places);
  $("board").setAttribute("aria-label", words.boardLabel(targets.map(words.targetName)));
}

const progress = (state) =>
  ["set", "leg", "round"].filter((part) => state[part]).map((part) => words[part](state[part])).join(" · ");

/** What this game's own face draws, where it draws anything. */
function renderFace(state, screen, idle) {
  const { face, board } = screen;
  for (const part of ["panel", "sheet", "hand"]) {
    const shown = board && !idle && face[part] && (part !== "panel" || !$("hero").hidden)
      && (part !== "hand" || screen.seat !== null);
    $(part).hidden = !shown;
    if (shown) face[part]($(part), state, part === "panel" ? board : screen);
  }
  if (board && !idle) face.map?.(state, board);
}

function renderTurn(state, screen) {
  const { turn, sides } = state;
  const { board, face } = screen;
  const side = sides[turn.side];
  say($("badge"), turn.side + 1);
  fit($("player"), turn.player ?? side.name);
  say($("team"), side.name === turn.player ? "" : side.name);
  fit($("score"), side.score ?? "–");

  const stats = face.facts ? [] : facts(side.detail).slice(0, STATS);
  keep($("stats"), stats.length, () => make("div", {}, make("dt"), make("dd"))).forEach((item, index) => {
    say(item.firstChild, stats[index][0]);
    fit(item.lastChild, stats[index][1]);
  });

  const count = turn.darts.length + turn.darts_left;
  $("darts").style.setProperty("--slots", Math.max(3, count));
  keep($("darts"), count, slot).forEach((item, index) =>
    renderSlot(item.firstChild, turn.darts[index], index, state, screen));
  const bust = turn.darts.some((dart) => screen.busts.has(`${state.match} ${dart.line}`));
  const points = turn.darts.reduce((sum, dart) => sum + dart.points, 0);
  const sum = face.sum && board ? face.sum(state, board) : turn.darts.length ? words.sum(points) : "";
  say($("visit-points"), bust ? words.bust : sum);
  $("visit-points").classList.toggle("bust", bust);

  const hint = state.phase === "throwing" ? (state.hint ?? []) : [];
  const targets = (face.aims?.(state) ?? state.targets ?? []).filter((target) => !hint.includes(target));
  labelled($("hint"), words.hint, hint);
  labelled($("targets"), words.target, targets.map(words.targetName));
  renderLast(state, screen);
}

function slot(index) {
  return make("li", {}, make("button", { type: "button", className: "slot", data: { testid: `dart-${index}` } },
    make("b"), " ", make("span")));
}

function renderSlot(button, dart, index, state, { board, face, seat, does }) {
  const [name, points] = button.children;
  const note = dart && (face.note && board ? face.note(dart, state, board) : dart.points);
  fit(name, dart ? words.segment(dart.segment) : index + 1);
  say(points, note ?? "");
  button.classList.toggle("thrown", Boolean(dart));
  button.classList.toggle("nothing", note === 0 || note === "–");
  button.disabled = dart?.line == null || seat !== null;
  button.dataset.segment = dart?.segment ?? "";
  const label = dart ? words.correctLabel(button.textContent, index + 1, dart.segment) : words.emptyLabel(index + 1);
  button.setAttribute("aria-label", label);
  button.onclick = () => does.correct(dart, index + 1);
}

function labelled(element, label, items) {
  element.hidden = !items.length;
  const [title, ...rest] = keep(element, items.length + 1, () => make("span"));
  title.className = "label";
  say(title, label);
  rest.forEach((item, index) => { item.className = "item"; say(item, items[index]); });
}

/** The visit before this one, so that the room can still see it and put it right. */
function renderLast(state, { seat, does }) {
  const { last, sides } = state;
  $("last").hidden = !last;
  if (!last) return;
  tint($("last"), last.side);
  $("last").replaceChildren(
    make("span", { className: "label" }, sides[last.side]?.name ?? words.last),
    ...last.darts.map((dart, index) => {
      const button = make("button", { type: "button", className: "item", disabled: dart.line == null || seat !== null,
        onclick: () => does.correct(dart, index + 1), data: { testid: `last-${index}`, segment: dart.segment } },
      words.segment(dart.segment));
      button.setAttribute("aria-label", words.correctLabel(words.segment(dart.segment), index + 1, dart.segment));
      return button;
    }),
    make("span", { className: "sum" }, words.sum(last.points)),
  );
}

function renderResult(state, { face }, idle) {
  const names = (state.winners ?? []).map((side) => state.sides[side]?.name ?? String(side));
  const kind = idle ? "" : names.length > 1 ? words.winners : names.length ? words.winner : words.over;
  say($("result-kind"), kind);
  fit($("winner"), idle ? words.idle : names.length ? words.wins(names) : words.drawn);
  const best = state.sides[state.winners?.[0]];
  say($("result-score"), best ? sideWords(state, state.winners[0], face).join(" · ") : "");
  say($("again"), idle ? words.start : words.again);
}

function renderSides(state, face) {
  const list = $("sides");
  list.dataset.count = state.sides.length;
  list.style.setProperty("--sides", state.sides.length || 1);
  document.body.classList.toggle("many", state.sides.length > 4);
  keep(list, state.sides.length, sideCard).forEach((card, index) => {
    const side = state.sides[index];
    const [name, points, facts, danger] = card.children;
    const up = state.phase !== "over" && state.turn?.side === index;
    tint(card, index);
    card.classList.toggle("up", up);
    card.classList.toggle("won", Boolean(state.winners?.includes(index)));
    card.classList.toggle("out", Boolean(side.out));
    if (up) card.setAttribute("aria-current", "true");
    else card.removeAttribute("aria-current");
    say(name.lastChild, side.name);
    name.title = [side.name, ...(side.players.length > 1 ? side.players : [])].join(" · ");
    fit(points, side.score ?? "–");
    const texts = sideWords(state, index, face);
    const near = face.danger?.(state, index) ?? null;
    danger.hidden = near === null;
    danger.value = near ?? 0;
    card.classList.toggle("endangered", near >= 0.6);
    keep(facts, texts.length, () => make("span")).forEach((item, place) => say(item, texts[place]));
  });
}

function sideCard(index) {
  return make("li", { className: "side", data: { testid: `side-${index}` } },
    make("p", { className: "name" },
      make("span", { className: "badge" }, String(index + 1)), make("b", { data: { testid: `name-${index}` } })),
    make("p", { className: "points", data: { testid: `score-${index}` } }),
    make("p", { className: "facts", data: { testid: `facts-${index}` } }),
    make("meter", { max: 1, hidden: true, ariaHidden: "true" }));
}

/** Legs and sets where they are played, then whatever this game tells about a side, as short texts. */
function sideWords(state, index, face) {
  const side = state.sides[index];
  const texts = side.out ? [words.out] : [];
  if (state.set > 1 || state.sides.some((each) => each.sets > 1)) texts.push(words.sets(side.sets));
  if (state.leg > 1 || state.sides.some((each) => each.legs > 1)) texts.push(words.legs(side.legs));
  if (face.facts) return texts.concat(face.facts(state, index));
  return texts.concat(facts(side.detail).map((pair) => pair.join(" ").trim()));
}

/** A game's detail as pairs of label and text. */
const facts = (detail) => Object.entries(detail ?? {}).map(([key, value]) => words.detail(key, value)).filter(Boolean);

function renderPhase(state, { seat }, idle) {
  const { phase, turn } = state;
  const asked = state.prompts?.find((prompt) => prompt.blocking);
  const waits = seat !== null && turn && phase !== "over" && turn.seat !== seat && asked?.seat !== seat;
  const text = idle ? words.idlePhase
    : waits ? words.notYet(turn.player)
      : phase === "throwing" ? words.throwing(turn?.darts_left ?? 0)
        : phase === "deciding" ? (asked?.text ?? words.deciding) : words[phase];
  fit($("phase"), text ?? phase);
  $("phase").dataset.phase = phase;
  $("miss").disabled = idle || phase !== "throwing";
  $("next").disabled = idle || phase === "over" || phase === "deciding";
  $("undo").disabled = $("redo").disabled = idle;
}
