/* What the pages that set oche up ask of the daemon, and how they wait until it has started anew. */

import { enter } from "../enter.js";
import { words } from "../words/words.js";

const PAUSE_MS = 300;
const PATIENCE_MS = 60_000;
const UNAUTHORIZED = 401;

/** Asks the daemon, or sends it a file; where it does not answer, or the signal has it given up, the status is 0 and the error says so.
    @param {string} path @param {object} [body] @param {AbortSignal} [signal]
    @returns {Promise<{ status: number, answer: any }>} */
export async function call(path, body, signal) {
  const [type, sent] = body instanceof Blob ? ["octet-stream", body] : ["json", JSON.stringify(body)];
  const how = body && { method: "POST", headers: { "Content-Type": `application/${type}` }, body: sent };
  let [status, told] = [0, words.unreachable];
  try {
    const response = await fetch(new URL(`api/${path}`, document.baseURI), { cache: "no-store", signal, ...how });
    if (response.status === UNAUTHORIZED) {
      await enter();
      return await call(path, body, signal);
    }
    [status, told] = [response.status, await response.text()];
    return { status, answer: JSON.parse(told) };
  } catch {
    return { status, answer: { error: { code: "", message: told } } };
  }
}

/** Returns the settings once the daemon has started anew; null when it has not for a minute.
    @param {string} run the start that was @returns {Promise<Oche.Settings | null>} */
export async function waitForStart(run) {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const { status, answer } = await call("settings");
    if (status === 200 && answer.run !== run) return answer;
  }
  return null;
}

/** Returns what becomes of the keys of a table that plays on another board. A mat and a wiring are of the profile that was.
    @param {string} board @param {string | null} profile null: as the address says @param {string | null} former */
export const describeBoard = (board, profile, former) => ({
  board, profile, ...(profile && profile === former ? {} : { mat: null, wiring: null }),
});

/** Returns the changes of the settings for that. The token of the board that was is not for another one. @param {Oche.Settings} settings @param {number} index
    @param {string} board @param {string | null} profile @param {string} [typed] its token */
export function changeBoard({ written }, index, board, profile, typed = "") {
  const there = written.table?.[index] ?? {};
  const token = board === there.board ? {} : { board_token_file: null };
  return Object.entries({ ...describeBoard(board, profile, there.profile), ...token, ...(typed && { board_token: typed }) })
    .filter(([key, value]) => value !== null || key in there).map(([key, value]) => ({ path: ["table", index, key], value }));
}
