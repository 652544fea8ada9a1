/* A draw before it is made: as the tournament proposes it, drawn again as often as one likes, or changed by hand, by two taps
   on those who change places. With Start it is made, and the tables are called. */

import { make, setText } from "../dom.js";
import { keepFocus, makeButton } from "./fields.js";
import { letterOf, nameEntrant, texts } from "./texts.js";

const EMPTY = 0;
const MOST_DRAWS = 4; // one leads to another: sides, then seats

/** A draw as rows of entrants, and what makes the draw of them again.
    @typedef {{ rows: { title: string, ids: number[] }[], make(rows: number[][]): Oche.TournamentInput }} Sheet */

/** @param {readonly (readonly number[])[]} rows @param {(at: number) => string} title */
const list = (rows, title) => rows.map((ids, at) => ({ title: title(at), ids: [...ids] }));
/** @param {readonly number[]} ids */
const pair = (ids) => Array.from({ length: Math.ceil(ids.length / 2) }, (_, at) => ids.slice(2 * at, 2 * at + 2));

/** Returns a draw as it is shown; null if it is none. @param {any} draw @returns {Sheet | null} */
function layOut(draw) {
  switch (draw?.do) {
    case "draw_seats": return { rows: list(pair(draw.seats), (at) => texts.rounds.match(texts.rounds.round(1), at + 1)), make: (rows) => ({ ...draw, seats: rows.flat() }) };
    case "draw_groups": return { rows: list(draw.groups, (at) => (draw.groups.length > 1 ? texts.rounds.group(letterOf(at)) : texts.order)), make: (rows) => ({ ...draw, groups: rows }) };
    case "draw_sides": return { rows: list(draw.sides, (at) => texts.sideNumber(at + 1)), make: (rows) => ({ ...draw, sides: rows }) };
    case "draw_ladder": return { rows: list([draw.order], () => texts.order), make: ([order]) => ({ ...draw, order }) };
    case "draw_round": {
      const rests = draw.rests ? [{ title: texts.rests, ids: [draw.rests] }] : [];
      return {
        rows: [...list(draw.pairs, (at) => texts.rounds.match("", at + 1).trim()), ...rests],
        make: (rows) => ({ ...draw, pairs: rows.slice(0, draw.pairs.length), rests: rests.length ? rows[draw.pairs.length][0] : EMPTY }),
      };
    }
    default: return null;
  }
}

class Draw {
  /** @param {import("./source.js").Source} source */
  constructor(source) {
    this.source = source;
    this.said = make("p", { role: "alert", test: "draw-said" });
    this.rows = make("div", { className: "rows" });
    this.again = makeButton(texts.redraw, () => this.act(() => this.propose()), "redraw");
    this.go = makeButton(texts.start, () => this.act(() => this.start()), "start", "go");
    this.element = make("div", {}, make("h2", {}, texts.draw), make("p", { className: "aside" }, texts.swap), this.rows,
      make("div", { className: "bar" }, this.said, this.again, this.go));
    /** @type {Sheet | null} */
    this.sheet = null;
    /** Who was tapped first: row and place. @type {[number, number] | null} */
    this.tapped = null;
    this.drawn = 0;
  }

  /** Does one thing at a time, and says why not. @param {() => Promise<void>} doing */
  async act(doing) {
    setText(this.said, "");
    const held = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.testid : undefined;
    for (const each of [this.again, this.go]) each.disabled = true;
    await doing().catch(({ message }) => setText(this.said, message));
    for (const each of [this.again, this.go]) each.disabled = false;
    keepFocus(held);
  }

  async propose() {
    this.sheet = layOut(await this.source.propose());
    this.tapped = null;
    if (this.sheet) this.render();
    else this.leave();
  }

  async start() {
    const { sheet, source } = this;
    if (!sheet) return;
    const draw = sheet.make(sheet.rows.map(({ ids }) => ids));
    await source.do(draw, texts.draw);
    const leads = draw.do === "draw_sides" && source.view?.may.some((each) => each.startsWith("draw_"));
    if (leads && this.drawn++ < MOST_DRAWS) await this.propose();
    else this.leave();
  }

  leave() {
    location.hash = `#/${this.source.id}/organise`;
  }

  /** Has the one who is tapped change places with the one before. @param {number} row @param {number} place */
  tap(row, place) {
    const { sheet, tapped } = this;
    if (!sheet) return;
    if (tapped) {
      const [other, at] = tapped, { ids } = sheet.rows[row];
      [ids[place], sheet.rows[other].ids[at]] = [sheet.rows[other].ids[at], ids[place]];
    }
    this.tapped = tapped ? null : [row, place];
    this.render();
    /** @type {HTMLElement | null} */ (this.rows.querySelector(`[data-testid=drawn-${row}-${place}]`))?.focus();
  }

  render() {
    const { sheet, source: { view } } = this;
    if (!view || !sheet) return;
    this.rows.replaceChildren(...sheet.rows.map(({ title, ids }, row) => make("section", {}, make("h3", {}, title), ...ids.map((id, at) => {
      const name = id === EMPTY ? texts.bye : nameEntrant(view, id);
      const button = makeButton(name, () => this.tap(row, at), `drawn-${row}-${at}`, id === EMPTY ? "empty" : "");
      button.ariaPressed = String(this.tapped?.[0] === row && this.tapped[1] === at);
      return button;
    }))));
  }
}

/** @param {HTMLElement} root @param {import("./source.js").Source} source */
export async function show(root, source) {
  const draw = new Draw(source);
  root.append(draw.element);
  if (!source.view) await new Promise((done) => { source.subscribe(() => source.view && done(undefined)); });
  await draw.act(() => draw.propose());
}
