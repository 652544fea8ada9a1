/* The options of a game as a form, made from their JSON Schema. What cannot be chosen is typed, lists without their
   outer brackets; whether it is right the table says. */

import { make } from "./dom.js";
import { optionLabels } from "./words/tasks.js";
import { words } from "./words/words.js";

const SHORT = 26; // characters of choices that lie side by side; more are a list
const FIRST = 6; // options that are always seen; the others unfold

/** One option of a game: its element, and how its value is read and, where it is typed, written.
    @typedef {{ key: string, element: HTMLElement, read: () => any, write: (value: any) => void }} Field */
/** A field with an element for each side or player, and their marks.
    @typedef {{ field: Field, kind: keyof Oche.Marks, marks: (string | number)[] }} ListField */

/** Returns a field with what it is called. @param {string} label @param {HTMLElement} field @param {string} className */
export const makeLabelled = (label, field, className = "") => make("label", { className }, make("span", {}, label), field);

let made = 0; // forms: each has choices of its own

export class OptionForm {
  /** Puts the form into `place`. @param {HTMLElement} place @param {Oche.GameSheet} sheet of the game
      @param {Record<string, any>} values where they are not the game's own @param {Oche.Marks} marks of the sides and
      players that the lists among the values are for */
  constructor(place, sheet, values, marks) {
    made++;
    this.chosen = sheet.chosen;
    this.names = sheet.names;
    for (const [key, { label }] of Object.entries(sheet.names)) optionLabels.set(key, label);
    const now = { ...sheet.chosen, ...values };
    this.fields = Object.entries(sheet.options.properties ?? {})
      .map(([key, schema]) => makeField(key, schema, sheet.names[key], now[key]));
    const elements = this.fields.map(({ element }) => element);
    place.replaceChildren(...elements.slice(0, FIRST));
    if (elements.length > FIRST) {
      const differing = this.read();
      const open = this.fields.slice(FIRST).some(({ key }) => key in differing);
      place.append(make("details", { open }, make("summary", {}, words.lobby.more), ...elements.slice(FIRST)));
    }
    this.marks = marks;
    /** @type {ListField[]} */
    this.lists = /** @type {const} */ (["by_side", "by_player"]).flatMap((kind) => this.fields
      .filter(({ key }) => sheet[kind].includes(key)).map((each) => ({ field: each, kind, marks: marks[kind] })));
    for (const list of this.lists) list.field.element.oninput = () => { list.marks = this.marks[list.kind]; };
  }

  /** Returns what differs from the game's own values, by option. @returns {Record<string, any>} */
  read() {
    return Object.fromEntries(this.fields.map(({ key, read }) => [key, read()])
      .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(this.chosen[key])));
  }

  /** Moves the elements of the lists with their sides and players, when some have come, left or moved. Returns the names
      of the lists that are for others, set back if `drop` says so. @param {Oche.Marks} marks @param {boolean} drop */
  follow(marks, drop = false) {
    this.marks = marks;
    return this.lists.filter((list) => {
      const value = list.field.read();
      if (!Array.isArray(value) || value.length !== list.marks.length) return false; // the table judges it
      const moved = marks[list.kind].map((mark) => value[list.marks.indexOf(mark)]);
      const isLost = moved.length !== value.length || moved.includes(undefined);
      if (isLost && !drop) return true; // they may come back
      list.field.write(isLost ? this.chosen[list.field.key] : moved);
      list.marks = marks[list.kind];
      return isLost;
    }).map((list) => this.names[list.field.key].label);
  }
}

/** Returns how a value of an option reads. @param {any} value @param {Oche.OptionNames} names */
export function describeValue(value, { values }) {
  const { none, off, on } = words.lobby;
  return values[String(value)] ?? (value === null ? none : value === true ? on : value === false ? off : String(value));
}

/** Makes the field of one option. @param {string} key @param {any} schema @param {Oche.OptionNames} names
    @param {any} value @returns {Field} */
function makeField(key, { anyOf, examples, ...schema }, names, value) {
  const kinds = (anyOf ?? [schema]).filter((/** @type {any} */ { type }) => type !== "null");
  const isOptional = kinds.length < (anyOf?.length ?? 0);
  const only = kinds.length > 1 ? {} : kinds[0];
  const choices = only.type === "boolean" ? [true, false] : only.enum;
  if (choices) return makeChoiceField(key, isOptional ? [null, ...choices] : choices, names, value);
  return makeTypedField(key, only, isOptional, { names, examples }, value);
}

/** @param {string} key @param {any} schema @param {boolean} isOptional
    @param {{ names: Oche.OptionNames, examples?: any[] }} about @param {any} value @returns {Field} */
function makeTypedField(key, { type, minimum = "", maximum = "" }, isOptional, { names, examples }, value) {
  const open = type === "array" ? 1 : 0;
  const inner = (/** @type {string} */ json) => json.slice(open, json.length - open);
  const written = (/** @type {any} */ each) =>
    (type === "string" ? each : each === null ? "" : inner(JSON.stringify(each)));
  const isNumber = type === "integer";
  const input = make("input", {
    type: isNumber ? "number" : "text", min: minimum, max: maximum, required: isNumber && !isOptional, title: names.hint,
    value: written(value), placeholder: examples ? written(examples[0]) : isOptional ? describeValue(null, names) : "",
  });
  const read = () => {
    if (isOptional && !input.value && !input.validity.badInput) return null;
    try {
      return type === "string" ? input.value : JSON.parse(open ? `[${input.value}]` : input.value);
    } catch {
      return input.value;
    }
  };
  const element = makeLabelled(names.label, input);
  return { key, element, read, write: (each) => { input.value = written(each); } };
}

/** @param {string} key @param {any[]} choices @param {Oche.OptionNames} names @param {any} value @returns {Field} */
function makeChoiceField(key, choices, names, value) {
  const { label } = names;
  const named = choices.map((each) => ({ json: JSON.stringify(each), text: describeValue(each, names), checked: each === value }));
  const write = () => { throw new TypeError(`${key} is chosen, not written`); };
  if (named.map(({ text }) => text).join().length > SHORT) {
    const list = make("select", {}, ...named.map(({ json, text, checked }) => new Option(text, json, checked, checked)));
    return { key, element: makeLabelled(label, list), read: () => JSON.parse(list.value), write };
  }
  const buttons = named.map(({ json, checked }) =>
    make("input", { type: "radio", name: `option-${key}-${made}`, value: json, checked }));
  const element = make("fieldset", {}, make("legend", {}, label),
    ...buttons.map((button, index) => makeLabelled(named[index].text, button)));
  return { key, element, read: () => JSON.parse(buttons.find((button) => button.checked)?.value ?? "null"), write };
}
