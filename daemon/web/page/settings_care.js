/* Care for the daemon, on the settings page: a report for a bug, what the doctor says, a backup, a new start. It is loaded
   when its part is opened. */

import { make, setText } from "./dom.js";
import { text } from "./settings_fields.js";
import { sayFailure } from "./tasks.js";
import { words } from "./words.js";

const GIVEN_BACK_MS = 60_000;

/** Fills the part. @param {HTMLElement} place @param {Oche.CareTools} tools */
export function fillCare(place, { call, restart }) {
  const said = make("p", { role: "status", test: "care-said" });
  const found = make("ul", { className: "checks", lang: "en", test: "checks" });
  /** @param {"report" | "doctor" | "backup" | "restart"} name @param {() => Promise<string>} work @param {Node[]} more */
  const part = (name, work, ...more) => {
    const button = make("button", { type: "button", test: `care-${name}`, async onclick() {
      const all = /** @type {NodeListOf<HTMLButtonElement>} */ (place.querySelectorAll("button"));
      for (const each of all) each.disabled = true;
      setText(said, text.care.working);
      setText(said, await work().catch(() => words.unreachable));
      for (const each of all) each.disabled = false;
      button.focus();
    } }, text.care[name]);
    return make("section", {}, button, make("p", { className: "help" }, text.care[`${name}Help`]), ...more);
  };
  place.replaceChildren(
    said,
    part("report", () => download("report")),
    part("doctor", async () => {
      const { status, answer } = await call("care/doctor", {});
      found.replaceChildren(...(status === 200 ? answer.checks.map(makeCheck) : []));
      return status === 200 ? text.care.examined : sayFailure(answer.error);
    }, found),
    part("backup", () => download("backup")),
    part("restart", restart),
  );
}

/** Saves what the daemon makes as a file; returns what to say. @param {string} what */
async function download(what) {
  const response = await fetch(new URL(`api/care/${what}`, document.baseURI), { method: "POST", cache: "no-store" });
  if (!response.ok) return sayFailure((await response.json()).error);
  const [, name = what] = /filename="(.+)"/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  const href = URL.createObjectURL(await response.blob());
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), GIVEN_BACK_MS);
  return text.care.saved(name);
}

/** @param {{ name: string, verdict: "ok" | "warning" | "problem", text: string, remedy: string }} check */
const makeCheck = ({ name, verdict, text: found, remedy }) => make("li", { className: verdict },
  make("b", {}, verdict), ` ${name}: ${found}`, ...(remedy ? [make("code", {}, remedy)] : []));
