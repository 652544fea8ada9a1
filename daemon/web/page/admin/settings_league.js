/* How it stands with the league: what waits, what it does not take, and from which day on matches are sent. Loaded where
   it is switched on. */

import { make } from "../dom.js";
import { text } from "./settings_fields.js";
import { sayFailure } from "../words/tasks.js";
import { language, words } from "../words/words.js";

/** @typedef {{ on: boolean, since: string, asks: boolean, waiting: number, kept: number, known_more: number, answered_at: string | null,
    not_taken: { table: string, match: string, reason: string }[], forgetting: number,
    forgotten: { at: string, matches: number, left: string } | null }} Sending */

/** Fills the part. @param {HTMLElement} place @param {Oche.CareTools["call"]} call */
export async function fillLeague(place, call) {
  const { status, answer } = await call("league/sending");
  if (status !== 200) return place.replaceChildren(make("p", { className: "error" }, sayFailure(answer.error)));
  const found = /** @type {Sending} */ (answer);
  if (!found.on) return place.replaceChildren();
  const said = text.league;
  const lines = [
    found.answered_at ? said.answered(sayMoment(found.answered_at)) : said.never,
    said.counts(found.kept, found.waiting),
    found.known_more ? said.more(found.known_more) : "",
    found.forgetting ? said.forgetting(found.forgetting) : "",
    found.forgotten ? said.forgotten(sayMoment(found.forgotten.at), found.forgotten.matches, found.forgotten.left) : "",
    said.since(sayDay(found.since)),
  ].filter(Boolean);
  place.replaceChildren(make("p", { test: "league-said" }, lines.join(" ")),
    ...(found.not_taken.length ? [makeRefused(found)] : []), ...(found.asks ? [makeQuestion(place, call)] : []));
}

/** @param {Sending} found */
function makeRefused({ not_taken: refused }) {
  return make("div", { test: "league-not-taken" }, make("p", {}, text.league.notTaken),
    make("ul", { className: "checks" }, ...refused.map(({ table, match, reason }) => make("li", {}, `${table}${words.colon}`, reason, " ", make("small", {}, match)))));
}

/** Asks from which day on matches are sent. @param {HTMLElement} place @param {Oche.CareTools["call"]} call */
function makeQuestion(place, call) {
  const now = new Date();
  const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((each) => String(each).padStart(2, "0")).join("-");
  /** @type {HTMLInputElement} */
  const day = make("input", { type: "date", value: today, max: today, required: true, test: "league-day" });
  const problem = make("p", { className: "error", role: "status" });
  return make("div", {}, make("label", {}, `${text.league.ask} `, day), " ",
    make("button", { type: "button", test: "league-choose", async onclick() {
      const { status, answer } = await call("league/since", { day: day.value });
      if (status === 200) return fillLeague(place, call);
      problem.textContent = sayFailure(answer.error);
    } }, text.league.choose), problem);
}

const sayDay = (/** @type {string} */ day) => new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(`${day}T12:00`));
const sayMoment = (/** @type {string} */ at) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
