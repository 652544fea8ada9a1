/* What is to be done now, and why something was refused, in the reader's language: the daemon says it in English, with a
   key and values for the others. Their sentences are in the files that the daemon reads, too (daemon/languages). */

import { makeIsOne } from "./phrases.js";
import { language, words } from "./words.js";

/** @type {Record<string, Record<string, string>>} */
const sentences = {};
await addSentences("");
const isOne = makeIsOne(language);

/** Reads more sentences: "setup_" has those for settings. @param {string} part */
export async function addSentences(part) {
  if (language === "en") return;
  Object.assign(sentences, await fetch(`static/${part}${language}.json`)
    .then((response) => (response.ok ? response.json() : {})).catch(() => ({})));
}

/** What the options of the game in the form are called, by their keys. @type {Map<string, string>} */
export const optionLabels = new Map();

/** How the values of these places are said; any other is a target. @type {Record<string, (value: any) => string>} */
const PLACES = {
  name: String, given: String, possible: String,
  bed: (id) => words.segment(id),
  option: (key) => optionLabels.get(key) ?? words.option(key),
};

const PLACE = /{{(\w+)}}/g;

/** Also what differs from the usual match of a title. @param {Oche.State["task"] | Oche.State["variant"]} task */
export const sayTask = (task) => (task ? saySentence(task) : "");

/** @param {Oche.Sentence} sentence @returns {string} */
export function saySentence({ key = "", text, values = {} }) {
  const [group, name] = key.split(".");
  const template = sentences[group]?.[`${name}_${isOne(Number(values.count)) ? "one" : "other"}`] ?? sentences[group]?.[name];
  const write = (/** @type {string} */ place) => [values[place]].flat()
    .map((each) => (typeof each === "object" ? saySentence(each) : (PLACES[place] ?? nameTarget)(`${each}`))).join(", ");
  const isWhole = [...(template ?? "").matchAll(PLACE)].every(([, place]) => place in values); // a plug-in may err
  return template && isWhole ? template.replace(PLACE, (_, place) => write(place)) : text;
}

/** What a prompt asks: by its game, as another may ask something else under the same key.
    @param {Oche.Prompt} prompt @param {string} game */
export const sayQuestion = ({ id, text }, game) => saySentence({ key: `prompt.${game}_${id.split("@")[0]}`, text });

/** What a refusal says. @param {Oche.Failure} error */
export const sayFailure = ({ message, ...said }) => saySentence({ text: message, ...said });

const nameTarget = (/** @type {string} */ label) => sentences.label?.[label] ?? words.segment(label, true);

/** Whether the task says why the visit came to what it did. @param {Oche.State} state */
export const isReason = ({ task }) => Boolean(task?.outcome);

/** Whether what it came to is a loss. @param {Oche.State} state */
export const isLoss = ({ task }) => task?.outcome === "loss" || task?.outcome === "life_lost";

/** Whether the visit cost a life. @param {Oche.State} state */
export const hasLostLife = ({ task }) => task?.outcome === "life_lost";
