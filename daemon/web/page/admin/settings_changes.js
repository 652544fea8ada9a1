/* What will be written when the settings are saved: each key that differs, as it was and as it will be. */

import { make, rebuild } from "../dom.js";
import { describe, text } from "./settings_fields.js";
import { words } from "../words/words.js";

/** Returns the tables of a section that may be within another, as they are written. @param {Record<string, any>} written
    @param {string} section @returns {any[]} */
export const listWritten = (written, section) => section.split(".").reduce((/** @type {any} */ values, key) => values?.[key], written) ?? [];

/** Returns what a card is called: by its name, or by its moments. @param {string} section @param {any} values @param {string} [usual] */
export function nameCard(section, values, usual = "") {
  const one = /** @type {Record<string, string>} */ (text.one)[section] ?? section;
  const labels = /** @type {Record<string, Record<string, string>>} */ (text.values)["outlets.rule.on"];
  const moments = [values.on ?? []].flat().map((each) => labels[each] ?? each).join(", ");
  return moments ? `${one}${words.colon}${moments}` : `${one} ${values.name ?? values.host ?? usual}`.trim();
}

/** Returns what else is written in a card, in short; nothing of a web hook, which often has a secret. @param {string} path where it is @param {any} values @returns {string} */
export function describeCard(path, values) {
  const labels = /** @type {Record<string, string>} */ (text.fields);
  if (path === "outlets.webhook") return "";
  return Object.entries(values).filter(([key]) => key !== "name" && `${path}.${key}` !== "outlets.rule.on").map(([key, each]) => {
    const inner = `${path}.${key}`;
    const isGroup = typeof each === "object" && !Array.isArray(each);
    return `${labels[inner] ?? labels[key] ?? key}${words.colon}${isGroup ? describeCard(inner, each) : describe(each)}`;
  }).join(" · ");
}

/** Returns what was changed in these fields. Throws Unreadable. @param {Oche.SettingsField[]} fields
    @param {(string | number)[]} at @returns {Oche.SettingsChange[]} */
export const compare = (fields, at) => fields.filter((each) => each.isChanged()).map((each) => ({ path: [...at, each.key], value: each.read() }));

/** Returns what was changed in all sections, for the daemon. Throws Unreadable.
    @param {[kind: string, section: string, first: string[]][]} sections @param {Oche.SettingsForm} form */
export function collectChanges(sections, { written, cards, single }) {
  /** @type {Oche.SettingsChange[]} */
  const changes = [];
  for (const [kind, section] of sections) {
    const own = cards.get(section);
    if (!own) {
      changes.push(...compare(single.get(kind) ?? [], [section]));
      continue;
    }
    const kept = own.filter(({ index }) => index !== undefined);
    const at = section.split(".");
    for (const { index, fields } of kept) changes.push(...compare(fields, [...at, /** @type {number} */ (index)]));
    const there = [...listWritten(written, section).keys()];
    const gone = there.filter((each) => !kept.some(({ index }) => index === each));
    for (const index of gone.reverse()) changes.push({ path: [...at, index], value: null });
    own.filter(({ index }) => index === undefined).forEach(({ fields }, place) => {
      const values = fields.filter((each) => each.isChanged()).map((each) => [each.key, each.read()]);
      changes.push({ path: [...at, kept.length + place], value: Object.fromEntries(values) });
    });
  }
  return changes;
}

/** Returns what was changed in the form, for people. @param {[kind: string, section: string, first: string[]][]} sections
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
      add(kinds[kind] ?? kind, single.get(kind) ?? []);
      if (kind === "mqtt" && password) found.push({ where: kinds.mqtt, label: text.fields.password, was: "", now: text.changes.password });
      continue;
    }
    for (const { index, fields, name } of own) {
      if (index === undefined) found.push({ where: name, label: "", was: "", now: text.changes.added });
      add(name, fields);
    }
    const gone = listWritten(written, section).filter((_, index) => !own.some((each) => each.index === index));
    for (const each of gone) found.push({ where: nameCard(section, each), label: "", was: "", now: text.changes.removed });
  }
  return found;
}

/** Fills the list of what will be written. @param {HTMLElement} place @param {Oche.Difference[]} found */
export function fillDifferences(place, found) {
  place.hidden = !found.length;
  place.ariaLabel = text.changes.title(found.length);
  rebuild(place, found, () => [make("b", {}, text.changes.title(found.length)), make("ul", {}, ...found.map(({ where, label, was, now }) => make("li", {},
    `${[where, label].filter(Boolean).join(", ")}${words.colon}`, ...(was ? [make("del", {}, was), " → "] : []), make("ins", {}, now))))]);
}
