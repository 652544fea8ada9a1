/* The list of the matches that are over, the latest first: of all, or of one player. Loaded where it is asked for. */

import { $, make, setText } from "../dom.js";
import { linkHere, writeTime } from "./history_links.js";
import { askHistory, fillTable, showEmpty, texts } from "./history_parts.js";
import { history as words, words as spoken } from "../words/words.js";

/** Shows the list that the address asks for. @param {URLSearchParams} asked */
export async function showMatches(asked) {
  const query = new URLSearchParams();
  for (const name of ["player", "before"]) if (asked.has(name)) query.set(name, asked.get(name) ?? "");
  /** @type {{ matches: Oche.ListedMatch[], more: boolean } | null} */
  const found = await askHistory(`matches?${query}`);
  const { matches = [], more = false } = found ?? {};
  const player = asked.get("player");
  setText($("title"), player === null ? texts.matchList : texts.matchesOf(player));
  if (!matches.length) return showEmpty(texts.noMatch);
  setText($("said"), "");
  const cells = matches.map((each, place) => [
    make("a", { href: linkHere({ match: each.match, matches: null, before: null, player: null }), test: `match-${place}` }, spoken.title(each.title)),
    writeTime(each.at), makeResult(each), words.number(each.darts ?? 0),
  ]);
  const earlier = make("a", { href: linkHere({ before: matches[matches.length - 1].at }), test: "earlier" }, texts.earlier);
  const isPart = cells.length > 1 && (more || asked.has("before")); // what a tap on a heading orders
  $("matches").replaceChildren(...(isPart ? [make("p", { className: "aside", test: "only-these" }, texts.onlyThese(matches.length))] : []),
    ...makeList(matches, cells), ...(more ? [earlier] : []));
  $("matches").hidden = false;
  return undefined;
}

/** Returns them as a table, a single one as a line. @param {Oche.ListedMatch[]} matches @param {(Node | string)[][]} cells */
function makeList(matches, cells) {
  if (cells.length === 1) {
    const [title, time, result] = cells[0];
    return [make("div", { className: "only" }, title, make("span", {}, time), result)];
  }
  const list = make("table");
  fillTable(list, texts.matchList, texts.columns, cells, matches.map((each) =>
    [spoken.title(each.title), Date.parse(each.at), each.winners?.join(", ") ?? "", each.darts ?? 0]));
  return [list];
}

/** Returns how it ended: the sides with their scores, those who have won marked. @param {Oche.ListedMatch} match */
function makeResult({ players, score_of: scoreOf, sides, standing, winners }) {
  const stopped = standing === "stopped" ? [make("i", {}, words.wasStopped)] : [];
  if (!sides?.length) return make("span", { className: "ended" }, players.join(", "), ...(stopped.length ? stopped : [make("i", {}, texts.wonBy(winners?.join(", ") || "–"))]));
  return make("span", { className: "ended" }, ...sides.map(({ players: names, score, won }) =>
    make("span", { className: won ? "won" : "" }, `${names.join(" + ")} `, make("b", {}, words.number(score)))),
  ...(scoreOf === "score" || !scoreOf ? [] : [make("i", {}, words[scoreOf])]), ...stopped);
}
