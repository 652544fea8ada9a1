/* What is shown once a match is over: what its sides came to, side by side and leg by leg. It is read when it is wanted,
   and again when an end was taken back and another one came. */

import { $, make } from "../dom.js";
import { read } from "../link.js";
import { makeGreatFigures, makeHeadline, makeStandings, makeStory } from "./headline.js";
import { showTakeHome } from "./hour_code.js";
import { prepareLastVisit } from "./last_visit.js";
import { makePractice } from "./practice.js";
import { linkTo } from "../preferences.js";
import { describeLast, makeFiguresTable, makeLegsTable } from "../report.js";
import { store } from "../store.js";
import { history, words } from "../words/words.js";

const MOST_SIDES = 8; // that have room beside each other
const CROWD = 5; // sides whose names have no room there: they keep their cards
const MOST_LEGS = 7; // lines that a wall has room for
const MOST_LEGS_BESIDE = 3; // lines beside the curve
const BESIDE_LEGS = 2; // sides that leave room for the legs on a wall

/** Shows what the match on the page came to, if that is still on it when it is known. Throws as `read` does. */
export async function showSummary() {
  const { line, match, routine, sides = [] } = store.state ?? {};
  if (!match || sides.length > MOST_SIDES) return;
  /** @type {Oche.MatchReport | null} */
  const report = await read(`match/${encodeURIComponent(match)}`);
  const isPractice = report && !report.was_stopped && sides.length === 1 && sides[0].players.length === 1;
  const practice = isPractice ? await makePractice(report, store.face) : null;
  if (!report || store.state?.match !== match || store.state?.line !== line) return; // meanwhile it went on
  const isWall = document.documentElement.dataset.view === "wall";
  const headline = practice || report.was_stopped ? [] : makeHeadline(report);
  const isGreat = isWall && headline.length > 0; // read from the oche
  const isCrowded = !isGreat && sides.length >= CROWD;
  const legs = isWall && sides.length > BESIDE_LEGS ? null : makeLegsTable(report, isGreat ? MOST_LEGS_BESIDE : isWall ? MOST_LEGS : report.legs.length);
  const tables = [...(legs ? [legs] : []), ...(routine ? [makeRoutineTable(routine, sides)] : [])];
  const last = describeLast(report, words.segment);
  const story = practice ? [] : makeStory(report);
  const more = make("div", { className: "more" }, ...prepareLastVisit(report),
    make("a", { href: linkTo("history", { match }), test: "whole-match" }, history.whole));
  $("summary").classList.toggle("crowded", isCrowded);
  $("summary").classList.toggle("great", isGreat);
  $("summary").replaceChildren(
    ...headline, ...(last ? [make("p", { className: "last-visit", test: "last-visit" }, last)] : []), ...(practice ? [practice] : []),
    ...(isGreat ? [make("div", { className: "story" }, sides.length === 2 ? makeGreatFigures(report) : makeStandings(report), make("div", { className: "course" }, ...story, ...tables), more)]
      : [make("div", { className: "tables" }, ...(practice ? [] : [makeFiguresTable(report, true, !isCrowded)]), ...tables), ...story, more]));
  $("summary").hidden = false;
  showTakeHome(report, () => !$("summary").hidden && store.state?.match === match);
}

/** What came of the exercises of a routine so far, a line each.
    @param {Oche.RoutineState} routine @param {Oche.Side[]} sides */
function makeRoutineTable({ results = [], title }, sides) {
  const heads = [...words.exercises, ...sides.map(({ name }) => name)];
  return make("table", { className: "routine", ariaLabel: words.title(title), test: "routine" },
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...results.map((each) => make("tr", {}, make("th", { scope: "row" }, words.title(each.title)),
      ...sides.map((_, index) => make("td", {}, String(each.results[index] ?? "–")))))));
}
