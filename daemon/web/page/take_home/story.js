/* The story of an evening: who played, every match in order, first times and records; to be read, printed, or taken home as
   pictures. The evening is in the address (`?day=2026-11-29`), or what the code in it is for; else it is the latest. */

import { drawCard, texts } from "./card.js";
import { Drawing } from "./drawing.js";
import { $, make, nameForTests, setSideColour, setText } from "../dom.js";
import { findEvening, listSides, readDay, sayBadges, sayDay, sayFirsts, sayMore, sayRecords, sayTime, writeDay } from "./evening.js";
import { makeHourCode } from "../wall/hour_code.js";
import { drawOverview } from "./overview.js";
import { canShare, makeFile, nameFile, save, share } from "./pictures.js";
import { linkTo } from "../preferences.js";
import { readCode, readFace, readShown, seesOnlyThis } from "./source.js";
import { history, importTexts, words } from "../words/words.js";

/** @type {Oche.BadgesLanguage} */
const badges = (await importTexts("badges")).badges;
const FACE_PX = 160;
const MOST_PICTURES = 30;
const sayReading = (/** @type {{ done: number, of: number }} */ { done, of }) => setText($("said"), texts.reading(history.number(done), history.number(of)));

/** Reads an evening. @param {{ since: Date, before: Date }} when @returns {Promise<Oche.Evening | null>} */
const readEvening = ({ since, before }) =>
  readShown(`evening?${new URLSearchParams({ since: since.toISOString(), before: before.toISOString() })}`, sayReading);

/** Returns the evening that is asked for, and when it is; the latest with a match where none is. */
async function findWanted() {
  const code = readCode(), day = new URLSearchParams(location.search).get("day");
  if (code.since) {
    const when = { since: new Date(code.since * 1000), before: new Date(code.before * 1000) };
    return { when, evening: await readEvening(when) };
  }
  const asked = day === null ? findEvening(new Date()) : readDay(day);
  if (!asked) throw new Error(texts.noDay);
  const evening = await readEvening(asked);
  if (day !== null || !evening || evening.matches.length || !evening.earlier) return { when: asked, evening };
  const when = findEvening(new Date(evening.earlier));
  return { when, evening: await readEvening(when) };
}

/** @param {Oche.PlayerSummary} summary @param {Oche.KnownPlayer | undefined} player @param {number} index */
async function makePlayer({ label, matches, name, value, won }, player, index) {
  const canvas = make("canvas", { ariaHidden: "true" });
  const drawing = new Drawing(canvas, FACE_PX, FACE_PX), colour = player?.colour ?? index % 8;
  drawing.drawFace(await readFace(player), name, FACE_PX / 2, FACE_PX / 2, FACE_PX / 2 - 8, drawing.palette.sides[colour]);
  const item = make("li", { test: `player-${index}` }, canvas, make("b", {}, name),
    make("span", {}, texts.ofMatches(history.number(won), history.number(matches))),
    ...(value ? [make("span", {}, `${label} · ${history.level(value)}`)] : []));
  setSideColour(item, colour);
  return item;
}

/** @param {Oche.EveningMatch} match @param {number} index */
function makeMatch(match, index) {
  const { result } = match;
  const picture = `${linkTo("take_home", { match: result.match, day: null })}${seesOnlyThis() ? location.hash : ""}`;
  return make("li", { test: `match-${index}` }, make("time", { dateTime: result.at }, sayTime(result.at)),
    make("a", { href: picture }, words.title(result.title)),
    make("p", { className: "ended" }, ...listSides(match).map(({ name, score, won }) => make("span", { className: won ? "won" : "" }, `${name} `, make("b", {}, score)))),
    make("p", { className: "more" }, sayMore(match)));
}

/** @param {string} title @param {string} test @param {(Node | string)[][]} lines */
const makeList = (title, test, lines) => (lines.length ? [make("section", { test }, make("h2", {}, title),
  make("ul", {}, ...lines.map((line) => make("li", {}, ...line))))] : []);

