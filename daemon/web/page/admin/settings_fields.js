/* One value of the configuration as a field, made from its JSON Schema: what is typed is read as that, an empty field is the
   default. Whether it is right the daemon says; its sentence stands beside the field. */

import { make, readNumbers } from "../dom.js";
import { addSentences } from "../words/tasks.js";
import { importTexts, words } from "../words/words.js";

await addSentences("setup_");

/** @type {Oche.SettingsLanguage} */
export const text = (await importTexts("settings")).settings;

/** What cannot be read as what it should be; the message says so. */
export class Unreadable extends Error {}

let made = 0;

/** @param {any} schema @param {any} form @returns {any[]} the types that it may have, but null */
function listKinds({ anyOf, ...schema }, form) {
  return (anyOf ?? [schema]).filter((/** @type {any} */ { type }) => type !== "null")
    .map((/** @type {any} */ each) => (each.$ref ? form.$defs[each.$ref.split("/").at(-1)] : each));
}

/** Makes the field of a value. @param {Oche.SettingsPlace} place where it is @param {any} schema @param {any} form
    @param {any} value what is written; undefined where nothing is @param {string[]} choices @returns {Oche.SettingsField} */
export function makeField(place, schema, form, value, choices = []) {
  const kinds = listKinds(schema, form);
  if (kinds.some(({ type }) => type === "integer") && kinds.some(isRange)) return makeAmount(place, schema, kinds, form, value);
  const keys = Object.keys(kinds[0].properties ?? {});
  if (keys.length && Object.keys(value ?? {}).every((key) => keys.includes(key))) return makeGroup(place, schema, kinds[0], form, value);
  const id = `field-${made++}`;
  const input = makeInput(id, place, kinds, schema, value, choices);
  const about = make("p", { id: `${id}-help`, className: "help" }, ...makeHelp(place, schema));
  const error = make("p", { id: `${id}-error`, className: "error", test: `error-${place.test}` });
  input.element.id = id;
  input.element.dataset.testid = `set-${place.test}`;
  input.element.setAttribute("aria-describedby", `${id}-error ${id}-help`);
  const label = make("label", { htmlFor: id }, place.label);
  const element = make("div", { className: "field" }, label, input.element, error, ...input.more, about);
  element.dataset.path = place.path;
  const look = () => { // what cannot be read is compared as it is typed
    try {
      return JSON.stringify(input.read());
    } catch (problem) {
      if (problem instanceof Unreadable) return input.element.value;
      throw problem;
    }
  };
  const initial = look(); // not the value: a field may show it otherwise than it is written
  const say = (/** @type {string} */ sentence) => {
    error.textContent = sentence;
    input.element.setAttribute("aria-invalid", String(Boolean(sentence)));
  };
  input.element.oninput = () => say("");
  const focus = () => { open(element); input.element.focus(); };
  const show = (/** @type {any} */ each) => (isNothing(each) ? isNothing(schema.default) ? input.usual ?? text.changes.empty : text.changes.usual(input.usual ?? describe(schema.default))
    : input.show?.(each) ?? describe(each));
  const read = () => {
    try {
      return input.read();
    } catch (problem) {
      if (!(problem instanceof Unreadable)) throw problem;
      say(problem.message);
      focus();
      throw problem;
    }
  };
  return {
    key: place.key, element, say, focus, read, isChanged: () => look() !== initial && read() !== undefined, // which says what it cannot read
    differences() {
      try {
        const now = input.read();
        return look() === initial ? [] : [{ label: place.label, was: show(value), now: show(now) }];
      } catch (problem) {
        if (problem instanceof Unreadable) return []; // it is said when it is saved
        throw problem;
      }
    },
    write(value) { input.element.value = value; say(""); },
    refresh: input.refresh,
  };
}

/** Makes the frame around several fields, with its own place for what is wrong. @param {Oche.SettingsPlace} place
    @param {(Node | string)[]} content */
export function makeFrame(place, ...content) {
  const error = make("p", { className: "error", test: `error-${place.test}` });
  const element = make("fieldset", { className: "group wide", tabIndex: -1, test: `set-${place.test}` },
    make("legend", {}, place.label), error, ...content);
  element.dataset.path = place.path;
  const say = (/** @type {string} */ sentence) => { error.textContent = sentence; };
  return { element, say, focus: () => { open(element); element.focus(); } };
}

/** Makes a field for each of the values that belong together. @param {Oche.SettingsPlace} place @param {any} schema
    @param {any} kind @param {any} form @param {any} value @returns {Oche.SettingsField} */
