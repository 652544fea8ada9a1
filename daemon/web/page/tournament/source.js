/* A tournament as the daemon tells it: read anew whenever it changes, and what is done in it. What is done waits while
   nothing answers, one after the other, and is sent once there is an answer again. Then the newest state is read first: the
   answer alone may have been lost, and nothing is to be done twice. */

import { enter } from "../enter.js";
import { apiUrl, fetchAnswer, pause } from "../link.js";
import { sayFailure } from "../words/tasks.js";
import { words } from "../words/words.js";

const FIRST_MS = 500;
const MOST_MS = 5_000;
const PATIENCE_MS = 25_000; // the daemon answers within ten seconds, also if nothing has changed
const UNAUTHORIZED = 401;
const GONE = 404;
const REFUSALS = [400, 403];

/** Whether to ask again helps. @param {any} problem */
const isPassing = ({ cause, message }) => message === words.unreachable || cause === "busy";

/** What is kept on this device for a tournament: the token of its organiser, its code, who this is. @typedef {"organiser" | "code" | "entrant"} Kept */

/** The result of a match as somebody has seen it. @typedef {Pick<Oche.TournamentMatchView, "winner" | "score">} Seen */

/** @param {string} id @param {Kept} what */
export function readKept(id, what) {
  try {
    return localStorage.getItem(`oche.tournament.${id}.${what}`) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} id @param {Kept} what @param {string} value */
export function keep(id, what, value) {
  try {
    localStorage.setItem(`oche.tournament.${id}.${what}`, value);
  } catch { /* a browser that keeps nothing: the link has to be opened again */ }
}

export class Source {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
    /** The newest state; null until it was read. @type {Oche.TournamentView | null} */
    this.view = null;
    /** "organise" or "look". */
    this.role = "look";
    /** Whether there is such a tournament. */
    this.isGone = false;
    /** Why this device does not see it, a sentence. */
    this.refused = "";
    /** Whether the daemon answers. */
    this.isLive = true;
    /** What is sent, or waits for that, by what it is called. @type {string[]} */
    this.waiting = [];
    /** @type {Set<() => void>} */
    this.readers = new Set();
    /** @type {Promise<unknown>} */
    this.sent = Promise.resolve();
    this.version = "";
    /** Resolves when all that was to be read is. @type {Promise<boolean>} */
    this.reading = Promise.resolve(true);
    /** What ends the waiting for a change. @type {AbortController | null} */
    this.poll = null;
    /** How many want to read at once. */
    this.hurried = 0;
    /** The latest line that this page has written. */
    this.reached = 0;
    this.isOver = false;
  }

  /** Calls `read` now, if the tournament was read, and at each change. Returns what ends that. @param {() => void} read */
  subscribe(read) {
    this.readers.add(read);
    if (this.view) read();
    return () => this.readers.delete(read);
  }

  /** Ends all that was subscribed to, and with `isOver` the reading. */
  leave(isOver = false) {
    this.readers.clear();
    this.isOver ||= isOver;
  }

  tell() {
    for (const read of this.readers) read();
  }

  /** The headers by which the daemon knows what this device may do. @returns {Record<string, string>} */
  get headers() {
    const token = readKept(this.id, "organiser"), code = readKept(this.id, "code");
    return { ...(token && { "Oche-Organiser": token }), ...(code && { "Oche-Code": code }) };
  }

  /** Reads the tournament for as long as the page shows it. */
  async follow() {
    for (let wait = FIRST_MS; !this.isOver && !this.isGone;) {
      const isRead = await this.read(true);
      if (this.isOver) return;
      if (isRead) wait = FIRST_MS;
      else await pause(wait = Math.min(2 * wait, MOST_MS));
    }
  }

  /** Reads it, one time after the other: an answer that was on its way for long is not to hide a newer one. With `waits` it is
      read once it has changed, or somebody wants to read it at once. Returns whether there was an answer. */
  read(waits = false) {
    if (!waits) {
      this.hurried += 1;
      this.poll?.abort();
    }
    const done = this.reading.then(() => {
      if (!waits) this.hurried -= 1;
      return waits && this.hurried ? true : this.readOnce(waits ? this.version : "");
    });
    this.reading = done;
    return done;
  }

  /** @param {string} since the version that is known */
  async readOnce(since) {
    const poll = new AbortController();
    const patience = setTimeout(() => poll.abort(), PATIENCE_MS);
    this.poll = since ? poll : null;
    try {
      const response = await fetch(apiUrl(`tournament/${encodeURIComponent(this.id)}${since && `?since=${encodeURIComponent(since)}`}`),
        { headers: this.headers, cache: "no-store", signal: poll.signal });
      if (response.status === UNAUTHORIZED) {
        await enter();
        return true;
      }
      this.isGone = response.status === GONE;
      this.refused = REFUSALS.includes(response.status) ? sayFailure((await response.json()).error) : "";
      const isTold = this.isGone || Boolean(this.refused);
      if (!isTold && !response.ok) throw new Error(`status ${response.status}`);
      if (!isTold) this.take(await response.json());
      this.setLive(true);
      return !this.refused;
    } catch {
      if (this.hurried && poll.signal.aborted) return true;
      this.setLive(false);
      return false;
    } finally {
      clearTimeout(patience);
      this.poll = null;
    }
  }

  /** @param {Oche.TournamentView & { version: number | string, role: string }} found */
  take({ version, role, ...view }) {
    const isNew = `${version}` !== this.version || role !== this.role;
    this.version = `${version}`;
    this.role = role;
    this.view = view;
    if (isNew) this.tell();
  }

  /** @param {boolean} isLive */
  setLive(isLive) {
    if (this.isLive === isLive && !this.isGone && !this.refused) return;
    this.isLive = isLive;
    this.tell();
  }

  /** Does it, after all that was to be done before. Resolves with the number of its line; rejects with a sentence if it is
      refused. `name` is what it is called while it waits. With the match that was `seen` it is refused if that has another
      result by now. @param {Oche.TournamentInput} input @param {string} [name] @param {Seen} [seen] */
  do(input, name = "", seen) {
    return this.inTurn(() => this.sendOnce(input, seen), name);
  }

  /** Returns what the daemon proposes as the next draw. @returns {Promise<Oche.TournamentInput>} */
  propose() {
    return this.inTurn(() => this.post("propose", {}), "");
  }

  /** @template Found @param {() => Promise<Found>} act @param {string} name */
  inTurn(act, name) {
    this.waiting.push(name);
    this.tell();
    const done = this.sent.then(act).finally(() => {
      this.waiting.shift();
      this.tell();
    });
    this.sent = done.catch(() => {});
    return done;
  }

  /** @param {Oche.TournamentInput} input @param {Seen} [seen] @returns {Promise<number>} */
  async sendOnce(input, seen) {
    const line = Math.max(this.view?.line ?? 0, this.reached), taken = this.view?.undo?.number;
    for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, MOST_MS)) {
      try {
        const { line: done } = await this.ask("do", { ...input, ...(seen && { seen: { winner: seen.winner, score: seen.score } }) });
        this.reached = done;
        await this.read();
        return done;
      } catch (problem) {
        if (!isPassing(problem)) throw problem;
      }
      do await pause(wait); while (!await this.read());
      const done = this.find(input, line, taken);
      if (done) return done;
    }
  }

  /** Returns the number of the line in which this was done after that one, 0 if it was not.
      @param {Oche.TournamentInput} input @param {number} after @param {number} [taken] the line that Undo was to take back */
  find(input, after, taken) {
    const { undo, redo, line = 0 } = this.view ?? {};
    if (line <= after) return 0;
    if (input.do === "undo") return redo && redo.number === taken ? line : 0;
    if (input.do === "redo") return undo ? line : 0;
    return undo && undo.number > after && undo.input.do === input.do ? undo.number : 0;
  }

  /** Sends JSON for as long as it takes. @param {string} path @param {object} body @returns {Promise<any>} */
  async post(path, body) {
    for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, MOST_MS)) {
      try {
        const found = await this.ask(path, body);
        this.setLive(true);
        return found;
      } catch (problem) {
        if (!isPassing(problem)) throw problem;
      }
      this.setLive(false);
      await pause(wait);
    }
  }

  /** Sends JSON, or without it reads it, once. Throws an Error whose message is fit to be shown.
      @param {string} path @param {object} [body] @returns {Promise<any>} */
  async ask(path, body) {
    const sent = body && { method: "POST", body: JSON.stringify(body) };
    const address = `tournament/${encodeURIComponent(this.id)}/${path}`;
    try {
      return await fetchAnswer(address, { cache: "no-store", ...sent, headers: { ...this.headers, ...(sent && { "Content-Type": "application/json" }) } });
    } catch (problem) {
      if (/** @type {Error} */ (problem).cause !== "unauthorized") throw problem;
      await enter();
      return this.ask(path, body);
    }
  }
}
