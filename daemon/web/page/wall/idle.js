/* What a wall shows guests while no match is on: by turns the best of the week, who has played, and the time; and how to play.
   What it tells of matches is read when the wall has come to rest, and then once an hour; nothing moves between two turns.
   While a tournament runs it shows that, and nothing else. */

import { makeAvatar, makeFace } from "../avatar.js";
import { $, make, setText } from "../dom.js";
import { read, tablePath } from "../link.js";
import { preference } from "../preferences.js";
import { base, makeCode } from "./seats.js";
import { store } from "../store.js";
import { history, importTexts, language, words } from "../words/words.js";

/** @type {Oche.IdleLanguage} */
const text = (await importTexts("idle")).idle;

const DAYS = 7; // the matches that count
const DAY_MS = 86_400_000;
const FEWEST_DARTS = 30; // a figure of fewer is luck
const MOST = 6; // players that have room
const MOST_IN_LEAGUE = 5;
const AGAIN_MS = 5_000; // between two questions, while a long history is read
const KEPT_MS = 3_600_000;
const TURN_MS = 15_000; // a minute is some of these: the clock is set at each turn
const BACK_MS = 120_000; // after a touch that led to nothing

/** @typedef {{ players: Oche.PlayerSummary[], profiles: Map<string, Oche.KnownPlayer>, league: Oche.League | null }} Week */

/** The week when it was asked for last, and after which match; asked for again after the next match, else after an hour. */
const kept = { week: /** @type {Week} */ ({ players: [], profiles: new Map(), league: null }), ended: "", until: 0 };
let turnTimer = 0, backTimer = 0;
/** Shows it anew, if it is shown. */
let showAgain = () => {};
addEventListener("tournament", () => showAgain());

const clock = new Intl.DateTimeFormat(language, { timeStyle: "short" });
const date = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

/** Shows it, unless it is not wanted any more by then. @param {() => boolean} isWanted */
export async function showIdle(isWanted) {
  /** @type {Oche.JoinCodes | null} */
  const found = await read(`${tablePath(store.table)}/join?base=${base()}`);
  if (!found || !isWanted() || !$("seats").hidden) return; // the codes of hands are needed for the match
  showAgain = () => { if (isWanted() && !$("idle").hidden) showIdle(isWanted); };
  const bracket = store.tournament && await (await import("./idle_bracket.js")).makeBracket(store.tournament.id, isWanted);
  if (!isWanted()) return;
  const slides = make("div", { className: "slides" }, bracket || makeClock());
  const mayPlay = store.role !== "look" && !preference("kiosk");
  $("idle").ariaLabel = text.label;
  $("idle").replaceChildren(slides, ...(mayPlay ? [make("button", { type: "button", className: "touch", test: "touch-to-play" }, text.touch)] : []), ...(bracket ? [] : makeJoining(found)));
  $("idle").onclick = mayPlay ? (event) => { if (!(event.target instanceof Element && event.target.closest("a"))) leave(isWanted); } : null;
  $("idle").hidden = false;
  turn(slides, isWanted);
  if (bracket) return;
  const { league, players, profiles } = await readWeek(isWanted);
  if (!isWanted() || !slides.isConnected) return;
  slides.prepend(...[makeBest(players, profiles), makeLeague(league, profiles), makeLately(players, profiles)].filter((each) => each !== null));
  turn(slides, isWanted);
}

/** Leads to the next match: to the one that waits, else to the choice of one. @param {() => boolean} isWanted */
function leave(isWanted) {
  $("idle").hidden = true;
  if (store.state?.phase === "over") $("other").click();
  clearTimeout(backTimer);
  const comeBack = () => {
    if (!isWanted()) return;
    if (document.querySelector("dialog[open]")) backTimer = setTimeout(comeBack, BACK_MS);
    else showIdle(isWanted);
  };
  backTimer = setTimeout(comeBack, BACK_MS);
}

/** Shows the slide whose turn it is, and the time, until the wall is used. @param {HTMLElement} slides @param {() => boolean} isWanted */
function turn(slides, isWanted) {
  clearTimeout(turnTimer);
  if ($("idle").hidden || !isWanted() || !slides.isConnected) return;
  const now = Date.now(), up = Math.floor(now / TURN_MS) % slides.children.length;
  [...slides.children].forEach((slide, place) => { /** @type {HTMLElement} */ (slide).hidden = place !== up; });
  for (const [part, writer] of /** @type {[string, Intl.DateTimeFormat][]} */ ([["b", clock], ["span", date]])) {
    const element = slides.querySelector(`.clock ${part}`);
    if (element) setText(element, writer.format(now));
  }
  turnTimer = setTimeout(() => turn(slides, isWanted), TURN_MS - (now % TURN_MS));
}

const makeClock = () => make("section", { className: "slide clock", test: "idle-clock" }, make("b"), make("span"));

/** Returns the codes for phones; what is to be configured for them is said to the owner alone. @param {Oche.JoinCodes} found */
function makeJoining({ asks, codes, local }) {
  const { joining } = words, isOwner = store.role === "setup" && !preference("kiosk");
  if (local && !isOwner) return [];
  return [make("div", { className: "joining" },
    make("h2", {}, joining.title),
    ...(local ? [make("p", { test: "idle-local" }, joining.local)] : [
      make("ol", { className: "codes" }, ...codes.map((code) => makeCode(`idle-${code.view}`, joining[code.view], joining.open, code))),
      ...(asks && isOwner ? [make("p", { test: "idle-asks" }, joining.asks)] : []),
    ]))];
}

