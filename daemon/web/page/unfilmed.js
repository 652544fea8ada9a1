/* Who plays, each with a button to say that they are not to be filmed. It takes two taps, and no name has to be known before:
   a guest becomes one of the players with it. For the page of the camera, and the lobby. */

import { make, rebuild } from "./dom.js";
import { post, read } from "./link.js";
import { importTexts } from "./words/words.js";

const SURE_MS = 5_000;

/** @type {Oche.CameraLanguage} */
const text = (await importTexts("camera")).camera;

export class Unfilmed {
  /** `tell` is called with the names of those who said no, at each change. Folded, a tap opens it, and one tap then says no.
      @param {(names: string[]) => void} tell @param {boolean} isFolded */
  constructor(tell, isFolded = false) {
    this.tell = tell;
    this.isFolded = isFolded;
    this.list = make("ul", { test: "people" });
    this.problem = make("p", { role: "alert" });
    const head = isFolded ? make("summary", { test: "unfilmed" }, text.who) : make("h2", {}, text.who);
    this.element = make(isFolded ? "details" : "section", { className: "unfilmed" }, head, make("p", {}, text.whoHelp), this.list, this.problem);
    /** @type {string[]} */
    this.names = [];
  }

  /** Shows these people. @param {string[]} names */
  async show(names) {
    this.names = names;
    /** @type {Oche.KnownPlayer[]} */
    const players = await read("players") ?? [];
    if (this.names !== names) return; // meanwhile others play
    const unwilling = new Set(players.filter(({ filmed }) => filmed === false)
      .flatMap((player) => [player.name, ...(player.names ?? [])].map((name) => name.toLowerCase())));
    const found = names.map((name) => ({ name, isFilmed: !unwilling.has(name.toLowerCase()) }));
    rebuild(this.list, found, () => found.map(({ name, isFilmed }, place) => make("li", {}, make("b", {}, name),
      ...(isFilmed ? [] : [make("span", {}, text.saidNo)]), this.makeButton(name, isFilmed, place))));
    this.tell(found.filter(({ isFilmed }) => !isFilmed).map(({ name }) => name));
  }

  /** @param {string} name @param {boolean} isFilmed @param {number} place */
  makeButton(name, isFilmed, place) {
    const button = make("button", { type: "button", test: `filmed-${place}` }, isFilmed ? text.no : text.yes);
    let isSure = this.isFolded;
    button.onclick = () => {
      if (isSure) return this.change(name, !isFilmed);
      isSure = true;
      button.textContent = isFilmed ? text.sureNo : text.sureYes;
      setTimeout(() => { isSure = false; button.textContent = isFilmed ? text.no : text.yes; }, SURE_MS);
      return undefined;
    };
    return button;
  }

  /** @param {string} name @param {boolean} filmed */
  async change(name, filmed) {
    this.problem.textContent = "";
    try {
      await post("players", { name, filmed });
      delete this.list.dataset.built; // a button that was asked for once is as at first
      await this.show(this.names);
    } catch (problem) {
      this.problem.textContent = /** @type {Error} */ (problem).message;
    }
  }
}
