/* How it stands with the league: what waits, what it does not take, and from which day on matches are sent. Loaded where
   it is switched on. */

import { make } from "../dom.js";
import { text } from "./settings_fields.js";
import { sayFailure, saySentence } from "../words/tasks.js";
import { language, words } from "../words/words.js";

/** @typedef {{ table: string, match: string, reason: string, reason_said?: Oche.Sentence | null }} Refused */
/** @typedef {{ on: boolean, since: string, asks: boolean, waiting: number, kept: number, known_more: number, answered_at: string | null,
    not_taken: Refused[], forgetting: number,
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
    found.forgetting ? said.forgetting(found.forgetting) : "",
    found.forgotten ? said.forgotten(sayMoment(found.forgotten.at), found.forgotten.matches, found.forgotten.left) : "",
    said.since(sayDay(found.since)),
  ].filter(Boolean);
  place.replaceChildren(make("p", { test: "league-said" }, lines.join(" ")),
    ...(found.known_more ? [makeKnownMore(found, place, call)] : []),
    ...(found.not_taken.length ? [makeRefused(found)] : []), ...(found.asks ? [makeQuestion(place, call)] : []));
}

/** @param {Sending} found */
const makeRefused = ({ not_taken: refused }) => make("div", { test: "league-not-taken" }, make("p", {}, text.league.notTaken), listMatches(refused));

/** @param {Refused[]} refused @param {number} more */
const listMatches = (refused, more = 0) => make("ul", { className: "checks" },
  ...refused.map(({ table, match, reason, reason_said: said }) => make("li", {}, `${table}${words.colon}`, said ? saySentence(said) : reason, " ", make("small", {}, match))),
  ...(more ? [make("li", {}, text.league.others(more))] : []));

/** Says of how many matches the league knows more, and fetches them. @param {Sending} found @param {HTMLElement} place
    @param {Oche.CareTools["call"]} call */
function makeKnownMore({ known_more: count }, place, call) {
  const outcome = make("div", { role: "status", test: "league-fetched" });
  const button = make("button", { type: "button", test: "league-fetch", async onclick() {
    button.disabled = true;
    const { status, answer } = await call("league/fetch", {});
    button.disabled = false;
    if (status !== 200) return outcome.replaceChildren(make("p", { className: "error" }, sayFailure(answer.error)));
    const { fetched, failed, more } = /** @type {{ fetched: number, failed: Refused[], more: number }} */ (answer);
    await fillLeague(place, call);
    place.append(make("div", { role: "status", test: "league-fetched" }, make("p", {}, text.league.fetched(fetched)),
      ...(failed.length ? [make("p", {}, text.league.notFetched), listMatches(failed, more)] : [])));
  } }, text.league.fetch);
  return make("div", {}, make("p", { test: "league-more" }, text.league.more(count), " ", button), outcome);
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
