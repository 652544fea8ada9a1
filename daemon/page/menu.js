/* The menu: what is done to a match as a whole, and how this device shows it. */

import { $, make, rebuild } from "./dom.js";
import { KEYS } from "./keys.js";
import { stayAwake } from "./kiosk.js";
import { choose, linkTo, preference } from "./preferences.js";
import { startWords } from "./scoreboard.js";
import { LANGUAGES, language, words } from "./words.js";

const SURE_MS = 5_000;

const text = words.menu;

export function openMenu(app) {
  if ($("menu-dialog")) return;
  const dialog = make("dialog", { id: "menu-dialog", test: "menu-dialog", ariaLabel: text.title });
  const match = make("section");
  /** What is offered belongs to the match at hand: who leaves must not be somebody of the next one. */
  const refresh = () => {
    const { match: id, phase, sides, title } = app.state ?? {};
    const held = match.contains(document.activeElement);
    rebuild(match, [id, phase === "over", title, sides?.map(({ name, out }) => [name, out]), app.plan?.title], () =>
      [make("h3", {}, text.match), ...ofMatch(app, dialog)]);
    if (held && !match.contains(document.activeElement)) dialog.querySelector("button").focus();
  };
  if (app.seat === null) {
    refresh();
    document.addEventListener("news", refresh);
  }
  dialog.onclose = () => {
    document.removeEventListener("news", refresh);
    dialog.remove();
  };
  dialog.append(
    make("header", {}, make("h2", {}, text.title),
      make("button", { type: "button", test: "menu-close", onclick: () => dialog.close() }, text.close)),
    ...(app.seat === null ? [match] : []),
    make("section", {}, make("h3", {}, text.device), ...ofDevice()),
    ...(app.seat === null ? [make("section", {}, make("h3", {}, text.keys), ...ofKeys())] : []));
  document.body.append(dialog);
  dialog.showModal();
}

/** What is done to the match; what cannot be taken back is asked once more. */
function ofMatch(app, dialog) {
  const { phase, match, sides = [] } = app.state ?? {};
  const isOn = Boolean(match) && phase !== "over";
  const act = (test, label, isGrave, ...given) => {
    const button = make("button", { type: "button", test }, label);
    const obey = () => {
      dialog.close(); // so that it is seen when it is refused
      app.command(...given);
    };
    button.onclick = isGrave ? () => sure(button, label, obey) : obey;
    return button;
  };
  const left = sides.flatMap((side, index) => (isOn && sides.length > 1 && !side.out ? [{ side, index }] : []));
  return [
    make("button", {
      type: "button", test: "menu-new", onclick() { dialog.close(); $("other").click(); },
    }, words.fixed.other),
    act("menu-start", startWords(app.state ?? {}, app.plan), isOn, "start"),
    ...(isOn ? [act("menu-stop", text.stop, true, "stop")] : []),
    ...left.map(({ side, index }) =>
      act(`menu-leave-${index}`, text.leaves(side.name), true, "retire", { retire: index })),
    make("a", { href: linkTo("history", {}), test: "history" }, text.statistics),
    ...($("tables").hidden ? [] : [...$("tables").children]).map((link) => link.cloneNode(true)),
  ];
}

function sure(button, label, obey) {
  button.textContent = text.sure(label);
  button.classList.add("sure");
  const ask = button.onclick;
  button.onclick = ({ detail }) => detail > 1 || obey(); // the second click of a double one is no answer
  setTimeout(() => {
    button.textContent = label;
    button.classList.remove("sure");
    button.onclick = ask;
  }, SURE_MS);
}

function ofDevice() {
  const full = document.fullscreenEnabled ? [toggle("full", Boolean(document.fullscreenElement), (on) =>
    (on ? document.documentElement.requestFullscreen() : document.exitFullscreen()).catch(() => {}))] : [];
  const kept = (name, then = () => {}) => toggle(name, Boolean(preference(name)), (on) => {
    choose(name, on ? "1" : "");
    then();
  });
  const isSeat = document.documentElement.dataset.view === "seat";
  const views = { "": text.asDevice, wall: text.wall, remote: text.remote };
  return [
    ...(isSeat ? [] : [choice("view", views, preference("view"))]),
    choice("lang", LANGUAGES, language, () => location.reload()),
    choice("theme", { dark: text.dark, light: text.light, auto: text.asDevice }, preference("theme")),
    kept("sound"), kept("speech"), ...full,
    ...(isSeat ? [] : [kept("kiosk", stayAwake), make("small", {}, text.kioskWay)]),
  ];
}

function choice(name, options, value, then = () => {}) {
  return make("label", {}, make("span", {}, text[name]), make("select", {
    test: `menu-${name}`, onchange: (event) => then(choose(name, event.target.value)),
  }, ...Object.entries(options).map(([key, label]) => make("option", { value: key, selected: key === value }, label))));
}

function toggle(name, checked, onchange) {
  return make("label", {}, make("span", {}, text[name]), make("input", {
    type: "checkbox", checked, test: `menu-${name}`, onchange: (event) => onchange(event.target.checked),
  }));
}

const ofKeys = () => [
  toggle("keys", Boolean(preference("keys")), (on) => choose("keys", on ? "1" : "")),
  ...Object.entries(KEYS).map(([key, id]) => make("p", {}, make("kbd", {}, key), ` ${words.fixed[id]}`)),
];
