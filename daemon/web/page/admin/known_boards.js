/* The kinds of boards that oche knows, by the name on the box: those that can be bought at once, all others as one types. */

import { make, setText } from "../dom.js";
import { tryBoard } from "./find_board.js";
import { text } from "./settings_fields.js";

const MOST = 8;
const say = text.guide;

/** Spells as names of boards do: without accents, and ö as oe. @param {string} typed */
const plain = (typed) => typed.toLowerCase().replace(/[äöü]/g, (each) => ({ ä: "ae", ö: "oe", ü: "ue" })[each] ?? each)
  .normalize("NFD").replace(/\p{M}/gu, "");

/** Returns the kinds whose name has each word that was typed; those with a brand where none was.
    @param {Oche.KnownBoard[]} boards @param {string} typed */
function search(boards, typed) {
  const wanted = plain(typed).split(/\s+/).filter(Boolean);
  if (!wanted.length) return boards.filter(({ brands }) => brands.length);
  return boards.filter(({ profile, name, brands }) => {
    const known = plain([profile, name, ...brands].join(" "));
    return wanted.every((each) => known.includes(each));
  }).slice(0, MOST);
}

/** @param {Oche.KnownBoard[]} boards @param {{ call: Oche.FindTools["call"], play(board: string, profile: string): void,
    learn(address: string, profile?: string): void, enterAddress(profile: string): void }} tools */
export function makeKnown(boards, { call, play, learn, enterAddress }) {
  const found = make("div", { className: "known", test: "known" });
  const about = make("p", { role: "status", test: "known-about" });
  const trial = make("div");

  /** @param {Oche.KnownBoard} kind @param {HTMLElement} button */
  const take = ({ profile, link, brands, is_cloud }, button) => {
    for (const each of found.children) each.setAttribute("aria-pressed", String(each === button));
    trial.replaceChildren();
    setText(about, is_cloud ? say.cloud(brands[0]) : say.links[link]);
    if (link === "ble") tryBoard(trial, call, "ble:auto", profile, () => play("ble:auto", profile), learn);
    else enterAddress(profile);
  };
  /** Whether several kinds have this name on their box. @param {Oche.KnownBoard} kind */
  const isShared = ({ brands }) => boards.filter((each) => each.brands.join() === brands.join()).length > 1;
  const show = () => {
    const typed = input.value.trim();
    found.replaceChildren(...search(boards, typed).map((kind) => {
      /** @type {HTMLButtonElement} */
      const button = make("button", { type: "button", ariaPressed: "false", test: `known-${kind.profile}`, onclick: () => take(kind, button) },
        typed || isShared(kind) ? kind.name : kind.brands.join(", "));
      return button;
    }));
    setText(about, found.children.length ? "" : say.unknown);
  };
  const input = make("input", { id: "guide-name", type: "search", test: "guide-name", autocomplete: "off", spellcheck: false, oninput() {
    if (trial.children.length) call("boards/stop", {});
    trial.replaceChildren();
    show();
  } });
  show();
  return make("div", { className: "finder" }, make("label", { htmlFor: "guide-name" }, say.name), input, found, about, trial);
}
