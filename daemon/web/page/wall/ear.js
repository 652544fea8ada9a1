/* Play by ear: what the daemon says of each dart, question and turn, in the browser's own voice or, for a screen reader, in
   the live region alone; and the keys that answer. Loaded where it was chosen. When what is said: see call_queue.js. */

import { sendAnswer } from "../commands.js";
import { $, findClosest, make } from "../dom.js";
import { ask } from "../link.js";
import { isLoading } from "../parts.js";
import { preference } from "../preferences.js";
import { store } from "../store.js";
import { language, words } from "../words/words.js";
import { CallQueue, speak } from "./call_queue.js";
import { KEYS as BUTTONS } from "./screen.js";

const CHARACTER_MS = 55; // about what a voice takes
const MOST_SLOW = 3, PATIENCE_MS = 2_000; // a voice that does not say when it has finished must not stop the next
const MOST_LINES = 8;
const MOST_TYPED = 40; // characters
const AT_ONCE = 9; // with more answers than that a number ends with Enter

const queue = new CallQueue(say);
let latest = ""; // what was said
let digits = "";
let asked = ""; // what the question was about that was said last

/** Has this said when it is its turn. @param {Oche.SpeechItem} item */
export function hear(item) {
  queue.put(item);
  queue.pump();
}

/** Says where one stands, also when the page was opened. */
export async function sayStanding() {
  try {
    /** @type {Oche.SpeechItem} */
    const { text } = await ask(`${store.place}/standing?lang=${language}`);
    hear({ kind: "news", text, about: "standing", correction: "", drops: true });
  } catch (problem) {
    hear({ kind: "news", text: /** @type {Error} */ (problem).message, about: "", correction: "", drops: false });
  }
}

/** @param {Oche.Call} call @param {number} now */
function say({ about = "", kind, text }, now) {
  if (kind === "question") asked = about;
  else if (about === "standing") asked = ""; // it reads the question that has to be answered first
  latest = text;
  const log = $("log");
  log.ariaLive = preference("reader") ? "polite" : "off"; // else a screen reader would say it as well
  log.append(make("p", {}, text));
  if (log.children.length > MOST_LINES) log.firstElementChild?.remove();
  const pace = Number(preference("pace")) || 1;
  const usual = text.length * CHARACTER_MS / pace;
  const isRead = preference("reader") || !globalThis.speechSynthesis;
  queue.hold(now + (isRead ? usual : MOST_SLOW * usual + PATIENCE_MS));
  if (!isRead) speak(text, () => queue.finish(), pace);
}

/** The question that was read out last; as daemon/outlets/play_by_ear.py, the first that has to be answered, else the first. */
function findQuestion() {
  const { match = null, prompts = [] } = store.state ?? {};
  return prompts.find(({ id }) => asked === `${match} ${id}`) ?? prompts.find(({ blocking }) => blocking) ?? prompts[0];
}

/** Reads out the open question after the one that was read out. */
async function askNext() {
  const open = store.state?.prompts ?? [], former = findQuestion();
  const next = former && open[(open.indexOf(former) + 1) % open.length];
  if (!next) return notify(words.doesNothing);
  try {
    hear(await ask(`${store.place}/standing?lang=${language}&prompt=${encodeURIComponent(next.id)}`));
  } catch (problem) {
    notify(/** @type {Error} */ (problem).message);
  }
}

/** Takes a digit of an answer, or a space between two numbers. @param {string} digit */
function typeDigit(digit) {
  const { numbers, options } = findQuestion() ?? {};
  digits = (digits + digit).slice(numbers ? -MOST_TYPED : -2);
  if (!numbers && (options?.length ?? 0) <= AT_ONCE) answer();
}

function answer() {
  const prompt = findQuestion(), typed = digits.trim();
  const text = prompt?.numbers ? typed : prompt?.options?.[Number(typed) - 1];
  digits = "";
  if (prompt && text && (store.seat === null || store.seat === prompt.seat)) sendAnswer(prompt, text);
  else hear({ kind: "news", text: words.noSuchAnswer, about: "", correction: "", drops: true });
}

/** Says something of the page itself. @param {string} text */
const notify = (text) => hear({ kind: "news", text, about: "page", correction: "", drops: false });

/** @type {Record<string, () => void>} */
const KEYS = {
  r: () => hear({ kind: "news", text: latest, about: "again", correction: "", drops: false }),
  i: sayStanding,
  q: askNext,
};

/** Whether the key presses a button that does nothing now. @param {string} key */
function isResting(key) {
  const button = Object.hasOwn(BUTTONS, key) && $(BUTTONS[/** @type {keyof typeof BUTTONS} */ (key)]);
  return button && "disabled" in button && button.disabled;
}

/** @param {KeyboardEvent} event */
function press(event) {
  const { altKey, ctrlKey, key, metaKey, repeat } = event;
  if (altKey || ctrlKey || metaKey || repeat || isLoading()) return;
  if (document.querySelector("dialog[open]") || findClosest(event, "input, select")) return;
  const isDigit = /^\d$/.test(key) ? digits || key !== "0" || findQuestion()?.numbers : key === " " && digits && findQuestion()?.numbers;
  if (isDigit && store.role !== "look") typeDigit(key);
  else if (key === "Enter" && digits) answer();
  else if (Object.hasOwn(KEYS, key)) KEYS[key]();
  else if (isResting(key)) notify(words.doesNothing);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation(); // R is another key otherwise
}

addEventListener("keydown", press, true);
if (!preference("reader")) { // which reads what is shown briefly by itself
  addEventListener("toast", (event) => notify(/** @type {CustomEvent<string>} */ (event).detail));
  // phones let no page speak that did not begin with a touch
  const wake = () => globalThis.speechSynthesis?.speak(new SpeechSynthesisUtterance(""));
  for (const gesture of ["pointerup", "keyup"]) addEventListener(gesture, wake, { capture: true, once: true });
}
