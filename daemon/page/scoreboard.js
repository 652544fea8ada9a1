/* Puts one state on the page. It is a function of the state alone (and of what stands on the page already), knows no
   game by name, and shows what it does not know as short words: a game's own face can later take the place of
   `facts`, from the same state. */

import { $, keep, make, say } from "./dom.js";
import { words } from "./words.js";

const COLOURS = 8;
const STATS = 4; // as many as have room beside the score
/** Gives an element its side's colour, and no other. */
function tint(element, side) {
  for (let each = 0; each < COLOURS; each++) element.classList.toggle(`side-${each}`, each === side % COLOURS);
}

/** `does` holds what a touch can do: correct(dart, number), answer(prompt, text). `busts` are lines that went bust. */
export function render(state, board, does, busts) {
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
  if ($("hero").hidden) renderResult(state, idle);
  else renderTurn(state, does, busts);
  renderSides(state);
  renderPrompts(state, does);
  renderPhase(state, idle);
  const targets = over ? [] : (state.targets ?? []);
  board?.show(targets, turn && !over ? turn.darts : []);
  $("board").setAttribute("aria-label", words.boardLabel(targets.map(words.targetName)));
}

const progress = (state) =>
  ["set", "leg", "round"].filter((part) => state[part]).map((part) => words[part](state[part])).join(" · ");

/** The one place that says how long a text is, so that the style sheet can fit it to its box. */
function fit(element, text) {
  say(element, text);
  element.style.setProperty("--chars", Math.max(1, [...String(text)].length));
}

function renderTurn(state, does, busts) {
  const { turn, sides } = state;
  const side = sides[turn.side];
  say($("badge"), turn.side + 1);
  fit($("player"), turn.player ?? side.name);
  say($("team"), side.name === turn.player ? "" : side.name);
  fit($("score"), side.score ?? "–");

  const stats = facts(side.detail).slice(0, STATS);
  keep($("stats"), stats.length, () => make("div", {}, make("dt"), make("dd"))).forEach((item, index) => {
    say(item.firstChild, stats[index][0]);
    fit(item.lastChild, stats[index][1]);
  });

  const count = turn.darts.length + turn.darts_left;
  $("darts").style.setProperty("--slots", Math.max(3, count));
  keep($("darts"), count, slot).forEach((item, index) => renderSlot(item.firstChild, turn.darts[index], index, does));
  const bust = turn.darts.some((dart) => busts.has(`${state.match} ${dart.line}`));
  const points = turn.darts.reduce((sum, dart) => sum + dart.points, 0);
  say($("visit-points"), bust ? words.bust : turn.darts.length ? `= ${points}` : "");
  $("visit-points").classList.toggle("bust", bust);

  const hint = state.phase === "throwing" ? (state.hint ?? []) : [];
  const targets = (state.targets ?? []).filter((target) => !hint.includes(target));
  labelled($("hint"), words.hint, hint);
  labelled($("targets"), words.target, targets.map(words.targetName));
  renderLast(state, does);
}

function slot(index) {
  return make("li", {}, make("button", { type: "button", className: "slot", data: { testid: `dart-${index}` } },
    make("b"), " ", make("span")));
}

