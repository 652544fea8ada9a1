/* The list of the matches that are over, the latest first: of all, or of one player. Loaded where it is asked for. */

import { $, make } from "../dom.js";
import { askHistory, fillTable, linkHere } from "./history_parts.js";
import { history as words, words as spoken } from "../words/words.js";

/** Shows the list that the address asks for. @param {URLSearchParams} asked */
export async function showMatches(asked) {
  const query = new URLSearchParams();
  for (const name of ["player", "before"]) if (asked.has(name)) query.set(name, asked.get(name) ?? "");
  /** @type {{ matches: Oche.ListedMatch[], more: boolean } | null} */
  const found = await askHistory(`matches?${query}`);
  const { matches = [], more = false } = found ?? {};
  const player = asked.get("player");
  $("title").textContent = player === null ? words.matchList : words.matchesOf(player);
  $("said").textContent = matches.length ? "" : words.noMatch;
  if (!matches.length) return;
  const list = make("table");
  fillTable(list, words.matchList, words.matchColumns, matches.map((each, place) => [
    make("a", { href: linkHere({ match: each.match, matches: null, before: null, player: null }), test: `match-${place}` }, spoken.title(each.title)),
    words.day(each.at), each.players.join(", "),
    each.standing === "stopped" ? words.wasStopped : each.winners?.join(", ") || "–", words.number(each.darts ?? 0),
  ]));
  const earlier = make("a", { href: linkHere({ before: matches[matches.length - 1].at }), test: "earlier" }, words.earlier);
  $("matches").replaceChildren(list, ...(more ? [earlier] : []));
  $("matches").hidden = false;
}
