/* What the organiser of a tournament does, with one hand: above what needs doing now, then the tables with their matches, the
   matches that can be called, who takes part, the results. Below, where the thumb is, is what was done last, to take it back. */

import { make, setText } from "../dom.js";
import { makeEntering, openEntrant, tellSeeding } from "./entrant_sheet.js";
import { keepFocus, makeButton, makeSwitch } from "./fields.js";
import { makeFaces, readKnown } from "./known_people.js";
import { openMatch } from "./match_sheet.js";
import { describeInput, listDraws, listEntrants, listNeeds, needsBoard, needsDraw, sayTable } from "./needs.js";
import { openNewTable, openTable, setAuto } from "./table_sheet.js";
import { findMatch, nameEntrant, nameMatch, namePair, nameTable, texts, writeClock } from "./texts.js";
import { words } from "../words/words.js";

/** @typedef {import("./source.js").Source} Source */

const OPEN_KINDS = ["ladder", "open"];

/** Fills an element anew when `from` has changed; the focus stays on what is called the same, or is near.
    @param {HTMLElement} element @param {unknown} from @param {() => (Node | string)[]} build */
function redraw(element, from, build) {
  const built = JSON.stringify(from);
  if (element.dataset.built === built) return;
  element.dataset.built = built;
  const held = document.activeElement instanceof HTMLElement && element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren(...build());
  if (held) keepFocus(held.dataset.testid, element);
}

/** @param {string} title @param {string} test @param {(Node | string)[]} inner */
const makeSection = (title, test, ...inner) => {
  const list = make("div", { className: "list" });
  return { list, element: make("section", { ariaLabel: title, test }, make("h2", {}, title), list, ...inner) };
};

class Organising {
  /** @param {Source} source @param {import("./known_people.js").Known} known */
  constructor(source, known) {
    this.source = source;
    this.known = known;
    this.said = make("p", { role: "alert", test: "organise-said" });
    const tell = (/** @type {string} */ sentence) => setText(this.said, sentence);
    this.tell = tell;
    this.summary = make("p", { className: "aside", test: "summary" });
    this.needs = make("div", { className: "needs", test: "needs" });
    this.auto = makeSwitch(texts.auto, true, "auto", (isOn) => setAuto(source, isOn).catch(({ message }) => tell(message)));
    this.tables = makeSection(texts.tables, "tables", this.auto.element, makeButton(texts.addTable, () => openNewTable(source), "add-table"));
    this.redraw = make("a", { className: "button", href: `#/${source.id}/draw`, test: "redraw" }, texts.redraw);
    this.ready = makeSection(texts.ready, "ready", this.redraw);
    this.pairing = makeSection(texts.pairing, "pairing");
    this.entering = makeEntering(source, [...known.values()].map(({ name }) => name), tell);
    this.people = makeSection(texts.people, "people", this.entering);
    this.results = make("details", { test: "results" }, make("summary", {}, texts.results));
    this.resultList = make("div", { className: "list" });
    this.results.append(this.resultList);
    this.more = make("details", { test: "organise-more" }, make("summary", {}, texts.more_));
    this.more.ontoggle = () => this.openMore();
    this.undo = makeButton(texts.undo, () => this.act({ do: "undo" }), "undo");
    this.redo = makeButton(texts.redo, () => this.act({ do: "redo" }), "redo");
    this.bar = make("div", { className: "bar" }, this.said, this.undo, this.redo);
    this.element = make("div", { className: "organising" },
      make("div", { className: "first" }, this.summary, this.needs, this.tables.element, this.ready.element, this.pairing.element),
      make("div", { className: "second" }, this.people.element, this.results, this.more), this.bar);
  }

  /** @param {Oche.TournamentInput} input */
  async act(input) {
    this.tell("");
    try {
      await this.source.do(input);
    } catch (problem) {
      this.tell(/** @type {Error} */ (problem).message);
    }
  }

