/* The bracket of a tournament as what a wall shows at rest. Loaded while one runs. */

import { make } from "../dom.js";
import { loadSheet } from "../parts.js";
import { followWall } from "../tournament/bracket_wall.js";
import { Source } from "../tournament/source.js";

const LOOK_MS = 5_000;

/** Returns the slide, which follows the tournament until it is not wanted any more, or is taken away.
    @param {string} id @param {() => boolean} isWanted */
export async function makeBracket(id, isWanted) {
  await loadSheet("static/tournament/bracket.css");
  const source = new Source(id), slide = make("section", { className: "slide tournament-wall", test: "idle-bracket" });
  source.follow();
  const end = followWall(slide, source);
  const timer = setInterval(() => {
    if (isWanted() && slide.isConnected) return;
    clearInterval(timer);
    end();
    source.leave(true);
  }, LOOK_MS);
  return slide;
}
