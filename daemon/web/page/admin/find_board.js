/* Finding a table's board on the settings page: what is plugged in, near or on the network, with the profile that fits, and
   on the drawn face what it says when it is pressed. Loaded when a board is looked for. */

import { Board } from "../board.js";
import { make, makeSvg, setText } from "../dom.js";
import { makeToken } from "./board_token.js";
import { text } from "./settings_fields.js";
import { sayFailure, saySentence } from "../words/tasks.js";
import { words } from "../words/words.js";

const AGAIN_MS = 3_000; // each look takes a process of its own
const say = text.finding;

/** Looks for boards below a card, and goes on while the list is open. @param {HTMLElement} place @param {Oche.FindTools} tools */
export function findBoard(place, { call, card, choose, learn, learnTried = learn }) {
  const opener = document.activeElement;
  const said = make("p", { role: "status", test: `found-said-${card}` });
  const list = make("ul", { className: "found", tabIndex: -1, test: `found-${card}` });
  const notes = make("p", { className: "help", test: `found-notes-${card}` });
  const trial = make("div");
  const close = make("button", { type: "button", test: `found-close-${card}`, onclick() {
    isOpen = false;
    call("boards/stop", {});
    place.replaceChildren();
    giveFocus(opener);
  } }, say.close);
  let isOpen = true;
  const makeLearn = (address = "") => (learn ? [make("button", { type: "button", test: address ? "found-learn" : `found-learn-${card}`, onclick: () => learn(address) }, address ? say.learn : say.unlisted)] : []);
  const others = [["sim:granboard", say.simulated], ["none", say.none]].map(([board, label]) =>
    make("button", { type: "button", test: `found-${board.split(":")[0]}-${card}`, onclick: () => choose(board, null) }, label));
  place.replaceChildren(said, list, notes, trial, make("div", { className: "buttons" }, ...(learn ? makeLearn() : [...others, close])));

  /** @param {Oche.FoundBoard} found */
  const makeItem = ({ address, fits, wants_token }) => {
    const [best] = fits;
    const name = make("b");
    const profile = make("select", { ariaLabel: text.fields.profile, test: "found-profile" }, ...fits.map((each) => make("option", {}, each.profile)));
    const token = wants_token ? makeToken("found-token") : null;
    const use = () => choose(address, profile.value || null, token?.read());
    const element = make("li", {}, name, make("code", {}, address), ...(fits.length > 1 ? [profile] : []), ...(token ? [token.element] : []), make("div", { className: "buttons" },
      make("button", { type: "button", test: "found-try", onclick: () => tryBoard(trial, call, address, profile.value, use, learnTried, token?.read()) }, say.try),
      make("button", { type: "button", test: "found-use", onclick: use }, say.use), ...(best?.sure === "sure" || isWatching(address) ? [] : makeLearn(address))));
    return { element, name, fits: JSON.stringify(fits) };
  };
  const show = makeShow(list, makeItem);
  (async () => {
    setText(said, say.looking);
    while (isOpen && place.isConnected) {
      const { status, answer } = await call("boards/scan", {});
      if (!isOpen) return;
      if (status === 200) {
        setText(said, answer.found.length ? say.found : say.foundNone);
        setText(notes, answer.notes_said.map(saySentence).join(" "));
        show(answer.found);
      } else {
        setText(said, sayFailure(answer.error));
        if (status) return; // it would say the same again; one that does not answer may come back
      }
      do await new Promise((resolve) => setTimeout(resolve, AGAIN_MS)); while (document.hidden);
    }
  })();
}

/** Returns what shows the boards that are found. What was there already stays, with the profile that is chosen and the focus,
    though its signal or its table is another. @param {HTMLElement} list
    @param {(found: Oche.FoundBoard) => { element: HTMLElement, name: HTMLElement, fits: string }} makeItem */
