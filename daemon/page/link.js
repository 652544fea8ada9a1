/* The two ways to the daemon: its event stream, and commands. A place is what they belong to: a table, or a seat at
   one, which only its own address opens.

   The stream is read with fetch and not with EventSource, because an EventSource hides the server's pings: when the
   daemon loses its power, or a tablet its Wi-Fi, nobody closes the connection and an EventSource would show an old
   score for ever. Here any byte counts as life, silence ends the connection, and every way to lose it heals alike. */

import { words } from "./words.js";

const STALE_MS = 15_000; // three pings missed
const RETRY_FIRST_MS = 500;
const RETRY_MOST_MS = 5_000;
const ANSWER_MS = 8_000;
const GONE = 404;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const api = (path) => new URL(`api/${path}`, document.baseURI);
export const tableOf = (name) => `table/${encodeURIComponent(name)}`;
export const seatOf = (token) => `seat/${encodeURIComponent(token)}`;

/** Reads a JSON resource, trying again for as long as it takes; null when there is no such thing. */
export async function read(path) {
  for (let wait = RETRY_FIRST_MS; ; wait = Math.min(2 * wait, RETRY_MOST_MS)) {
    try {
      const response = await fetch(api(path), { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      if (response.ok) return await response.json();
      if (response.status === GONE) return null;
    } catch { /* not reachable now: the same cure as a refusal, wait and ask again */ }
    await pause(wait);
  }
}

/** Sends one command; resolves with its answer, throws an Error whose message is fit to be shown. */
export async function send(place, command, body = {}) {
  let response, answer;
  try {
    response = await fetch(api(`${place}/${command}`), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    answer = await response.json();
  } catch {
    throw new Error(words.unreachable);
  }
  if (!response.ok) throw new Error(answer?.error?.message || words.unreachable);
  return answer;
}

/** Follows a place's events for ever: `heard(type, data)` for each, `linked(up)` whenever the stream comes or goes.
    With `gone`, until there is no such place any more. */
export async function follow(place, heard, linked, gone = null) {
  for (let wait = RETRY_FIRST_MS; ; wait = Math.min(2 * wait, RETRY_MOST_MS)) {
    const given_up = new AbortController();
    let silence;
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => given_up.abort(), STALE_MS);
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
      } else if (response.status === GONE && gone) {
        clearTimeout(silence);
        return gone();
      }
    } catch { /* refused, reset, silent or gone: one cure */ }
    clearTimeout(silence);
    linked(false);
    await pause(wait);
  }
}

/** Takes the text of an event stream in any pieces; comments (the pings) pass without a word. */
function parser(heard) {
  let rest = "", type = "message", data = [];
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines.map((each) => each.replace(/\r$/, ""))) {
      if (line === "") {
        if (data.length) deliver(heard, type, data.join("\n"));
        type = "message";
        data = [];
      } else if (line.startsWith("event:")) type = line.slice(6).trim();
      else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    }
  };
}

function deliver(heard, type, data) {
  try {
    heard(type, JSON.parse(data));
  } catch (problem) {
    console.error(`the event ${type} could not be shown`, problem); // one bad event must not end the stream
  }
}
