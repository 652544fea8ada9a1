/* The open questions, oldest first, each asked by the shape of its answers: cards by rank and suit, a move by where it
   starts and where it goes, three numbers in three fields, anything else by large buttons. */

import { makeCardPicker } from "../faces/cards.js";
import { sendAnswer, sendCommand } from "../commands.js";
import { $, make, rebuild } from "../dom.js";
import { makeGlyph } from "../glyphs.js";
import { put, store } from "../store.js";
import { sayQuestion, sayTask } from "../words/tasks.js";
import { words } from "../words/words.js";

/** When it was asked whether the last side plays on: the darts of that visit then; `visit` is 0 once it was answered. */
const asked = { match: /** @type {string | null} */ (null), visit: 0, darts: 0 };

/** @param {Oche.State} state */
export function renderPrompts(state) {
  const { face, moves, seat } = store;
  const open = state.prompts.filter((prompt) => seat === null || prompt.seat === seat);
  for (const id of moves.keys()) if (!open.some((prompt) => prompt.id === id)) moves.delete(id);
  const prompts = open.filter((prompt) => !face.takes?.(prompt));
  const isAsked = open.some((prompt) => prompt.blocking);
  if (document.body.classList.contains("asked") !== isAsked) scrollTo(0, 0); // on a phone it is asked up there
  document.body.classList.toggle("asked", isAsked);
  const isAlone = isLeftAlone(state);
  $("prompts").hidden = !prompts.length && !isAlone;
  $("prompts").classList.toggle("optional", !prompts.some((prompt) => prompt.blocking));
  const typed = listFields(), focused = document.activeElement;
  const from = [prompts, [...moves], state.phase, document.body.dataset.face, isAlone, taskAsks(state)];
  rebuild($("prompts"), from, () => [
    ...(isAlone ? [makeLeftAlone(state)] : []), ...prompts.map((prompt) => makeForm(prompt, state))]);
  // A half-typed answer survives a dart, and the face of the game, which may come later.
  for (const field of listFields()) {
    const former = typed.find(({ name }) => name === field.name);
    if (!former || former === field) continue;
    field.value = former.value;
    if (former === focused) field.focus();
  }
  if (store.role === "look") for (const each of $("prompts").querySelectorAll("button, input")) each.toggleAttribute("disabled", true);
}

/** Whether what is to be done is the question that is open: it is seen there, and only told once more. @param {Oche.State} state */
export const taskAsks = (state) => state.phase === "deciding" && sayTask(state.task).endsWith("?");

/** Whether to ask if the last side has won: until it is answered here, or that side has played on.
    @param {Oche.State} state */
function isLeftAlone({ alone, match, turn }) {
  if (alone == null) asked.match = null; // when it is so again, after an undo, it is asked again
  else if (asked.match !== match) Object.assign(asked, { match, visit: turn.visit, darts: turn.darts.length });
  const isPlayedOn = turn.visit !== asked.visit || turn.darts.length > asked.darts;
  return alone != null && !isPlayedOn && store.seat === null && store.role !== "look" && !store.choices.kiosk;
}

/** @param {Oche.State} state */
function makeLeftAlone({ alone = 0, sides }) {
  const { left, wins } = words.leftAlone(sides, alone);
  const option = (/** @type {string} */ test, /** @type {string} */ text, /** @type {() => void} */ onclick) =>
    make("button", { type: "button", className: "option", test, onclick }, make("b", {}, text));
  const playOn = () => {
    asked.visit = 0;
    put();
  };
  return make("div", { className: "prompt optional left-alone", test: "left-alone" },
    make("p", { className: "question" }, words.alone(left, wins)),
    make("div", { className: "options two" },
      option("concede", wins, () => sendCommand("concede")), option("play-on", words.playOn, playOn)));
}

const listFields = () => [...$("prompts").querySelectorAll("input")];

