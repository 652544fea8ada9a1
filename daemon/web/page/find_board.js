/* Finding a table's board on the settings page: what is plugged in or near, with the profile that fits, and on the drawn face
   what it says when it is pressed. Loaded when a board is looked for. */

import { Board } from "./board.js";
import { make, makeSvg, setText } from "./dom.js";
import { text } from "./settings_fields.js";
import { sayFailure } from "./tasks.js";
import { words } from "./words.js";

const AGAIN_MS = 3_000; // each look takes a process of its own
const say = text.finding;

/** Looks for boards below a card, and goes on while the list is open. @param {HTMLElement} place @param {Oche.FindTools} tools */
export function findBoard(place, { call, card, choose, learn }) {
  const said = make("p", { role: "status", test: `found-said-${card}` });
  const list = make("ul", { className: "found", test: `found-${card}` });
  const notes = make("p", { className: "help", lang: "en" });
  const trial = make("div");
  const close = make("button", { type: "button", test: `found-close-${card}`, onclick() {
    isOpen = false;
    call("boards/stop", {});
    place.replaceChildren();
  } }, say.close);
  let isOpen = true;
  const makeLearn = (address = "") => (learn ? [make("button", { type: "button", test: address ? "found-learn" : `found-learn-${card}`, onclick: () => learn(address) }, address ? say.learn : say.unlisted)] : []);
  const others = [["sim:granboard", say.simulated], ["none", say.none]].map(([board, label]) =>
    make("button", { type: "button", test: `found-${board.split(":")[0]}-${card}`, onclick: () => choose(board, null) }, label));
  place.replaceChildren(said, list, notes, trial, make("div", { className: "buttons" }, ...others, ...(learn ? makeLearn() : [close])));

  /** @param {Oche.FoundBoard} found */
  const makeItem = ({ address, what, fits, table }) => {
    const [best] = fits;
    const about = [what || address, best ? say.fits(say.sure[best.sure], best.profile) : say.fitsNothing, table ? say.inUse(table) : ""];
    const profile = make("select", { ariaLabel: text.fields.profile, test: "found-profile" }, ...fits.map((each) => make("option", {}, each.profile)));
    const use = () => choose(address, profile.value || null);
    return make("li", {}, make("b", {}, about.filter(Boolean).join(" · ")), make("code", {}, address), ...(fits.length > 1 ? [profile] : []), make("div", { className: "buttons" },
      make("button", { type: "button", test: "found-try", onclick: () => tryBoard(trial, call, address, profile.value || "opendarts", use) }, say.try),
      make("button", { type: "button", test: "found-use", onclick: use }, say.use), ...(best?.sure === "sure" ? [] : makeLearn(address))));
  };
  let shown = "";
  (async () => {
    setText(said, say.looking);
    while (isOpen && place.isConnected) {
      const { status, answer } = await call("boards/scan", {}).catch(() => ({ status: 0, answer: null }));
      if (!isOpen) return;
      if (status !== 200) return setText(said, status ? sayFailure(answer.error) : words.unreachable);
      setText(said, answer.found.length ? say.found : say.foundNone);
      setText(notes, answer.notes.join(" "));
      if (shown !== JSON.stringify(answer.found)) list.replaceChildren(...answer.found.map(makeItem));
      shown = JSON.stringify(answer.found);
      do await new Promise((resolve) => setTimeout(resolve, AGAIN_MS)); while (document.hidden);
    }
  })();
}

/** Listens to a board, and lights up what it says until the place is used otherwise.
    @param {HTMLElement} place @param {Oche.FindTools["call"]} call @param {string} board @param {string} profile
    @param {() => void} [use] has a table play on it */
export async function tryBoard(place, call, board, profile, use) {
  const svg = makeSvg("svg", { role: "img", "aria-label": say.face, "data-testid": "try-face" });
  const told = make("p", { className: "press", role: "status", test: "try-said" });
  const stop = make("button", { type: "button", test: "try-stop", onclick() {
    call("boards/stop", {});
    place.replaceChildren();
  } }, say.stop);
  const take = use ? [make("button", { type: "button", className: "go", test: "try-use", onclick: use }, say.use)] : [];
  place.replaceChildren(told, svg, make("div", { className: "buttons" }, ...take, stop));
  let { status, answer } = await call("boards/try", { board, profile });
  if (status !== 200) {
    svg.remove();
    return setText(told, sayFailure(answer.error));
  }
  const layout = await (await fetch(new URL(`api/layout/${encodeURIComponent(answer.layout)}`, document.baseURI))).json();
  const face = new Board(svg, layout);
  place.scrollIntoView({ block: "nearest" });
  const { run } = answer;
  while (told.isConnected && status === 200 && answer.state === "listening" && answer.run === run) {
    const last = answer.heard.at(-1);
    face.light("hit", face.byId.has(last) ? [last] : []);
    setText(told, last === "" ? say.unknown : last !== undefined ? say.heard(words.segment(last)) : answer.trouble === null ? say.press : answer.trouble || say.connecting);
    ({ status, answer } = await call(`boards/try?since=${run}.${answer.version}`).catch(() => ({ status: 0, answer: null })));
  }
  if (told.isConnected && status === 200) setText(told, say.ended);
}
