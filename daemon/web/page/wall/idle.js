/* What a wall shows while no match is on: who leads, and how to join. It is read when the wall has come to rest. */

import { $, make } from "../dom.js";
import { read, tablePath } from "../link.js";
import { base, makeCode } from "./seats.js";
import { store } from "../store.js";
import { history, words } from "../words/words.js";

const DAYS = 28; // the matches that count
const DAY_MS = 86_400_000;
const MOST = 5; // players that have room
const AGAIN_MS = 5_000; // between two questions, while a long history is read
const KEPT_MS = 3_600_000;

/** Who led when it was asked last, and after which match; asked again after the next match, else after an hour. */
const kept = { leaders: /** @type {Oche.PlayerSummary[]} */ ([]), ended: "", until: 0 };

/** Shows it, unless it is not wanted any more by then. @param {() => boolean} isWanted */
export async function showIdle(isWanted) {
  /** @type {Oche.JoinCodes | null} */
  const found = await read(`${tablePath(store.table)}/join?base=${base()}`);
  if (!found || !isWanted()) return;
  $("idle").ariaLabel = words.joining.title;
  $("idle").replaceChildren(makeJoining(found));
  $("idle").hidden = false;
  const leaders = await readLeaders(isWanted);
  if (leaders.length && isWanted()) $("idle").prepend(makeLeaders(leaders));
}

/** @param {Oche.JoinCodes} found */
function makeJoining({ asks, codes, local }) {
  const text = words.joining;
  return make("div", { className: "joining" },
    make("h2", {}, text.title),
    ...(local ? [make("p", { test: "idle-local" }, text.local)] : [
      make("ol", { className: "codes" }, ...codes.map((code) => makeCode(`idle-${code.view}`, text[code.view], text.open, code))),
      ...(asks ? [make("p", {}, text.asks)] : []),
    ]));
}

/** Returns the players of the last weeks who have won most. @param {() => boolean} isWanted */
async function readLeaders(isWanted) {
  const { line, match, phase } = /** @type {Oche.State} */ (store.state);
  const ended = phase === "over" ? `${match} ${line}` : kept.ended;
  if (ended === kept.ended && Date.now() < kept.until) return kept.leaders;
  const since = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
  while (isWanted()) {
    /** @type {{ players: Oche.PlayerSummary[] } & Oche.Reading | null} */
    const found = await read(`stats?since=${since}`);
    if (!found?.reading) {
      const leaders = (found?.players ?? []).sort((one, other) => other.won - one.won || one.matches - other.matches).slice(0, MOST);
      Object.assign(kept, { leaders, ended, until: Date.now() + KEPT_MS });
      return leaders;
    }
    await new Promise((done) => { setTimeout(done, AGAIN_MS); });
  }
  return [];
}

/** @param {Oche.PlayerSummary[]} leaders */
const makeLeaders = (leaders) => make("table", {},
  make("caption", {}, make("b", {}, words.leaders), ` ${words.lastWeeks}`),
  make("thead", {}, make("tr", {}, ...[history.columns[0], history.columns[2], history.columns[6]].map((text) => make("th", { scope: "col" }, text)))),
  make("tbody", {}, ...leaders.map((each, place) => make("tr", { test: `leader-${place}` },
    make("th", { scope: "row" }, each.name),
    make("td", {}, `${each.won}/${each.matches}`),
    make("td", {}, history.mostly(each))))));
