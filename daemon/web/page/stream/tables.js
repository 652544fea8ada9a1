/* All tables on one page: what each plays, how it stands, whose turn it is. */

import { make, rebuild, setText } from "../dom.js";
import { noteLink, notePage } from "./following.js";
import { read } from "../link.js";
import { isOn, markSide, readScore, readUnit } from "./parts.js";
import { linkTo } from "../preferences.js";
import { store, watch } from "../store.js";
import { drawStates, followStates } from "./table_states.js";
import { describeEnd, describeProgress } from "../wall/describe.js";
import { words } from "../words/words.js";

const AGAIN_MS = 5_000;

/** Shows all tables, for ever. @param {HTMLElement} main @param {(sentence: string) => void} say */
export async function followTables(main, say) {
  const link = make("p", { className: "link", role: "status", test: "link" });
  const cards = make("div", { className: "panes", test: "tables" });
  main.replaceChildren(make("div", { className: "headline" }, make("h1", {}, words.labels.tables), link), cards);
  watch(() => setText(link, store.link === "lost" ? words.lostLong : ""));
  const showCards = async () => {
    /** @type {Oche.TableInfo[]} */
    const tables = (await read("tables")) ?? [];
    say(tables.length ? "" : words.noTables);
    rebuild(cards, tables.map(({ name, table }) => [table, name]), () => tables.map(makeCard));
    drawStates(draw);
    return tables.length > 0;
  };
  /** @param {string} type @param {any} data */
  const hear = (type, data) => {
    if (type !== "page") return;
    notePage(data);
    showCards(); // each connection begins with it: after a restart there may be other tables
  };
  for (;;) {
    if (await showCards()) await followStates(draw, hear, noteLink);
    await new Promise((done) => { setTimeout(done, AGAIN_MS); });
  }
}

/** @param {Oche.TableInfo} info */
const makeCard = ({ name, table }) => {
  const card = make("article", { className: "pane", test: `table-${table}` },
    make("h2", {}, make("a", { href: linkTo("./", { view: null, table }) }, name)), make("p", { className: "about" }), make("ol"), make("p", { className: "turn" }));
  card.dataset.table = table;
  return card;
};

/** @param {string} table @param {Oche.State} state @param {Oche.Face} face */
function draw(table, state, face) {
  const card = document.querySelector(`[data-table="${CSS.escape(table)}"]`);
  if (!card) return;
  const [, about, list, turn] = /** @type {Iterable<HTMLElement>} */ (card.children);
  const { format, sides } = state;
  setText(about, sides.length ? [words.title(state.title), describeProgress(state)].filter(Boolean).join(" · ") : words.idle);
  const end = isOn(state) || !sides.length ? null : describeEnd(state);
  setText(turn, end ? `${end.kind}${words.colon}${end.who}` : sides.length ? words.toThrow(state.turn.player) : "");
  rebuild(list, [state, face.shape], () => sides.map(({ legs, name, sets }, index) => {
    const won = [...(format.sets > 1 ? [words.sets(sets)] : []), ...(format.legs > 1 ? [words.legs(legs)] : [])].join(" ");
    const row = make("li", { className: "entry", test: `${table}-${index}` }, make("span", { className: "badge" }, String(index + 1)),
      make("span", { className: "called" }, name), make("span", { className: "won" }, won),
      make("b", { className: "score" }, readScore(state, index, face)), make("span", { className: "unit" }, readUnit(state, index, face)));
    markSide(row, state, index);
    return row;
  }));
}
