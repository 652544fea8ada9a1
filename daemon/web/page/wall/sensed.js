/* What a board that sees the darts in it asks, and what helps one that sees none. A question is a band above the match, in
   the way of nothing. Loaded with the first such news. */

import { sendCommand } from "../commands.js";
import { $, make, rebuild, setText } from "../dom.js";
import { UNREAD } from "./describe.js";
import { mayPress } from "./screen.js";
import { store } from "../store.js";
import { hasSplitSingles } from "../words/naming.js";
import { saySentence } from "../words/tasks.js";
import { importTexts, words } from "../words/words.js";

const KEY = "t"; // takes the darts

/** @type {Oche.SensedLanguage} */
const text = (await importTexts("sensed")).sensed;

const said = make("p", { role: "status", test: "sensed-said" });
const choices = make("div", { className: "choices" });
const band = make("section", { id: "sensed", test: "sensed", ariaLabel: text.title, hidden: true }, said, choices);
const warning = make("p", { id: "remedy-warning", role: "alert", test: "remedy-warning", hidden: true });
const remedy = make("button", { type: "button", id: "remedy", test: "remedy", hidden: true });

$("warnings").after(band);
$("by-hand").before(warning, remedy);
addEventListener("keydown", (event) => {
  const take = band.querySelector("[data-testid=sensed-take]");
  if (event.key === KEY && take instanceof HTMLElement && mayPress(event)) take.click();
});

/** Whether somebody may answer on this device. */
const mayAnswer = () => store.role !== "look" && !store.choices.kiosk;

/** The question that was asked last. */
let asked = "";

/** Shows what is asked and what helps now. */
export function renderSensed() {
  const { lent, seat, state } = store;
  const question = seat === null && !lent?.state ? state?.sensor : undefined; // a match elsewhere has the questions of its own board
  band.hidden = !question;
  setText(said, question ? ask(question) : "");
  if (question && question.id !== asked) dispatchEvent(new CustomEvent("toast", { detail: sayAloud(question) })); // to who plays by ear
  asked = question?.id ?? "";
  rebuild(choices, [question ?? null, mayAnswer()], () => (question && mayAnswer() ? makeAnswers(question) : []));
  renderRemedy();
}

/** @param {Oche.SensorQuestion} question */
function ask({ darts = [], kind }) {
  if (kind === "cleared") return text.cleared;
  const isSplit = hasSplitSingles(store.state);
  const unread = darts.filter(({ segment }) => segment === null).length;
  const list = darts.map(({ segment }) => (segment === null ? UNREAD : words.segment(segment, isSplit))).join(" ");
  return text[kind](unread ? `${list} (${text.unread(unread)})` : list);
}

/** Returns the question with the key that takes the darts. @param {Oche.SensorQuestion} question */
const sayAloud = (question) => (question.kind === "found" && mayAnswer()
  ? `${ask(question)} ${text.take(question.darts?.length ?? 0)}${words.colon}${KEY.toUpperCase()}.` : ask(question));

/** @param {Oche.SensorQuestion} question */
function makeAnswers({ darts = [], id: question, kind }) {
  const leave = () => sendCommand("sensor", { sensor: "leave", question });
  if (kind === "other") return [makeAnswer("leave", text.ok, leave)];
  if (kind === "cleared") return [makeAnswer("next", text.over, () => sendCommand("next")), makeAnswer("leave", text.goOn, leave)];
  const take = makeAnswer("take", text.take(darts.length), () => sendCommand("sensor", { sensor: "take", question }));
  take.setAttribute("aria-keyshortcuts", KEY.toUpperCase());
  take.append(" ", make("kbd", { ariaHidden: "true" }, KEY.toUpperCase()));
  return [take, makeAnswer("leave", text.leave(darts.length), leave)];
}

/** @param {string} name @param {string} label @param {() => void} onclick */
const makeAnswer = (name, label, onclick) => make("button", { type: "button", test: `sensed-${name}`, onclick }, label);

/** Offers what helps a board that sees no darts, beside why; where it is there, nothing else says that. */
function renderRemedy() {
  const { boardStatus, isByHand, seat } = store;
  const what = boardStatus?.remedy;
  const isSaid = boardStatus?.state === "online" || isByHand; // else the warning of a board that is away says it
  warning.hidden = !what || !isSaid;
  setText(warning, what && isSaid ? saySentence(boardStatus.text_said) : "");
  remedy.hidden = !what || seat !== null || !mayAnswer();
  if (!what) return;
  setText(remedy, text[what]);
  remedy.onclick = () => sendCommand("sensor", { sensor: what });
}
