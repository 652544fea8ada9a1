/* The way in where the page needs a token: from the address (`#token=…`, which a browser sends to no server), or typed
   into a small form. The daemon changes it for a cookie, so that this is done once. */

import { make } from "./dom.js";
import { store } from "./store.js";
import { sayFailure } from "./words/tasks.js";
import { words } from "./words/words.js";

const AGAIN_MS = 5_000;

let brought = /^#token=(.+)$/.exec(location.hash)?.[1] ?? "";
if (brought) history.replaceState(null, "", location.pathname + location.search); // so that it is not read off the screen
// Pasted into an open page.
addEventListener("hashchange", () => { if (location.hash.startsWith("#token=")) location.reload(); });
/** @type {Promise<void> | null} */
let entering = null; // all requests that are refused wait for the same form

/** Resolves when the daemon has let this page in. */
export function enter() {
  entering ??= ask().finally(() => { entering = null; });
  return entering;
}

/** Shows the daemon a token that the address has brought to a page that was let in without it, where it is of more worth
    than this role. Resolves with whether there was one that is right. @param {Oche.Role} role */
export async function bring(role) {
  const token = brought;
  brought = "";
  const isMore = role === "look" || (role === "play" && token.startsWith("setup-"));
  return Boolean(token) && isMore && await show(token) === null;
}

async function ask() {
  const refusal = brought ? await show(brought) : "";
  brought = "";
  if (refusal === null) return;
  if (!dispatchEvent(new CustomEvent("refused", { cancelable: true, detail: refusal }))) { // nobody is before it
    await new Promise((done) => { setTimeout(done, AGAIN_MS); });
    return;
  }
  const problem = make("p", { role: "alert", test: "token-problem" }, refusal);
  const input = make("input", {
    autocapitalize: "none", autocomplete: "off", spellcheck: false, required: true, test: "token",
  });
  const form = make("form", {}, make("h2", {}, words.tokenTitle), make("label", {}, words.token, input), problem,
    make("button", { className: "go", test: "token-ok" }, words.enter), make("p", {}, words.tokenHow, " ", make("code", {}, "sudo oche token")));
  const dialog = make("dialog", {
    className: "token", ariaLabel: words.tokenTitle,
    oncancel(event) { if (!isLooking) event.preventDefault(); },
    onclose() { if (dialog.isConnected) dialog.showModal(); }, // browsers heed a second Escape, whatever is said to the first
  }, form);
  const isLooking = store.role === "look"; // then there is a way back
  document.body.append(dialog);
  dialog.showModal();
  await /** @type {Promise<void>} */ (new Promise((done) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      const refused = await show(input.value);
      problem.textContent = refused ?? "";
      if (refused !== null) return;
      if (isLooking) location.reload(); // it may play now
      done();
    };
    if (isLooking) dialog.onclose = () => done();
  }));
  dialog.remove();
}

/** Shows the daemon a token: null when it was right, else what is wrong. @param {string} token */
async function show(token) {
  try {
    const response = await fetch(new URL("api/enter", document.baseURI), {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }),
    });
    return response.ok ? null : sayFailure((await response.json()).error);
  } catch {
    return words.unreachable;
  }
}