  async openMore() {
    this.more.ontoggle = null;
    const { makeMore } = await import("./more.js");
    this.more.append(...await makeMore(this.source));
  }

  render() {
    const { source: { role, view } } = this;
    if (!view) return;
    const isOver = view.phase === "over";
    this.element.hidden = role !== "organise";
    setText(this.summary, this.summarise(view));
    const needs = listNeeds(view);
    redraw(this.needs, needs, () => needs.map((need) => this.makeNeed(need)));
    this.tables.element.hidden = isOver;
    redraw(this.tables.list, [view.tables, view.matches.map(({ id, status, sides, writer }) => [id, status, sides, writer]), view.entrants.map(({ name }) => name)], () => view.tables.map((table) => this.makeTable(view, table)));
    const box = this.auto.element.querySelector("input");
    if (box) box.checked = view.auto ?? true;
    this.renderReady(view);
    this.renderPairing(view);
    const entrants = listEntrants(view);
    this.entering.hidden = isOver;
    redraw(this.people.list, entrants.map((each) => [each, tellSeeding(view, each)]), () => entrants.map((each) => this.makeEntrant(each, tellSeeding(view, each))));
    const played = view.matches.filter(({ status }) => ["played", "walkover", "disputed"].includes(status)).toSorted((one, other) => (other.played_s ?? 0) - (one.played_s ?? 0));
    this.results.hidden = !played.length;
    redraw(this.resultList, [played, view.entrants.map(({ name }) => name)], () => played.map((match) => this.makeMatch(view, match, match.score ? match.score.join(":") : texts.status[match.status])));
    const isHeld = this.bar.contains(document.activeElement);
    for (const [button, line, label] of /** @type {const} */ ([[this.undo, view.undo, texts.undo], [this.redo, view.redo, texts.redo]])) {
      button.hidden = !line;
      if (line) button.replaceChildren(label, make("small", {}, describeInput(view, line.input)));
    }
    if (isHeld) keepFocus("", this.bar);
  }

  /** @param {Oche.TournamentView} view */
  summarise(view) {
    const counted = view.matches.filter(({ of, status }) => !of && status !== "bye");
    const played = counted.filter(({ status }) => ["played", "walkover", "disputed"].includes(status)).length;
    const { early_s: early = 0, end_s: end = 0, late_s: late = 0 } = view.forecast ?? {};
    return [texts.phases[view.phase], counted.length ? texts.played(played, counted.length) : "",
      view.winner == null ? "" : texts.wonBy(nameEntrant(view, view.winner)),
      end && view.phase === "playing" ? texts.ends(writeClock(end), writeClock(early), writeClock(late)) : ""].filter(Boolean).join(" · ");
  }

  /** @param {import("./needs.js").Need} need */
  makeNeed({ code, draw, entrant, key, match, table, text }) {
    const { source } = this;
    const open = () => {
      if (draw) location.hash = `#/${source.id}/draw`;
      else if (code) import("./more.js").then(({ openCode }) => openCode(source)).catch(({ message }) => this.tell(message));
      else if (match) openMatch(source, match);
      else if (entrant) openEntrant(source, entrant);
      else if (table) openTable(source, table);
      else openNewTable(source);
    };
    const button = makeButton(text, open, `need-${key}`, draw ? "go" : "");
    if (!key.startsWith("confirm-") || !entrant) return button;
    const confirm = makeButton(texts.confirm, () => this.act({ do: "change", entrant, confirmed: true }), `quick-${key}`, "go");
    confirm.ariaLabel = `${texts.confirm}${words.colon}${nameEntrant(/** @type {Oche.TournamentView} */ (source.view), entrant)}`;
    return make("div", { className: "with-quick" }, button, confirm);
  }

