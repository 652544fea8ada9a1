/* The menu: what is done to a match as a whole, and how this device shows it. */

import { sendCommand } from "../commands.js";
import { withVoice } from "./caller.js";
import { $, make, rebuild } from "../dom.js";
import { enter } from "../enter.js";
import { KEYS, stayAwake } from "./screen.js";
import { choose, linkTo, preference } from "../preferences.js";
import { describeStart } from "./scoreboard.js";
import { wake } from "./sounds.js";
import { store, watch } from "../store.js";
import { importTexts, LANGUAGES, language, words } from "../words/words.js";

const SURE_MS = 5_000;
const QUIET = [[21, 7], [22, 7], [22, 8], [23, 8], [0, 9]]; // hours

/** @type {Oche.ScenesLanguage} */
const { label: scenes, ...lengths } = (await importTexts("scenes")).scenes;
const text = { ...words.menu, scenes };

export function openMenu() {
  if ($("menu-dialog")) return;
  const dialog = make("dialog", { id: "menu-dialog", test: "menu-dialog", ariaLabel: text.title });
  const close = make("button", { type: "button", test: "menu-close", onclick: () => dialog.close() }, text.close);
  const device = make("section", {}, make("h3", {}, text.device), ...makeDeviceFields());
  dialog.append(make("header", {}, make("h2", {}, text.title), close), device);
  dialog.onclose = () => dialog.remove();
  if (store.seat === null) {
    const match = make("section");
    const render = () => renderMatch(match, dialog);
    device.before(match);
    device.after(make("section", {}, make("h3", {}, text.keys), ...makeKeyFields()));
    const unwatch = watch(render);
    render();
    dialog.onclose = () => {
      unwatch();
      dialog.remove();
    };
  }
  document.body.append(dialog);
  dialog.showModal();
}

/** Offers what belongs to the match at hand: a button of it must not have a player of the next one leave.
    @param {HTMLElement} element @param {HTMLDialogElement} dialog */
function renderMatch(element, dialog) {
  const { plan, state } = store;
  const hadFocus = element.contains(document.activeElement);
  const sides = state?.sides.map(({ name, out }) => [name, out]);
  const from = [state?.match, state?.phase === "over", state?.title, sides, plan?.title, state?.alone];
  rebuild(element, from, () => [make("h3", {}, text.match), ...makeMatchButtons(dialog)]);
  if (hadFocus && !element.contains(document.activeElement)) dialog.querySelector("button")?.focus();
}

/** What is done to the match; what ends it, or the part of a player in it, is asked once more.
    @param {HTMLDialogElement} dialog */
function makeMatchButtons(dialog) {
  const { alone, match, phase, sides = [] } = store.state ?? {};
  const isOn = Boolean(match) && phase !== "over";
  /** @type {(test: string, label: string, isGrave: boolean, name: string, body?: object) => HTMLButtonElement} */
  const act = (test, label, isGrave, name, body) => {
    const button = make("button", { type: "button", test }, label);
    const obey = () => {
      dialog.close(); // so that it is seen when it is refused
      sendCommand(name, body);
    };
    button.onclick = isGrave ? () => makeSure(button, label, obey) : obey;
    return button;
  };
  const tables = $("tables").hidden ? [] : [...$("tables").children].map((link) => link.cloneNode(true));
  const others = [
    make("button", { type: "button", test: "menu-join", onclick() { dialog.close(); $("join").click(); } }, words.fixed.join),
    make("a", { href: linkTo("history", {}), test: "history" }, text.statistics), ...tables,
    make("a", { href: linkTo("tournament", {}), test: "tournaments" }, text.tournaments),
    ...(store.role === "setup" ? [make("a", { href: linkTo("settings", {}), test: "settings" }, text.settings)] : []),
  ];
  if (store.role === "look") {
    return [make("button", { type: "button", test: "menu-enter", onclick() { dialog.close(); enter(); } }, text.enter), ...others];
  }
  const left = sides.flatMap((side, index) => (isOn && sides.length > 1 && !side.out ? [{ side, index }] : []));
  return [
    make("button", {
      type: "button", test: "menu-new", onclick() { dialog.close(); $("other").click(); },
    }, words.fixed.other),
    act("menu-start", describeStart(store.state), isOn, "start"),
    ...(alone == null ? [] : [act("menu-concede", words.leftAlone(sides, alone).wins, true, "concede")]),
    ...(isOn ? [act("menu-stop", text.stop, true, "stop")] : []),
    ...left.map(({ side, index }) =>
      act(`menu-leave-${index}`, text.leaves(side.name), true, "retire", { retire: index })),
    ...others,
  ];
}

/** Asks once more, for a few seconds. @param {HTMLButtonElement} button @param {string} label @param {() => void} obey */
function makeSure(button, label, obey) {
  button.textContent = text.sure(label);
  button.classList.add("sure");
  const ask = button.onclick;
  button.onclick = ({ detail }) => { if (detail <= 1) obey(); }; // the second click of a double one is no answer
  setTimeout(() => {
    button.textContent = label;
    button.classList.remove("sure");
    button.onclick = ask;
  }, SURE_MS);
}

