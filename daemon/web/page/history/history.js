/* The statistics: all players in a table, one player game by game, the matches, or one of them. What is shown is in the address, so that links, the
   back button and a reload do what they always do. */

import { makeAvatar } from "../avatar.js";
import { Board } from "../board.js";
import { $, make, makeSvg, nameForTests, setText } from "../dom.js";
import { showCard } from "./card.js";
import { linkHere, NOTHING } from "./history_links.js";
import { askHistory, fillTable, isOwn, linkToGhost, makePiece, showEmpty, showInPieces, texts } from "./history_parts.js";
import { read } from "../link.js";
import { loadSheet } from "../parts.js";
import { linkTo } from "../preferences.js";
import { history as words, words as spoken } from "../words/words.js";

const BEDS = 12; // as many as a phone likes to scroll
const [WIDE, HIGH, LEFT, PAD] = [600, 200, 66, 22]; // the drawing of the trend

const asked = new URLSearchParams(location.search);
/** @param {HTMLElement} parent @param {"h2" | "p"} tag @param {string} text */
function sayIn(parent, tag, text) {
  const element = parent.querySelector(tag);
  if (element) setText(element, text);
}

/** @param {{ players: Oche.PlayerSummary[], unread: number }} stats @param {URLSearchParams} query */
async function showPlayers({ players, unread }, query) {
  const trouble = unread ? texts.unread(unread) : "";
  if (!players.length) return showEmpty([texts.noMatch, trouble].filter(Boolean).join(" "));
  setText($("said"), trouble);
  if (players.length === 1) return readPlayer(players[0].name, query, trouble);
  const profiles = await readProfiles();
  const table = make("table");
  const { begin: beginList, button } = showInPieces(async (piece) => (await askPlayers(query, piece))?.players ?? [], (found) => fillPlayers(table, found, profiles));
  beginList(players);
  $("players").replaceChildren(table, button);
  $("players").hidden = false;
  return undefined;
}

/** @param {HTMLElement} table @param {Oche.PlayerSummary[]} players @param {Map<string, Oche.KnownPlayer>} profiles */
function fillPlayers(table, players, profiles) {
  if (players.some(({ figure }) => figure === "mpr")) setText($("rule"), `${texts.rule} ${texts.mpr}`);
  fillTable(table, texts.all, texts.playerColumns, players.map((each, place) => [
    make("div", { className: "named" }, makeAvatar(profiles.get(each.name) ?? { name: each.name }),
      make("a", { href: linkHere({ player: each.name }), test: `player-${place}` }, each.is_bot ? texts.bot(each.name) : each.name)),
    words.number(each.matches), words.number(each.won), each.legs ? `${each.legs_won}/${each.legs}` : "–",
    words.number(each.darts), words.day(each.last), words.mostly(each),
  ]), players.map((each) => [
    each.name, each.matches, each.won, each.legs_won, each.darts, Date.parse(each.last), `${each.label} ${(each.value ?? 0).toFixed(1).padStart(6)}`,
  ]));
}

/** @param {URLSearchParams} query @param {Record<string, string>} piece
    @returns {Promise<{ players: Oche.PlayerSummary[], unread: number } | null>} */
const askPlayers = (query, piece) => askHistory(`stats?${new URLSearchParams({ ...Object.fromEntries(query), ...piece })}`);

/** Returns what players have said of themselves, by their names. @returns {Promise<Map<string, Oche.KnownPlayer>>} */
async function readProfiles() {
  /** @type {Oche.KnownPlayer[]} */
  const found = await read("players") ?? [];
  return new Map(found.map((each) => [each.name, each]));
}

/** Reads and shows one player. @param {string} name @param {URLSearchParams} query @param {string} trouble */
async function readPlayer(name, query, trouble = "") {
  query.set("name", name);
  /** @type {[(Oche.PlayerReport & Oche.Habits) | null, Map<string, Oche.KnownPlayer>]} */
  const [found, profiles] = await Promise.all([askHistory(`stats/player?${query}`), readProfiles()]);
  if (!found) return showEmpty(texts.unknown);
  setText($("said"), trouble);
  return showPlayer(found, profiles.get(found.name));
}

