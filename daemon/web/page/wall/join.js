/* How a phone joins the table: codes for a remote, for looking on, and for each hand that no phone shows yet. Loaded
   when it is opened. */

import { make } from "../dom.js";
import { ask, tablePath } from "../link.js";
import { base, makeCode, readSeats } from "./seats.js";
import { store, watch } from "../store.js";
import { importTexts, words } from "../words/words.js";

/** @type {Oche.StreamLanguage} */
const stream = (await importTexts("stream")).stream;

/** What the pages for a stream add to an address. */
const STREAM = { overlay: "view=overlay", strip: "view=overlay&shape=strip", announcer: "view=announcer", tables: "view=tables" };

/** Returns the links to these pages, with the table and the token of the link for spectators. @param {string} url */
function makeStreamLinks(url) {
  const names = /** @type {(keyof typeof STREAM)[]} */ (Object.keys(STREAM));
  return names.map((name) => {
    const address = new URL(url);
    address.searchParams.delete("kiosk");
    for (const [key, value] of new URLSearchParams(STREAM[name])) address.searchParams.set(key, value);
    return make("a", { href: address.href, target: "_blank", test: `stream-${name}` }, stream[name]);
  });
}

/** Resolves once the page is let in, and knows its table: the button is there before. @type {() => Promise<void>} */
const waitForTable = () => new Promise((done) => {
  const stop = watch(() => look());
  const look = () => {
    if (!store.table) return;
    stop();
    done();
  };
  look();
});

export async function openJoin() {
  await waitForTable();
  if (document.querySelector("#join-dialog[open]")) return;
  const text = words.joining;
  /** @type {[Oche.JoinCodes, Oche.FreeSeat[]]} */
  const [{ local, asks, codes }, seats] = await Promise.all(
    [ask(`${tablePath(store.table)}/join?base=${base()}`), store.state?.match && store.role !== "look" ? readSeats() : []]);
  const dialog = make("dialog", { id: "join-dialog", test: "join-dialog", ariaLabel: text.title });
  const close = make("button", { type: "button", test: "join-close", onclick: () => dialog.close() }, text.close);
  dialog.append(
    make("header", {}, make("h2", {}, text.title), close),
    make("ol", { className: "codes" },
      ...codes.map((code) => makeCode(`join-${code.view}`, text[code.view], text.open, code)),
      ...seats.map((free) => makeCode(`join-seat-${free.seat}`, free.player, words.handLink, free))),
    ...codes.filter(({ view }) => view === "spectator").map(({ url }) =>
      make("section", {}, make("h3", {}, stream.title), make("p", {}, stream.how), make("p", { className: "streams" }, ...makeStreamLinks(url)))),
    ...(local ? [make("p", { test: "join-local", className: "local" }, text.local)] : []),
    ...(asks ? [make("p", { test: "join-asks" }, text.asks)] : []),
  );
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}
