/* What finds the board of a table's card, and tries it out as it is typed there. */

import { $, make, setText } from "../dom.js";
import { text } from "./settings_fields.js";
import { describeBoard } from "./setup_link.js";

/** Makes it, with the field of the token. @param {Oche.SettingsField[]} fields of the card @param {number} card
    @param {Record<string, any>} values what is written @param {Oche.KnownBoard[]} boards
    @param {ReturnType<typeof import("./board_token.js").makeTokenField>} token
    @param {Pick<Oche.FindTools, "call" | "learnTried">} tools */
export function makeFinder(fields, card, values, boards, token, { call, learnTried }) {
  const field = (/** @type {string} */ key) => /** @type {Oche.SettingsField} */ (fields.find((each) => each.key === key));
  const place = make("div");
  const said = make("p", { role: "status" });
  const cloud = make("p", { className: "help", test: `cloud-${card}` });
  const follow = () => {
    const known = boards.find(({ profile }) => profile === field("profile").read());
    setText(cloud, known?.is_cloud ? text.guide.cloud(known.brands[0]) : "");
    token.show(Boolean(known?.wants_token || values.board_token_file));
  };
  const { find, try: test, chosen } = text.finding;
  const element = make("div", { className: "finder" }, make("div", { className: "buttons" },
    make("button", { type: "button", test: `find-${card}`, async onclick() {
      const { findBoard } = await import("./find_board.js");
      findBoard(place, { call, card, learnTried, choose(board, profile, typed = "") {
        for (const [key, value] of Object.entries(describeBoard(board, profile, field("profile").read()))) field(key).write(value ?? "");
        token.write(typed);
        token.forget(board !== values.board);
        setText(said, chosen);
        follow();
        $("save").focus();
      } });
    } }, find),
    make("button", { type: "button", test: `try-${card}`, async onclick() {
      const { tryBoard } = await import("./find_board.js");
      tryBoard(place, call, field("board").read() ?? "", field("profile").read() ?? "", undefined, learnTried, token.read() ?? "");
    } }, test)), place, said, cloud);
  field("profile").element.addEventListener("input", follow);
  follow();
  return element;
}
