/* Ground Round: the map. The owner of a hexagon shows by colour and by number, for not every player sees colours. */

import { make, makeSvg, rebuild, setSideColour } from "../dom.js";
import { makeGlyph, makeGlyphMark } from "../glyphs.js";
import { findRoomiest } from "../outline.js";
import { store } from "../store.js";
import { words } from "../words/words.js";

/** What the game says of a hexagon.
    @typedef {{ side: number | null, defense: number, pins: number[], symbol: string }} Cell */

const dropRed = (/** @type {string} */ id) => id.replace("!", ""); // a red area is its hexagon's
const placeAt = (/** @type {number} */ x, /** @type {number} */ y, scale = 1) => `translate(${x} ${y}) scale(${scale})`;

/** What stands on one hexagon, in a drawing of 200 across.
    @param {string} id @param {Cell} what @param {Oche.Segment} segment */
function makeCell(id, { side, defense, pins }, segment) {
  const { at: [x, y], room } = findRoomiest(segment.outline.slice(0, 1));
  return makeSvg("g", { transform: placeAt(x, -y, room / 100) },
    makeSvg("text", { y: 86, class: "where", "font-size": 20 }, words.segment(id)),
    ...(side === null ? [] : [makeSvg("g", { class: `owner side-${side}`, transform: placeAt(-60, -42) },
      makeSvg("circle", { r: 20 }), makeSvg("text", { "font-size": 30 }, side + 1))]),
    ...(defense ? [makeSvg("g", { class: "shield", transform: placeAt(60, -42) },
      makeGlyphMark("shield", 0, 0, 60, ""),
      makeSvg("text", { "font-size": 30 }, defense))] : []),
    ...pins.map((owner, index) => {
      const across = 30 * (index - (pins.length - 1) / 2);
      return makeSvg("g", { class: `army side-${owner}` }, makeGlyphMark("pin", across, 50, 50, ""),
        makeSvg("text", { x: across, y: 42, "font-size": 22 }, owner + 1));
    }));
}

/** The hexagons that would answer a prompt now: where a move starts, or, when that is known, where it goes.
    @param {Oche.Prompt} prompt */
function findAnswers({ id, options }) {
  const from = store.moves.get(id);
  const moves = (options ?? []).map((option) => option.split(">"));
  return from ? moves.filter(([start]) => start === from).map(([, end]) => end) : moves.map(([start]) => start);
}

/** @type {Oche.Face} */
export const groundRound = {
  shape: "low",
  /** A finger on the map: {prompt, option}, {prompt, from}, or null. A move that was begun comes first. */
  touched({ prompts }, id) {
    const hex = dropRed(id);
    const begun = (/** @type {Oche.Prompt} */ prompt) => store.moves.get(prompt.id);
    const asked = prompts.filter((prompt) => findAnswers(prompt).includes(hex));
    const prompt = asked.find(begun) ?? asked[0];
    if (!prompt) return null;
    if (begun(prompt)) return { prompt, option: `${begun(prompt)}>${hex}` };
    return prompt.options?.includes(hex) ? { prompt, option: hex } : { prompt, from: hex };
  },
  map(state, board) {
    /** @type {Record<string, Cell>} */
    const cells = state.board.cells ?? {};
    for (const [id, path] of board.paths) {
      const owner = cells[dropRed(id)]?.side ?? null;
      path.dataset.testid = `hex-${id}`;
      path.classList.toggle("owned", owner !== null);
      setSideColour(path, owner);
    }
    rebuild(board.layer, cells, () => Object.entries(cells).flatMap(([id, what]) => {
      const segment = board.byId.get(id);
      return segment ? [makeCell(id, what, segment)] : [];
    }));
    board.paint("target", state.phase === "throwing" ? state.targets : []);
    board.paint("best", state.phase === "throwing" ? state.board.best ?? [] : []);
    board.paint("hit", state.phase === "over" ? [] : state.turn.darts.map((dart) => dart.segment));
    board.paint("choice", state.prompts.flatMap(findAnswers).filter((id) => board.byId.has(id)));
    board.paint("picked", [...store.moves.values()]);
  },
  panel(element, { board: { attack, unlimited }, turn }) {
    const { glyphs, shield } = words.legend;
    const power = unlimited ? "" : words.takes(attack?.[turn.side] ?? 1); // else the task says it
    rebuild(element, power, () => [...(power ? [make("span", { className: "item" }, power)] : []), make("ul", { className: "signs" },
      ...Object.entries(glyphs).map(([name, meaning]) => make("li", {}, makeGlyph(name), meaning)),
      make("li", {}, makeGlyph("shield"), shield))]);
  },
  facts({ sides, board }, index) {
    const { hexagons = 0, in_hand: inHand } = sides[index].detail;
    return [words.attack(board.attack?.[index] ?? 1), words.hexagons(hexagons),
      ...(inHand ? [words.inHand(inHand)] : [])];
  },
  sum: () => "",
  aims: () => [], // they are lit on the map, and their names would say little
  note: ({ segment }, { board }) =>
    words.symbol(board.cells?.[dropRed(segment)]?.symbol ?? (segment.includes("|") ? "line" : "–")),
  /** An option that is a hexagon, with its symbol. */
  option(text, { board }) {
    const symbol = board.cells?.[text]?.symbol;
    return symbol ? [...(symbol === "blank" ? [] : [makeGlyph(symbol)]), words.segment(text)] : [words.option(text)];
  },
};
