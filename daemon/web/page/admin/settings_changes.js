/* What will be written when the settings are saved: each key that differs, as it was and as it will be. */

import { make, rebuild } from "../dom.js";
import { text } from "./settings_fields.js";

/** Returns what was changed in the form. @param {[kind: string, section: string, first: string[]][]} sections
    @param {Oche.SettingsForm} form @returns {Oche.Difference[]} */
export function listDifferences(sections, { written, cards, single, password }) {
  const kinds = /** @type {Record<string, string>} */ (text.kinds);
  /** @type {Oche.Difference[]} */
  const found = [];
  for (const [kind, section] of sections) {
    const own = cards.get(section);
    const add = (/** @type {string} */ where, /** @type {Oche.SettingsField[]} */ fields) =>
      found.push(...fields.flatMap((each) => each.differences()).map((each) => ({ where, ...each })));
    if (!own) {
      add(kinds[kind], single.get(kind) ?? []);
      if (kind === "mqtt" && password) found.push({ where: kinds.mqtt, label: text.fields.password, was: "", now: text.changes.password });
      continue;
    }
    for (const { index, fields, name } of own) {
      if (index === undefined) found.push({ where: name, label: "", was: "", now: text.changes.added });
      add(name, fields);
    }
    const one = /** @type {Record<string, string>} */ (text.one)[section];
    const gone = (written[section] ?? []).filter((/** @type {any} */ _, /** @type {number} */ index) => !own.some((each) => each.index === index));
    for (const { name = "" } of gone) found.push({ where: `${one} ${name}`.trim(), label: "", was: "", now: text.changes.removed });
  }
  return found;
}

/** Fills the list of what will be written. @param {HTMLElement} place @param {Oche.Difference[]} found */
export function fillDifferences(place, found) {
  place.hidden = !found.length;
  place.ariaLabel = text.changes.title(found.length);
  rebuild(place, found, () => [make("b", {}, text.changes.title(found.length)), make("ul", {}, ...found.map(({ where, label, was, now }) => make("li", {},
    `${[where, label].filter(Boolean).join(", ")}: `, ...(was ? [make("del", {}, was), " → "] : []), make("ins", {}, now))))]);
}
