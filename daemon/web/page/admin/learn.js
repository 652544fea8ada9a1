/* Learning an unknown board, on the settings page: the segment to press lights up on the face, what was heard is shown, and
   the profile that comes of it is tried, saved and used. The daemon keeps all that was pressed: a page that is loaded
   again goes on where it was. Loaded when its part is opened. */

import { Board } from "../board.js";
import { make, makeSvg, setText } from "../dom.js";
import { text } from "./settings_fields.js";
import { saySentence, sayFailure } from "../words/tasks.js";

const AGAIN_MS = 1_000;
const LIMIT_MS = 20_000; // what is tapped waits for what was tapped before
const TO_CONFIRM = 3;
const say = text.learn;
/** @param {string} id @param {string} place which part of it */
const sayBed = (id, place = id) => `${id} – ${/** @type {Record<string, string>} */ (say.beds)[/^[SD]B$/.test(place) ? place : place[0]]}`;
const sayTried = (/** @type {string[]} */ tried) => (tried.length ? say.tried(list(tried.map((each) => (each || say.unknown)))) : "");
const list = (/** @type {string[]} */ beds) => beds.join(", ");

/** Fills the part. @param {HTMLElement} place @param {Oche.LearnTools} tools */
export async function fillLearn(place, tools) {
  const { status, answer } = await tools.call("layout/standard");
  if (status === 200) await new LearnView(place, tools, answer).ask("learn");
  else place.replaceChildren(make("p", { className: "error" }, sayFailure(answer.error)));
}

class LearnView {
  /** @param {HTMLElement} place @param {Oche.LearnTools} tools @param {Oche.Layout} layout */
  constructor(place, tools, layout) {
    this.tools = tools;
    this.isFollowing = false;
    this.answered = Promise.resolve(); // what was asked for last
    this.trouble = make("p", { className: "error", role: "alert", test: "learn-trouble" });
    this.progress = make("p", { test: "learn-progress" });
    this.press = make("p", { className: "press", role: "status", test: "learn-press" });
    this.heard = make("p", { className: "heard", test: "learn-heard" });
    this.notes = make("ul", { className: "notes", test: "learn-notes" });
    const svg = makeSvg("svg", { role: "img", "aria-label": say.face, "data-testid": "learn-face" });
    this.board = new Board(svg, layout);
    const button = (/** @type {"undo" | "skip" | "save" | "stop"} */ name) =>
      make("button", { type: "button", test: `learn-${name}`, onclick: () => this.act(name) }, say[name]);
    this.save = button("save");
    this.undo = button("undo");
    this.skip = button("skip");
    this.stop = button("stop");
    this.save.classList.add("go");
    const buttons = make("div", { className: "buttons" }, this.save, this.undo, this.skip, this.stop);
    this.active = make("div", { hidden: true }, this.progress, this.press, svg, this.heard, make("div", { role: "status" }, this.notes), buttons);
    this.idle = make("div", { hidden: true });
    place.replaceChildren(this.trouble, this.active, this.idle);
  }

  /** Shows what the daemon answers. @param {string} path @param {object} [body] */
  async ask(path, body) {
    const { status, answer } = await this.tools.call(path, body, AbortSignal.timeout(LIMIT_MS));
    if (status === 200) this.show(answer);
    else setText(this.trouble, sayFailure(answer.error));
  }

  /** Asks for this once what was asked for before is answered: what is sent at the same time may come in any order.
      @param {string} name @param {object} body */
  act(name, body = {}) {
    this.answered = this.answered.catch(() => {}).then(() => {
      setText(this.trouble, "");
      return this.ask(`learn/${name}`, body);
    });
  }

