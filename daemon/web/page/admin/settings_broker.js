/* Tries the broker as it is typed in the settings, and shows what the doctor says of it. Loaded when it is asked for. */

import { make, setText } from "../dom.js";
import { makeCheck } from "./settings_care.js";
import { text } from "./settings_fields.js";

/** @param {HTMLElement} place @param {Oche.CareTools["call"]} call @param {object} body
    @param {(error: any) => void} showRefusal */
export async function testBroker(place, call, body, showRefusal) {
  const said = make("p", { role: "status", test: "broker-said" }, text.broker.trying);
  const list = make("ul", { className: "checks", test: "broker-checks" });
  place.replaceChildren(said, list);
  const { status, answer } = await call("settings/broker", body);
  if (!said.isConnected) return;
  if (status !== 200) {
    place.replaceChildren();
    return showRefusal(answer.error);
  }
  /** @type {Oche.DoctorCheck[]} */
  const checks = answer.checks;
  const has = (/** @type {string} */ verdict) => checks.some((each) => each.verdict === verdict);
  setText(said, has("problem") ? text.broker.problem : has("warning") ? text.broker.warning : text.broker.ok);
  list.append(...checks.map((check) => makeCheck(check)));
}
