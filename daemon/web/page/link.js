/* The two ways to the daemon: its event stream, and commands, of a place: a table, or a seat at one.

   The stream is read with fetch, because an EventSource hides the server's pings: when a tablet loses its Wi-Fi the
   connection is not closed, and the page would show an old score for ever. Here any byte counts as life, silence ends the
   connection, and every way to lose it heals alike. */

import { enter } from "./enter.js";
import { sayFailure } from "./words/tasks.js";
import { words } from "./words/words.js";

const STALE_MS = 15_000; // three pings missed
const PING_MS = 7_000; // one missed: after a sleep, that is enough
const RETRY_FIRST_MS = 500;
const RETRY_MOST_MS = 5_000;
const ANSWER_MS = 8_000;
const HOPELESS = [400, 409]; // the same would be said again
const UNAUTHORIZED = 401;
const GONE = 404;

/** What is done at once when the device wakes up, or is on a network again, instead of waiting for its time.
    @type {Set<() => void>} */
const impatient = new Set();
function wake() {
  if (document.visibilityState === "visible") for (const act of impatient) act();
}
document.addEventListener("visibilitychange", wake);
addEventListener("online", wake);

/** Resolves after this time, or when the device wakes up. @type {(ms: number) => Promise<void>} */
export const pause = (ms) => new Promise((done) => {
  const end = () => {
    impatient.delete(end);
    done();
  };
  impatient.add(end);
  setTimeout(end, ms);
});

const lengthen = (/** @type {number} */ wait) => Math.min(2 * wait, RETRY_MOST_MS);
/** @param {string} path */
export const apiUrl = (path) => new URL(`api/${path}`, document.baseURI);
/** @param {string} name */
export const tablePath = (name) => `table/${encodeURIComponent(name)}`;
/** @param {string} token */
export const seatPath = (token) => `seat/${encodeURIComponent(token)}`;

/** Returns what a refusal says: some are JSON, others the sentence alone. @param {string} text */
export function readMessage(text) {
  try {
    return sayFailure(JSON.parse(text).error);
  } catch {
    return text;
  }
}

/** Reads a JSON resource, trying again for as long as it takes; null when there is no such thing. The events `unanswered`,
    each time, and then `answered` tell of it. `hear` gets the headers of the answer. Throws an Error when to ask again would
    not help. @template Found @param {string} path @param {(headers: Headers) => void} [hear] @returns {Promise<Found | null>} */
export async function read(path, hear) {
  for (let wait = RETRY_FIRST_MS; ; wait = lengthen(wait)) {
    let wrong = "";
    try {
      const response = await fetch(apiUrl(path), { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      if (response.ok || response.status === GONE) {
        const found = response.ok ? await response.json() : null;
        hear?.(response.headers);
        if (wait > RETRY_FIRST_MS) dispatchEvent(new Event("answered"));
        return found;
      }
      if (response.status === UNAUTHORIZED) {
        await enter();
        continue;
      }
      if (HOPELESS.includes(response.status)) wrong = readMessage(await response.text());
    } catch { /* not reachable now: the same cure as a refusal, wait and ask again */ }
    if (wrong) throw new Error(wrong);
    dispatchEvent(new Event("unanswered"));
    await pause(wait);
  }
}

/** Reads a JSON resource once. Throws an Error whose message is fit to be shown, and whose cause is the code of the
    refusal, if it is one. @template Found @param {string} path @returns {Promise<Found>} */
export const ask = (path) => fetchAnswer(path, { cache: "no-store" });

/** Sends JSON, and returns the answer. Throws as `ask` does.
    @template [Found=Oche.Answer] @param {string} path @param {object} body @returns {Promise<Found>} */
export const post = (path, body) => fetchAnswer(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
});

/** @param {string} path @param {RequestInit} how */
export async function fetchAnswer(path, how) {
  let response, answer;
  try {
    response = await fetch(apiUrl(path), { ...how, signal: AbortSignal.timeout(ANSWER_MS) });
    answer = await response.json();
  } catch {
    throw new Error(words.unreachable);
  }
  if (response.ok) return answer;
  /** @type {Oche.Failure | undefined} */
  const error = answer?.error;
  throw new Error((error?.code === "stale" ? words.stale : error && sayFailure(error)) || words.unreachable, { cause: error?.code });
}

/** Follows a place's events: `heard(type, data)` for each, `linked(up)` whenever the stream comes or goes. Resolves when
    there is no such place (any more). `query` asks for more than usual.
    @param {string} place @param {(type: string, data: any) => void} heard @param {(up: boolean) => void} linked
    @param {string} [query] */
export async function follow(place, heard, linked, query = "") {
  for (let wait = RETRY_FIRST_MS; ; wait = lengthen(wait)) {
    const parse = makeParser(heard);
    const status = await readStream(`${place}/events${query}`, (text) => {
      linked(true);
      wait = RETRY_FIRST_MS;
      parse(text);
    });
    if (status === GONE) return;
    linked(false);
    if (status === UNAUTHORIZED) await enter();
    else await pause(wait);
  }
}

/** Reads a stream of text until it ends, breaks or is silent; returns the status of the response, 0 without one.
    @param {string} path @param {(text: string) => void} take */
async function readStream(path, take) {
  const givenUp = new AbortController();
  let heardAt = 0, silence = 0;
  const alive = () => {
    heardAt = Date.now();
    clearTimeout(silence);
    silence = setTimeout(() => givenUp.abort(), STALE_MS);
  };
  const doubt = () => { if (Date.now() - heardAt > PING_MS) givenUp.abort(); };
  impatient.add(doubt);
  alive();
  try {
    const response = await fetch(apiUrl(path), {
      headers: { Accept: "text/event-stream" }, cache: "no-store", signal: givenUp.signal,
    });
    const chunks = response.ok ? response.body?.pipeThrough(new TextDecoderStream()).getReader() : null;
    for (let chunk = await chunks?.read(); chunk && !chunk.done; chunk = await chunks?.read()) {
      alive();
      take(chunk.value);
    }
    return response.status;
  } catch { // refused, reset or silent: one cure
    return 0;
  } finally {
    clearTimeout(silence);
    impatient.delete(doubt);
  }
}

/** Returns what takes the text of the stream in any pieces; each event has one line of data, and comments (the pings)
    have none. @param {(type: string, data: any) => void} heard */
function makeParser(heard) {
  let rest = "";
  return (/** @type {string} */ text) => {
    const events = (rest + text).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const [type, data] = ["event", "data"].map((field) => new RegExp(`^${field}: (.*)$`, "m").exec(event)?.[1]);
      try {
        if (type && data) heard(type, JSON.parse(data));
      } catch (problem) {
        console.error(`the event ${type} could not be shown`, problem); // one bad event must not end the stream
      }
    }
  };
}
