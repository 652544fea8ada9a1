/* The two ways to the daemon: its event stream, and commands, of a place: a table, or a seat at one.

   The stream is read with fetch, because an EventSource hides the server's pings: when a tablet loses its Wi-Fi nobody
   closes the connection, and it would show an old score for ever. Here any byte counts as life, silence ends the
   connection, and every way to lose it heals alike. */

import { enter } from "./enter.js";
import { words } from "./words.js";

const STALE_MS = 15_000; // three pings missed
const PING_MS = 7_000; // one missed: after a sleep, that is enough
const RETRY_FIRST_MS = 500;
const RETRY_MOST_MS = 5_000;
const ANSWER_MS = 8_000;
const INVALID = 400;
const GONE = 404;
const STRANGER = 401;

// What is done at once when the device wakes up, or is on a network again, instead of waiting for its time.
const impatient = new Set();
function wake() {
  if (document.visibilityState === "visible") for (const act of impatient) act();
}
document.addEventListener("visibilitychange", wake);
addEventListener("online", wake);

const pause = (ms) => new Promise((done) => {
  const end = () => done(impatient.delete(end));
  impatient.add(end);
  setTimeout(end, ms);
});

const longer = (wait) => Math.min(2 * wait, RETRY_MOST_MS);
const api = (path) => new URL(`api/${path}`, document.baseURI);
export const tableOf = (name) => `table/${encodeURIComponent(name)}`;
export const seatOf = (token) => `seat/${encodeURIComponent(token)}`;

/** Reads a JSON resource, trying again for as long as it takes; null when there is no such thing. Throws an Error when
    to ask again would not help. */
export async function read(path) {
  for (let wait = RETRY_FIRST_MS; ; wait = longer(wait)) {
    let wrong;
    try {
      const response = await fetch(api(path), { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      if (response.ok) return await response.json();
      if (response.status === GONE) return null;
      if (response.status === STRANGER) {
        await enter();
        continue;
      }
      if (response.status === INVALID) wrong = (await response.json()).error.message;
    } catch { /* not reachable now: the same cure as a refusal, wait and ask again */ }
    if (wrong) throw new Error(wrong);
    await pause(wait);
  }
}

/** Reads a JSON resource for somebody who waits, and sends one command: both resolve with the answer, or throw an Error
    whose message is fit to be shown. */
export const ask = (path) => answered(path, { cache: "no-store" });
export const send = (place, command, body = {}) => answered(`${place}/${command}`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
});

async function answered(path, how) {
  let response, answer;
  try {
    response = await fetch(api(path), { ...how, signal: AbortSignal.timeout(ANSWER_MS) });
    answer = await response.json();
  } catch {
    throw new Error(words.unreachable);
  }
  const { code, message } = answer?.error ?? {};
  if (!response.ok) throw new Error((code === "stale" ? words.stale : message) || words.unreachable);
  return answer;
}

/** Follows a place's events: `heard(type, data)` for each, `linked(up)` whenever the stream comes or goes; until
    there is no such place (any more). */
export async function follow(place, heard, linked, gone) {
  for (let wait = RETRY_FIRST_MS; ; wait = longer(wait)) {
    const given_up = new AbortController();
    let silence, heardAt;
    const doubt = () => Date.now() - heardAt > PING_MS && given_up.abort();
    impatient.add(doubt);
    const alive = () => {
      heardAt = Date.now();
      clearTimeout(silence);
      silence = setTimeout(() => given_up.abort(), STALE_MS);
    };
    const leave = () => {
      clearTimeout(silence);
      impatient.delete(doubt);
    };
    alive();
    try {
      const response = await fetch(api(`${place}/events`), {
        headers: { Accept: "text/event-stream" }, cache: "no-store", signal: given_up.signal,
      });
      if (response.ok) {
        const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
        const parse = parser(heard);
        for (let chunk = await chunks.read(); !chunk.done; chunk = await chunks.read()) {
          alive();
          linked(true);
          wait = RETRY_FIRST_MS;
          parse(chunk.value);
        }
      } else if (response.status === GONE) {
        leave();
        return gone();
      } else if (response.status === STRANGER) {
        leave();
        linked(false);
        await enter();
        continue;
      }
    } catch { /* refused, reset, silent or gone: one cure */ }
    leave();
    linked(false);
    await pause(wait);
  }
}

/** Takes the text of the stream in any pieces; each event has one line of data, and comments (the pings) have none. */
function parser(heard) {
  let rest = "";
  return (text) => {
    const events = (rest + text).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const [type, data] = ["event", "data"].map((field) => new RegExp(`^${field}: (.*)$`, "m").exec(event)?.[1]);
      try {
        if (data) heard(type, JSON.parse(data));
      } catch (problem) {
        console.error(`the event ${type} could not be shown`, problem); // one bad event must not end the stream
      }
    }
  };
}
