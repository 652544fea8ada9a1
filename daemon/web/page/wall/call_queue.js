/* What this loudspeaker is still to say, in order, so that calls never overlap, repeat or come late. It knows no clock:
   every method takes the time, in milliseconds of any one clock. The daemon's own (daemon/outlets/speech_queue.py) has the
   same rules. */

const VISIT_MS = 600; // after its last dart a visit is called: a correction comes first
const MOST_WAITING = 20; // nobody listens to more

export class CallQueue {
  constructor() {
    /** Each with the time from which it may be said. @type {{ due: number, call: Oche.Call }[]} */
    this.waiting = [];
    this.busyUntil = 0;
  }

  /** Adds a call. @param {Oche.Call} call @param {number} now */
  put(call, now) {
    this.waiting.push({ due: call.kind === "visit" ? now + VISIT_MS : now, call });
    if (this.waiting.length > MOST_WAITING) this.waiting.shift();
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

  /** Removes and returns what is to be said now; null while something is said, or nothing is due. @param {number} now */
  take(now) {
    const due = this.deadline();
    return due === null || now < due ? null : this.waiting.shift()?.call ?? null;
  }

  /** Has everything wait: the loudspeaker speaks until then. A time that has passed: it has finished. @param {number} until */
  hold(until) {
    this.busyUntil = until;
  }

  /** Returns when `take` has something; null while nothing waits. */
  deadline() {
    return this.waiting.length ? Math.max(this.waiting[0].due, this.busyUntil) : null;
  }
}
