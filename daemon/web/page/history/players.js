/* The players: what each of them says of themselves, and for those who may change settings their names. */

import { makeAvatar } from "../avatar.js";
import { $, make, readNumbers, setSideColour, setText } from "../dom.js";
import { makeGoals } from "./goals.js";
import { linkHere } from "./history_links.js";
import { makeNameRecorder } from "./recorded_name.js";
import { post, read } from "../link.js";
import { keepFile, keepPicture, makePictureFields } from "../player_picture.js";
import { playPlayerSound } from "../wall/player_sounds.js";
import { keepRecordedNames } from "../wall/recorded_names.js";
import { importTexts } from "../words/words.js";

const COLOURS = [0, 1, 2, 3, 4, 5, 6, 7];

/** @type {Oche.PlayersLanguage} */
const text = (await importTexts("players")).players;
let role = "look";

/** Shows them; the one that the address names is unfolded. @param {string} wanted */
export async function showPlayers(wanted) {
  /** @type {[Oche.TableInfo[] | null, Oche.KnownPlayer[] | null]} */
  const [tables, players] = await Promise.all([read("tables"), read("players")]);
  role = tables?.[0]?.role ?? "look";
  setText($("title"), text.title);
  const found = players ?? [];
  keepRecordedNames(found);
  setText($("said"), found.length ? role === "look" ? "" : text.help : text.none);
  $("profiles").hidden = false;
  $("profiles").replaceChildren(...(role === "look" ? [] : [makeAdding()]),
    ...found.map((player, place) => makeCard(player, place, found, wanted)));
}

/** Sends it, and shows all anew; what is refused is said in `said`.
    @param {HTMLElement} said @param {string} name who is shown then @param {() => Promise<unknown>} act */
async function change(said, name, act) {
  try {
    await act();
    await showPlayers(name);
    setText($("said"), text.saved);
  } catch (problem) {
    setText(said, /** @type {Error} */ (problem).message);
  }
}

function makeAdding() {
  const said = make("p", { role: "alert" });
  const field = make("input", { maxLength: 40, required: true, ariaLabel: text.newName, placeholder: text.newName, autocomplete: "off", test: "new-player" });
  return make("form", { className: "row", onsubmit(event) {
    event.preventDefault();
    const name = field.value.trim();
    change(said, name, () => post("players", { name }));
  } }, field, make("button", { test: "add-player" }, text.add), said);
}

/** @param {Oche.KnownPlayer} player @param {number} place @param {Oche.KnownPlayer[]} all @param {string} wanted */
function makeCard(player, place, all, wanted) {
  const isOpen = player.name === wanted;
  const head = make("summary", { test: `profile-${place}` }, makeAvatar(player), make("b", {}, player.name),
    ...(player.nickname ? [make("span", {}, player.nickname)] : []));
  const card = make("details", { name: "profile", open: isOpen }, head); // one at a time
  let isFilled = false;
  card.ontoggle = () => {
    if (!card.open || isFilled) return;
    isFilled = true;
    card.append(make("p", {}, make("a", { href: linkHere({ players: null, player: player.name }) }, text.figures)));
    if (role !== "look") card.append(makeProfile(player));
    if (role === "setup") card.append(makeNames(player, all));
  };
  return card;
}

/** @param {string} label @param {HTMLElement} field @param {string} [help] */
const makeRow = (label, field, help) => make("label", {}, make("span", {}, label), field, ...(help ? [make("small", {}, help)] : []));

/** @param {Record<string, string>} options @param {string} value @param {string} test */
const makeSelect = (options, value, test) => make("select", { test },
  ...Object.entries(options).map(([key, label]) => make("option", { value: key, selected: key === value }, label)));

