/* The bracket and the standings of a tournament, to be looked at on a phone or a screen, where a touch on a name follows it;
   or, on a wall that nobody touches, by turns. */

import { make, rebuild, setText } from "../dom.js";
import { findNext, findPath } from "./bracket_layout.js";
import { choosePanel, listPanels } from "./bracket_panels.js";
import { followWall } from "./bracket_wall.js";
import { describeForecast, describeMatch, markPath, said } from "./match_card.js";
import { keepFocus } from "./fields.js";
import { loadSheet } from "../parts.js";
import { isChosen, preference } from "../preferences.js";
import { keep, readKept } from "./source.js";
import { nameEntrant, nameRound, nameSide } from "./texts.js";

const SWIPE_PX = 60;
const narrow = matchMedia("(max-width: 700px)");

/** @typedef {{ id: string, view: Oche.TournamentView | null, subscribe(read: () => void): () => void, ask(path: string): Promise<any> }} Source */
/** @typedef {import("./bracket_panels.js").Panel} Panel */

/** Whether the address or a person said that this is a wall. */
const isWall = () => Boolean(preference("kiosk")) || (isChosen("view") && preference("view") === "wall");

/** Shows it; returns what ends that. @param {HTMLElement} root @param {Source} source */
export async function show(root, source) {
  await loadSheet("static/tournament/bracket.css");
  let end = () => {};
  const open = (/** @type {boolean} */ onWall) => {
    end();
    const held = root.contains(document.activeElement);
    const toggle = make("button", { type: "button", className: onWall ? "to-browse" : "to-wall", test: "mode", onclick: () => open(!onWall) }, onWall ? said.browse : said.onWall);
    const shown = make("div", { className: onWall ? "tournament-wall" : "browse" });
    root.replaceChildren(...(onWall && !preference("kiosk") ? [toggle] : []), shown);
    document.body.classList.toggle("as-wall", onWall);
    end = onWall ? followWall(shown, source) : browse(shown, source, toggle);
    if (held) keepFocus("mode");
  };
  open(isWall());
  return () => {
    document.body.classList.remove("as-wall");
    end();
  };
}

/** @param {HTMLElement} root @param {Source} source @param {HTMLElement} toggle */
function browse(root, source, toggle) {
  const chosen = { panel: "", entrant: Number(readKept(source.id, "entrant")) };
  const about = make("p", { className: "forecast", test: "forecast" }), followed = make("div", { className: "followed-side", role: "status", test: "followed" });
  const tabs = make("div", { className: "panel-tabs", role: "tablist", ariaLabel: said.rounds }), panel = make("div", { className: "shown-panel", role: "tabpanel", id: "shown-panel" });
  root.replaceChildren(make("div", { className: "top-line" }, about, toggle), followed, tabs, panel);
  /** @type {Panel[]} */
  let panels = [];
  const choose = (/** @type {number} */ entrant) => {
    const held = document.activeElement;
    chosen.entrant = entrant === chosen.entrant ? 0 : entrant;
    keep(source.id, "entrant", String(chosen.entrant || ""));
    draw();
    if (!held?.isConnected) keepFocus("", panel); // nobody is followed any more
  };
  const open = (/** @type {string} */ key) => {
    chosen.panel = key;
    draw();
  };
  const draw = () => {
    const { view } = source;
    if (!view) return;
    const held = document.activeElement instanceof HTMLElement && panel.contains(document.activeElement) ? findMarks(document.activeElement) : null;
    panels = listPanels(view, { choose, isNarrow: narrow.matches });
    setText(about, describeForecast(view));
    const next = chosen.entrant ? findNext(view, chosen.entrant) : null;
    rebuild(followed, [view.line, next, chosen.entrant, view.phase], () => makeFollowed(view, chosen.entrant, () => choose(chosen.entrant)));
    const shown = panels.find(({ key }) => key === chosen.panel) ?? choosePanel(panels, next?.id);
    drawTabs(tabs, panels, shown, open);
    rebuild(panel, [view.matches, view.standings, view.tables, view.ladder, view.entrants, shown?.key, narrow.matches], () => (shown ? [make("h2", { className: "unseen" }, shown.title), ...shown.build()] : makeEntered(view)));
    if (shown) panel.ariaLabel = shown.title;
    markPath(panel, chosen.entrant, chosen.entrant ? findPath(view, chosen.entrant) : new Set());
    if (held) /** @type {HTMLElement | null} */ (panel.querySelector(held))?.focus();
  };
  swipe(panel, (way) => {
    const place = panels.findIndex(({ key }) => key === tabs.dataset.shown), to = panels[place + way];
    if (to) open(to.key);
  });
  narrow.addEventListener("change", draw);
  const leave = source.subscribe(draw);
  draw();
  return () => {
    narrow.removeEventListener("change", draw);
    leave();
  };
}

