/* The plug-ins that were found, and why one is not used: they are files on the machine, and only shown here. Loaded when
   its part is opened. */

import { make } from "../dom.js";
import { text } from "./settings_fields.js";
import { saySentence } from "../words/tasks.js";
import { words } from "../words/words.js";

/** Fills the part. @param {HTMLElement} place @param {Oche.PluginStatus[]} plugins */
export function fillPlugins(place, plugins) {
  const { about, empty, isUsed, isRefused } = text.plugins;
  const items = plugins.map(({ name, where, reason }) => make("li", { className: reason ? "problem" : "ok" },
    make("b", {}, name), words.colon, reason ? isRefused : isUsed, make("code", {}, where),
    ...(reason ? [make("span", { lang: reason.key ? document.documentElement.lang : "en" }, saySentence(reason))] : [])));
  place.replaceChildren(make("p", { className: "help" }, plugins.length ? about : empty),
    make("ul", { className: "checks", test: "plugins-list" }, ...items));
}
