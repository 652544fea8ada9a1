/* Playing without a board, or while it is away: a tap on the drawn face is a dart; for a keyboard there is a field. */

import { throwDart } from "../commands.js";
import { $, make, setText, showToast } from "../dom.js";
import { preparePart } from "../parts.js";
import { preference } from "../preferences.js";
import { store } from "../store.js";
import { words } from "../words/words.js";

const openKeypad = preparePart(async () => (await import("./keypad.js")).renderKeypad, "static/wall/keypad.css");

export const TOTAL = "TOTAL"; // of several darts, whose beds are not known
const MOST_CHARS = 5; // that have room in the field

/** Whether the side at the oche throws at another table. @param {Oche.State} state */
export const isElsewhere = ({ phase, places, turn }) => Boolean(places && phase !== "over" && places[turn.side]?.table !== store.table);

/** Whether a tap on the board is a dart now, and does not answer a question. */
export const isThrown = () => store.isTapped && store.state?.phase === "throwing" && !store.moves.size && !isElsewhere(store.state);

/** Whether visits are typed as totals here: until a bed of this visit is known. A device that is only looked at goes by what was
    entered last. @param {Oche.State} state */
export function isTyped({ last, totals, turn }) {
  const { board, boardStatus, isByHand, isTapped } = store;
  if (!preference("pad") || (!isByHand && boardStatus?.sensor !== false)) return false;
  const darts = turn.darts.length || (isTapped && !preference("kiosk")) ? turn.darts : last?.darts ?? [];
  return Boolean(totals || darts.length) && darts.every(({ segment }) => [TOTAL, board?.layout.miss].includes(segment));
}

/** The face that the line under the board is for; null: it is not shown. @type {import("../board.js").Board | null} */
let prepared = null;

/** Shows the line under the board, for this face. @param {import("../board.js").Board} board */
function prepareTap(board) {
  prepared = board;
  $("tap").hidden = false;
  $("tap-id").ariaLabel = words.segmentField;
  $("tap-id").onkeydown = (event) => {
    if (event.key !== "Enter" || event.repeat) return;
    event.preventDefault(); // else the button beside it throws nothing, or the list of beds takes the key, as in WebKit
    if ($("tap-id").value.trim()) $("tap").requestSubmit();
    else $("next").click();
  };
  $("tap").onsubmit = async (event) => {
    event.preventDefault();
    const typed = $("tap-id").value;
    $("tap-id").value = "";
    if (!typed.trim()) return;
    const { state } = store;
    const { readBed } = await import("../words/typing.js");
    const { id, refusal = "" } = readBed(typed, board.layout);
    if (id) throwDart({ segment: id });
    else showToast(refusal, () => store.state === state);
  };
  // What is no place on the face and no miss (it fell off, a foul) gets a button.
  const others = board.layout.segments.filter(({ groups }) => groups.includes("off") || groups.includes("foul"));
  $("tap-off").replaceChildren(...others.map(({ id }) =>
    make("button", { type: "button", test: `tap-${id}`, onclick: () => throwDart({ segment: id }) }, words.segment(id))));
}

/** Returns a bed that could be typed now, and has room in the field: one to aim at, else the last of the face.
    @param {Oche.State} state @param {import("../board.js").Board} board */
function nameExample({ advice, hint, targets }, { areas }) {
  const beds = areas.map(({ id }) => id);
  const names = beds.reverse().map((id) => words.segment(id));
  const aims = [advice?.segment ?? "", ...hint, ...targets].map((aim) => (beds.includes(aim) ? words.segment(aim) : aim));
  return [...aims.filter((aim) => names.includes(aim)), ...names].find((name) => name.length <= MOST_CHARS) ?? "";
}

/** Says what a finger on the board does now. @param {Oche.State} state */
export function renderTap(state) {
  const { board, boardStatus, isByHand, isTapped } = store;
  if (isTapped && board && board !== prepared) prepareTap(board);
  if (!isTapped && prepared) {
    prepared = null;
    $("tap").hidden = true;
  }
  const takesTotals = isTapped && (isByHand || boardStatus?.sensor === false) && Boolean(state.totals) && !preference("kiosk");
  if (takesTotals || document.body.classList.contains("keyed")) openKeypad(state, takesTotals);
  const throwing = isThrown();
  if (prepared) $("tap-id").placeholder = nameExample(state, prepared);
  setText($("tap-text"), throwing ? words.tapBoard : state.prompts.length ? words.tapAnswer : "");
  document.body.classList.toggle("tapping", throwing);
}