/** @param {Oche.PlayerReport & Oche.Habits} found @param {Oche.KnownPlayer | undefined} profile */
function showPlayer(found, profile) {
  setText($("title"), found.is_bot ? texts.bot(found.name) : found.name);
  const game = found.games.find((each) => each.variant === asked.get("game")) ?? found.games[0];
  $("player").hidden = false;
  $("games").hidden = found.games.length < 2;
  $("games").replaceChildren(...found.games.map((each) => {
    const link = make("a", { href: linkHere({ player: found.name, game: each.variant }) }, each.label);
    if (each === game) link.setAttribute("aria-current", "page");
    return link;
  }));
  showCard(found, game, profile);
  offerMore(found.name, game.best_match, Boolean(profile));
  if (found.badges.length) import("./badges.js").then(({ showBadges }) => showBadges(found.badges));
  import("./habits.js").then(({ showHabits }) => showHabits(found));
  showTrend(game);
  if (game.better && (game.results?.length ?? 0) > 1) import("./results.js").then(({ showResults }) => showResults(game));
  showHeat(game);
  if (isOfDoubles(game)) import("./results.js").then(({ showDoubles }) => showDoubles(game));
}

/** Leads from the card to a match against the best leg, and to where the player's picture, names, sound and colour are
    changed, for who may. @param {string} name @param {string | null | undefined} match that of the best leg @param {boolean} hasProfile */
async function offerMore(name, match, hasProfile) {
  /** @type {Oche.TableInfo[] | null} */
  const tables = await read("tables");
  if (!isOwn() || !tables?.some(({ role }) => role !== "look")) return;
  $("card").append(...(match ? [linkToGhost(match, name, texts.ghost)] : []),
    ...(hasProfile ? [make("a", { href: linkHere({ players: "1", player: name, game: null }), test: "edit-profile" }, texts.edit)] : []));
}

/** Whether doubles were aimed at, and nothing else. @param {Oche.GameReport} report */
function isOfDoubles({ figures: { targets } }) {
  const aimed = Object.keys(targets);
  return aimed.length > 0 && aimed.every((bed) => bed[0] === "D");
}

