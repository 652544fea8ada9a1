/* Ground Round: the map. Whose a hexagon is shows by colour and by number, for colour alone is not for everybody. */

import { rebuild, shape, spans, tint } from "./dom.js";
import { glyph, mark } from "./glyphs.js";
import { heart } from "./outline.js";
import { begun } from "./prompts.js";
import { words } from "./words.js";

const bare = (id) => id.replace("!", ""); // a red area is its hexagon's
const at = (x, y, scale = 1) => `translate(${x} ${y}) scale(${scale})`;

/** What stands on one hexagon, in a drawing of 200 across. */
function cell(id, { side, defense, pins }, segment) {
  const { at: [x, y], room } = heart(segment.outline.slice(0, 1));
  return shape("g", { transform: at(x, -y, room / 100) },
    shape("text", { y: 86, class: "where", "font-size": 20 }, id),
    ...(side === null ? [] : [shape("g", { class: `owner side-${side}`, transform: at(-60, -42) },
      shape("circle", { r: 20 }), shape("text", { "font-size": 30 }, side + 1))]),
    ...(defense ? [shape("g", { class: "shield", transform: at(60, -42) },
      shape("path", { d: "M0 26C-16 18-21 8-21-16Q-11-16 0-24 11-16 21-16C21 8 16 18 0 26Z" }),
      shape("text", { "font-size": 30 }, defense))] : []),
    ...pins.map((owner, index) => {
      const across = 30 * (index - (pins.length - 1) / 2);
      return shape("g", { class: `army side-${owner}` }, mark("pin", across, 50, 50, ""),
        shape("text", { x: across, y: 42, "font-size": 22 }, owner + 1));
    }));
}

/** The hexagons that would answer a prompt now: where a move starts, or, when that is known, where it goes. */
function answers({ id, options }) {
  const from = begun.get(id);
  const moves = (options ?? []).map((option) => option.split(">"));
  return from ? moves.filter(([start]) => start === from).map(([, end]) => end) : moves.map(([start]) => start);
}

export const groundRound = {
  shape: "low",
  /** A finger on the map: {prompt, option}, {prompt, from}, or null. A move that was begun comes first. */
  touched(state, id) {
    const hex = bare(id);
    const half = (prompt) => begun.has(prompt.id);
    const prompt = [...state.prompts].sort((a, b) => half(b) - half(a)).find((each) => answers(each).includes(hex));
    if (!prompt) return null;
    if (half(prompt)) return { prompt, option: `${begun.get(prompt.id)}>${hex}` };
    return prompt.options.includes(hex) ? { prompt, option: hex } : { prompt, from: hex };
  },
  map(state, board) {
    const cells = state.board?.cells ?? {};
    for (const [id, path] of board.paths) {
      const owner = cells[bare(id)]?.side ?? null;
      path.dataset.testid = `hex-${id}`;
      path.classList.toggle("owned", owner !== null);
      tint(path, owner ?? NaN);
    }
    const known = Object.entries(cells).filter(([id]) => board.byId.has(id));
    rebuild(board.layer, cells, () => known.map(([id, what]) => cell(id, what, board.byId.get(id))));
    board.paint("choice", state.prompts.flatMap(answers).filter((id) => board.byId.has(id)));
    board.paint("picked", [...begun.values()]);
  },
  panel(element, { board, turn }) {
    const texts = [words.attack(board?.attack?.[turn.side] ?? 1), board?.unlimited && words.unlimited,
      board?.cancels > 0 && words.cancels(board.cancels)].filter(Boolean);
    rebuild(element, texts, () => spans(texts, "item"));
    element.classList.toggle("armed", Boolean(board?.unlimited));
  },
  facts({ sides, board }, index) {
    const { hexagons = 0, in_hand: inHand } = sides[index].detail ?? {};
    return [words.flags(sides[index].score), words.attack(board?.attack?.[index] ?? 1), words.hexagons(hexagons),
      ...(inHand ? [words.inHand(inHand)] : [])];
  },
  sum: () => "",
  aims: () => [], // they are lit on the map, and their names would say little
  note: ({ segment }, { board }) =>
    words.symbol(board?.cells?.[bare(segment)]?.symbol ?? (segment.includes("|") ? "line" : "–")),
  /** An option that is a hexagon, with its symbol. */
  option(text, { board }) {
    const symbol = board?.cells?.[text]?.symbol;
    return symbol ? [...(symbol === "blank" ? [] : [glyph(symbol)]), text] : [words.option(text)];
  },
};
