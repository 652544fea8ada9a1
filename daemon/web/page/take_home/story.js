/* The story of an evening or a week: who played, every match in order, first times and records; to be read, printed, or taken
   home as pictures. The address has the evening (`?day=2026-11-29`) or the week (`?week=2026-W48`, without a value the present
   one), or a code that is for it; else it is the latest evening. */

import { drawCard, texts } from "./card.js";
import { Drawing } from "./drawing.js";
import { $, make, nameForTests, setSideColour, setText } from "../dom.js";
import { findEvening, findWeek, isWeek, listSides, readDay, readWeek, sayBadges, sayFirsts, sayMore, sayRecords, sayTime, sayWhen, writeDay, writeWeek } from "./evening.js";
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

/** @typedef {import("./evening.js").When} When */

/** Returns the texts for an evening, or for a week. @param {When} when @returns {Oche.TakeHomeLanguage} */
const chooseTexts = (when) => (isWeek(when) ? { ...texts, ...texts.ofWeek } : texts);

/** Reads an evening or a week. @param {When} when @returns {Promise<Oche.Evening | null>} */
const readEvening = ({ since, before }) =>
  readShown(`evening?${new URLSearchParams({ since: since.toISOString(), before: before.toISOString() })}`, sayReading);

/** Returns the evening that is asked for, and when it is; the latest with a match where none is. */
async function findWanted() {
  const code = readCode(), day = new URLSearchParams(location.search).get("day");
  if (code.since) {
    const when = { since: new Date(code.since * 1000), before: new Date(code.before * 1000) };
    return { when, evening: await readEvening(when) };
  }
  const week = new URLSearchParams(location.search).get("week");
  const asked = week !== null ? (week ? readWeek(week) : findWeek(new Date())) : day === null ? findEvening(new Date()) : readDay(day);
  if (!asked) throw new Error(texts.noDay);
  const evening = await readEvening(asked);
  if (day !== null || week !== null || !evening || evening.matches.length || !evening.earlier) return { when: asked, evening };
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

/** @param {Oche.EveningMatch} match @param {number} index @param {When} when */
function makeMatch(match, index, when) {
  const { result } = match;
  const picture = `${linkTo("take_home", { match: result.match, day: null, week: null })}${seesOnlyThis() ? location.hash : ""}`;
  return make("li", { test: `match-${index}` }, make("time", { dateTime: result.at }, sayTime(result.at, when)),
    make("a", { href: picture }, words.title(result.title)),
    make("p", { className: "ended" }, ...listSides(match).map(({ name, score, won }) => make("span", { className: won ? "won" : "" }, `${name} `, make("b", {}, score)))),
    make("p", { className: "more" }, sayMore(match)));
}

/** @param {string} title @param {string} test @param {(Node | string)[][]} lines */
const makeList = (title, test, lines) => (lines.length ? [make("section", { test }, make("h2", {}, title),
  make("ul", {}, ...lines.map((line) => make("li", {}, ...line))))] : []);

/** @param {Oche.Evening} evening @param {Map<string, Oche.KnownPlayer>} profiles @param {When} when @param {string} venue */
async function showStory(evening, profiles, when, venue) {
  const code = seesOnlyThis() ? null : await makeHourCode({
    since: String(when.since.getTime() / 1000), before: String(when.before.getTime() / 1000),
  }, chooseTexts(when).scanStory, texts.scanHow);
  $("taken").replaceChildren(
    makeActions(evening, profiles, when, venue),
    make("section", { className: "faces" }, make("h2", {}, texts.players), make("ul", { className: "people" }, ...await Promise.all(
      evening.players.map((player, index) => makePlayer(player, profiles.get(player.name.toLowerCase()), index))))),
    make("section", {}, make("h2", {}, texts.matches), ...(evening.more ? [make("p", {}, texts.more(evening.matches.length))] : []),
      make("ol", { className: "matches" }, ...evening.matches.map((match, index) => makeMatch(match, index, when)))),
    ...makeList(texts.records, "records", sayRecords(evening).map(([label, text]) => [make("span", {}, label), make("b", {}, text)])),
    ...makeList(badges.title, "badges", sayBadges(evening, badges).map(([player, text]) => [make("span", {}, player), make("b", {}, text)])),
    ...makeList(texts.firsts, "firsts", sayFirsts(evening).map((text) => [text])),
    ...(code ? [code] : []));
}

/** What can be done with the evening. @param {Oche.Evening} evening @param {Map<string, Oche.KnownPlayer>} profiles
    @param {When} when @param {string} venue */
function makeActions(evening, profiles, when, venue) {
  const mayShare = canShare();
  const pictures = make("button", {
    type: "button", className: "go", test: "pictures",
    async onclick() {
      pictures.disabled = true;
      setText($("said"), texts.drawing);
      const files = await drawAll(evening, profiles, when, venue);
      if (mayShare) await share(files, sayWhen(when));
      else for (const file of files) save(file);
      setText($("said"), "");
      pictures.disabled = false;
    },
  }, mayShare ? texts.shareAll : texts.saveAll);
  return make("div", { className: "choices" }, pictures, make("button", { type: "button", test: "print", onclick: () => print() }, texts.print));
}

/** Returns the two pictures of the evening or the week, and one of each match, the latest where there are many.
    @param {Oche.Evening} evening @param {Map<string, Oche.KnownPlayer>} profiles @param {When} when @param {string} venue */
async function drawAll(evening, profiles, when, venue) {
  const canvas = make("canvas"), named = isWeek(when) ? writeWeek(when.since) : writeDay(when.since);
  const files = [], told = { title: venue || chooseTexts(when).story, when: sayWhen(when) };
  for (const size of /** @type {const} */ (["upright", "wide"])) {
    await drawOverview(canvas, evening, profiles, { ...told, size });
    files.push(await makeFile(canvas, nameFile("oche", named, size === "wide" ? texts.wide : "")));
  }
  for (const [index, { result }] of evening.matches.slice(-MOST_PICTURES).entries()) {
    /** @type {Oche.MatchReport | null} */
    const report = await readShown(`match/${encodeURIComponent(result.match)}`);
    if (!report) continue;
    await drawCard(canvas, report, [...profiles.values()], { venue });
    files.push(await makeFile(canvas, nameFile("oche", named, String(index + 1), words.title(result.title))));
  }
  return files;
}

/** Leads to the evenings, or the weeks, before and after; from an evening to its week too.
    @param {Oche.Evening} evening @param {When} when */
function showNeighbours({ earlier, later }, when) {
  if (seesOnlyThis()) return;
  const own = chooseTexts(when);
  const linkToWeek = (/** @type {Date} */ at) => linkTo("story", { day: null, week: writeWeek(findWeek(at).since) });
  const linkToDay = (/** @type {Date} */ at) => linkTo("story", { day: writeDay(findEvening(at).since), week: null });
  const link = isWeek(when) ? linkToWeek : linkToDay;
  $("title").parentElement?.append(
    ...(isWeek(when) ? [] : [make("a", { href: linkToWeek(when.since), test: "week" }, texts.ofWeek.story)]),
    ...(earlier ? [make("a", { href: link(new Date(earlier)), test: "earlier" }, own.earlier)] : []),
    ...(later ? [make("a", { href: link(new Date(later)), test: "later" }, own.later)] : []));
}

async function begin() {
  nameForTests();
  setText($("title"), texts.story);
  const [{ when, evening }, players, place] = await Promise.all([findWanted(),
    /** @type {Promise<Oche.KnownPlayer[] | null>} */ (readShown("players")),
    /** @type {Promise<{ venue: string } | null>} */ (readShown("venue"))]);
  const venue = place?.venue ?? "", day = sayWhen(when);
  document.title = [venue, day].filter(Boolean).join(" · ");
  setText($("title"), venue ? `${venue} · ${day}` : day);
  if (evening) showNeighbours(evening, when);
  if (!evening?.matches.length) return setText($("said"), chooseTexts(when).none);
  await showStory(evening, new Map((players ?? []).map((player) => [player.name.toLowerCase(), player])), when, venue);
  return setText($("said"), "");
}

begin().catch(({ message }) => setText($("said"), message));
