/* What the pages that set oche up show where there is nothing to set: while they load, in the demo, on a device that may not,
   and where oche does not answer. It says what will be there, and how one gets it. */

import { make } from "../dom.js";
import { bring, enter } from "../enter.js";
import { put } from "../store.js";
import { makeCopy } from "./copy.js";
import { makeDrawing } from "./drawings.js";
import { text } from "./settings_fields.js";
import { call } from "./setup_link.js";
import { sayFailure } from "../words/tasks.js";
import { words } from "../words/words.js";

const FORBIDDEN = 403;
const AGAIN_MS = 3_000;
const { states } = text;

/** Returns the settings, once oche has answered; null where there are none for this device, which `place` says.
    @param {HTMLElement} place @param {"settings" | "guide"} page @returns {Promise<Oche.Settings | null>} */
export async function readSettings(place, page) {
  place.replaceChildren(make("p", { className: "help", role: "status" }, states.loading));
  for (let shown = false; ; shown = true) {
    let { status, answer } = await call("settings");
    if (status === FORBIDDEN && await bring("look")) ({ status, answer } = await call("settings"));
    if (status === 200) {
      place.replaceChildren();
      return answer;
    }
    const { error } = answer;
    if (error.code) { // it would say the same again
      if (error.key === "settings.none") showDemo(place, page);
      else if (status === FORBIDDEN) showLocked(place, error);
      else showTrouble(place, sayFailure(error));
      return null;
    }
    if (!shown) showOffline(place);
    do await new Promise((resolve) => setTimeout(resolve, AGAIN_MS)); while (document.hidden);
  }
}

/** @param {HTMLElement} place @param {string} drawing @param {string} title @param {...(Node | string)} content */
function showState(place, drawing, title, ...content) {
  const heading = make("h2", { tabIndex: -1 }, title);
  place.replaceChildren(make("div", { className: "state", test: "state" }, makeDrawing(drawing), make("div", {}, heading, ...content)));
}

/** @param {HTMLElement} place @param {"settings" | "guide"} page */
function showDemo(place, page) {
  showState(place, "shown", states.demo, make("p", {}, states.demoOf[page]), make("ul", {}, ...states.parts[page].map((each) => make("li", {}, each))),
    make("p", {}, states.demoHow), makeCopy("oche run"), make("p", { className: "help" }, states.demoElse));
}

/** Lets who has the token of the setup enter it. @param {HTMLElement} place @param {Oche.Failure} error */
function showLocked(place, error) {
  put({ role: "look" }); // so that there is a way back
  showState(place, "locked", states.locked, make("p", {}, sayFailure(error)), make("button", { type: "button", className: "go", test: "enter", onclick: () => enter() }, words.enter),
    make("p", {}, states.lockedHow), makeCopy("sudo oche token --setup"));
}

/** @param {HTMLElement} place */
function showOffline(place) {
  showState(place, "offline", states.offline, make("p", { role: "alert" }, states.offlineWhy), make("p", {}, states.offlineHow), makeCopy("systemctl status oche"));
}

/** @param {HTMLElement} place @param {string} sentence why the settings cannot be changed */
export function showTrouble(place, sentence) {
  showState(place, "locked", states.trouble, make("p", { role: "alert" }, sentence), make("button", { type: "button", test: "again", onclick: () => location.reload() }, states.again));
}