/** Returns the selector of what takes the place of a button once all is drawn anew. @param {HTMLElement} button */
function findMarks(button) {
  const match = /** @type {HTMLElement | null} */ (button.closest("[data-match]"))?.dataset.match;
  const { entrant } = /** @type {HTMLElement | null} */ (button.closest("[data-entrant]"))?.dataset ?? {};
  return entrant ? `${match ? `[data-match="${CSS.escape(match)}"] button` : "th button"}${match ? `[data-entrant="${entrant}"]` : ""}` : null;
}

/** @param {HTMLElement} tabs @param {Panel[]} panels @param {Panel | undefined} shown @param {(key: string) => void} open */
function drawTabs(tabs, panels, shown, open) {
  const isOther = tabs.dataset.shown !== (shown?.key ?? "");
  tabs.hidden = panels.length < 2;
  tabs.dataset.shown = shown?.key ?? "";
  rebuild(tabs, panels.map(({ key, title }) => [key, title]), () => panels.map(({ key, title }) => {
    const tab = make("button", { type: "button", role: "tab", test: `tab-${key}`, onclick: () => open(key) }, title);
    tab.dataset.key = key;
    tab.setAttribute("aria-controls", "shown-panel");
    return tab;
  }));
  for (const tab of /** @type {Iterable<HTMLElement>} */ (tabs.children)) tab.ariaSelected = String(tab.dataset.key === shown?.key);
  if (isOther) tabs.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "center" });
  tabs.onkeydown = ({ key }) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0, to = panels[panels.findIndex((each) => each.key === tabs.dataset.shown) + way];
    if (!way || !to) return;
    open(to.key);
    /** @type {HTMLElement | null} */ (tabs.querySelector("[aria-selected=true]"))?.focus();
  };
}

/** Calls `turn` with 1 or -1 after a finger has moved across. @param {HTMLElement} element @param {(way: number) => void} turn */
function swipe(element, turn) {
  let from = { x: 0, y: 0 };
  element.addEventListener("touchstart", ({ touches: [{ clientX: x, clientY: y }] }) => { from = { x, y }; }, { passive: true });
  element.addEventListener("touchend", ({ changedTouches: [{ clientX, clientY }], target }) => {
    const x = clientX - from.x, y = clientY - from.y;
    if (Math.abs(x) < SWIPE_PX || Math.abs(x) < 2 * Math.abs(y) || (target instanceof Element && target.closest(".wide"))) return;
    turn(x < 0 ? 1 : -1);
  }, { passive: true });
}

/** Returns what is said of a followed side: its next match, or its place. @param {Oche.TournamentView} view @param {number} entrant @param {() => void} stop */
function makeFollowed(view, entrant, stop) {
  if (!view.matches.length) return [];
  const name = nameEntrant(view, entrant);
  if (!name && view.winner != null) return [make("strong", {}, nameEntrant(view, view.winner)), make("span", {}, said.wins)];
  if (!name) return view.phase === "playing" ? [make("span", {}, said.choose)] : [];
  const next = findNext(view, entrant), placed = view.places.find(({ entrants }) => entrants.includes(entrant));
  const places = placed && (placed.first === placed.last ? `${placed.first}` : `${placed.first}–${placed.last}`);
  const told = next ? [make("b", {}, said.yourNext), make("span", {}, [nameRound(view, next), said.against(nameSide(view, next, next.sides[0] === entrant ? 1 : 0)), describeMatch(view, next)].filter(Boolean).join(" · "))]
    : [make("span", {}, view.winner === entrant ? said.wins : places && view.phase === "over" ? said.placed(places) : said.noNext)];
  return [make("strong", {}, name), ...told, make("button", { type: "button", className: "small", ariaLabel: said.stop, test: "unfollow", onclick: stop }, "×")];
}

/** Returns what is shown before the draw: who has entered. @param {Oche.TournamentView} view */
const makeEntered = (view) => [make("p", {}, said.notDrawn), make("h2", {}, said.entered), make("ol", { className: "entered" },
  ...view.entrants.filter(({ left }) => !left).map(({ name }) => make("li", {}, name)))];
