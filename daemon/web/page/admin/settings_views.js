/* What of the settings is seen: the four doors, one of them, or the form of all settings. The part of the address behind #
   says which. */

import { $, make, setText } from "../dom.js";
import { loadSheet } from "../parts.js";
import { DOORS, fillDoor, fillFront, gatherFacts, readBoards } from "./settings_doors.js";
import { text } from "./settings_fields.js";

const LOOK_MS = 3_000;
const ALL = "all";

/** @type {Oche.DoorFacts | null} */
let facts = null;
let drawn = "";
let isLooking = false;

/** @returns {Oche.Door | null} the door that the address names */
function findDoor() {
  const name = location.hash.slice(1);
  return name in DOORS ? /** @type {Oche.Door} */ (name) : null;
}

const isAll = () => location.hash === `#${ALL}`;

/** Shows all settings, without a new start of the page. */
export function showAll() {
  if (isAll()) return;
  history.pushState(null, "", `#${ALL}`);
  showView();
}

/** Shows what the address names, with what was read last. */
export function showView() {
  const door = findDoor();
  document.body.dataset.view = door ?? (isAll() ? ALL : "front");
  setText($("title"), door ? text.doors.titles[door] : isAll() ? text.doors.all : text.title);
  document.title = `${$("title").textContent} – oche`;
  setText($("up"), text.title);
  $("up").hidden = !door && !isAll();
  $("front").hidden = Boolean(door) || isAll();
  $("door").hidden = !door;
  $("profiles").hidden = door !== "players";
  const hasFields = filterForm($("form"), isAll() ? null : door ? DOORS[door] : []);
  $("guide").hidden = Boolean(door) || isAll();
  setText($("matter"), text.doors.matter);
  $("matter").hidden = !door || !hasFields;
  $("save").hidden = !(isAll() || hasFields || !$("changes").hidden);
  drawn = "";
  draw();
}

/** Draws the doors, when there is something else to say. */
function draw() {
  if (!facts || isAll()) return;
  const door = findDoor();
  const { boards, ...others } = facts;
  const now = JSON.stringify([door, [...boards], others]);
  if (now === drawn) return;
  drawn = now;
  door ? fillDoor($("door"), door, facts) : fillFront($("front"), facts);
}

/** Reads all that the doors tell of, and goes on to look at the boards. @param {Oche.Settings} settings
    @param {Oche.CareTools["call"]} call */
export async function refreshDoors(settings, call) {
  facts = await gatherFacts(settings, call);
  draw();
  if (isLooking) return;
  isLooking = true;
  for (;;) {
    const door = findDoor();
    if (facts && !document.hidden && !isAll() && (!door || door === "board")) {
      await readBoards(facts);
      draw();
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Follows the address. @param {Oche.CareTools["call"]} call @param {() => void} sayFile says what this page is */
export function prepareViews(call, sayFile) {
  const turn = async (isFirst = false) => {
    showView();
    if (!isFirst) {
      sayFile();
      document.querySelector("main")?.scrollTo(0, 0);
      $("title").focus({ preventScroll: true });
    }
    if (findDoor() === "players") {
      const [{ showPlayers }] = await Promise.all([import("../history/players.js"), loadSheet("static/history/players.css")]);
      await showPlayers("");
      if (findDoor() !== "players") showView();
    }
  };
  new MutationObserver(async () => { // a player was added, or has a picture now
    const { status, answer } = await call("players");
    if (status !== 200 || !facts) return;
    facts = { ...facts, players: answer };
    draw();
  }).observe($("profiles"), { childList: true });
  addEventListener("hashchange", () => turn());
  addEventListener("all-settings", showAll);
  $("to-all").replaceChildren(make("a", { href: `#${ALL}`, test: "all-settings" }, text.doors.all), make("span", {}, text.doors.allHelp));
  return turn(true);
}

/** Shows of the form what belongs to a door, all of it for null; returns whether a field is left.
    @param {HTMLElement} form @param {string[] | null} shown */
function filterForm(form, shown) {
  const find = (/** @type {string} */ which) => /** @type {HTMLElement[]} */ ([...form.querySelectorAll(which)]);
  for (const each of find("[data-path]")) each.hidden = Boolean(shown && !shown.includes(each.dataset.path ?? ""));
  const hasAny = (/** @type {Element} */ each) => !shown || Boolean(each.querySelector("[data-path]:not([hidden])"));
  for (const each of find(".more:not([data-path])")) each.hidden = !hasAny(each);
  let found = false;
  for (const each of /** @type {HTMLDetailsElement[]} */ (find("#sections > details"))) {
    each.hidden = !hasAny(each);
    if (shown && !each.hidden) {
      each.dataset.was ??= each.open ? "open" : "";
      each.open = found = true;
    } else if (!shown && each.dataset.was !== undefined) {
      each.open = Boolean(each.dataset.was);
      delete each.dataset.was;
    }
  }
  return found;
}
