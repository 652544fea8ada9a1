/* The code with which phones sign up, for walls and paper. */

import { makeSvg } from "../dom.js";
import { said } from "./match_card.js";
import { base } from "../wall/seats.js";

const QUIET = 4; // modules around a code

/** @typedef {{ url: string, qr: Oche.QrCode }} SignUpCode */

/** Returns the code, null where this device is not told. @param {{ ask(path: string): Promise<any> }} source @returns {Promise<SignUpCode | null>} */
export const askCode = (source) => source.ask(`code?base=${base()}`).catch(() => null);

/** Draws it black on white. @param {Oche.QrCode} qr */
export function drawCode({ path, size }) {
  const side = size + 2 * QUIET;
  return makeSvg("svg", { viewBox: `${-QUIET} ${-QUIET} ${side} ${side}`, "shape-rendering": "crispEdges", role: "img", "aria-label": said.parts.code, class: "sign-up-code" },
    makeSvg("rect", { x: -QUIET, y: -QUIET, width: side, height: side, fill: "#fff" }), makeSvg("path", { d: path }));
}