  /** @param {Oche.TournamentView} view @param {Oche.TournamentTableView} table */
  makeTable(view, table) {
    const { match: id, name, next, paused, status } = table, lacksBoard = needsBoard(table);
    const match = id ? findMatch(view, id) : undefined, after = next ? findMatch(view, next) : undefined;
    const button = makeButton("", () => openTable(this.source, name), `table-${name}`, `table is-${paused ? "paused" : status}${lacksBoard ? " is-away" : ""}`);
    button.append(make("b", {}, nameTable(view, name)), make("small", {}, sayTable(table)),
      ...(match ? [make("span", { className: "pair" }, namePair(view, match))] : []),
      ...(match?.writer ? [make("small", {}, texts.writes(nameEntrant(view, match.writer)))] : []),
      ...(after ? [make("small", {}, texts.next(namePair(view, after)))] : []));
    if (!match) return button;
    const open = makeButton(texts.match, () => openMatch(this.source, match.id), `at-${name}`);
    open.ariaLabel = `${texts.match}${words.colon}${namePair(view, match)}`;
    return make("div", { className: "with-quick" }, button, open);
  }

  /** @param {Oche.TournamentView} view */
  renderReady(view) {
    const order = new Map(view.next.map((id, place) => [id, place]));
    const isParts = Boolean(view.spec.slots?.length);
    const ready = view.matches.filter(({ of, status }) => status === "ready" && Boolean(of) === isParts).toSorted((one, other) => (order.get(one.id) ?? 999) - (order.get(other.id) ?? 999));
    this.redraw.hidden = !listDraws(view).length || needsDraw(view);
    this.ready.element.hidden = !ready.length && this.redraw.hidden;
    redraw(this.ready.list, [ready, view.entrants.map(({ name }) => name)], () => ready.map((match) => this.makeMatch(view, match, match.due_s ? writeClock(match.due_s) : "")));
  }

  /** @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match @param {string} aside */
  makeMatch(view, match, aside) {
    const button = makeButton("", () => openMatch(this.source, match.id), `match-${match.id}`, `match is-${match.status}`);
    button.append(make("span", { className: "pair" }, namePair(view, match)), make("small", {}, nameMatch(view, match)), make("b", {}, aside));
    return button;
  }

  /** Who challenges whom, or plays whom, where pairs are made as people like. @param {Oche.TournamentView} view */
  renderPairing(view) {
    this.pairing.element.hidden = !OPEN_KINDS.includes(view.spec.kind) || !view.may.includes("pair");
    if (this.pairing.element.hidden) return;
    const ids = view.spec.kind === "ladder" ? view.ladder ?? [] : listEntrants(view).filter(({ left }) => !left).map(({ id }) => id);
    redraw(this.pairing.list, [ids, view.entrants.map(({ name }) => name)], () => ids.map((id, place) => makeButton(
      view.spec.kind === "ladder" ? `${place + 1}. ${nameEntrant(view, id)}` : nameEntrant(view, id), async () => {
        const { openPairing } = await import("./pairing_sheet.js");
        openPairing(this.source, id);
      }, `pair-${id}`)));
  }

  /** @param {Oche.TournamentEntrantView} entrant @param {string} seeding */
  makeEntrant({ confirmed, id, left, name, paid, people }, seeding) {
    const button = makeButton("", () => openEntrant(this.source, id), `entrant-${id}`, left ? "left" : "");
    const together = people.join(" & ");
    const told = [name === together ? "" : together, left ? texts.hasLeft : !confirmed ? texts.toConfirm : "", left ? "" : seeding, paid ? texts.paid : ""].filter(Boolean);
    button.append(make("span", { className: "pair" }, ...makeFaces(this.known, people), name), ...(told.length ? [make("small", {}, told.join(" · "))] : []));
    return button;
  }
}

/** @param {HTMLElement} root @param {Source} source */
export async function show(root, source) {
  const organising = new Organising(source, await readKnown());
  const denied = make("p", { test: "not-organiser", hidden: true }, texts.notOrganiser);
  root.append(denied, organising.element);
  source.subscribe(() => {
    denied.hidden = !source.view || source.role === "organise";
    organising.render();
  });
}
