/* Signing up on one's own phone, by the code of the tournament: names, what happens next, who is in. Afterwards the page shows
   one's place and one's next match, live. */

import { make, rebuild, setText } from "../dom.js";
import { makeLabelled } from "../form.js";
import { fetchAnswer, pause } from "../link.js";
import { makeButton } from "./fields.js";
import { fold, makeFaces, readKnown } from "./known_people.js";
import { listEntrants } from "./needs.js";
import { keep, readKept } from "./source.js";
import { letterOf, nameMatch, namePair, nameTable, texts, writeClock } from "./texts.js";
import { words } from "../words/words.js";

/** @typedef {import("./source.js").Source} Source */

const MOST_NAME = 40;
const AGAIN_MS = 2_000;
const NEXT = ["playing", "called", "ready", "waiting"];
const PLAYED = ["played", "walkover", "disputed"];
const SEATED = ["knock_out", "double_knock_out", "groups"]; // where nobody enters by themselves once it is drawn

/** @typedef {Oche.TournamentView["spec"]} Spec */
/** @param {Spec} spec */
const isTeam = ({ slots = [] }) => slots.length > 0;

/** Returns how many people enter as one side; of a team as many as its matches need. @param {Spec} spec */
const countPeople = ({ drawn, side = 1, slots = [] }) => (slots.length ? 1 + Math.max(...slots.flatMap(({ away, home }) => [...home, ...away])) : drawn ? 1 : side);

