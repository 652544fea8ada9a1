/* The options of a table's game in the settings: the form that the lobby makes of them, which follows the game that is chosen.
   Where there is no such game, or the file has what the form cannot hold, they stay JSON. */

import { make } from "../dom.js";
import { describeValue, OptionForm } from "../form.js";
import { makeFrame, text } from "./settings_fields.js";
import { language } from "../words/words.js";

const NO_MARKS = { by_side: [], by_player: [] };

/** Makes the field of the options. @param {Oche.SettingsPlace} place
    @param {Oche.SettingsGame} about `json` is their field as JSON, `written` what the file has @returns {Oche.SettingsField} */
export function makeOptions(place, { json, game, usual, written, call }) {
  const parts = make("div", { className: "game-options" });
  const frame = makeFrame(place, parts);
  const find = () => game.read() ?? usual;
  const first = find();
  let shown = "";
  /** The form of the game; null: as JSON. @type {OptionForm | null} */
  let form = null;
  let before = ""; // what the form said when it was made

  async function show() {
    const name = find();
    if (name === shown) return;
    shown = name;
    form = null;
    const own = name === first ? written : undefined; // what is written is of this game alone
    json.write(own ? JSON.stringify(own) : "");
    parts.replaceChildren(json.element);
    const { status, answer } = await call(`games/${encodeURIComponent(name)}?lang=${language}`);
    if (shown !== name || status !== 200) return;
    const place = make("div", { className: "fields" });
    const made = new OptionForm(place, answer, own ?? {}, NO_MARKS);
    const isHeld = (/** @type {[string, any]} */ [key, value]) =>
      made.fields.some((each) => each.key === key && JSON.stringify(each.read()) === JSON.stringify(value));
    if (!Object.entries(own ?? {}).every(isHeld)) return;
    form = made;
    before = JSON.stringify(form.read());
    parts.replaceChildren(made.fields.length ? place : text.noOptions);
  }
  game.element.addEventListener("change", show);
  show();

  return {
    ...frame, key: place.key, focus: () => (form ? frame : json).focus(),
    read() {
      if (!form) return json.read();
      const found = form.read();
      return Object.keys(found).length ? found : null;
    },
    isChanged() {
      if (!form) return json.isChanged();
      return shown === first ? JSON.stringify(form.read()) !== before : Object.keys({ ...form.read(), ...written }).length > 0;
    },
    differences() {
      if (!form) return json.differences();
      return listChanged(form, shown === first ? JSON.parse(before) : {});
    },
    write() { throw new TypeError("options are written in the form of their game"); },
    say(sentence) {
      frame.say(form ? sentence : "");
      json.say(form ? "" : sentence);
    },
  };
}

/** Returns what differs in the form from what was written. @param {OptionForm} form @param {Record<string, any>} was */
function listChanged(form, was) {
  const now = form.read();
  const { names, chosen } = form;
  const show = (/** @type {string} */ key, /** @type {any} */ value) => (Array.isArray(value) ? value.join(", ") : describeValue(value, names[key]));
  return Object.keys({ ...was, ...now }).filter((key) => JSON.stringify(was[key]) !== JSON.stringify(now[key])).map((key) => (
    { label: names[key].label, was: show(key, key in was ? was[key] : chosen[key]), now: show(key, key in now ? now[key] : chosen[key]) }));
}
