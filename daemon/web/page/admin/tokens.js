/* Tokens that were made just now, which are shown once. */

import { make } from "../dom.js";
import { makeCode } from "../wall/seats.js";
import { text } from "./settings_fields.js";

/** @param {Oche.MadeToken[]} tokens */
export const makeTokens = (tokens) => [make("h2", {}, text.tokensTitle), make("ul", {}, ...tokens.map(({ role, token, url, qr }) => {
  const item = makeCode(`made-${role}`, text[role], text.open, { url, qr });
  item.append(make("code", {}, token));
  return item;
}))];