  /** Shows what changes, until nothing is being learned. @param {Oche.Learning} found */
  async follow({ run, version }) {
    this.isFollowing = true;
    for (let since = `${run}.${version}`; since;) {
      const { status, answer } = await this.tools.call(`learn?since=${since}`);
      if (status === 200) {
        setText(this.trouble, "");
        since = answer.state === "idle" ? "" : `${answer.run}.${answer.version}`;
        this.show(answer);
      } else {
        setText(this.trouble, sayFailure(answer.error));
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
    this.isFollowing = false;
  }

  /** @param {Oche.Learning} found */
  show(found) {
    const isIdle = found.state === "idle";
    const wasActive = !this.active.hidden;
    const wasIdle = !this.idle.hidden;
    this.active.hidden = isIdle;
    this.idle.hidden = !isIdle;
    if (isIdle && wasIdle) return; // the daemon tells it twice: to who asked, and to who follows
    if (isIdle) return this.showIdle(found, wasActive);
    if (!this.isFollowing) this.follow(found);
    this.showPresses(found);
    if (!wasActive) {
      this.stop.focus({ preventScroll: true });
      this.active.scrollIntoView({ block: "nearest" });
    }
  }

  /** @param {Oche.Learning} found */
  showPresses({ state, trouble_said: trouble, online, press, heard = [], notes = [], tried = [], finding }) {
    const isTrying = state === "trying";
    const left = TO_CONFIRM - tried.filter(Boolean).length;
    const lit = isTrying ? tried.slice(-1) : heard.slice(-1).filter(([, contact]) => contact !== null).map(([bed]) => bed);
    setText(this.progress, press ? say.progress(press.number, press.about) : finding ? sayFinding(finding) : "");
    if (!online) setText(this.press, trouble ? saySentence(trouble) : say.noBoard);
    else if (press) setText(this.press, (press.again ? say.again : say.press)(sayBed(press.segment, press.place)));
    else setText(this.press, left > 0 ? say.confirm(left) : say.confirmed);
    setText(this.heard, isTrying ? sayTried(tried) : sayHeard(heard.at(-1)));
    this.notes.replaceChildren(...notes.map((note) => make("li", {}, saySentence(note))));
    this.board.light("hit", lit.filter(Boolean));
    this.board.light("target", press && online ? [press.place] : []);
    this.save.hidden = !isTrying;
    this.skip.hidden = isTrying;
    this.save.disabled = left > 0;
    this.undo.disabled = !heard.length;
  }

  /** @param {Oche.Learning} found @param {boolean} wasActive */
  showIdle({ kept, saved, name, trouble_said: trouble }, wasActive) {
    if (trouble) setText(this.trouble, saySentence(trouble));
    const done = saved ? this.makeSaved(saved) : [];
    const resume = kept ? [make("p", {}, make("button", { type: "button", test: "learn-resume", onclick: () => this.act("resume") },
      say.resume(kept.name, kept.presses)))] : [];
    this.idle.replaceChildren(...done, make("p", { className: "help" }, say.about), ...resume, this.makeForm(/** @type {string} */ (name), !saved));
    if (wasActive) /** @type {HTMLElement} */ (this.idle.querySelector("[tabindex], button, input")).focus();
  }

  /** @param {NonNullable<Oche.Learning["saved"]>} saved */
  makeSaved({ profile, name, board }) {
    const tables = this.tools.tables();
    const own = Math.max(0, tables.findIndex((table) => table.board === board)); // it plays there already
    const uses = tables.map((table, index) => make("button", {
      type: "button", className: index === own ? "go" : "", test: `learn-use-${index}`, onclick: () => this.tools.use(index, board, profile),
    }, say.use(table.name)));
    const file = make("a", { href: `api/learn/profile/${encodeURIComponent(name)}`, download: `${name}.toml`, test: "learn-download" }, say.download);
    const told = make("p", { role: "status", test: "learn-saved", tabIndex: -1 }, say.saved(profile));
    return [told, make("p", {}, file), make("div", { className: "buttons" }, ...uses)];
  }

  /** @param {string} name which no profile has @param {boolean} isFirst whether nothing goes before it */
  makeForm(name, isFirst) {
    const { address, profile } = this.tools.tried?.() ?? {};
    const boards = [address ?? "", ...this.tools.tables().map((each) => each.board)].filter((each) => each && !/^(none$|sim:|replay:)/.test(each));
    const fields = [
      makeField("board", boards[0] ?? "", boards, say.boardHelp), makeField("name", name), makeField("frame", "", [], say.frameHelp),
      makeField("end", "", [], say.endHelp), makeField("profile", /^(ble|usb):/.test(address ?? "") ? profile ?? "" : "", this.tools.profiles(), say.profileHelp),
    ];
    fields[1].input.maxLength = 40;
    const [first, second, ...others] = fields.map(({ element }) => element);
    const more = make("details", { className: "more" }, make("summary", {}, text.more), ...others);
    return make("form", { noValidate: true, onsubmit: (event) => {
      event.preventDefault();
      const typed = fields.map((each) => [each.name, each.input.value.trim()]).filter(([key, value]) => value || key === "board");
      this.act("start", { name, ...Object.fromEntries(typed) });
    } }, first, second, more, make("button", { className: isFirst ? "go" : "", test: "learn-start" }, say.start));
  }
}

/** @param {"board" | "name" | "frame" | "end" | "profile"} name @param {string} value @param {string[]} [choices]
    @param {string} [help] */
function makeField(name, value, choices = [], help = "") {
  const id = `learn-${name}`;
  const input = make("input", { id, value, test: `learn-${name}`, autocomplete: "off", spellcheck: false });
  input.setAttribute("list", `${id}-list`);
  input.setAttribute("aria-describedby", `${id}-help`);
  const known = make("datalist", { id: `${id}-list` }, ...choices.map((each) => make("option", { value: each })));
  const element = make("div", { className: "field" }, make("label", { htmlFor: id }, say[name]), input, known, make("p", { id: `${id}-help`, className: "help" }, help));
  return { name, input, element };
}

/** @param {NonNullable<Oche.Learning["finding"]>} finding */
const sayFinding = ({ mat, turn, mirror, odd, missing, segments }) => [
  mat ? say.mat(mat, turn, mirror) : say.ownTable(segments),
  ...(odd.length ? [say.odd(list(odd))] : []), ...(missing.length ? [say.missing(list(missing))] : []),
].join(" ");

/** @param {[press: string, contact: string | null]} [last] */
function sayHeard(last) {
  if (!last) return "";
  const [bed, contact] = last;
  return contact === null ? say.nothing(bed) : say.heard(bed, contact);
}