/** @param {Oche.GameReport} report */
function showTrend({ better, figure, trend, months }) {
  // Games without points have no average, and exercises the line of their results.
  $("trend").hidden = Boolean(better) || trend.length < 2 || trend.every(({ value }) => !value);
  if ($("trend").hidden) return;
  sayIn($("trend"), "h2", texts.trend(words.kinds[figure]));
  sayIn($("trend"), "p", texts.window);
  const values = trend.flatMap((point) => [point.value, point.pooled]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (/** @type {number} */ place) => LEFT + (trend.length > 1 ? place / (trend.length - 1) : 0.5) * (WIDE - LEFT - PAD);
  const y = (/** @type {number} */ value) => HIGH - PAD - (high > low ? (value - low) / (high - low) : 0.5) * (HIGH - 2 * PAD);
  const levels = high > low ? [low, (low + high) / 2, high] : [low];
  $("line").setAttribute("aria-label", texts.trendLabel(words.kinds[figure], words.fixed(trend[0].pooled), words.fixed(trend[trend.length - 1].pooled), words.matches(trend.length)));
  $("line").replaceChildren(
    ...levels.flatMap((level) => [
      makeSvg("line", { x1: LEFT, x2: WIDE - PAD, y1: y(level), y2: y(level) }),
      makeSvg("text", { x: 6, y: y(level) }, words.level(level)),
    ]),
    ...trend.map((point, place) => makeSvg("circle", { cx: x(place), cy: y(point.value), r: 4 },
      makeSvg("title", {}, `${words.day(point.at)}${spoken.colon}${words.fixed(point.value)}`))),
    makeSvg("polyline", { points: trend.map((point, place) => `${x(place)},${y(point.pooled)}`).join(" ") }));
  $("months").hidden = months.length < 2;
  fillTable($("months"), texts.trend(words.kinds[figure]), [...texts.months, words.kinds[figure]], months.slice(-12).map((each) =>
    [each.month, words.number(each.matches), words.fixed(each.value)]));
}

/** @param {Oche.GameReport} report */
async function showHeat(report) {
  const { face, figures: { hits, measured } } = report;
  const known = Object.values(hits).reduce((sum, n) => sum + n, 0);
  $("heat").hidden = !known; // who enters totals has no beds
  if (!known) return;
  sayIn($("heat"), "h2", texts.heat);
  if (measured) import("./points.js").then(({ showPoints }) => showPoints(report, measured));
  /** @type {Map<string, number>} */
  const beds = new Map();
  for (const [bed, n] of Object.entries(hits)) { // both halves of a single are read as one
    const whole = bed.replace(/^[IO](?=\d)/, "S");
    beds.set(whole, (beds.get(whole) ?? 0) + n);
  }
  const listed = [...beds].sort(([, one], [, other]) => other - one).slice(0, BEDS);
  $("beds").hidden = listed.length < 2;
  if ($("beds").hidden) $("beds").before(make("p", { className: "aside", test: "only-bed" }, texts.onlyBed(spoken.spoken(listed[0][0]), spoken.darts(known))));
  fillTable($("beds"), texts.heat, texts.beds, listed.map(([bed, n]) => {
    const bar = make("i");
    bar.style.width = `${(100 * n) / listed[0][1]}%`;
    return [make("span", { role: "img", ariaLabel: spoken.spoken(bed) }, spoken.segment(bed)), words.number(n), words.share(n / known), bar];
  }));
  /** @type {Oche.Layout | null} */
  const layout = await read(`layout/${encodeURIComponent(face)}`);
  if (!layout) return;
  const board = new Board($("map"), layout);
  /** @type {Map<string, number>} */
  const heat = new Map();
  for (const [bed, n] of Object.entries(hits)) {
    const areas = board.byId.has(bed) || bed.includes("|") ? board.covered(bed) : [];
    for (const { id } of areas) heat.set(id, (heat.get(id) ?? 0) + n / areas.length); // S20 is either of its singles
  }
  const hottest = Math.max(...heat.values());
  // The root, so that the small beds, which few darts find, are seen at all.
  for (const [id, n] of heat) board.paths.get(id)?.style.setProperty("--heat", String(Math.sqrt(n / hottest)));
}

async function begin() {
  nameForTests();
  setText($("said"), texts.loading);
  let said = "";
  const isSaid = () => $("said").textContent === texts.offline;
  addEventListener("unanswered", () => {
    if (!isSaid()) said = $("said").textContent ?? "";
    setText($("said"), texts.offline);
  });
  addEventListener("answered", () => {
    if (isSaid()) setText($("said"), said);
  });
  for (const id of /** @type {const} */ (["title", "all", "rule"])) setText($(id), texts[id]);
  setText($("back"), words.back);
  setText($("list"), texts.matchList);
  setText($("who"), texts.who);
  setText($("rivalry"), texts.rivals);
  setText($("more"), texts.more);
  const bots = asked.has("bots");
  setText($("bots"), bots ? texts.bots.hide : texts.bots.show);
  $("bots").href = linkHere({ bots: bots ? null : "1" });
  $("back").href = linkTo("./", { ...NOTHING, bots: null });
  $("all").href = linkHere(NOTHING);
  $("who").href = linkHere({ ...NOTHING, players: "1" });
  $("who").hidden = asked.has("players");
  $("rivalry").href = linkHere({ ...NOTHING, rivals: "1", player: asked.get("player") });
  $("rivalry").hidden = asked.has("rivals");
  $("list").href = linkHere({ ...NOTHING, player: asked.get("player"), matches: "1" });
  $("all").hidden = ![...asked.keys()].some((name) => name in NOTHING);
  setText($("evening"), texts.evening);
  $("evening").href = linkTo("story", { ...NOTHING, bots: null });
  $("list").hidden = asked.has("matches") && !asked.has("before");
  $("bots").hidden = asked.has("match") || asked.has("matches") || asked.has("players") || asked.has("rivals") || asked.has("standings");
  const match = asked.get("match");
  if (match !== null) {
    const [{ showMatch }] = await Promise.all([import("./match.js"), loadSheet("static/history/match.css")]);
    return showMatch(match);
  }
  if (asked.has("standings")) return (await import("./season.js")).showSeason(asked.get("standings") ?? "");
  if (asked.has("rivals")) return (await import("./rivals.js")).showRivals(asked);
  if (asked.has("players")) {
    const [{ showPlayers: showProfiles }] = await Promise.all([import("./players.js"), loadSheet("static/history/players.css")]);
    return showProfiles(asked.get("player") ?? "");
  }
  if (asked.has("matches")) return (await import("./matches.js")).showMatches(asked);
  const query = new URLSearchParams(bots ? { bots: "1" } : {});
  const player = asked.get("player");
  if (player !== null) return readPlayer(player, query);
  const stats = await askPlayers(query, makePiece());
  return stats && showPlayers(stats, query);
}

begin().catch(({ message }) => setText($("said"), message));
