/* The page of tournaments. What is shown is in the address, after #: the list, and of a tournament its bracket, its tables,
   what its organiser does, a draw, the sheets to print and the sign-up. Each is a view of its own, which is loaded when it is
   first shown. */

import { $, make, nameForTests, setText } from "../dom.js";
import { keepFocus } from "./fields.js";
import { keep, Source } from "./source.js";
import { texts } from "./texts.js";
import { linkTo } from "../preferences.js";
import { history as words } from "../words/words.js";

/** A view fills `root`, and reads the source it is given until another view is shown; what it returns is called then.
    @typedef {{ show: (root: HTMLElement, source: Source, words: Oche.TournamentLanguage) => any }} View */
/** @type {Record<string, () => Promise<View>>} */
const VIEWS = {
  "": () => import("./bracket.js"), tables: () => import("./live.js"), print: () => import("./print.js"),
  organise: () => import("./organise.js"), draw: () => import("./draw.js"), sign_up: () => import("./sign_up.js"),
};
/** What the views are called that are linked to. */
const LINKED = /** @type {const} */ (["", "tables", "organise", "print"]);

/** @type {Source | null} */
let source = null;
let view = "";
/** What the view that is shown wants done when it goes. @type {(() => void) | null} */
let end = null;
let shown = 0;

/** Returns what the address asks for. */
function readAddress() {
  const [, id = "", name = "", secret = ""] = location.hash.split("/").map(decodeURIComponent);
  return { id, name: name in VIEWS ? name : "", secret };
}

/** Keeps what a link has brought, and takes it out of the address: it is not to be read off the screen.
    @param {ReturnType<typeof readAddress>} address */
function keepSecret({ id, name, secret }) {
  if (!secret) return;
  if (name === "organise") keep(id, "organiser", secret);
  if (name === "sign_up") keep(id, "code", secret);
  history.replaceState(null, "", `#/${encodeURIComponent(id)}/${name}`);
}

/** Shows what the address asks for. */
async function show() {
  const address = readAddress();
  keepSecret(address);
  const now = ++shown;
  const wasHeld = document.activeElement !== document.body;
  end?.();
  end = null;
  const isSame = source?.id === address.id && Boolean(address.id);
  source?.leave(!isSame);
  document.querySelector("dialog.actions")?.remove(); // it belongs to what was shown
  const root = make("section", { className: address.id ? address.name || "bracket" : "making" });
  $("shown").replaceChildren(root);
  view = address.name;
  if (!isSame) source = address.id ? new Source(address.id) : null;
  const given = source;
  if (given) given.subscribe(() => tell(given));
  if (!isSame) given?.follow();
  $("views").hidden = true;
  setText($("said"), texts.loading);
  if (!given) {
    setText($("title"), document.title = texts.tournaments);
    const { show: showList } = await import("./making.js");
    if (now === shown) await showList(root);
    if (wasHeld) keepFocus("");
    return setText($("said"), "");
  }
  const loaded = await VIEWS[address.name]();
  if (now !== shown) return undefined;
  end = await loaded.show(root, given, texts) ?? null;
  tell(given);
  if (wasHeld) keepFocus("");
  return undefined;
}

/** Says of a tournament what all views say: its name, where else it is shown, and whether the daemon answers.
    @param {Source} from */
function tell(from) {
  if (from !== source) return;
  const { isGone, isLive, refused, role, view: found, waiting } = from;
  if (found) setText($("title"), document.title = found.spec.name);
  const isSigningUp = view === "sign_up";
  $("views").hidden = !found || isSigningUp;
  const links = LINKED.filter((name) => name !== "organise" || role === "organise");
  const key = `${from.id} ${view} ${links}`;
  if ($("views").dataset.key !== key) {
    $("views").dataset.key = key;
    $("views").replaceChildren(...links.map((name) => {
      const link = make("a", { href: `#/${from.id}${name && `/${name}`}`, test: `view-${name || "bracket"}` }, texts.views[name || "bracket"]);
      if (name === view || (view === "draw" && name === "organise")) link.setAttribute("aria-current", "page");
      return link;
    }));
  }
  $("back").hidden = isSigningUp;
  setText($("said"), isGone ? texts.gone : refused || (!isLive ? (waiting.length ? texts.waits(waiting.length) : texts.offline) : found ? "" : texts.loading));
  $("said").classList.toggle("offline", !isLive);
}

function begin() {
  nameForTests();
  $("title").tabIndex = -1; // to have the focus where it would be lost
  setText($("back"), words.back);
  $("back").href = linkTo("./", {});
  addEventListener("hashchange", () => {
    if (!location.hash.startsWith("#token=")) open();
  });
  addEventListener("beforeunload", (event) => {
    if (source?.waiting.length) event.preventDefault(); // what was tapped is not sent yet
  });
  return open();
}

const open = () => show().catch((problem) => {
  setText($("said"), problem.message);
  if (problem instanceof TypeError) globalThis.renew?.(); // a part did not come
});

begin();
