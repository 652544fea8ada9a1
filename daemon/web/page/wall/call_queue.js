/* What this loudspeaker is still to say, in order, so that calls never overlap, repeat or come late. The daemon's own queue
   (daemon/outlets/speech_queue.py) has the same rules and says more about them. */

import { language, words } from "../words/words.js";

const VISIT_MS = 600; // after its last dart a visit is called: a correction comes first
const MOST_WAITING = 20; // nobody listens to more
const END_A_TURN = ["dart", "visit", "turn"];

export class CallQueue {
  /** @param {(call: Oche.Call, now: number) => void} begin says a call; while that takes, it has the queue `hold` */
  constructor(begin) {
    this.begin = begin;
    /** Each with the time from which it may be said. @type {{ due: number, call: Oche.Call }[]} */
    this.waiting = [];
    this.busyUntil = 0;
    this.timer = 0;
  }

  /** Adds a call in place of what waits about the same, else at the end; a dart before its visit. `now` is when it happened.
      @param {Oche.Call} call */
  put(call, now = performance.now()) {
    const { about, correction, drops, kind, line = 0, outdates = 0 } = call;
    if (drops) this.clear();
    if (END_A_TURN.includes(kind)) this.revise((each) => (each.kind === "turn" ? null : each));
    const same = this.waiting.find((each) => about && each.call.about === about);
    const visit = kind === "dart" ? this.waiting.findIndex((each) => each.call.kind === "visit") : -1; // it was corrected
    if (same) same.call = call;
    else {
      const due = kind === "visit" ? now + VISIT_MS : now;
      this.waiting.splice(visit < 0 ? this.waiting.length : visit, 0, { due, call: correction ? { ...call, text: correction } : call });
    }
    this.revise((each) => {
      const isOutdated = outdates && (each.line ?? 0) >= outdates && (each.line ?? 0) < line;
      return isOutdated || !(each.text || each.files) ? null : each;
    });
    this.waiting = this.waiting.slice(-MOST_WAITING);
  }

  /** Has each call that has not begun be another one, or none. @param {(call: Oche.Call) => Oche.Call | null} change */
  revise(change) {
    this.waiting = this.waiting.flatMap(({ due, call }) => {
      const revised = change(call);
      return revised ? [{ due, call: revised }] : [];
    });
  }

  /** Drops all that has not begun. */
  clear() {
    this.waiting = [];
  }

  /** Has everything wait: the loudspeaker speaks until then. @param {number} until a time in milliseconds */
  hold(until) {
    this.busyUntil = until;
  }

  /** Says what is next: the loudspeaker has finished. */
  finish() {
    this.hold(0);
    this.pump();
  }

  /** Says what is due, and comes back when more is. */
  pump() {
    clearTimeout(this.timer);
    const now = performance.now();
    while (this.waiting.length) {
      const rest = Math.max(this.waiting[0].due, this.busyUntil) - now;
      if (rest > 0) {
        if (rest < Infinity) this.timer = setTimeout(() => this.pump(), rest);
        return;
      }
      const [{ call }] = this.waiting.splice(0, 1);
      this.begin(call, now);
    }
  }
}

/** Has the browser's own voice say a text; returns what it says. @param {string} text @param {() => void} done @param {number} pace */
export function speak(text, done, pace = 1) {
  const spoken = new SpeechSynthesisUtterance(text);
  spoken.lang = words.voice;
  spoken.voice = speechSynthesis.getVoices().find((voice) => voice.lang.startsWith(language)) ?? null;
  spoken.rate = pace;
  spoken.onend = spoken.onerror = done;
  speechSynthesis.speak(spoken);
  return spoken;
}
