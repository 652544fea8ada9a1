/* What can be done with a side that has entered, and entering another. */

import { make } from "../dom.js";
import { makeLabelled } from "../form.js";
import { makeButton, makeGrave, makeStepper, makeSwitch, openSheet } from "./fields.js";
import { listDraws } from "./needs.js";
import { nameMatch, nameSide, texts } from "./texts.js";
import { history, words } from "../words/words.js";

/** @typedef {import("./source.js").Source} Source */

const EMPTY = 0;
const MOST_NAME = 40;
const BRACKETS = ["knock_out", "double_knock_out"];

/** @param {Source} source @param {number} id */
export function openEntrant(source, id) {
  const view = source.view, entrant = view?.entrants.find((each) => each.id === id);
  if (!view || !entrant) return;
  const change = (/** @type {object} */ what) => source.do({ do: "change", entrant: id, ...what }, texts.change);
  openSheet(entrant.name, (act) => {
    const fields = entrant.people.map((name, at) => make("input", { value: name, maxLength: MOST_NAME, required: true, test: `person-${at}` }));
    const team = make("input", { value: entrant.people.length > 1 ? entrant.name : "", maxLength: MOST_NAME, test: "team" });
    return [
      ...(entrant.left ? [make("p", {}, texts.hasLeft)] : []),
      ...(entrant.confirmed ? [] : [makeButton(texts.confirm, () => act(() => change({ confirmed: true })), "confirm", "go")]),
      makeSwitch(texts.paid, entrant.paid, "paid", (paid) => act(() => change({ paid }), true)).element,
      ...(entrant.left ? [] : makeSeeding(view, entrant, (seed) => act(() => change({ seed })))),
      ...(view.phase !== "over" && !entrant.left ? makeLate(source, id, act) : []),
      make("details", {}, make("summary", {}, texts.rename), ...fields.map((field) => makeLabelled(words.lobby.name, field)),
        ...(entrant.people.length > 1 ? [makeLabelled(texts.teamName, team)] : []),
        makeButton(texts.save, () => act(() => change({
          people: fields.map((field) => field.value.trim()), ...(entrant.people.length > 1 && team.value.trim() !== entrant.name && { name: team.value.trim() }),
        })), "save", "go")),
      ...(entrant.left ? [] : [makeGrave(entrant.confirmed ? texts.leave : texts.refuse, () => act(() => source.do({ do: "leave", entrant: id }, texts.leave)), "leave")]),
    ];
  });
}

/** Offers a number in the seeding where it is made by hand, at first the next that is free; or says the rating or average that seeds.
    @param {Oche.TournamentView} view @param {Oche.TournamentEntrantView} entrant @param {(seed: number) => void} save */
function makeSeeding(view, { average, darts, id, rating, seed }, save) {
  const { seeding } = view.spec, others = view.entrants.filter((each) => each.id !== id && !each.left);
  if (seeding === "rating" && typeof rating === "number") return [make("p", { test: "rated" }, texts.ratedAs(rating.toFixed()))];
  if (seeding === "rating" || seeding === "average") return [make("p", { test: "rated" }, average === null ? texts.unrated : texts.rated(history.fixed(average), words.darts(darts)))];
  if (seeding !== "hand" || !listDraws(view).length) return [];
  const taken = new Set(others.map((each) => each.seed));
  let free = 1;
  while (taken.has(free)) free += 1;
  const stepper = makeStepper(texts.seed, seed ?? free, [0, others.length + 1], "seed");
  return [stepper.element, makeButton(texts.save, () => save(stepper.read()), "save-seed")];
}

/** Says in a few words how a side is seeded; "" where it is not. @param {Oche.TournamentView} view @param {Oche.TournamentEntrantView} entrant */
export function tellSeeding(view, { average, darts, rating, seed }) {
  if (!listDraws(view).length) return "";
  if (view.spec.seeding === "hand") return seed ? texts.seeded(seed) : "";
  if (view.spec.seeding === "rating" && typeof rating === "number") return texts.ratedAs(rating.toFixed());
  return ["average", "rating"].includes(view.spec.seeding ?? "") && average !== null ? `${history.fixed(average)} (${words.darts(darts)})` : "";
}

/** Offers the places that a late entrant can take. @param {Source} source @param {number} entrant
    @param {(doing: () => Promise<any>) => Promise<void>} act */
function makeLate(source, entrant, act) {
  const { view } = source;
  if (!view?.may.includes("seat_late") || view.matches.some(({ sides }) => sides.includes(entrant))) return [];
  const byes = view.matches.filter(({ sides, status }) => status === "bye" && sides.includes(EMPTY) && sides.some((side) => side > EMPTY));
  const seat = (/** @type {string} */ match) => act(() => source.do({ do: "seat_late", entrant, match }, texts.late));
  if (!BRACKETS.includes(view.spec.kind)) return [makeButton(texts.joinNow, () => seat(""), "seat-late", "go")];
  const again = listDraws(view).length ? [make("a", { className: "button", href: `#/${source.id}/draw`, test: "late-redraw" }, texts.redraw)] : [];
  if (!byes.length) return [make("p", {}, texts.noBye), ...again];
  return [make("h3", {}, texts.late), make("div", { className: "grid" }, ...byes.map((match) => {
    const other = nameSide(view, match, match.sides[0] === EMPTY ? 1 : 0);
    return makeButton(`${nameMatch(view, match)}: ${other}`, () => seat(match.id), `seat-${match.id}`);
  }))];
}

/** Returns the field that enters another side: names with commas or "+" between people who play together.
    @param {Source} source @param {string[]} known @param {(sentence: string) => void} tell */
export function makeEntering(source, known, tell) {
  const list = make("datalist", { id: "known-players" }, ...known.map((name) => new Option(name)));
  const field = make("input", {
    maxLength: 4 * MOST_NAME, placeholder: texts.addEntrant, ariaLabel: texts.addEntrant, autocomplete: "off", enterKeyHint: "done", test: "enter-name",
    onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); enter(); } },
  });
  field.setAttribute("list", list.id);
  const enter = async () => {
    const { drawn = false, side = 1, slots = [] } = source.view?.spec ?? {};
    const isAlone = (side === 1 || drawn) && !slots.length;
    const parts = field.value.split(isAlone ? "," : /[:,+&]/).map((each) => each.trim()).filter(Boolean);
    const [name, people] = slots.length ? [parts[0], parts.slice(1)] : ["", parts];
    if (!people.length) return parts.length ? tell(texts.teamHow) : field.focus();
    const typed = field.value;
    field.value = "";
    tell("");
    try {
      for (const each of isAlone ? people.map((one) => [one]) : [people]) await source.do({ do: "enter", people: each, ...(name && { name }) }, each.join(" & "));
    } catch (problem) {
      field.value ||= typed;
      tell(/** @type {Error} */ (problem).message);
    }
    return field.focus();
  };
  return make("div", { className: "typed" }, field, list, makeButton(words.lobby.add, enter, "enter"));
}
