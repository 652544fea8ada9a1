/* What is to be done now, in the reader's language: the state has it in English, with a key and values for the others.
   Their sentences are in the files that the daemon reads, too (daemon/languages). */

import { language, words } from "./words.js";

/** @type {Record<string, Record<string, string>>} */
const sentences = language === "en" ? {}
  : await fetch(`static/${language}.json`).then((response) => (response.ok ? response.json() : {})).catch(() => ({}));

/** @param {Oche.State["task"]} task */
export function sayTask(task) {
  if (!task) return "";
  const { key, text, values } = task;
  const [group, name] = key.split(".");
  const template = sentences[group]?.[`${name}_${values.count === 1 ? "one" : "other"}`] ?? sentences[group]?.[name];
  const write = (/** @type {string} */ place) => [values[place]].flat().map((each) => (place === "name" ? each : nameTarget(`${each}`))).join(", ");
  return template ? template.replace(/{{(\w+)}}/g, (_, place) => write(place)) : text;
}

const nameTarget = (/** @type {string} */ label) => sentences.label?.[label] ?? words.segment(label, true);

/** Whether the task says why the visit came to what it did. @param {Oche.State} state */
export const isReason = ({ phase, task }) => phase === "takeout" && Boolean(task) && task?.key !== "task.takeout";

/** Whether it says that the visit cost a life. @param {Oche.State} state */
export const hasLostLife = (state) => isReason(state) && Boolean(state.task?.key.endsWith(".lost"));