function makeDeviceFields() {
  const full = document.fullscreenEnabled ? [makeToggle("full", Boolean(document.fullscreenElement), (isOn) =>
    (isOn ? document.documentElement.requestFullscreen() : document.exitFullscreen()).catch(() => {}))] : [];
  /** @param {"sound" | "speech" | "darts" | "kiosk"} name */
  const kept = (name, then = () => {}) => makeToggle(name, Boolean(preference(name)), (isOn) => {
    choose(name, isOn ? "1" : "");
    wake();
    then();
  });
  const note = makeVoiceNote();
  const quiet = { "": text.never, ...Object.fromEntries(QUIET.map(([from, to]) => [`${from}-${to}`, text.hours(from, to)])) };
  const isSeat = document.documentElement.dataset.view === "seat";
  const views = { "": text.asDevice, wall: text.wall, remote: text.remote };
  return [
    ...(isSeat ? [] : [makeChoice("view", views, preference("view"))]),
    makeChoice("lang", LANGUAGES, language, () => location.reload()),
    makeChoice("theme", { dark: text.dark, light: text.light, auto: text.asDevice }, preference("theme")), makeArtChoice(),
    ...(document.documentElement.dataset.view === "wall" ? [makeChoice("scenes", { full: lengths.full, short: lengths.short, "": lengths.off }, preference("scenes"))] : []),
    kept("sound"), kept("speech", withVoice), note, makePackChoice(note), kept("darts"), makeChoice("quiet", quiet, preference("quiet")), ...makeEarFields(), ...full,
    ...(isSeat ? [] : [kept("kiosk", stayAwake), make("small", {}, text.kioskWay)]),
  ];
}

/** What is chosen by who plays by ear. */
const makeEarFields = () => [
  makeChoice("ear", { "": text.earOff, full: text.earFull, brief: text.earBrief }, preference("ear"), () => location.reload()),
  ...(preference("ear") ? [
    makeChoice("reader", { "": text.earVoice, 1: text.earReader }, preference("reader"), () => location.reload()),
    makeChoice("pace", { 0.75: text.slow, 1: text.usual, 1.5: text.fast, 2: text.faster }, preference("pace")),
    make("small", {}, text.earKeys),
  ] : []),
];

/** Says so where the browser cannot speak; its voices may come late. */
function makeVoiceNote() {
  const note = make("small", { test: "no-voice" }, text.noVoice);
  const look = () => { note.hidden = Boolean(globalThis.speechSynthesis?.getVoices().length); };
  globalThis.speechSynthesis?.addEventListener("voiceschanged", look);
  look();
  return note;
}

/** Offers the voices that there are, once they are known; without packs there is no choice.
    @param {HTMLElement} note says that the browser has none */
function makePackChoice(note) {
  const place = make("div", { hidden: true });
  const fill = async () => {
    const { listPacks, NO_PACK } = await import("./packs.js");
    const packs = await listPacks();
    if (!packs.length) return;
    note.remove();
    const names = Object.fromEntries(packs.map(({ pack }) => [pack, pack]));
    place.append(makeChoice("pack", { "": text.anyPack, ...names, [NO_PACK]: text.noPack }, preference("pack")));
    place.hidden = false;
  };
  fill().catch(() => {}); // then there is no choice either
  return place;
}

/** Offers the art that there is, once it is known. */
function makeArtChoice() {
  const place = make("div", { hidden: true });
  const fill = async () => {
    const [{ listArt, OWN }, { art: said }] = await Promise.all([import("./art.js"), importTexts("art")]);
    const found = (await listArt()).filter(({ art }) => art !== OWN);
    const names = Object.fromEntries(found.map(({ art, title }) => [art, said.names[art] ?? title]));
    place.append(makeChoice("art", { "": said.plain, ...names }, preference("art"), () => {}, said.choice));
    place.hidden = false;
  };
  fill().catch(() => {}); // then there is no choice
  return place;
}

/** @param {"view" | "lang" | "theme" | "art" | "scenes" | "pack" | "quiet" | "ear" | "reader" | "pace"} name @param {Record<string, string>} options @param {string} value */
function makeChoice(name, options, value, then = () => {}, label = text[/** @type {"theme"} */ (name)]) {
  const select = make("select", {
    test: `menu-${name}`,
    onchange() {
      choose(name, select.value);
      then();
    },
  }, ...Object.entries(options).map(([key, label]) => make("option", { value: key, selected: key === value }, label)));
  return make("label", {}, make("span", {}, label), select);
}

/** @param {"sound" | "speech" | "darts" | "full" | "kiosk" | "keys"} name @param {boolean} checked
    @param {(isOn: boolean) => void} onchange */
function makeToggle(name, checked, onchange) {
  const box = make("input", { type: "checkbox", checked, test: `menu-${name}`, onchange: () => onchange(box.checked) });
  return make("label", {}, make("span", {}, text[name]), box);
}

const makeKeyFields = () => [
  makeToggle("keys", Boolean(preference("keys")), (isOn) => choose("keys", isOn ? "1" : "")),
  ...Object.entries(KEYS).map(([key, id]) => make("p", {}, make("kbd", {}, key), ` ${words.fixed[id]}`)),
];
