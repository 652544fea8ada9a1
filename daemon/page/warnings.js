/* What is wrong is said plainly above the game: no link, no board, something stuck, no broker. */

import { $, say } from "./dom.js";
import { words } from "./words.js";

function warn(id, text) {
  $(id).hidden = !text;
  say($(id), text);
}

/** Is the link up? If not, `how` it is, and what that means. */
export function warnOfLink(up, how = "lost", text = words.lostLong) {
  document.body.dataset.link = up ? "live" : how;
  $("link").dataset.state = up ? "live" : "lost";
  say($("link"), up ? words.live : words.lost);
  warn("link-warning", up ? "" : text);
}

export function warnOfBoard({ state, text, stuck, trouble }) {
  const online = state === "online";
  $("board-state").dataset.state = state;
  say($("board-state"), online ? words.boardOnline : words.boardOffline);
  warn("board-warning", online ? "" : text || words.boardOfflineLong);
  warn("stuck-warning", stuck.length ? words.stuck(stuck) : "");
  warn("trouble-warning", trouble ? words.trouble(trouble) : "");
}

export function warnOfBroker({ text }) {
  warn("broker-warning", text ? words.broker(text) : "");
}
