/* What a table's displays say while a tournament runs: who is called and who comes next, in a strip above the match; and, large
   over a table that is free, who is called to it. On a wall where a match is played the strip takes turns with the title, and
   no place of the match. The desk of the tournament tells it. Loaded with its first news. */

import { makeFace } from "../avatar.js";
import { sendCommand } from "../commands.js";
import { $, make, rebuild } from "../dom.js";
import { loadSheet } from "../parts.js";
import { preference } from "../preferences.js";
import { put, store, watch } from "../store.js";
import { makeName, said } from "../tournament/match_card.js";
import { nameRound } from "../tournament/texts.js";
import { words } from "../words/words.js";
import { findPlayer } from "./wall_players.js";

const TURN_MS = 6_000;
const RESULT_MS = 20_000; // which is shown before the next match is called over it
const WINNER_MS = 1_800_000; // who has won the tournament is seen for so long at rest

/** @typedef {{ match: string, sides: [string, string], table: string | null, status: string, stage: Oche.TournamentMatchView["stage"], round: number, last: number | null, writer: string }} WallMatch */
/** @typedef {{ id: string, name: string, called: WallMatch[], next: WallMatch[], table: WallMatch | null }} WallNews */

/** @type {WallNews | null} */
let news = null;
/** The end of the match whose result is shown, and when it came. */
const over = { match: /** @type {string | null} */ (null), at: 0 };
let hidden = "", turns = 0, ended = 0;

const strip = make("p", { id: "strip", test: "strip", hidden: true });
const call = make("section", { id: "called", test: "called", role: "status", hidden: true });

/** Returns what the round of a match is called. @param {WallMatch} match */
function sayRound({ last, round, stage }) {
  const kind = last === null ? "double_knock_out" : "knock_out"; // whose rounds are counted, or named by who is left
  return nameRound(/** @type {Oche.TournamentView} */ ({ spec: { kind } }), /** @type {Oche.TournamentMatchView} */ ({ group: null, last, round, stage }));
}

/** Takes what is told of the tournament at this table; null: there is none any more. @param {WallNews | null} told */
export async function takeNews(told) {
  await Promise.all([loadSheet("static/tournament/bracket.css"), loadSheet("static/wall/called.css")]);
  if (!strip.isConnected) {
    $("warnings").after(strip);
    $("idle").after(call);
    watch(draw);
    setInterval(() => {
      turns += 1;
      draw();
    }, TURN_MS);
  }
  const here = told?.table, id = told?.id ?? news?.id;
  news = told;
  clearTimeout(ended);
  if (!told) ended = setTimeout(() => follow(null), WINNER_MS);
  follow(id ? { id, round: here ? sayRound(here) : "", start: here ? `${words.start}${words.colon}${makePair(here)}` : "" } : null);
}

/** Notes the tournament, for a wall at rest too. @param {Oche.Store["tournament"]} tournament */
function follow(tournament) {
  const isOther = store.tournament?.id !== tournament?.id;
  put({ tournament });
  if (isOther) dispatchEvent(new Event("tournament"));
}

function draw() {
  strip.hidden = !news;
  const here = news?.table ?? null;
  noteEnd();
  const isCalled = here?.status === "called" && hidden !== here.match && !isBusy();
  call.hidden = !isCalled;
  document.body.classList.toggle("calling", isCalled);
  if (here && isCalled) rebuild(call, [here, store.role, preference("kiosk"), here.sides.map((name) => findPlayer(name)?.picture)], () => makeCall(here));
  if (news) drawStrip(news, isCalled);
}

/** Notes when the match at the table was over. */
function noteEnd() {
  const { match = null, phase } = store.state ?? {};
  const last = phase === "over" ? match : null;
  if (over.match !== last) Object.assign(over, { match: last, at: Date.now() });
}

/** Whether the table shows what is not to be covered: a match that has begun, or a result that has just come. */
function isBusy() {
  const { line = 0, match, phase, ref } = store.state ?? {};
  if (!match) return false;
  const isBegun = ref && !store.plan?.ref; // what was called has been started
  return phase === "over" ? Date.now() - over.at < RESULT_MS : line > 1 || Boolean(isBegun);
}

/** @param {WallMatch} match */
const makePair = ({ sides }) => sides.join(" – ");

/** Says one thing by turns: first who is called, then who comes next. @param {WallNews} told @param {boolean} isCalled */
function drawStrip({ called, name, next, table }, isCalled) {
  const isHere = (/** @type {WallMatch} */ { match }) => match === table?.match;
  const items = [...called.filter((each) => !(isCalled && isHere(each))).map((each) => ({ match: each, text: isHere(each) ? `${said.here}, ${said.pressStart}` : said.goTo(each.table ?? "") })),
    ...next.map((match) => ({ match, text: said.soon })), ...(table?.status === "playing" ? [{ match: table, text: "" }] : [])];
  const item = items[Math.floor(turns / 2) % items.length];
  strip.classList.toggle("resting", turns % 2 > 0);
  strip.classList.toggle("called", Boolean(item && called.includes(item.match)));
  rebuild(strip, [name, item], () => [make("span", { className: "round" }, item ? sayRound(item.match) : ""), ...(item ? [makeName(makePair(item.match)), make("b", {}, item.text)] : [makeName(name)])]);
}

/** Returns the name of a side, with the picture of a player who has one. @param {string} name */
function makeSide(name) {
  const player = findPlayer(name);
  return player?.picture ? make("div", { className: "pictured" }, makeFace(player), makeName(name)) : makeName(name);
}

/** @param {WallMatch} match */
function makeCall(match) {
  const mayStart = store.role !== "look" && !preference("kiosk");
  return [make("p", { className: "round" }, sayRound(match)), ...match.sides.map(makeSide), make("p", { className: "press" }, said.pressStart),
    make("p", { className: "writer" }, match.writer && said.writes(match.writer)),
    ...(mayStart ? [make("div", { className: "choices" }, make("button", { type: "button", className: "go", test: "start-called", onclick: () => sendCommand("start") }, words.start),
      make("button", { type: "button", test: "not-now", onclick() {
        hidden = match.match;
        draw();
      } }, said.notNow))] : [])];
}
