/* What happens, to eyes and ears: a few words flashed large for the great moments, a tone, the caller's voice, a line
   for a screen reader. The facts that followed from one input are taken together, and the greatest of them is shown.
   A fact is told once, whatever is undone, redone or corrected later; one that is taken back is hushed at once. */

import { call, hush } from "./caller.js";
import { $, make, tint } from "./dom.js";
import { announce } from "./live.js";
import { play } from "./sounds.js";
import { words } from "./words.js";

const RANKS = ["closed", "claimed", "halved", "award", "bust", "eliminated", "leg_won", "set_won", "match_won"];
const GREAT = ["180", "three_in_the_black", "nine_mark", "white_horse", "shanghai", "hole_in_one", "yatzy", "fifty"];
const SETTLE_MS = 30; // the facts of one input come within that
const SHOWN_MS = 2_300;
const WON_MS = 4_000;
const MOST_TOLD = 500;
const CONFETTI = 36;

const told = new Set();
let corrected = null; // the line that was just corrected or brought back
let gathered = [];
let state; // what they led to
let settling;
let leaving;

/** Takes a fact, and the page it happens on. */
export function moment(fact, app) {
  const type = fact.event_type;
  if (["undone", "corrected", "match_started"].includes(type)) withdraw();
  if (isNew(fact)) {
    if (gathered[0]?.line !== fact.line) perform(app.seat); // that was another input
    state = app.state;
    const names = fact.winners?.map((side) => state.sides[side]?.name ?? "");
    const isOrder = Boolean(names && state.board?.order); // who throws first has won nothing
    gathered.push({ ...fact, names, isOrder });
    clearTimeout(settling);
    settling = setTimeout(perform, SETTLE_MS, app.seat);
  }
  corrected = type === "corrected" ? fact.line : null;
}

/** Takes back what is shown and said: it has not been so, or is over. */
export function withdraw() {
  gathered = [];
  $("moment").hidden = true;
  hush();
}

/** An end that a redo brings back comes with a line of its own, but right after the line that won it. */
function isNew({ match, line, event_type: type, side, target, cell, award }) {
  if (!match || type === "undone" || type === "corrected") return true;
  const lines = type === "match_won" && corrected !== null ? [line, corrected] : [line];
  const keys = lines.map((each) => [match, each, type, side, target, cell, award].join(" "));
  const isKnown = keys.some((key) => told.has(key));
  for (const key of keys) told.add(key);
  for (const oldest of told) if (told.size > MOST_TOLD) told.delete(oldest);
  return !isKnown;
}

function perform(seat) {
  const facts = gathered;
  if (!facts.length) return;
  gathered = [];
  const rank = ({ event_type: type }) => RANKS.indexOf(type);
  const greatest = facts.reduce((most, fact) => (rank(fact) > rank(most) ? fact : most), {});
  if (rank(greatest) >= 0) show(greatest);
  play(kindOf(greatest) ?? (facts.some((fact) => fact.event_type === "dart") ? "dart" : null));
  call(facts, state);
  for (const line of lines(facts, seat)) announce(line);
}

const kindOf = ({ event_type: type, award, isOrder }) => (isOrder ? "claimed" : GREAT.includes(award) ? "great" : type);

function show(fact) {
  const [element, kind] = [$("moment"), kindOf(fact)];
  const text = words.moment(fact);
  element.dataset.kind = kind;
  tint(element, fact.winners?.[0] ?? fact.side);
  element.style.setProperty("--chars", Math.max(text.length, 4));
  const pieces = kind === "match_won" && fact.winners?.length ? confetti() : [];
  element.replaceChildren(make("b", {}, text), ...pieces); // it enters anew
  element.hidden = false;
  clearTimeout(leaving);
  leaving = setTimeout(() => { element.hidden = true; }, kind === "match_won" ? WON_MS : SHOWN_MS);
}

/** Pieces that fall where motion is welcome; where each begins, how it turns and when. */
const confetti = () => [...Array(CONFETTI).keys()].map((piece) => {
  const flake = make("i", { className: `side-${piece % 8}` });
  for (const [name, most] of [["--x", 100], ["--turn", 4], ["--wait", 1.2]]) {
    flake.style.setProperty(name, (Math.random() * most).toFixed(2));
  }
  return flake;
});

/** What a screen reader is told; a question only where it can be answered. */
function lines(facts, seat) {
  const busts = facts.some((fact) => fact.event_type === "bust");
  return facts.map((fact) => {
    if (fact.event_type === "visit" && busts) return null;
    if (fact.event_type !== "prompt") return words.tell(fact);
    const prompt = state.prompts?.find((each) => each.id === fact.id);
    return prompt && (seat ?? fact.seat) === fact.seat ? `${fact.player}: ${words.question(prompt)}` : null;
  }).filter(Boolean);
}
