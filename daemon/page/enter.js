/* The way in where the page needs a token: from the address (`#token=…`, which a browser sends to nobody), or typed into
   a small form. The daemon changes it for a cookie, so that this is done once. */

import { make } from "./dom.js";
import { words } from "./words.js";

let brought = /^#token=(.+)$/.exec(location.hash)?.[1];
if (brought) history.replaceState(null, "", location.pathname + location.search); // nobody reads it off the screen
// Pasted into an open page.
addEventListener("hashchange", () => location.hash.startsWith("#token=") && location.reload());
let entering; // everybody who is refused waits for the same form

/** Resolves when the daemon has let us in. */
export function enter() {
  entering ??= ask().finally(() => { entering = null; });
  return entering;
}

async function ask() {
  let said = brought ? await tried(brought) : "";
  brought = null;
  if (said === null) return;
  const problem = make("p", { role: "alert", test: "token-problem" }, said);
  const input = make("input", {
    autocapitalize: "none", autocomplete: "off", spellcheck: false, required: true, test: "token",
  });
  const form = make("form", {}, make("label", {}, words.token, input), problem,
    make("button", { test: "token-ok" }, words.enter));
  // Browsers heed a second Escape, whatever is said to the first.
  const stay = () => dialog.isConnected && dialog.showModal();
  const oncancel = (event) => event.preventDefault();
  const dialog = make("dialog", { className: "token", oncancel, onclose: stay }, form);
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((done) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      said = await tried(input.value);
      problem.textContent = said ?? "";
      if (said === null) done();
    };
  });
  dialog.remove();
}

/** Null when it was right, else what is wrong. */
async function tried(token) {
  try {
    const response = await fetch(new URL("api/enter", document.baseURI), {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }),
    });
    return response.ok ? null : (await response.json()).error.message;
  } catch {
    return words.unreachable;
  }
}
