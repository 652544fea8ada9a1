/* The caller: what a visit scored and who requires what, in the browser's own voice; silent unless asked for. */

import { preference } from "./preferences.js";
import { language, words } from "./words.js";

const TONS = ["180", "low_ton", "high_ton", "high_out"]; // their number says it

let isAwake = false;

/** Says what is worth it among the facts of one input; `state` is what they led to. */
export function call(facts, state) {
  const of = (type) => facts.find((fact) => fact.event_type === type);
  const text = result(of, facts, state);
  if (text) hush(); // a newer visit cuts off the one before
  say(text);
  const turn = of("turn_changed");
  if (turn && state?.hint?.length && state.turn?.side === turn.side) {
    say(words.requires(turn.player, state.sides[turn.side].score));
  }
}

/** Phones let nobody speak who did not begin with a touch. */
function wake() {
  if (isAwake || !preference("speech")) return;
  isAwake = true;
  globalThis.speechSynthesis?.speak(new SpeechSynthesisUtterance(""));
}
for (const gesture of ["pointerup", "keyup"]) addEventListener(gesture, wake, true);

/** Says no more of what was begun. */
export function hush() {
  if (preference("speech")) globalThis.speechSynthesis?.cancel();
}

function result(of, facts, state) {
  const won = of("match_won");
  if (won?.isOrder) return words.moment(won);
  if (won) return won.names.length ? words.gameShotMatch(words.wins(won.names)) : words.over;
  const part = of("set_won") ?? of("leg_won");
  if (part) return `${words.gameShot}. ${words.moment(part)}`;
  if (of("bust")) return words.bust;
  const gains = facts.filter(({ event_type: type, award }) =>
    ["halved", "eliminated", "closed", "claimed"].includes(type) || (type === "award" && !TONS.includes(award)));
  const visit = of("visit");
  const none = visit && !gains.length && (state?.game === "x01" || visit.darts.every((dart) => dart === "MISS"));
  return [...gains.map(words.moment), visit?.points || (none && words.noScore)].filter(Boolean).join(". ");
}

function say(text) {
  if (!text || !preference("speech") || !globalThis.speechSynthesis) return;
  const spoken = new SpeechSynthesisUtterance(text);
  spoken.lang = words.voice;
  spoken.voice = speechSynthesis.getVoices().find((voice) => voice.lang.startsWith(language)) ?? null;
  speechSynthesis.speak(spoken);
}