class SignUp {
  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    /** Those who are known, once they are read. @type {import("./known_people.js").Known} */
    this.known = new Map();
    this.said = make("p", { role: "alert", test: "sign-up-said" });
    this.own = make("section", { className: "own", test: "own" });
    this.pictures = make("section", { test: "pictures" });
    /** Whose pictures are asked for; null until it is known who has one. @type {string | null} */
    this.asked = null;
    this.form = make("form", { test: "sign-up", onsubmit: (event) => { event.preventDefault(); this.enter(); } });
    this.others = make("section", { test: "entered" });
    this.element = make("div", {}, this.own, this.pictures, this.form, this.said, this.others);
    /** Whether somebody else signs up on this phone. */
    this.isMore = false;
    /** @type {HTMLInputElement[]} */
    this.fields = [];
    this.team = make("input", { maxLength: MOST_NAME, required: true, autocomplete: "off", test: "team-name" });
    this.code = make("input", { required: true, autocomplete: "off", autocapitalize: "characters", test: "code", value: readKept(source.id, "code") });
  }

  /** Who signed up on this phone, the latest first. @returns {Oche.TournamentEntrantView[]} */
  get entrants() {
    const kept = readKept(this.source.id, "entrant").split(",").filter(Boolean).map(Number);
    return kept.flatMap((id) => this.source.view?.entrants.find((each) => each.id === id && !each.left) ?? []);
  }

  render() {
    const { entrants, source: { view } } = this;
    if (!view) return;
    const isOpen = view.phase === "sign_up" || (view.phase === "playing" && !SEATED.includes(view.spec.kind));
    rebuild(this.own, [entrants, view.matches, view.standings, view.entrants, view.ladder], () => entrants.flatMap((each) => this.tellOf(view, each)));
    this.askPictures(entrants.flatMap(({ people }) => people).filter((name) => !this.known.get(fold(name))?.picture));
    this.form.hidden = (entrants.length > 0 && !this.isMore) || !isOpen;
    rebuild(this.form, [view.spec], () => this.makeForm(view, countPeople(view.spec)));
    const there = listEntrants(view).filter(({ left }) => !left);
    rebuild(this.others, [there.map(({ confirmed, name }) => [name, confirmed]), this.known.size, isOpen, entrants.length], () => [
      ...(isOpen ? [] : [make("p", { test: "closed" }, view.phase === "over" ? texts.phases.over : texts.signUpClosed)]),
      ...(isOpen && entrants.length ? [makeButton(texts.signUpMore, () => { this.isMore = true; this.render(); this.fields[0]?.focus(); }, "sign-up-more")] : []),
      make("h2", {}, texts.entered(there.length)), make("ol", {}, ...there.map(({ confirmed, name, people }) => make("li", {}, ...makeFaces(this.known, people), name, ...(confirmed ? [] : [" ", make("small", {}, texts.toConfirm)])))),
    ]);
  }

  /** Asks for pictures of those who have none, where this phone may set them. @param {string[]} people */
  async askPictures(people) {
    const asked = people.join("\n");
    if (this.asked === null || asked === this.asked) return;
    this.asked = asked;
    const { makePictures } = await import("./sign_up_picture.js");
    const fields = await makePictures(people, () => this.readKnown());
    if (asked === this.asked) this.pictures.replaceChildren(...fields);
  }

  async readKnown() {
    this.known = await readKnown();
    this.asked ??= "";
    this.render();
  }

  /** @param {Oche.TournamentView} view @param {number} side how many enter together */
  makeForm(view, side) {
    this.fields = Array.from({ length: side }, (_, at) => make("input", { maxLength: MOST_NAME, required: true, autocomplete: at ? "off" : "name", test: `name-${at}` }));
    const label = (/** @type {number} */ at) => (side === 1 ? texts.yourName : texts.playerNumber(at + 1));
    return [make("h2", {}, texts.signUpFor(texts.kinds[view.spec.kind])), ...(isTeam(view.spec) ? [makeLabelled(texts.teamName, this.team)] : []), ...this.fields.map((field, at) => makeLabelled(label(at), field)),
      ...(this.code.value ? [] : [makeLabelled(texts.code, this.code)]),
      make("button", { className: "go", test: "sign-up-ok" }, texts.signUp), make("p", { className: "aside" }, view.spec.confirm === false ? texts.happensNext : texts.happensConfirmed)];
  }

  /** Says how it stands for a side: whether it is in, its next match, what it has played.
      @param {Oche.TournamentView} view @param {Oche.TournamentEntrantView} entrant */
  tellOf(view, entrant) {
    const own = view.entrants.find(({ members }) => members.includes(entrant.id))?.id ?? entrant.id; // the side that was drawn
    const there = view.entrants.filter(({ left }) => !left);
    const mine = view.matches.filter(({ of, sides }) => !of && sides.includes(own));
    const next = mine.filter(({ status }) => NEXT.includes(status)).toSorted((one, other) => NEXT.indexOf(one.status) - NEXT.indexOf(other.status) || (one.due_s ?? Infinity) - (other.due_s ?? Infinity))[0];
    const where = view.standings.flatMap(({ group, rows }) => rows.filter((row) => row.entrant === own).map(({ place }) => (group == null ? texts.placed(place) : texts.placedIn(place, letterOf(group)))));
    const place = view.places.find(({ entrants }) => entrants.includes(own));
    const writes = view.matches.filter(({ status, writer }) => writer === own && ["called", "playing"].includes(status));
    const played = mine.filter(({ status }) => PLAYED.includes(status));
    return [
      make("h2", { test: "you-are-in" }, entrant.confirmed ? texts.youAreIn(entrant.name, there.findIndex(({ id }) => id === entrant.id) + 1) : texts.youWait(entrant.name)),
      ...(next ? [make("div", { className: `next is-${next.status}`, test: "your-next" }, make("small", {}, next.status === "playing" ? texts.youPlay : texts.yourNext), make("b", {}, namePair(view, next)),
        make("span", {}, [nameTable(view, next.table), nameMatch(view, next), !next.table && next.due_s ? texts.about(writeClock(next.due_s)) : ""].filter(Boolean).join(" · ")))]
        : [make("p", { test: "your-next" }, place ? texts.yourPlace(place.first, place.last) : view.phase === "sign_up" ? texts.drawComes : texts.noNext)]),
      ...writes.map((match) => make("p", { className: "writes" }, texts.youWrite(namePair(view, match), nameTable(view, match.table)))),
      ...where.map((text) => make("p", {}, text)),
      ...(played.length ? [make("ul", {}, ...played.map((match) => make("li", {}, namePair(view, match), " ", make("b", {}, match.score?.join(":") ?? ""))))] : []),
    ];
  }

  /** Signs up; if the answer is lost it looks whether that was done. */
  async enter() {
    const { source } = this, people = this.fields.map((field) => field.value.trim());
    const name = source.view && isTeam(source.view.spec) ? this.team.value.trim() : "";
    setText(this.said, "");
    const code = this.code.value.trim();
    try {
      const line = await source.inTurn(async () => {
        for (;;) {
          try {
            return (await fetchAnswer(`tournament/${encodeURIComponent(source.id)}/sign_up`, { method: "POST", headers: { ...source.headers, "Content-Type": "application/json" }, body: JSON.stringify({ code, people, ...(name && { name }) }) })).line;
          } catch (problem) {
            if (/** @type {Error} */ (problem).message !== words.unreachable) throw problem;
          }
          do await pause(AGAIN_MS); while (!await source.read());
          const done = source.view?.entrants.find((each) => !each.left && each.people.join("\n") === people.join("\n"));
          if (done) return done.id;
        }
      }, name || people.join(" & "));
      keep(source.id, "code", code);
      keep(source.id, "entrant", [line, ...this.entrants.map(({ id }) => id)].join());
      this.isMore = false;
      for (const field of [this.team, ...this.fields]) field.value = "";
      await source.read();
      this.render();
    } catch (problem) {
      setText(this.said, /** @type {Error} */ (problem).message);
    }
  }
}

/** @param {HTMLElement} root @param {Source} source */
export function show(root, source) {
  const signUp = new SignUp(source);
  root.append(signUp.element);
  source.subscribe(() => signUp.render());
  signUp.readKnown();
}
