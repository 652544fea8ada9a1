/* The options of a game as a form, made from their JSON Schema. What cannot be chosen is typed, lists without their
   outer brackets; whether it is right the table says. */

import { make } from "./dom.js";
import { words } from "./words.js";

const SHORT = 26; // characters of choices that lie side by side; more are a list
const FIRST = 6; // options that everybody sees
const NAMES = { null: "none", true: "on", false: "off" };

const name = (value) => words.lobby[NAMES[value]] ?? words.option(String(value));

/** A field and what it is called. */
export const labelled = (label, field, props) => make("label", props, make("span", {}, label), field);

/** Puts the form into `place`; `marks` are those for whom the lists among the values are. Gives what reads what differs
    from the game's own values, and `follow`, for when people have come, left or moved. */
export function optionForm(place, { options, chosen, ...sheet }, values, marks) {
  const differs = ([key, value]) => JSON.stringify(value) !== JSON.stringify(chosen[key]);
  const read = () => fields.map(({ key, read }) => [key, read()]).filter(differs);
  const now = { ...chosen, ...values };
  const fields = Object.entries(options.properties ?? {}).map(([key, schema]) => field(key, schema, now[key]));
  const open = read().some(([key]) => fields.findIndex((each) => each.key === key) >= FIRST);
  place.replaceChildren(...fields.slice(0, FIRST));
  if (fields.length > FIRST) {
    place.append(make("details", { open }, make("summary", {}, words.lobby.more), ...fields.slice(FIRST)));
  }
  const lists = ["by_side", "by_player"].flatMap((kind) => fields.filter(({ key }) => sheet[kind].includes(key))
    .map((list) => {
      const own = () => { list.whose = marks[kind]; };
      own();
      return Object.assign(list, { kind, own, oninput: own });
    }));

  /** Lists go with whom they are for; gives the names of those that are for others, set back if `drop` says so. */
  function follow(now, drop = false) {
    marks = now;
    return lists.filter((list) => {
      const value = list.read();
      if (!Array.isArray(value) || value.length !== list.whose.length) return false; // the table judges it
      const moved = marks[list.kind].map((mark) => value[list.whose.indexOf(mark)]);
      const lost = moved.length !== value.length || moved.includes(undefined);
      if (lost && !drop) return true; // they may come back
      list.write(lost ? chosen[list.key] : moved);
      list.own();
      return lost;
    }).map(({ key }) => words.symbol(key));
  }

  return { read: () => Object.fromEntries(read()), follow };
}

/** One option: an element that knows its key, and how to read its value. */
function field(key, { anyOf, description = "", examples, ...schema }, value) {
  const kinds = (anyOf ?? [schema]).filter(({ type }) => type !== "null");
  const none = kinds.length < anyOf?.length;
  const { type, minimum: min = "", maximum: max = "", enum: listed } = kinds.length > 1 ? {} : kinds[0];
  const choices = type === "boolean" ? [true, false] : listed;
  const label = words.symbol(key);
  if (!choices) {
    const open = type === "array" ? 1 : 0;
    const isNumber = type === "integer";
    const inner = (json) => json.slice(open, json.length - open);
    const write = (each) => (type === "string" ? each : each === null ? "" : inner(JSON.stringify(each)));
    const input = make("input", {
      type: isNumber ? "number" : "text", min, max, required: isNumber && !none, value: write(value),
      title: description, placeholder: examples ? write(examples[0]) : none ? name(null) : "",
    });
    const read = () => {
      if (none && !input.value) return null;
      try {
        return type === "string" ? input.value : JSON.parse(open ? `[${input.value}]` : input.value);
      } catch {
        return input.value;
      }
    };
    return labelled(label, input, { key, read, write: (each) => { input.value = write(each); } });
  }
  const named = [...(none ? [null] : []), ...choices].map((each) => [JSON.stringify(each), name(each), each === value]);
  if (named.map(([, text]) => text).join().length > SHORT) {
    const list = make("select", {}, ...named.map(([json, text, is]) => new Option(text, json, is, is)));
    return labelled(label, list, { key, read: () => JSON.parse(list.value) });
  }
  const group = make("fieldset", { key, read: () => JSON.parse(group.querySelector(":checked").value) },
    make("legend", {}, label),
    ...named.map(([value, text, checked]) =>
      labelled(text, make("input", { type: "radio", name: `option-${key}`, value, checked }))));
  return group;
}
