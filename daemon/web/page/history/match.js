/* One match that is over: side by side, leg by leg, and dart by dart on its board. Its darts are read in pieces, when they
   are come to. */

import { Board } from "../board.js";
import { $, make, makeSvg, rebuild, setSideColour, setText } from "../dom.js";
import { writeTime } from "./history_links.js";
import { askLeague, explain, hearOfLeague, isOwn, linkToGhost, texts } from "./history_parts.js";
import { ask, read } from "../link.js";
import { linkTo } from "../preferences.js";
import { hasSplitSingles } from "../words/naming.js";
import { describeLast, makeFiguresTable, makeLegsTable } from "../report.js";
import { history as words, words as spoken } from "../words/words.js";

const PIECE = 60; // steps in one answer

/** Shows the match of this id. Throws as `read` does. @param {string} id */
export async function showMatch(id) {
  const place = `match/${encodeURIComponent(id)}`;
  /** @type {Oche.MatchReport | null} */
  const report = await read(askLeague(place), hearOfLeague);
  if (!report) return setText($("said"), words.unknownMatch);
  const { at, last, sides, steps, was_stopped: wasStopped } = report;
  const title = spoken.title(report.title);
  const winners = sides.filter(({ won }) => won).map(({ name }) => name);
  document.title = `${title} · ${sides.map(({ name }) => name).join(" – ")}`;
  setText($("title"), title);
  const outcome = wasStopped ? words.wasStopped : winners.length ? texts.wonBy(winners.join(", ")) : "";
  setText($("said"), [writeTime(at), outcome, last.darts.length ? describeLast(report, spoken.segment) : ""].filter(Boolean).join(" · "));
  const legs = makeLegsTable(report, report.legs.length);
  $("match").replaceChildren(
    make("section", {}, make("h2", {}, words.sideBySide), makeWide(words.sideBySide, explainFigures(makeFiguresTable(report, false))),
      ...(legs ? [make("h2", {}, words.byLeg(words.kinds[report.figure])), makeWide(words.byLeg(words.kinds[report.figure]), legs)] : []),
      ...(steps && isOwn() ? makeGhosts(report) : [])),
    make("section", {}, make("h2", {}, words.whole), ...(steps ? await makeReplay(report, place) : [make("p", {}, texts.mayGoOn)]),
      ...(isOwn() ? makeSharing(report, steps ? `api/${place}/record` : "") : [])));
  $("match").hidden = false;
  if (report.ref) {
    const { makeNewTonResult } = await import("../wall/newton_result.js");
    $("match").append(...[await makeNewTonResult(report)].filter((each) => each !== null));
  }
  const { makeClips } = await import("./match_clips.js");
  const clips = await makeClips(id);
  if (clips) $("match").append(clips);
  return undefined;
}

/** A table that scrolls where it is wider than the screen, by keys, too. @param {string} name @param {HTMLTableElement} table */
const makeWide = (name, table) => make("div", { className: "wide-table", role: "region", ariaLabel: name, tabIndex: 0 }, table);

/** Makes for each side links to a match against each of its legs. @param {Oche.MatchReport} report */
const makeGhosts = ({ legs, match, sides }) => sides.flatMap(({ has_ghost: hasGhost, players: [player] }, side) => (hasGhost
  ? [make("p", { className: "sharing" }, texts.ghosts(player), ...legs.flatMap(({ darts }, leg) => (darts[side]
    ? [linkToGhost(match, player, `${leg + 1}. ${spoken.darts(darts[side])}`, leg)] : [])))]
  : []));

/** Says below the heads of the rows what those figures are that only players of some boards know, and lets lists of beds
    take several lines. @param {HTMLTableElement} table */
function explainFigures(table) {
  const { firstNine, level, mpr, ppd, upTo80 } = words.named;
  for (const head of table.querySelectorAll("tbody th")) {
    const label = head.textContent ?? "";
    if ([firstNine, level, mpr, ppd, upTo80].includes(label)) head.append(make("small", { className: "about" }, explain(label)));
  }
  for (const cell of table.querySelectorAll("td")) cell.classList.toggle("long", cell.textContent?.includes(" · "));
  return table;
}

/** Makes the board on which the match is gone through, one state after the other.
    @param {Oche.MatchReport} report @param {string} place */
