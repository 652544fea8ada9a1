/* Care for the daemon, on the settings page: a report for a bug, what the doctor says, backups, a new start. It is loaded
   when its part is opened. */

import { $, make, setText } from "../dom.js";
import { makeCopy } from "./copy.js";
import { text } from "./settings_fields.js";
import { makeRestore } from "./settings_restore.js";
import { sayFailure, saySentence } from "../words/tasks.js";
import { words } from "../words/words.js";

const GIVEN_BACK_MS = 60_000;
const LOOK_MS = 1_000;
const MOST_LINES = 500;
const MOST_LINES_OF_BOARD = 60;
const LEVELS = ["debug", "info", "warning", "error", "critical"];

/** Fills the part. @param {HTMLElement} place @param {Oche.CareTools} tools */
export function fillCare(place, { call, restart, restore, repair }) {
  const said = make("p", { role: "status", test: "care-said" });
  const found = make("ul", { className: "checks", test: "checks" });
  /** @param {"report" | "doctor" | "backup" | "restart"} name @param {() => Promise<string>} work @param {Node[]} more */
  const part = (name, work, ...more) => {
    const button = make("button", { type: "button", test: `care-${name}`, async onclick() {
      const all = /** @type {NodeListOf<HTMLButtonElement>} */ (place.querySelectorAll("button"));
      for (const each of all) each.disabled = true;
      setText(said, text.care.working);
      setText(said, await work().catch(() => words.unreachable));
      for (const each of all) each.disabled = false;
      button.focus();
    } }, text.care[name]);
    return make("section", {}, button, make("p", { className: "help" }, text.care[`${name}Help`]), ...more);
  };
  /** @type {HTMLInputElement} */
  const withSounds = make("input", { type: "checkbox", test: "care-backup-sounds" });
  const news = make("section", { hidden: true, test: "news-sections" });
  showNews(call, news, said);
  place.replaceChildren(
    said,
    news,
    part("report", () => download("report")),
    part("doctor", async () => {
      const { status, answer } = await call("care/doctor", {});
      found.replaceChildren(...(status === 200 ? answer.checks.map((/** @type {Oche.DoctorCheck} */ check) => makeCheck(check, repair)) : []));
      return status === 200 ? text.care.examined : sayFailure(answer.error);
    }, found),
    part("backup", () => download("backup", { sounds: withSounds.checked }), make("label", {}, withSounds, ` ${text.care.backupSounds}`)),
    makeRestore(said, call, restore),
    makeLive("log", (lines) => followLog(call, lines), makeLevels()),
    makeLive("traffic", (lines) => followTraffic(call, lines)),
    part("restart", restart),
  );
}

/** Shows what is new since the person has seen it last, as the changelog has it.
    @param {Oche.CareTools["call"]} call @param {HTMLElement} place @param {HTMLElement} said */
async function showNews(call, place, said) {
  const { status, answer } = await call("care/news");
  if (status !== 200 || !answer.sections.length) return;
  place.replaceChildren(make("h3", {}, text.care.news), ...answer.sections.map((/** @type {{ title: string, text: string }} */ each) => (
    make("div", { className: "changes", lang: "en", tabIndex: 0 }, make("h4", {}, each.title), ...makeNotes(each.text)))),
  make("button", { type: "button", test: "news-seen", async onclick() {
    const marked = await call("care/news", {});
    if (marked.status !== 200) return setText(said, sayFailure(marked.answer.error));
    place.hidden = true;
    $("news").hidden = true;
  } }, text.care.newsSeen));
  place.hidden = false;
  place.scrollIntoView();
}