function renderSlot(button, dart, index, does) {
  const [name, points] = button.children;
  say(name, dart ? words.segment(dart.segment) : index + 1);
  say(points, dart ? dart.points : "");
  button.classList.toggle("thrown", Boolean(dart));
  button.classList.toggle("nothing", dart?.points === 0);
  button.disabled = dart?.line == null;
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
function renderLast(state, does) {
  const { last, sides } = state;
  $("last").hidden = !last;
  if (!last) return;
  tint($("last"), last.side);
  $("last").replaceChildren(
    make("span", { className: "label" }, sides[last.side]?.name ?? words.last),
    ...last.darts.map((dart, index) => {
      const button = make("button", { type: "button", className: "item", disabled: dart.line == null,
        onclick: () => does.correct(dart, index + 1), data: { testid: `last-${index}`, segment: dart.segment } },
      words.segment(dart.segment));
      button.setAttribute("aria-label", words.correctLabel(words.segment(dart.segment), index + 1, dart.segment));
      return button;
    }),
    make("span", { className: "sum" }, `= ${last.points}`),
  );
}

function renderResult(state, idle) {
  const names = (state.winners ?? []).map((side) => state.sides[side]?.name ?? String(side));
  const kind = idle ? "" : names.length > 1 ? words.winners : names.length ? words.winner : words.over;
  say($("result-kind"), kind);
  fit($("winner"), idle ? words.idle : names.length ? words.wins(names) : words.drawn);
  const best = state.sides[state.winners?.[0]];
  say($("result-score"), best ? sideWords(state, best).join(" · ") : "");
  say($("again"), idle ? words.start : words.again);
}

function renderSides(state) {
  const list = $("sides");
  list.dataset.count = state.sides.length;
  list.style.setProperty("--sides", state.sides.length || 1);
  document.body.classList.toggle("many", state.sides.length > 4);
  keep(list, state.sides.length, sideCard).forEach((card, index) => {
    const side = state.sides[index];
    const [name, points, facts] = card.children;
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
    const texts = sideWords(state, side);
    keep(facts, texts.length, () => make("span")).forEach((item, place) => say(item, texts[place]));
  });
}

function sideCard(index) {
  return make("li", { className: "side", data: { testid: `side-${index}` } },
    make("p", { className: "name" },
      make("span", { className: "badge" }, String(index + 1)), make("b", { data: { testid: `name-${index}` } })),
    make("p", { className: "points", data: { testid: `score-${index}` } }),
    make("p", { className: "facts", data: { testid: `facts-${index}` } }));
}

/** Legs and sets where they are played, then whatever this game tells about a side, as short texts. */
function sideWords(state, side) {
  const texts = side.out ? [words.out] : [];
  if (state.set > 1 || state.sides.some((each) => each.sets)) texts.push(words.sets(side.sets));
  if (state.leg > 1 || state.sides.some((each) => each.legs)) texts.push(words.legs(side.legs));
  return texts.concat(facts(side.detail).map((pair) => pair.join(" ").trim()));
}

/** A game's detail as pairs of label and text. */
const facts = (detail) => Object.entries(detail ?? {}).map(([key, value]) => words.detail(key, value)).filter(Boolean);

function renderPhase(state, idle) {
  const { phase, turn } = state;
  const asked = state.prompts?.find((prompt) => prompt.blocking);
  const text = idle ? words.idlePhase
    : phase === "throwing" ? words.throwing(turn?.darts_left ?? 0)
      : phase === "deciding" ? (asked?.text ?? words.deciding) : words[phase];
  say($("phase"), text ?? phase);
  $("phase").dataset.phase = phase;
  $("miss").disabled = idle || phase !== "throwing";
  $("next").disabled = idle || phase === "over" || phase === "deciding";
  $("undo").disabled = $("redo").disabled = idle;
}

function renderPrompts(state, does) {
  const prompts = state.prompts ?? [];
  document.body.classList.toggle("asked", prompts.some((prompt) => prompt.blocking));
  $("prompts").hidden = !prompts.length;
  const shown = JSON.stringify(prompts);
  if ($("prompts").dataset.shown === shown) return; // a half-typed answer survives a dart
  $("prompts").dataset.shown = shown;
  $("prompts").replaceChildren(...prompts.map((prompt) => promptForm(prompt, state, does)));
}

function promptForm(prompt, state, does) {
  const who = prompt.seat === state.turn?.seat ? state.turn.player : null;
  const form = make("form", { className: "prompt", data: { testid: `prompt-${prompt.id}` } },
    make("p", { className: "question" }, who ? `${who}: ${prompt.text}` : prompt.text));
  form.onsubmit = (event) => {
    event.preventDefault();
    const field = form.querySelector("input");
    if (field?.value) does.answer(prompt, field.value);
  };
  if (prompt.secret) form.append(make("p", { className: "aside" }, words.secret));
  else if (prompt.options) {
    form.append(make("div", { className: "options" }, ...prompt.options.map((option) => {
      const worth = prompt.values?.[option];
      return make("button", {
        type: "button", className: option === prompt.default ? "option usual" : "option",
        data: { testid: `option-${option}` }, onclick: () => does.answer(prompt, option),
      }, make("b", {}, option), ...(worth == null ? [] : [" ", make("span", {}, String(worth))]));
    })));
  } else {
    const field = make("input", {
      required: true, autocomplete: "off", value: prompt.default ?? "", maxLength: 64, data: { testid: "answer" },
    });
    if (prompt.pattern) field.pattern = prompt.pattern;
    field.setAttribute("aria-label", prompt.text);
    form.append(make("div", { className: "options" }, field, make("button", {}, words.answer)));
  }
  return form;
}