function makeShow(list, makeItem) {
  /** @type {Map<string, ReturnType<typeof makeItem>>} */
  let items = new Map();
  return (/** @type {Oche.FoundBoard[]} */ found) => {
    const before = items;
    items = new Map();
    for (const each of found) {
      const kept = before.get(each.address);
      const item = kept?.fits === JSON.stringify(each.fits) ? kept : makeItem(each);
      setText(item.name, describe(each));
      items.set(each.address, item);
    }
    const elements = [...items.values()].map(({ element }) => element);
    if (elements.length === list.children.length && elements.every((each, index) => each === list.children[index])) return;
    const held = list.contains(document.activeElement) ? document.activeElement : null;
    list.replaceChildren(...elements);
    if (held) giveFocus(list.contains(held) ? held : list);
  };
}

/** Whether it has cameras. @param {string} address */
const isWatching = (address) => address.startsWith("web:");

/** @param {Oche.FoundBoard} found */
function describe({ address, what, fits: [best], table, state }) {
  const port = /^tcp:.*:(\d+)$/.exec(address)?.[1];
  const fit = best ? say.fits(say.sure[best.sure], best.profile) : say.fitsNothing;
  const plug = /** @type {Record<string, string>} */ (say.plugs)[address.split(":")[0]];
  return [port ? say.answers(port) : what || plug || address, fit, state ? say.states[state] : "", table ? say.inUse(table) : ""].filter(Boolean).join(" · ");
}

/** @param {Element | null} element */
const giveFocus = (element) => element instanceof HTMLElement && element.focus();

/** Listens to a board, and lights up what it says until the place is used otherwise.
    @param {HTMLElement} place @param {Oche.FindTools["call"]} call @param {string} board
    @param {string} profile "": the usual one of such an address @param {() => void} [use] has a table play on it
    @param {(address: string, profile?: string) => void} [learn] learns it, where the wrong bed has lit up @param {string} [token] that was typed */
export async function tryBoard(place, call, board, profile, use, learn, token = "") {
  const svg = makeSvg("svg", { role: "img", "aria-label": say.face, "data-testid": "try-face" });
  const told = make("p", { className: "press", role: "status", test: "try-said" });
  const opener = document.activeElement;
  const stop = make("button", { type: "button", test: "try-stop", onclick() {
    call("boards/stop", {});
    place.replaceChildren();
    giveFocus(opener);
  } }, say.stop);
  const take = use ? [make("button", { type: "button", className: "go", test: "try-use", onclick: use }, say.use)] : [];
  const wrong = make("button", { type: "button", hidden: true, test: "try-wrong", onclick: () => learn?.(board, profile) }, say.wrong);
  place.replaceChildren(told, svg, make("div", { className: "buttons" }, ...take, wrong, stop));
  const fail = (/** @type {Oche.Failure} */ error) => {
    svg.remove();
    setText(told, sayFailure(error));
  };
  let { status, answer } = await call("boards/try", { board, profile, ...(token && { token }) });
  if (status !== 200) return fail(answer.error);
  const { run } = answer;
  const layout = await call(`layout/${encodeURIComponent(answer.dartboard ?? answer.layout)}`);
  if (layout.status !== 200) return fail(layout.answer.error);
  const face = new Board(svg, layout.answer);
  place.scrollIntoView({ block: "nearest" });
  while (told.isConnected && status === 200 && answer.state === "listening" && answer.run === run) {
    const last = answer.heard.at(-1);
    if (last !== undefined && learn && wrong.hidden) {
      wrong.hidden = false;
      place.scrollIntoView({ block: "nearest" }); // one more button
    }
    face.light("hit", face.byId.has(last) ? [last] : []);
    setText(told, last === "" ? say.unknown : last !== undefined ? say.heard(words.segment(last)) : answer.trouble === null ? isWatching(board) ? say.throw : say.press : answer.trouble_said ? saySentence(answer.trouble_said) : say.connecting);
    ({ status, answer } = await call(`boards/try?since=${run}.${answer.version}`));
  }
  if (status === 200) setText(told, say.ended);
  else fail(answer.error);
}
