/* What a stream shows, and who speaks for it: an overlay, the announcer's page, all tables. They only show: no button, no
   sound unless the address asks for it, and an overlay asks nobody for a token. */

import { $, setText } from "../dom.js";
import { prepareAnnouncer } from "./announcer.js";
import { followTable } from "./following.js";
import { prepareOverlay } from "./overlay.js";
import { put, store, watch } from "../store.js";
import { followTables } from "./tables.js";
import { text } from "./texts.js";

/** What the address asks for in vain. */
let wrong = "";

/** Says a sentence above the match, after what is wrong with the address; "": it is not so any more. @param {string} sentence */
function say(sentence) {
  setText($("note"), [wrong, sentence].filter(Boolean).join(" "));
  $("note").hidden = !wrong && !sentence;
}

/** Leaves what this device plays elsewhere silent here. @param {URLSearchParams} asked */
function hush(asked) {
  const { sound, speech } = store.choices;
  put({ choices: { ...store.choices, sound: asked.has("sound") ? sound : "", speech: asked.has("speech") ? speech : "" } });
}

function begin() {
  const asked = new URLSearchParams(location.search);
  const { view } = document.documentElement.dataset;
  hush(asked);
  if (view === "tables") return followTables($("stream"), say);
  if (view === "overlay") {
    addEventListener("refused", (event) => { // there is nobody to type it
      event.preventDefault();
      const { detail } = /** @type {CustomEvent<string>} */ (event);
      say([detail, text.needsToken].filter(Boolean).join(" "));
    });
  }
  const made = view === "overlay" ? prepareOverlay($("stream"), asked) : prepareAnnouncer($("stream"));
  ({ wrong } = made);
  say("");
  watch(made.draw);
  return followTable(asked.get("table"), made.svg, say);
}

document.title = { overlay: text.overlay, announcer: text.announcer }[document.documentElement.dataset.view ?? ""] ?? text.tables;
begin();