/** @param {Oche.Prompt} prompt @param {Oche.State} state */
function makeForm(prompt, state) {
  const player = store.seat === null && prompt.seat === state.turn.seat ? `${state.turn.player}${words.colon}` : "";
  const otherwise = state.phase === "throwing" ? words.orThrow : words.orNext;
  const aside = prompt.blocking ? [] : [" ", make("small", {}, otherwise)];
  const isShort = prompt.options?.every((option) => option.length < 3);
  const element = make("form", {
    className: prompt.blocking ? "prompt" : "prompt optional", test: `prompt-${prompt.id}`,
    onsubmit(event) {
      event.preventDefault();
      const texts = [...element.querySelectorAll("input")].map((field) => field.value.trim());
      if (texts.length && texts.every(Boolean)) sendAnswer(prompt, texts.join(" "));
    },
  }, make("p", { className: prompt.blocking && prompt.seat === state.turn.seat && taskAsks(state) ? "question unseen" : "question" }, player + sayQuestion(prompt, state.game), ...aside),
  make("div", { className: isShort ? "options short" : "options" }, ...makeAnswers(prompt, state)));
  return element;
}

/** @param {Oche.Prompt} prompt @param {Oche.State} state @returns {Element[]} */
function makeAnswers(prompt, state) {
  const { kind, numbers, options, options_are: are, values } = prompt;
  if (kind === "numbers" && numbers) return [...makeNumberFields(prompt, numbers, state.game), makeConfirm()];
  if (kind === "text") return [makeTextField(prompt, state.game), makeConfirm()];
  if (!options) return [make("p", { className: "aside" }, words.secret)];
  if (are === "cards") return [makeCardPicker(options, (card) => sendAnswer(prompt, card))];
  if (are === "moves") return makeMoves(prompt, options, state);
  return options.map((option) => {
    const value = values?.[option];
    return makeButton(prompt, option, () => sendAnswer(prompt, option), make("b", {}, ...describeOption(option, state)),
      ...(value == null ? [] : [make("span", {}, store.face.worth?.(value) ?? String(value))]));
  });
}

/** @param {string} option @param {Oche.State} state */
const describeOption = (option, state) => store.face.option?.(option, state) ?? [words.option(option)];

/** @param {Oche.Prompt} prompt @param {string} option @param {() => void} onclick @param {...(Node | string)} content */
const makeButton = (prompt, option, onclick, ...content) => make("button", {
  type: "button", className: option === prompt.default ? "option usual" : "option", test: `option-${option}`, onclick,
}, ...content);

/** Buttons for a move: first where from, then where to.
    @param {Oche.Prompt} prompt @param {string[]} options @param {Oche.State} state */
function makeMoves(prompt, options, state) {
  const from = store.moves.get(prompt.id);
  const begin = (/** @type {string} */ start) => () => {
    store.moves.delete(prompt.id);
    if (start) store.moves.set(prompt.id, start);
    put();
  };
  if (!from) {
    const starts = new Set(options.map((option) => option.split(">")[0]));
    return [...starts].map((start) => makeButton(prompt, start, begin(start), make("b", {}, ...describeOption(start, state))));
  }
  const ends = options.filter((option) => option.startsWith(`${from}>`));
  return [makeButton(prompt, "back", begin(""), words.backwards), ...ends.map((option) => {
    const end = describeOption(option.split(">")[1], state);
    return makeButton(prompt, option, () => sendAnswer(prompt, option), make("b", {}, makeGlyph("arrow_right"), ...end));
  })];
}

const makeConfirm = () => make("button", { test: "answer-ok" }, words.answer);

/** A field for each number, for a keypad has no space. @param {Oche.Prompt} prompt
    @param {NonNullable<Oche.Prompt["numbers"]>} numbers @param {string} game @returns {HTMLInputElement[]} */
function makeNumberFields(prompt, { count, high, low }, game) {
  const fields = [...Array(count).keys()].map((index) => make("input", {
    required: true, type: "number", min: String(low), max: String(high), placeholder: `${low}–${high}`,
    ariaLabel: sayQuestion(prompt, game), className: "third", name: `${prompt.id} ${index}`, test: `answer-${index}`,
    oninput() {
      if (fields[index].value.length === String(high).length) fields[index + 1]?.focus();
    },
  }));
  return fields;
}

/** @param {Oche.Prompt} prompt @param {string} game */
const makeTextField = (prompt, game) => make("input", {
  required: true, autocomplete: "off", maxLength: 64, pattern: prompt.pattern ?? ".*", value: prompt.default ?? "",
  ariaLabel: sayQuestion(prompt, game), name: prompt.id, test: "answer",
});
