/* One table, followed for ever: what the daemon tells of it goes into the store. The state of a match comes with its face or
   not at all, so that it is drawn complete. */

import { Board } from "../board.js";
import { nameTurn } from "../commands.js";
import { $ } from "../dom.js";
import { loadFace } from "../faces/faces.js";
import { follow, read, tablePath } from "../link.js";
import { put, store } from "../store.js";
import { text } from "./texts.js";
import { makeConfetti } from "../wall/confetti.js";
import { endMoment, showMoment } from "../wall/moments.js";
import { words } from "../words/words.js";

const AGAIN_MS = 5_000;
const CONFETTI = 36;

/** The version of the page that was loaded. @type {string | undefined} */
let served;
/** The newest state, the match whose face is in the store, and the one whose face is on its way. @type {Oche.State} */
let newest;
/** @type {string | null | undefined} */
let drawnFor;
/** @type {string | null | undefined} */
let awaited;

/** Loads the page anew once oche was updated. @param {{ version: string }} page */
export function notePage({ version }) {
  served ??= version;
  if (served !== version) location.reload();
}

/** Notes whether the link is up, for the style sheet too. @param {boolean} isUp */
export function noteLink(isUp) {
  const link = isUp ? "live" : "lost";
  if (store.link === link) return;
  document.body.dataset.link = link;
  if (!isUp) drawnFor = undefined; // after a restart the table may have another board
  put({ link });
}

/** Lets confetti fall where the label says who has won. */
addEventListener("moment", (event) => {
  const won = /** @type {CustomEvent<Oche.Fact[]>} */ (event).detail.find(({ event_type: type }) => type === "match_won");
  if (won?.winners?.length && !won.isOrder) $("moment").append(...makeConfetti(CONFETTI));
});

/** Follows the table of this name, null: the first one, whose board is drawn in `svg`. Never resolves.
    @param {string | null} wanted @param {SVGSVGElement} svg @param {(sentence: string) => void} say */
export async function followTable(wanted, svg, say) {
  /** @type {Record<string, (data: any) => void>} */
  const heard = {
    state: (/** @type {Oche.State} */ state) => takeState(state, svg),
    fact: showMoment,
    plan: (/** @type {Oche.Plan} */ plan) => put({ plan }),
    board: (/** @type {Oche.BoardStatus} */ boardStatus) => put({ boardStatus }),
    page: notePage,
  };
  for (;;) {
    /** @type {Oche.TableInfo[]} */
    const tables = (await read("tables")) ?? [];
    const found = wanted ? tables.find(({ table }) => table === wanted) : tables[0];
    say(found ? "" : tables.length ? text.noTable(wanted ?? "", tables.map(({ table }) => table).join(", ")) : words.noTables);
    if (found) {
      put({ table: found.table, place: tablePath(found.table), role: found.role });
      await follow(store.place, (type, data) => heard[type]?.(data), noteLink);
    }
    await new Promise((done) => { setTimeout(done, AGAIN_MS); });
  }
}

/** @param {Oche.State} state @param {SVGSVGElement} svg */
async function takeState(state, svg) {
  newest = state;
  if (nameTurn(store.state) !== nameTurn(state)) endMoment();
  if (drawnFor === state.match) return put({ state });
  if (awaited === state.match) return;
  awaited = state.match;
  /** @type {Oche.Layout | null} */
  const layout = await read(`${store.place}/layout`);
  const face = await loadFace(layout?.face ?? null);
  if (awaited !== state.match) return; // meanwhile another match began
  awaited = undefined;
  if (!layout) return;
  drawnFor = state.match;
  put({ state: newest, board: new Board(svg, layout), face });
}
