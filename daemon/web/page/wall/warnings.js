/* What is wrong is said plainly above the game: no link, no board, something stuck, no broker. */

import { $, setText } from "../dom.js";
import { store } from "../store.js";
import { saySentence } from "../words/tasks.js";
import { words } from "../words/words.js";

/** @param {keyof Oche.Elements & `${string}-warning`} id @param {string | null} text */
function warn(id, text) {
  $(id).hidden = !text;
  setText($(id), text ?? "");
}

export function renderWarnings() {
  const { boardStatus, broker, isByHand, link } = store;
  document.body.dataset.link = link;
  warn("broker-warning", broker && words.broker(broker));
  if (link !== "connecting") {
    $("link").dataset.state = link === "live" ? "live" : "lost";
    setText($("link"), link === "live" ? words.live : words.lost);
    warn("link-warning", { live: "", lost: words.lostLong, gone: words.seatGone }[link]);
  }
  if (!boardStatus) return;
  const { sensor, state, stuck, text_said: said, trouble_said: trouble } = boardStatus;
  const isOnline = state === "online";
  $("board-state").dataset.state = state;
  setText($("board-state"), !sensor ? words.noSensor : isOnline ? words.boardOnline : words.boardOffline);
  warn("board-warning", isOnline || isByHand ? "" : saySentence(said) || words.boardOfflineLong);
  warn("stuck-warning", stuck.length ? words.stuck(stuck) : "");
  warn("trouble-warning", trouble && words.trouble(saySentence(trouble)));
}