async function makeReplay({ layout: name, dartboard, steps }, place) {
  /** @type {Oche.Layout | null} */
  const layout = await read(`layout/${encodeURIComponent(dartboard ?? name)}`);
  const drawing = makeSvg("svg", { id: "replay-board", "aria-hidden": "true" });
  const board = layout && new Board(drawing, layout);
  const now = make("p", { test: "now", className: "now" });
  const standing = make("ul", { test: "standing", className: "standing" });
  const slider = make("input", { type: "range", min: "0", max: String(steps - 1), value: "0", test: "step", ariaLabel: texts.step });
  /** @type {Map<number, Promise<{ steps: Oche.State[] }>>} by its first step */
  const pieces = new Map();

  /** @param {number} step @returns {Promise<Oche.State>} */
  async function readStep(step) {
    const first = step - (step % PIECE);
    if (!pieces.has(first)) {
      const asked = ask(askLeague(`${place}/steps?first=${first}`));
      pieces.set(first, /** @type {Promise<{ steps: Oche.State[] }>} */ (asked));
      asked.catch(() => pieces.delete(first)); // it is asked again when it is come to again
    }
    return (await /** @type {Promise<{ steps: Oche.State[] }>} */ (pieces.get(first))).steps[step - first];
  }

  async function show() {
    const step = slider.valueAsNumber;
    try {
      const state = await readStep(step);
      if (slider.valueAsNumber !== step) return; // meanwhile it was moved on
      board?.show([], state.turn.darts);
      const said = describeStep(state);
      setText(now, said);
      slider.setAttribute("aria-valuetext", said);
      back.disabled = step === 0;
      on.disabled = step === steps - 1;
      rebuild(standing, state.sides.map(({ legs, name: side, score, sets }) => [side, sets, legs, score, state.turn.side]), () =>
        state.sides.map((side, index) => {
          const line = make("li", { className: index === state.turn.side ? "up" : "" },
            make("span", { className: "badge" }, String(index + 1)), make("span", {}, side.name), make("b", {}, describeScore(state, index)));
          setSideColour(line, index);
          return line;
        }));
    } catch (problem) {
      setText(now, /** @type {Error} */ (problem).message);
    }
  }

  /** @param {string} test @param {string} label @param {string} sign @param {number} steps */
  const makeMove = (test, label, sign, steps) => make("button", {
    type: "button", test, ariaLabel: label,
    onclick() {
      slider.value = String(slider.valueAsNumber + steps);
      show();
    },
  }, sign);
  const [back, on] = [makeMove("step-back", texts.stepBack, "‹", -1), makeMove("step-on", texts.stepOn, "›", 1)];
  slider.oninput = show;
  await show();
  return [standing, now, make("div", { className: "steps" }, back, slider, on), drawing];
}

/** Returns who is at the oche, and this visit's darts. @param {Oche.State} state */
function describeStep(state) {
  const { round, turn } = state;
  const darts = turn.darts.map(({ segment, unread }) => (unread ? "?" : spoken.segment(segment, hasSplitSingles(state)))).join(" ");
  const sum = turn.bust ? spoken.bust : turn.points ? spoken.sum(turn.points) : "";
  return [`${spoken.round(round)} · ${turn.player}${spoken.colon.trimEnd()}`, darts || "–", sum].filter(Boolean).join(" ");
}

/** @param {Oche.State} state @param {number} index */
function describeScore({ format, sides }, index) {
  const { legs, score, sets } = sides[index];
  return [format.sets > 1 && spoken.sets(sets), format.legs > 1 && spoken.legs(legs), score].filter((each) => each !== false).join(" · ");
}

/** Makes what shares the match: its link, and its record as a file.
    @param {Oche.MatchReport} report @param {string} record where the record is; "" where it is not to be had */
function makeSharing({ match, title }, record) {
  const field = make("input", { readOnly: true, hidden: true, test: "link-field", ariaLabel: texts.link });
  const said = make("p", { test: "shared", role: "status" });
  const share = make("button", {
    type: "button", test: "share",
    async onclick() {
      const url = new URL(`history?match=${encodeURIComponent(match)}`, location.href).href;
      try {
        if (navigator.share) return await navigator.share({ title, url });
        await navigator.clipboard.writeText(url);
        setText(said, texts.copied);
      } catch (problem) {
        if (/** @type {Error} */ (problem).name === "AbortError") return; // by the person
        field.value = url; // a browser that copies over TLS only
        field.hidden = false;
        field.select();
      }
      return undefined;
    },
  }, texts.shareMatch);
  return [make("p", { className: "sharing" }, share, make("a", { href: linkTo("take_home", { match }), test: "take-home" }, texts.picture), ...(record ? [make("a", { href: record, download: "", test: "record" }, texts.record)] : [])),
  field, said];
}