/** Returns who has played in the last days, and what they say of themselves. @param {() => boolean} isWanted @returns {Promise<Week>} */
async function readWeek(isWanted) {
  const { line, match, phase } = /** @type {Oche.State} */ (store.state);
  const ended = phase === "over" ? `${match} ${line}` : kept.ended;
  if (ended === kept.ended && Date.now() < kept.until) return kept.week;
  const now = new Date(), since = new Date(now.getFullYear(), now.getMonth(), now.getDate() - DAYS).toISOString(); // a day begins here
  while (isWanted()) {
    /** @type {{ players: Oche.PlayerSummary[] } & Oche.Reading | null} */
    const found = await read(`stats?since=${since}`);
    if (!found?.reading) {
      /** @type {Oche.KnownPlayer[]} */
      const known = (found?.players.length && await read("players")) || [];
      /** @type {Oche.League & Oche.Reading | null} */
      const league = found?.players.length ? await read("stats/league") : null;
      const week = { players: found?.players ?? [], profiles: new Map(known.map((each) => [each.name, each])), league: league?.reading ? null : league };
      Object.assign(kept, { week, ended, until: Date.now() + KEPT_MS });
      return week;
    }
    await new Promise((done) => { setTimeout(done, AGAIN_MS); });
  }
  return kept.week;
}

/** @param {string} title @param {string} test @param {HTMLElement[]} items */
const makeSlide = (title, test, items) => (items.length
  ? make("section", { className: "slide", test }, make("h2", {}, title), make("ol", { className: test }, ...items)) : null);

/** Returns the best of the week, one line each; of few darts there is none.
    @param {Oche.PlayerSummary[]} all @param {Map<string, Oche.KnownPlayer>} profiles */
function makeBest(all, profiles) {
  const players = all.filter(({ darts }) => darts >= FEWEST_DARTS);
  /** @param {Oche.PlayerSummary[]} those @param {(player: Oche.PlayerSummary) => number} rank */
  const top = (those, rank) => those.filter((each) => rank(each) > 0).sort((one, other) => rank(other) - rank(one) || one.matches - other.matches)[0];
  /** @param {"average" | "mpr"} kind */
  const findByFigure = (kind) => {
    const those = players.filter(({ figure, value_darts: n }) => figure === kind && n >= FEWEST_DARTS);
    /** @type {Map<string, number>} */
    const darts = new Map();
    for (const { label, value_darts: n } of those) darts.set(label, (darts.get(label) ?? 0) + n);
    const most = Math.max(...darts.values());
    return top(those.filter(({ label }) => darts.get(label) === most), ({ value }) => value ?? 0); // those of one game are compared
  };
  const wins = top(players, ({ won }) => won), finish = top(players, ({ high_finish: points }) => points ?? 0);
  const lines = [
    ...(wins ? [makeLine(wins, text.wins, text.ofMatches(wins.won, wins.matches), profiles)] : []),
    ...(/** @type {const} */ (["average", "mpr"])).flatMap((kind) => {
      const first = findByFigure(kind);
      return first ? [makeLine(first, text.highest(text.kinds[kind], first.label), history.level(first.value ?? 0), profiles)] : [];
    }),
    ...(finish ? [makeLine(finish, text.finish, String(finish.high_finish), profiles)] : []),
  ];
  return makeSlide(text.best, "idle-best", lines);
}

/** @param {{ name: string }} player @param {string} label @param {string} value @param {Map<string, Oche.KnownPlayer>} profiles */
const makeLine = ({ name }, label, value, profiles) => make("li", {}, makeAvatar(profiles.get(name) ?? { name }),
  make("div", {}, make("span", {}, label), make("b", {}, name)), make("em", {}, value));

/** Returns the first of the league of this month. @param {Oche.League | null} league @param {Map<string, Oche.KnownPlayer>} profiles */
function makeLeague(league, profiles) {
  if (!league) return null;
  const month = new Intl.DateTimeFormat(language, { month: "long" }).format(new Date(`${league.month}-15T12:00`));
  return makeSlide(text.league(month), "idle-league", league.players.slice(0, MOST_IN_LEAGUE).map(({ drawn, lost, name, place, points, won }) =>
    make("li", {}, make("em", {}, `${place}.`), makeAvatar(profiles.get(name) ?? { name }), make("b", {}, name),
      make("span", {}, text.results(won, drawn, lost)), make("em", {}, `${points} ${words.unit("points", points)}`))));
}

/** Returns who has played, the latest first. @param {Oche.PlayerSummary[]} players @param {Map<string, Oche.KnownPlayer>} profiles */
function makeLately(players, profiles) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const latest = [...players].sort((one, other) => other.last.localeCompare(one.last)).slice(0, MOST);
  return makeSlide(text.lately, "idle-lately", latest.map(({ last, name }) => {
    const days = Math.min(0, Math.round((new Date(last).setHours(0, 0, 0, 0) - midnight) / DAY_MS));
    return make("li", {}, makeFace(profiles.get(name) ?? { name }), make("b", {}, name), make("span", {}, relative.format(days, "day")));
  }));
}
