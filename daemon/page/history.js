/* The statistics: everybody in a table, or one player game by game. What is shown is in the address, so that links, the
   back button and a reload do what they always do. */

import { Board } from "./board.js";
import { $, make, say, shape } from "./dom.js";
import { read } from "./link.js";
import { linkTo } from "./preferences.js";
import { history as words, words as spoken } from "./words.js";

const BEDS = 12; // as many as a phone likes to scroll
const [WIDE, HIGH, LEFT, PAD] = [600, 200, 66, 22]; // the drawing of the trend

const asked = new URLSearchParams(location.search);
const here = (changes) => linkTo("history", changes);
const titled = (parent, text) => say(parent.querySelector("h2"), text);

/** A table of that name; the first cell of a row is its head. */
function table(element, name, head, rows) {
  const row = (scope) => (cells) => make("tr", {}, ...cells.map((content, column) => {
    const className = column > 2 && column < 6 ? "spare" : "";
    return scope === "col" || !column ? make("th", { className, scope }, content) : make("td", { className }, content);
  }));
  element.ariaLabel = name;
  element.replaceChildren(make("thead", {}, row("col")(head)), make("tbody", {}, ...rows.map(row("row"))));
}

/** Reads it; says how far it is while the matches are read. */
async function ask(path) {
  for (;;) {
    const found = await read(path);
    if (!found?.reading) return found;
    say($("said"), words.reading(found.reading));
  }
}

function showPlayers({ players, unread }) {
  say($("said"), [players.length ? "" : words.nobody, unread ? words.unread(unread) : ""].filter(Boolean).join(" "));
  $("players").hidden = !players.length;
  const list = $("players").appendChild(make("table"));
  table(list, words.all, words.columns, players.map((each, place) => [
    make("a", { href: here({ player: each.name }), test: `player-${place}` }, each.is_bot ? words.bot(each.name) : each.name),
    words.number(each.matches), words.number(each.won), each.legs ? `${each.legs_won}/${each.legs}` : "–",
    words.number(each.darts), words.day(each.last), words.mostly(each),
  ]));
}

function showPlayer(found) {
  say($("title"), found.is_bot ? words.bot(found.name) : found.name);
  const game = found.games.find((each) => each.variant === asked.get("game")) ?? found.games[0];
  say($("said"), `${game.label}: ${words.played(game)}`);
  $("player").hidden = false;
  $("games").hidden = found.games.length < 2;
  $("games").replaceChildren(...found.games.map((each) => {
    const link = make("a", { href: here({ game: each.variant }) }, each.label);
    if (each === game) link.setAttribute("aria-current", "page");
    return link;
  }));
  const figures = words.figures(game.figures).filter(([, text]) => (text ?? "") !== "");
  $("figures").replaceChildren(...figures.map(([label, text, wide]) =>
    make("div", { className: wide ? "wide" : "" }, make("dt", {}, label), make("dd", { test: label }, String(text)))));
  showTrend(game);
  showHeat(game);
}

function showTrend({ figure, trend, months }) {
  $("trend").hidden = !trend.length;
  if (!trend.length) return;
  titled($("trend"), words.trend(figure));
  say($("trend").querySelector("p"), words.window);
  const values = trend.flatMap((point) => [point.value, point.pooled]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (place) => LEFT + (trend.length > 1 ? place / (trend.length - 1) : 0.5) * (WIDE - LEFT - PAD);
  const y = (value) => HIGH - PAD - (high > low ? (value - low) / (high - low) : 0.5) * (HIGH - 2 * PAD);
  const levels = high > low ? [low, (low + high) / 2, high] : [low];
  $("line").setAttribute("aria-label", words.trendLabel(figure, trend[0].pooled, trend.at(-1).pooled, trend.length));
  $("line").replaceChildren(
    ...levels.flatMap((level) => [
      shape("line", { x1: LEFT, x2: WIDE - PAD, y1: y(level), y2: y(level) }),
      shape("text", { x: 6, y: y(level) }, words.level(level)),
    ]),
    ...trend.map((point, place) => shape("circle", { cx: x(place), cy: y(point.value), r: 4 },
      shape("title", {}, `${words.day(point.at)}: ${words.fixed(point.value)}`))),
    shape("polyline", { points: trend.map((point, place) => `${x(place)},${y(point.pooled)}`).join(" ") }));
  table($("months"), words.trend(figure), words.months(figure), months.slice(-12).map((each) =>
    [each.month, words.number(each.matches), words.fixed(each.value)]));
}

async function showHeat({ face, figures: { hits, darts } }) {
  titled($("heat"), words.heat);
  const most = Math.max(...Object.values(hits));
  table($("beds"), words.heat, words.beds, Object.entries(hits).slice(0, BEDS).map(([bed, n]) => {
    const bar = make("i");
    bar.style.width = `${(100 * n) / most}%`;
    return [make("span", { role: "img", ariaLabel: spoken.spoken(bed) }, spoken.segment(bed)), words.number(n), words.share(n / darts), bar];
  }));
  const layout = await read(`layout/${encodeURIComponent(face)}`);
  if (!layout) return;
  const board = new Board($("map"), layout);
  const heat = new Map();
  for (const [bed, n] of Object.entries(hits)) {
    const areas = board.byId.has(bed) || bed.includes("|") ? board.covered(bed) : [];
    for (const { id } of areas) heat.set(id, (heat.get(id) ?? 0) + n / areas.length); // S20 is either of its singles
  }
  const hottest = Math.max(...heat.values());
  // The root, so that the small beds, which few darts find, are seen at all.
  for (const [id, n] of heat) board.paths.get(id).style.setProperty("--heat", Math.sqrt(n / hottest));
}

async function begin() {
  for (const element of document.querySelectorAll("[id]")) element.dataset.testid ??= element.id;
  for (const id of ["title", "back", "all", "rule"]) say($(id), words[id]);
  const bots = asked.has("bots");
  say($("bots"), bots ? words.bots.hide : words.bots.show);
  $("bots").href = here({ bots: bots ? null : 1 });
  $("back").href = linkTo("./", { player: null, game: null, bots: null });
  $("all").href = here({ player: null, game: null });
  $("all").hidden = !asked.has("player");
  const query = new URLSearchParams(bots ? { bots: 1 } : {});
  if (!asked.has("player")) return showPlayers(await ask(`stats?${query}`));
  query.set("name", asked.get("player"));
  const found = await ask(`stats/player?${query}`);
  return found ? showPlayer(found) : say($("said"), words.unknown);
}

begin().catch(({ message }) => say($("said"), message));