/** @param {Oche.KnownPlayer} player */
function makeProfile(player) {
  const { name } = player;
  const said = make("p", { role: "alert", test: "profile-problem" });
  const nickname = make("input", { maxLength: 40, value: player.nickname ?? "", autocomplete: "off", test: "nickname" });
  const doubles = make("input", { value: (player.doubles ?? []).join(", "), inputMode: "text", autocomplete: "off", test: "favourite-doubles" });
  const hand = makeSelect(text.hands, player.hand ?? "", "hand");
  const sound = makeSelect(text.sounds, player.sound ?? "", "sound");
  const goals = makeGoals(player);
  const counts = make("input", { type: "checkbox", checked: player.counts ?? true, test: "counts" });
  const filmed = make("input", { type: "checkbox", checked: player.filmed ?? true, test: "filmed" });
  const chosen = player.given_colour ? null : player.colour;
  const colours = [null, ...COLOURS].map((colour) => {
    const button = make("input", { type: "radio", name: `colour of ${name}`, value: String(colour), checked: chosen === colour,
      ariaLabel: colour === null ? text.noColour : `${text.colour} ${colour + 1}`, test: `colour-${colour}` });
    const element = make("label", { className: colour === null ? "" : "swatch" }, button, ...(colour === null ? [text.noColour] : []));
    setSideColour(element, colour);
    return element;
  });
  const save = () => {
    const numbers = readNumbers(doubles.value);
    if (!numbers) return setText(said, text.noNumbers);
    const place = colours.findIndex((each) => each.querySelector("input")?.checked) - 1;
    return change(said, name, () => post("players", {
      name, nickname: nickname.value.trim(), doubles: numbers, hand: hand.value, sound: sound.value, counts: counts.checked,
      goals: goals.read(), filmed: filmed.checked,
      colour: place < 0 ? null : place,
    }));
  };
  return make("form", { onsubmit(event) { event.preventDefault(); save(); } },
    makePictureFields(player, text, said, (picture) => change(said, name, () => keepPicture(name, picture))),
    makeNameRecorder(player, text.recorded, (recording) => change(said, name, () => keepFile("recorded_name", name, recording))),
    makeRow(text.nickname, nickname),
    make("fieldset", {}, make("legend", {}, text.colour), ...colours),
    makeRow(text.hand, hand), makeRow(text.doubles, doubles, text.doublesHelp),
    makeRow(text.sound, sound, text.soundHelp),
    goals.element, make("label", { className: "check" }, counts, text.counts),
    make("label", { className: "check" }, filmed, text.filmed),
    make("div", { className: "row" }, make("button", { className: "go", test: "save-profile" }, text.save), make("button", {
      type: "button", onclick: () => { playPlayerSound({ ...player, nickname: nickname.value, sound: /** @type {any} */ (sound.value) }); },
    }, text.hear)), said);
}

/** What is done with the names of a player, each asked once more. @param {Oche.KnownPlayer} player @param {Oche.KnownPlayer[]} all */
function makeNames(player, all) {
  const { name, names = [] } = player;
  const said = make("p", { role: "alert", test: "names-problem" });
  const sure = make("div", { className: "sure", test: "sure" });
  /** @param {string} question @param {string} yes @param {() => Promise<void> | void} act */
  const ask = (question, yes, act) => {
    setText(said, "");
    const no = make("button", { type: "button", onclick: () => sure.replaceChildren() }, text.no);
    sure.replaceChildren(make("p", {}, question), make("div", { className: "row" },
      make("button", { type: "button", test: "yes", onclick: act }, yes), no));
    no.focus();
  };
  const to = make("input", { maxLength: 40, ariaLabel: text.renameTo, placeholder: text.renameTo, autocomplete: "off", test: "rename-to" });
  const other = makeSelect(Object.fromEntries(all.filter((each) => each !== player).map((each) => [each.name, each.name])), "", "merge-into");
  other.ariaLabel = text.mergeInto;
  const rename = () => {
    const wanted = to.value.trim();
    if (wanted) ask(text.sureRename(name, wanted), text.yes, () => change(said, wanted, () => post("players/rename", { name, to: wanted })));
    else to.focus();
  };
  const merge = () => ask(text.sureMerge(name, other.value), text.yes,
    () => change(said, other.value, () => post("players/merge", { name, to: other.value })));
  const forget = async () => {
    try {
      /** @type {{ matches: number }} */
      const { matches } = await post("players/forget", { name });
      ask(text.sureForget(name, matches), text.forgetForGood, () => forgetForGood(name, said));
    } catch (problem) {
      setText(said, /** @type {Error} */ (problem).message);
    }
  };
  const button = (/** @type {string} */ label, /** @type {string} */ test, /** @type {() => void} */ onclick) =>
    make("button", { type: "button", test, onclick }, label);
  return make("div", { className: "names" },
    ...(names.length > 1 ? [make("p", {}, text.known(names.join(", "))),
      make("div", { className: "row" }, ...names.filter((each) => each.toLowerCase() !== name.toLowerCase()).map((each) =>
        button(text.split(each), "split", () => change(said, name, () => post("players/split", { name: each })))))] : []),
    make("div", { className: "row" }, to, button(text.rename, "rename", rename)), make("small", {}, text.renameHelp),
    ...(all.length > 1 ? [make("div", { className: "row" }, make("span", {}, text.mergeInto), other, button(text.merge, "merge", merge)),
      make("small", {}, text.mergeHelp)] : []),
    make("div", { className: "row" }, button(text.forget, "forget", forget)), sure, said);
}

/** @param {string} name @param {HTMLElement} said */
async function forgetForGood(name, said) {
  try {
    /** @type {{ configured: boolean, league?: boolean, left: string[] }} */
    const { configured, league, left } = await post("players/forget", { name, sure: true });
    await showPlayers("");
    setText($("said"), [text.forgotten(name), text.backups, left.length ? text.kept(left.join(", ")) : "",
      league ? text.league : "", configured ? text.configured : ""].filter(Boolean).join(" "));
  } catch (problem) {
    setText(said, /** @type {Error} */ (problem).message);
  }
}
