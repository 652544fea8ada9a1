/* Finding a light on the settings page: what the network has with WLED; and trying it as it is typed, every scene in turn.
   Loaded when the card of a light is opened. */

import { make, setText } from "../dom.js";
import { text } from "./settings_fields.js";
import { call } from "./setup_link.js";
import { sayFailure } from "../words/tasks.js";

const say = text.lights;
const MOST_NAME = 40;

/** Returns the name, or with a number the first that is not taken. @param {string} name @param {string[]} taken */
function findFree(name, taken) {
  let free = name;
  for (let number = 2; taken.includes(free); number += 1) free = `${name.slice(0, MOST_NAME - 3)}-${number}`;
  return free;
}

/** Fills the part with both buttons. @param {HTMLElement} place @param {Oche.LightTools} tools */
export function fillFinder(place, { card, fields, makeBody, showRefusal, namesOfOthers }) {
  const said = make("p", { role: "status", test: `light-said-${card}` });
  const list = make("ul", { className: "found", test: `found-lights-${card}` });
  let isTrying = false;

  const find = async () => {
    setText(said, say.looking);
    const { status, answer } = await call("lights/scan", {});
    setText(said, status !== 200 ? sayFailure(answer.error) : answer.found.length ? say.found : say.foundNone);
    list.replaceChildren(...(answer.found ?? []).map((/** @type {{ name: string, url: string }} */ each) => make("li", {}, make("b", {}, each.name),
      make("code", {}, each.url), make("div", { className: "buttons" }, make("button", { type: "button", test: "use-light", onclick() {
        for (const { key, read, write } of fields) if (key === "url" || (key === "name" && !read())) write(key === "url" ? each.url : findFree(each.name, namesOfOthers()));
        list.replaceChildren();
        setText(said, say.chosen);
        test.focus();
      } }, say.use)))));
  };
  const attempt = async () => {
    if (isTrying) return void call("lights/stop", {}); // the trial answers once the light is back
    const body = makeBody();
    if (!body) return;
    isTrying = true;
    setText(test, say.stop);
    setText(said, say.trying);
    const { status, answer } = await call("lights/try", body);
    setText(said, status === 200 ? say.tried : answer.error.path ? "" : sayFailure(answer.error));
    if (status !== 200 && answer.error.path) showRefusal(answer.error);
    isTrying = false;
    setText(test, say.try);
  };
  const test = make("button", { type: "button", test: `try-light-${card}`, onclick: attempt }, say.try);
  place.append(make("div", { className: "buttons" }, make("button", { type: "button", test: `find-light-${card}`, onclick: find }, say.find), test), said, list);
}
