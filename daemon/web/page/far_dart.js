/* A dart that another table is to count: it stays on the face until that table has, for two seconds at most. */

import { store, watch } from "./store.js";

const BACK_MS = 2_000;

/** Resolves when the state has this line, which another table writes, or after a while. @param {string | null} match @param {number} line
    @returns {Promise<void>} */
export async function comeBack(match, line) {
  const isThere = () => store.state?.match !== match || store.state.line >= line;
  let end = () => {};
  if (!isThere()) await new Promise((done) => {
    setTimeout(done, BACK_MS);
    end = watch(() => { if (isThere()) done(null); });
  });
  end();
}
