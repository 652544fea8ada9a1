/* What Home Assistant is told of by this configuration, and whether it is there. Loaded when its part is opened. */

import { make } from "../dom.js";
import { text } from "./settings_fields.js";
import { sayFailure } from "../words/tasks.js";

/** Fills the part. @param {HTMLElement} place @param {Oche.CareTools["call"]} call */
export async function fillHomeAssistant(place, call) {
  const { status, answer } = await call("settings/home_assistant");
  if (status !== 200) return place.replaceChildren(make("p", { className: "error" }, sayFailure(answer.error)));
  const { devices, home_assistant: known } = /** @type {Oche.AnnouncedEntities} */ (answer);
  const lists = devices.map(({ name, entities }) => make("section", {}, make("h3", {}, name),
    make("ul", { className: "checks", lang: "en" }, ...entities.map((each) => make("li", {}, each.name, " ", make("small", {}, each.platform))))));
  place.replaceChildren(make("p", { test: "home-assistant-said" }, devices.length ? text.homeAssistant[known] : text.homeAssistant.nothing), ...lists);
}