function makeGroup(place, schema, kind, form, value) {
  const labels = /** @type {Record<string, string>} */ (text.fields);
  const fields = Object.entries(kind.properties).map(([key, each]) => makeField({
    key, path: `${place.path}.${key}`, test: `${place.test}.${key}`, label: labels[`${place.path}.${key}`] ?? labels[key] ?? key, names: place.names,
  }, each, form, value?.[key]));
  const frame = makeFrame(place, make("p", { className: "help" }, ...makeHelp(place, schema)),
    make("div", { className: "fields" }, ...fields.map(({ element }) => element)));
  return {
    ...frame, key: place.key, fields, isChanged: () => fields.some((each) => each.isChanged()),
    differences: () => fields.flatMap((each) => each.differences()).map((each) => ({ ...each, label: `${place.label}${words.colon}${each.label}` })),
    read() {
      const found = fields.map((each) => [each.key, each.read()]).filter(([, each]) => each !== null);
      return found.length ? Object.fromEntries(found) : null;
    },
    write(value) { for (const each of fields) each.write(value); }, // "" empties them; nothing else suits all
    refresh() { for (const each of fields) each.refresh?.(); },
    say(sentence) {
      frame.say(sentence);
      for (const each of fields) each.say("");
    },
  };
}

const isRange = (/** @type {any} */ { properties }) => Object.keys(properties ?? {}).join() === "min,max";

/** Makes the fields of a number, or of a range in its place. @param {Oche.SettingsPlace} place @param {any} schema
    @param {any[]} kinds @param {any} form @param {any} value @returns {Oche.SettingsField} */
function makeAmount(place, schema, kinds, form, value) {
  const exactly = { ...kinds.find(({ type }) => type === "integer"), default: null };
  const properties = { exactly, ...kinds.find(isRange).properties };
  const group = makeGroup(place, schema, { properties }, form, typeof value === "number" ? { exactly: value } : value);
  group.element.classList.replace("wide", "amount");
  return {
    ...group,
    read() {
      const found = group.read();
      if (found?.exactly === undefined) return found;
      if (Object.keys(found).length === 1) return found.exactly;
      group.say(text.eitherAmount);
      group.focus();
      throw new Unreadable(text.eitherAmount);
    },
  };
}

/** Unfolds all that a field is in; a door that does not show it is left. @param {HTMLElement} element */
function open(element) {
  if (element.closest("[hidden]")) dispatchEvent(new Event("all-settings"));
  for (let at = element.closest("details"); at; at = at.parentElement?.closest("details") ?? null) at.open = true;
}

/** What it is for, in this language; names in backticks are code. @param {Oche.SettingsPlace} place @param {any} schema */
function makeHelp({ path }, { description = "" }) {
  const said = /** @type {Record<string, string>} */ (text.help)[path] ?? description;
  return said.split("`").map((/** @type {string} */ part, /** @type {number} */ index) => (index % 2 ? make("code", {}, part) : part));
}

/** @param {any} value */
const isNothing = (value) => value === null || value === undefined || value === "" || (typeof value === "object" && !Object.keys(value).length);