/** Makes what is written in the changelog's Markdown: headings, lists and paragraphs of one line each. @param {string} notes */
function makeNotes(notes) {
  /** @type {HTMLElement[]} */
  const blocks = [];
  for (const line of notes.split("\n").filter(Boolean)) {
    const [, mark, rest] = /** @type {RegExpMatchArray} */ (line.match(/^(#+ |- )?(.*)$/));
    if (mark !== "- ") blocks.push(make(mark ? "h5" : "p", {}, ...makeInline(rest)));
    else if (blocks.at(-1)?.tagName === "UL") blocks.at(-1)?.append(make("li", {}, ...makeInline(rest)));
    else blocks.push(make("ul", {}, make("li", {}, ...makeInline(rest))));
  }
  return blocks;
}

/** Makes the pieces of a line. A link is its text: it leads to a file that is not here. @param {string} line */
function makeInline(line) {
  return line.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).map((piece, index) => {
    if (index % 2 === 0) return piece;
    if (piece.startsWith("`")) return make("code", {}, piece.slice(1, -1));
    return piece.startsWith("**") ? make("b", {}, piece.slice(2, -2)) : make("i", {}, piece.slice(1, -1));
  });
}

/** Makes a part that looks anew each second while it is unfolded. @param {"log" | "traffic"} name
    @param {(lines: HTMLElement) => () => Promise<void>} follow @param {HTMLElement[]} more */
function makeLive(name, follow, ...more) {
  const lines = make("ol", { className: "lines", lang: "en", tabIndex: 0, ariaLabel: text.care[name], test: `lines-${name}` });
  let turns = 0;
  const element = make("details", { test: `care-${name}`, async ontoggle() {
    const turn = ++turns; // a loop from before it was folded ends
    lines.replaceChildren();
    for (const look = follow(lines); turn === turns && element.open && element.isConnected;) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  } }, make("summary", {}, text.care[name]), make("p", { className: "help" }, text.care[`${name}Help`]), ...more, lines);
  return element;
}

function makeLevels() {
  const choices = Object.entries(text.care.levels).map(([level, label]) => make("option", { value: level }, label));
  /** @type {HTMLSelectElement} */
  const select = make("select", { test: "care-level", onchange() {
    const hidden = LEVELS.slice(0, LEVELS.indexOf(select.value));
    const lines = /** @type {HTMLElement} */ (select.closest("details")?.querySelector("ol"));
    lines.dataset.hidden = hidden.join(" ");
  } }, ...choices);
  return make("label", {}, `${text.care.level} `, select);
}

/** Appends lines, and stays at the end where the reader is there. @param {HTMLElement} list @param {Node[]} lines @param {number} most */
function append(list, lines, most) {
  const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  list.append(...lines);
  while (list.children.length > most) list.firstElementChild?.remove();
  if (isAtEnd && lines.length) list.scrollTop = list.scrollHeight;
}

/** @param {Oche.CareTools["call"]} call @param {HTMLElement} list */
function followLog(call, list) {
  let last = 0;
  return async () => {
    const { status, answer } = await call(`care/log?since=${last}`);
    if (status !== 200) return;
    append(list, answer.lines.map((/** @type {[number, string, string, string]} */ [number, at, level, said]) => {
      last = number;
      return make("li", { className: level }, `${new Date(at).toLocaleTimeString()} ${level} ${said}`);
    }), MOST_LINES);
  };
}

/** @param {Oche.CareTools["call"]} call @param {HTMLElement} list */
function followTraffic(call, list) {
  return async () => {
    const { status, answer } = await call("care/watch");
    if (status !== 200) return;
    list.replaceChildren(...Object.entries(answer.tables).flatMap(([table, { traffic, events }]) => [
      ...traffic.trim().split("\n").slice(1).map((/** @type {string} */ line) => JSON.parse(line)), ...events,
    ].sort((one, other) => one.ms - other.ms).slice(-MOST_LINES_OF_BOARD).map((line) => (line.fate
      ? make("li", { className: line.fate === "counted" ? "counted" : "dropped", lang: document.documentElement.lang }, `${table}${words.colon}${describeEvent(line)}`)
      : make("li", {}, `${table}${words.colon}${describeChunk(line)}`)))));
  };
}

/** What the board meant, and what became of it. @param {Oche.WatchedEvent} line */
function describeEvent({ ms, event: { hit, button, miss }, fate, why }) {
  const { events, fates } = text.care;
  const what = hit ? words.segment(hit) : button ? events.button(button) : miss ? events.miss : events.other;
  return `${(ms / 1000).toFixed(3)} s ⇒ ${what}${words.colon}${fates[fate]}${why ? `${words.colon}${saySentence(why)}` : ""}`;
}

/** A line of a recording, for people. @param {{ ms: number, in?: string, out?: string, link?: string, left_out?: number }} line */
function describeChunk({ ms, in: heard, out, link, left_out: leftOut }) {
  const hex = heard ?? out ?? "";
  const bytes = (hex.match(/../g) ?? []).map((each) => parseInt(each, 16));
  const readable = bytes.map((each) => (each >= 32 && each < 127 ? String.fromCharCode(each) : "·")).join("");
  const what = link ?? (leftOut === undefined ? `${out === undefined ? "←" : "→"} ${readable}  ${hex}` : `← ${leftOut} bytes`);
  return `${(ms / 1000).toFixed(3)} s ${what}`;
}

/** Saves what the daemon makes as a file; returns what to say. @param {string} what @param {object} asked */
async function download(what, asked = {}) {
  const response = await fetch(new URL(`api/care/${what}`, document.baseURI), { method: "POST", cache: "no-store", body: JSON.stringify(asked) });
  if (!response.ok) return sayFailure((await response.json()).error);
  const [, name = what] = /filename="(.+)"/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  const href = URL.createObjectURL(await response.blob());
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), GIVEN_BACK_MS);
  const remarks = JSON.parse(decodeURIComponent(response.headers.get("Oche-Remarks") ?? "[]"));
  return text.care.saved(name, remarks.map(saySentence).join("; "));
}

/** What was found, and what to do about it: lines to copy, and a button for what the settings can do.
    @param {Oche.DoctorCheck} check @param {Oche.CareTools["repair"]} [repair] */
export function makeCheck({ name, verdict, remedy_said: advice, commands, repair: what, ...found }, repair) {
  const act = what && repair?.(what);
  const remedy = advice ? saySentence(advice) : "";
  return make("li", { className: verdict, lang: found.key ? document.documentElement.lang : "en" }, make("b", {}, text.care.verdicts[verdict]), ` ${text.care.checks[name] ?? name}${words.colon}${saySentence(found)}`, ...(remedy && remedy !== commands[0] ? [make("code", {}, remedy)] : []),
    ...(act || commands.length ? [make("div", { className: "buttons" },
      ...(act ? [make("button", { type: "button", test: `repair-${name}`, onclick: act.run }, act.label)] : []),
      ...commands.map(makeCopy))] : []));
}
