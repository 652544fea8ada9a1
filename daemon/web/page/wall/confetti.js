/* Confetti for who wins a match, where motion is welcome: on the stage of a wall, and over a stream. */

import { make, setStyle } from "../dom.js";

/** Returns so many pieces; where each begins, how it turns and when. @param {number} count */
export const makeConfetti = (count) => [...Array(count).keys()].map((piece) => {
  const flake = make("i", { className: `flake side-${piece % 8}` });
  for (const [name, most] of Object.entries({ "--x": 100, "--turn": 4, "--wait": 1.2 })) setStyle(flake, name, (Math.random() * most).toFixed(2));
  return flake;
});