/** @param {Oche.Evening} evening @param {Map<string, Oche.KnownPlayer>} profiles @param {{ since: Date, before: Date }} when @param {string} venue */
async function showStory(evening, profiles, when, venue) {
  const code = seesOnlyThis() ? null : await makeHourCode({
    since: String(when.since.getTime() / 1000), before: String(when.before.getTime() / 1000),
  }, texts.scanStory, texts.scanHow);
  $("taken").replaceChildren(
    makeActions(evening, profiles, when, venue),
    make("section", { className: "faces" }, make("h2", {}, texts.players), make("ul", { className: "people" }, ...await Promise.all(
      evening.players.map((player, index) => makePlayer(player, profiles.get(player.name.toLowerCase()), index))))),
    make("section", {}, make("h2", {}, texts.matches), ...(evening.more ? [make("p", {}, texts.more(evening.matches.length))] : []),
      make("ol", { className: "matches" }, ...evening.matches.map(makeMatch))),
    ...makeList(texts.records, "records", sayRecords(evening).map(([label, text]) => [make("span", {}, label), make("b", {}, text)])),
    ...makeList(badges.title, "badges", sayBadges(evening, badges).map(([player, text]) => [make("span", {}, player), make("b", {}, text)])),
    ...makeList(texts.firsts, "firsts", sayFirsts(evening).map((text) => [text])),
    ...(code ? [code] : []));
}

/** What can be done with the evening. @param {Oche.Evening} evening @param {Map<string, Oche.KnownPlayer>} profiles
    @param {{ since: Date }} when @param {string} venue */
function makeActions(evening, profiles, { since }, venue) {
  const mayShare = canShare();
  const pictures = make("button", {
    type: "button", className: "go", test: "pictures",
    async onclick() {
      pictures.disabled = true;
      setText($("said"), texts.drawing);
      const files = await drawAll(evening, profiles, since, venue);
      if (mayShare) await share(files, sayDay(since));
      else for (const file of files) save(file);
      setText($("said"), "");
      pictures.disabled = false;
    },
  }, mayShare ? texts.shareAll : texts.saveAll);
  return make("div", { className: "choices" }, pictures, make("button", { type: "button", test: "print", onclick: () => print() }, texts.print));
}

/** Returns the picture of the evening, and one of each match, the latest where there are many.
    @param {Oche.Evening} evening @param {Map<string, Oche.KnownPlayer>} profiles @param {Date} since @param {string} venue */
async function drawAll(evening, profiles, since, venue) {
  const canvas = make("canvas");
  await drawOverview(canvas, evening, profiles, { since, venue });
  const files = [await makeFile(canvas, nameFile("oche", writeDay(since)))];
  for (const [index, { result }] of evening.matches.slice(-MOST_PICTURES).entries()) {
    /** @type {Oche.MatchReport | null} */
    const report = await readShown(`match/${encodeURIComponent(result.match)}`);
    if (!report) continue;
    await drawCard(canvas, report, [...profiles.values()], { venue });
    files.push(await makeFile(canvas, nameFile("oche", writeDay(since), String(index + 1), words.title(result.title))));
  }
  return files;
}

/** Leads to the evenings before and after. @param {Oche.Evening} evening */
function showNeighbours({ earlier, later }) {
  const links = /** @type {[string | null | undefined, string, string][]} */ ([[earlier, texts.earlier, "earlier"], [later, texts.later, "later"]]);
  for (const [at, text, test] of links) {
    if (at && !seesOnlyThis()) $("title").parentElement?.append(make("a", { href: linkTo("story", { day: writeDay(findEvening(new Date(at)).since) }), test }, text));
  }
}

async function begin() {
  nameForTests();
  setText($("title"), texts.story);
  const [{ when, evening }, players, place] = await Promise.all([findWanted(),
    /** @type {Promise<Oche.KnownPlayer[] | null>} */ (readShown("players")),
    /** @type {Promise<{ venue: string } | null>} */ (readShown("venue"))]);
  const venue = place?.venue ?? "", day = sayDay(when.since);
  document.title = [venue, day].filter(Boolean).join(" · ");
  setText($("title"), venue ? `${venue} · ${day}` : day);
  if (evening) showNeighbours(evening);
  if (!evening?.matches.length) return setText($("said"), texts.none);
  await showStory(evening, new Map((players ?? []).map((player) => [player.name.toLowerCase(), player])), when, venue);
  return setText($("said"), "");
}

begin().catch(({ message }) => setText($("said"), message));