/** @param {any} value @returns {string} */
export function describe(value) {
  if (isNothing(value)) return text.none;
  if (typeof value === "boolean") return value ? text.yes : text.no;
  return Array.isArray(value) ? value.map(describe).join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** @param {string} id @param {Oche.SettingsPlace} place @param {any[]} kinds @param {any} schema @param {any} value
    @param {string[]} choices @returns {Oche.SettingsInput} */
function makeInput(id, place, kinds, schema, value, choices) {
  const [kind] = kinds;
  const labels = /** @type {Record<string, Record<string, string>>} */ (text.values)[place.path];
  const usual = place.path.startsWith("table.timing.") ? text.ofProfile
    : !("default" in schema) ? text.required : isNothing(schema.default) ? text.optional : text.usual(labels?.[schema.default] ?? describe(schema.default));
  const note = make("p", { className: "usual" }, usual);
  if (place.path === "web.host") return makeChoice(hostLabels(value), schema, value);
  const known = findNames(place, kinds);
  if (known) return makeNames(note, kinds, value, known, labels ?? {});
  if (kind.enum) return makeChoice(Object.fromEntries(kind.enum.map((/** @type {string} */ each) => [each, labels?.[each] ?? each])), schema, value);
  if (kind.type === "boolean") {
    const choice = makeChoice({ true: text.yes, false: text.no }, schema, value);
    return { ...choice, read: () => { const read = choice.read(); return read === null ? null : read === "true"; } };
  }
  const isMany = kinds.some(({ type, items }) => type === "array" && items.type === "string");
  if (isMany) return makeLines(kinds, note, value, choices);
  if (kind.type === "array" && kind.items.type === "integer") return makeNumbers(note, value);
  if (kind.type === "object" && kind.additionalProperties?.type === "string") return makePairs(note, value);
  if (kind.type === "object" || kind.type === "array") return makeJson(note, value);
  const isEither = kinds.some(({ type }) => type === "string"); // a number or a name
  const isNumber = !isEither && ["integer", "number"].includes(kind.type);
  const list = choices.length ? [make("datalist", { id: `${id}-choices` }, ...choices.map((each) => make("option", { value: each })))] : [];
  const input = make("input", { type: isNumber ? "number" : "text", value: value ?? "", autocomplete: "off", spellcheck: false });
  if (isNumber) Object.assign(input, { min: kind.minimum ?? "", max: kind.maximum ?? "", step: kind.type === "integer" ? "1" : "any" });
  if (list.length) input.setAttribute("list", `${id}-choices`);
  const read = () => {
    if (input.validity.badInput) throw new Unreadable(text.noNumber); // its value is "", too
    const isDigits = isNumber || (kind.type === "integer" && /^\d+$/.test(input.value));
    return input.value === "" ? null : isDigits ? Number(input.value) : input.value;
  };
  return { element: input, more: [note, ...list], read, usual: labels?.[schema.default], show: (each) => labels?.[each] ?? describe(each) };
}

/** @param {any} value */
function hostLabels(value) {
  return value && !(value in text.hosts) ? { ...text.hosts, [value]: value } : text.hosts;
}

/** @param {Record<string, string>} labels @param {any} schema @param {any} value @returns {Oche.SettingsInput} */
function makeChoice(labels, schema, value) {
  const chosen = value === undefined || value === null ? "" : String(value);
  const byDefault = isNothing(schema.default) ? "" : labels[schema.default] ?? describe(schema.default);
  const usual = make("option", { value: "", selected: chosen === "" }, byDefault ? text.byDefault(byDefault) : text.notChosen);
  const select = make("select", {}, usual,
    ...Object.entries(labels).map(([key, label]) => make("option", { value: key, selected: key === chosen }, label)));
  return { element: select, more: [], read: () => select.value || null, usual: byDefault || text.notChosen, show: (each) => labels[String(each)] ?? describe(each) };
}

/** Texts, one a line; where one alone may stand for itself, it does. @param {any[]} kinds @param {HTMLElement} note
    @param {any} value @param {string[]} choices @returns {Oche.SettingsInput} */
function makeLines(kinds, note, value, choices) {
  const lines = value === undefined || value === null ? [] : [value].flat();
  const area = make("textarea", { rows: Math.max(2, lines.length), value: lines.join("\n"), spellcheck: false });
  const isSingle = kinds.some(({ type }) => type === "string");
  const isEmpty = Array.isArray(value) && !value.length;
  const read = () => {
    const found = area.value.split("\n").map((each) => each.trim()).filter(Boolean);
    return found.length ? (isSingle && found.length === 1 && !Array.isArray(value) ? found[0] : found) : isEmpty ? [] : null;
  };
  const known = choices.length ? [make("details", {}, make("summary", {}, "…"), make("p", { className: "help" }, choices.join(", ")))] : [];
  return { element: area, more: [note, make("p", { className: "usual" }, text.aLine), ...known], read };
}

/** Returns what finds the names that a field chooses from, in groups; null: it is typed. @param {Oche.SettingsPlace} place
    @param {any[]} kinds @returns {(() => [title: string, names: string[]][]) | null} */
function findNames(place, kinds) {
  const named = place.names?.(place.path);
  if (named) return () => [["", named()]];
  const groups = kinds.filter(({ type, title, enum: names }) => type === "string" && title && names);
  const titles = /** @type {Record<string, string>} */ (text.groups);
  return groups.length ? () => groups.map(({ title, enum: names }) => [titles[title] ?? title, names]) : null;
}

/** Makes the choice of a name; of several each has its own choice, and an empty one follows.
    @param {HTMLElement} note @param {any[]} kinds @param {any} value @param {() => [title: string, names: string[]][]} find
    @param {Record<string, string>} labels @returns {Oche.SettingsInput} */
function makeNames(note, kinds, value, find, labels) {
  const isMany = kinds.some(({ type }) => type === "array");
  const isSingle = kinds.some(({ type }) => type === "string");
  const others = make("div", { className: "others" });
  const say = (/** @type {string} */ name) => labels[name] ?? name;
  let groups = find();

  const fill = (/** @type {HTMLSelectElement} */ select, chosen = select.value) => {
    const option = (/** @type {string} */ name) => make("option", { value: name, selected: name === chosen }, say(name));
    const isKnown = !chosen || groups.some(([, names]) => names.includes(chosen));
    const first = select === selects[0] ? text.notChosen : text.another;
    select.replaceChildren(make("option", { value: "" }, first), ...(isKnown ? [] : [option(chosen)]), ...groups.flatMap(([title, names]) =>
      (title ? [make("optgroup", { label: title }, ...names.map(option))] : names.map(option))));
  };
  /** @type {HTMLSelectElement[]} */
  const selects = [];
  const add = (chosen = "") => {
    const select = make("select", { onchange: grow });
    if (selects.push(select) > 1) {
      select.ariaLabel = text.another;
      select.oninput = () => selects[0].dispatchEvent(new Event("input"));
      others.append(select);
    }
    fill(select, chosen);
  };
  const grow = () => { if (isMany && selects.at(-1)?.value) add(); };
  for (const each of [value ?? ""].flat()) add(each);
  if (!selects.length) add();
  grow();
  const read = () => {
    const found = [...new Set(selects.map((each) => each.value).filter(Boolean))];
    if (!found.length) return Array.isArray(value) && !value.length ? [] : null;
    return isSingle && found.length === 1 && !Array.isArray(value) ? found[0] : found;
  };
  const refresh = () => {
    const now = find();
    if (JSON.stringify(now) === JSON.stringify(groups)) return;
    groups = now;
    for (const each of selects) fill(each);
  };
  return { element: selects[0], more: [others, note], read, refresh, show: (each) => [each].flat().map(say).join(", ") };
}

/** A name and its text; one that could be read otherwise is in quotes. */
const PAIR = /^\s*("(?:[^"\\]|\\.)*"|[^":\s]|[^":\s][^:]*[^:\s])\s*:\s*(.*?)\s*$/;

/** @param {string} name */
const writeName = (name) => (/^[^":\s]$|^[^":\s][^:\r\n]*[^:\s]$/.test(name) ? name : JSON.stringify(name));

/** Returns the name that is written so. Throws Unreadable. @param {string} written */
function readName(written) {
  try {
    return written.startsWith('"') ? JSON.parse(written) : written;
  } catch {
    throw new Unreadable(text.noPair);
  }
}

/** Makes names with a text each, one pair a line. @param {HTMLElement} note @param {any} value @returns {Oche.SettingsInput} */
function makePairs(note, value) {
  const lines = Object.entries(value ?? {}).map(([key, each]) => `${writeName(key)}: ${each}`);
  const area = make("textarea", { rows: Math.max(2, lines.length), value: lines.join("\n"), spellcheck: false });
  const read = () => {
    const pairs = area.value.split("\n").filter((line) => line.trim()).map((line) => line.match(PAIR));
    if (pairs.some((pair) => !pair)) throw new Unreadable(text.noPair);
    return pairs.length ? Object.fromEntries(pairs.map((pair) => { const [, name, each] = /** @type {string[]} */ (pair); return [readName(name), each]; })) : value && !lines.length ? {} : null;
  };
  return { element: area, more: [note, make("p", { className: "usual" }, text.aPair)], read };
}

/** @param {HTMLElement} note @param {any} value @returns {Oche.SettingsInput} */
function makeNumbers(note, value) {
  const input = make("input", { value: (value ?? []).join(", "), inputMode: "numeric", autocomplete: "off" });
  const read = () => {
    const found = readNumbers(input.value);
    if (!found) throw new Unreadable(text.noNumbers);
    return found.length || value ? found : null;
  };
  return { element: input, more: [note], read };
}

/** @param {HTMLElement} note @param {any} value @returns {Oche.SettingsInput} */
function makeJson(note, value) {
  const written = value === undefined || value === null ? "" : JSON.stringify(value);
  const area = make("textarea", { className: "json", rows: 2, value: written, spellcheck: false });
  const read = () => {
    if (!area.value.trim()) return null;
    try {
      return JSON.parse(area.value);
    } catch {
      throw new Unreadable(text.noJson);
    }
  };
  return { element: area, more: [note], read };
}
