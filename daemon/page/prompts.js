/* The open questions, oldest first, each asked by the shape of its answers: cards by rank and suit, a move by where it
   starts and where it goes, three numbers in three fields, anything else by large buttons. */

import { cardPicker, isCard } from "./cards.js";
import { $, make, rebuild } from "./dom.js";
import { words } from "./words.js";

const EXAMPLE = [7, 16, 10];

let wasAsked = false;

/** Where a move that is half answered starts, by prompt. */
export const begun = new Map();

export function renderPrompts(state, screen) {
  const { face, seat } = screen;
  const open = (state.prompts ?? []).filter((prompt) => seat === null || prompt.seat === seat);
  for (const id of begun.keys()) if (!open.some((prompt) => prompt.id === id)) begun.delete(id);
  const prompts = open.filter((prompt) => !face.takes?.(prompt, screen));
  const blocking = (prompt) => prompt.blocking;
  const asked = open.some(blocking);
  if (document.body.classList.toggle("asked", asked) !== wasAsked) scrollTo(0, 0); // on a phone it is asked up there
  wasAsked = asked;
  $("prompts").hidden = !prompts.length;
  $("prompts").classList.toggle("optional", !prompts.some(blocking));
  // A half-typed answer survives a dart.
  const from = [prompts, [...begun], state.phase, document.body.dataset.face];
  rebuild($("prompts"), from, () => prompts.map((prompt) => form(prompt, state, screen)));
}

function form(prompt, state, screen) {
  const answer = (text) => screen.does.answer(prompt, text);
  const who = screen.seat === null && prompt.seat === state.turn?.seat ? `${state.turn.player}: ` : "";
  const otherwise = state.phase === "throwing" ? words.orThrow : words.orNext;
  const aside = prompt.blocking ? [] : [" ", make("small", {}, otherwise)];
  const short = prompt.options?.every((option) => option.length < 3);
  return make("form", {
    className: prompt.blocking ? "prompt" : "prompt optional", test: `prompt-${prompt.id}`,
    onsubmit(event) {
      event.preventDefault();
      const texts = [...event.target.querySelectorAll("input")].map((field) => field.value.trim());
      if (texts.length && texts.every(Boolean)) answer(texts.join(" "));
    },
  }, make("p", { className: "question" }, who + words.question(prompt), ...aside),
  make("div", { className: short ? "options short" : "options" }, ...answers(prompt, state, screen, answer)));
}

function answers(prompt, state, screen, answer) {
  const { id, options, values } = prompt;
  if (!options) return prompt.secret ? [make("p", { className: "aside" }, words.secret)] : typed(prompt);
  if (options.every(isCard)) return [cardPicker(options, answer)];
  const look = (option) => screen.face.option?.(option, state) ?? [words.option(option)];
  const button = (option, onclick, ...content) => make("button", {
    type: "button", className: option === prompt.default ? "option usual" : "option", test: `option-${option}`, onclick,
  }, ...content);
  if (!options.every((option) => option.includes(">"))) {
    return options.map((option) => button(option, () => answer(option), make("b", {}, ...look(option)),
      ...(values?.[option] == null ? [] : [make("span", {}, String(values[option]))])));
  }
  // A move: first where from, then where to.
  const from = begun.get(id);
  const set = (start) => () => {
    begun.delete(id);
    if (start) begun.set(id, start);
    screen.redraw();
  };
  if (!from) {
    const starts = new Set(options.map((option) => option.split(">")[0]));
    return [...starts].map((start) => button(start, set(start), make("b", {}, ...look(start))));
  }
  const moves = options.filter((option) => option.startsWith(`${from}>`));
  return [button("back", set(null), words.backwards), ...moves.map((option) =>
    button(option, () => answer(option), make("b", {}, "→ ", ...look(option.split(">")[1]))))];
}

/** A field to type in; three numbers have a field each, for a keypad has no space. */
function typed(prompt) {
  const whole = prompt.pattern && new RegExp(`^(?:${prompt.pattern})$`);
  const three = whole?.test(EXAMPLE.join(" "));
  const fields = (three ? EXAMPLE : [""]).map((example, index) => make("input", {
    required: true, autocomplete: "off", ariaLabel: words.question(prompt), placeholder: String(example),
    ...(three
      ? { inputMode: "numeric", maxLength: 2, pattern: "[1-9]|1[0-9]|20", className: "third", test: `answer-${index}`,
        oninput: ({ target }) => target.value.length === 2 && target.nextElementSibling.focus() }
      : { value: prompt.default ?? "", maxLength: 64, pattern: prompt.pattern ?? ".*", test: "answer" }),
  }));
  return [...fields, make("button", { test: "answer-ok" }, words.answer)];
}
