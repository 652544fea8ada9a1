/* What this device was told about itself: by its address (`?lang=de&kiosk=1`), else chosen here before, else as usual.
   Runs before anything is drawn, so that nothing flashes in other colours or another shape. */

import { put, store } from "./store.js";

const USUAL = { lang: "", theme: "dark", art: "", view: "", sound: "", speech: "", pack: "", darts: "", quiet: "", kiosk: "", keys: "1", pad: "1", guide: "1", favourites: "", ear: "", reader: "", pace: "1", scenes: "full" };
const PHONE_PX = 460; // a screen whose shorter side is under that is held in a hand
const OFF = ["0", "off"];
const VIEWS = ["wall", "remote", "overlay", "announcer", "tables"];

/** Returns the value of a preference; "" is off, or left to the device. @param {keyof typeof USUAL} name */
export const preference = (name) => store.choices[name];

/** Whether anybody has said what it is here. @param {keyof typeof USUAL} name */
export const isChosen = (name) => asked.has(name) || readKept(name) !== null;

/** Keeps a choice on this device; what the address said of it is gone.
    @param {keyof typeof USUAL} name @param {string} value */
export function choose(name, value) {
  const address = new URL(location.href);
  address.searchParams.delete(name);
  history.replaceState(null, "", address);
  try {
    localStorage.setItem(`oche.${name}`, value || OFF[0]);
  } catch { /* a browser that keeps nothing: it holds until the page is left */ }
  put({ choices: { ...store.choices, [name]: value } });
  apply();
}

/** Returns a link to another part of the page that keeps what the address says of the table and of this device.
    @param {string} path @param {Record<string, string | null>} changes */
export function linkTo(path, changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) value === null ? query.delete(name) : query.set(name, value);
  return String(query) ? `${path}?${query}` : path;
}

/** @param {string} name */
function readKept(name) {
  try {
    return localStorage.getItem(`oche.${name}`);
  } catch {
    return null;
  }
}

const asked = new URLSearchParams(location.search);
const under = `${PHONE_PX - 0.02}px`;
const small = matchMedia(`(max-width: ${under}), (max-height: ${under})`); // innerWidth would have all laid out first
const light = matchMedia("(prefers-color-scheme: light)");

/** Puts what the style sheets look at on the root. */
function apply() {
  const root = document.documentElement.dataset;
  const { kiosk, theme, view } = store.choices;
  const phone = small.matches;
  root.theme = theme === "light" || (theme === "auto" && light.matches) ? "light" : "dark";
  root.kiosk = kiosk;
  const wanted = asked.has("seat") ? "seat" : VIEWS.includes(view) ? view : phone ? "remote" : "wall";
  if (root.view === wanted) return;
  root.view = wanted;
  put({}); // some of the page is drawn otherwise there
}

put({ choices: Object.fromEntries(Object.entries(USUAL).map(([name, usual]) => {
  const value = asked.has(name) ? asked.get(name) || "1" : readKept(name) ?? usual;
  return [name, OFF.includes(value) ? "" : value];
})) });
light.addEventListener("change", apply);
small.addEventListener("change", apply);
apply();
