/* The lobby: where the next match is put together, from the table's plan, so that the same people again cost nothing.
   What was put together stays until it is played, whatever happens at the table meanwhile. */

import { $, make, say } from "./dom.js";
import { labelled, optionForm } from "./form.js";
import { ask, send } from "./link.js";
import { people } from "./people.js";
import { words } from "./words.js";

const ROOMY_PX = 1200; // the rules stand open

const text = words.lobby;
const range = ([low, high]) => (low === high ? low : `${low}–${high}`);
const part = (name, ...content) => make("section", { ariaLabel: text[name] }, make("h3", {}, text[name]), ...content);

let dialog = null;
let from; // the plan it was built from
document.addEventListener("news", () => dialog?.refresh());

/** Opens it; as it was left, when the same match is still planned. */
export async function openLobby(app) {
  if (!app.state || !app.plan) throw new Error(words.unreachable); // nothing was heard yet
  if (from !== JSON.stringify(app.plan)) {
    const [games, recent] = await Promise.all([ask(`${app.place}/games`), ask("players").catch(() => [])]);
    dialog?.remove();
    dialog = build(app, games, recent);
    from = JSON.stringify(app.plan);
    document.body.append(dialog);
  }
  if (!dialog.open) dialog.showModal();
  dialog.refresh(true);
}

function build(app, games, recent) {
  const { plan } = app;
  const said = make("p", { role: "alert" });
  const tell = (sentence) => say(said, sentence);
  const start = make("button", { type: "button", className: "go", onclick: begin });

  const bull = make("input", { type: "checkbox" });
  const order = labelled(text.bull, bull);
  const who = part("who");
  let options; // the form; none while there is no form of the chosen game
  let planned; // for whom the options of the plan are
  let marks; // and who plays by now
  const players = people(who, plan, recent, tell, (now) => {
    order.hidden = now.by_side.length < 2 || app.layout?.name !== "standard";
    planned ??= now;
    marks = now;
    options?.follow(marks);
  });
  const [legs, sets] = [plan.format.legs, plan.format.sets].map((value) =>
    make("input", { type: "number", min: 1, required: true, value }));
  who.append(order, make("div", { className: "row" }, labelled(text.legs, legs), labelled(text.sets, sets)));

  let sending = false;
  let failed = false;
  const ready = () => { start.disabled = sending || !options; };

  const form = make("div");
  const takes = make("p", { className: "aside" });
  const rules = make("details", { open: innerWidth > ROOMY_PX });
  const search = make("input", { type: "search", placeholder: text.search, ariaLabel: text.search, oninput: sift });
  // What was played last, then the games, then their presets. A game that was played as another than its own name says,
  // such as 301, is there twice.
  const last = games.find(({ name }) => name === plan.game);
  const own = last?.title === plan.title ? plan.game : "";
  const rank = ({ name, game }) => (name === own ? 0 : name === plan.game ? 1 : name === game ? 2 : 3);
  const offers = last && !own ? [...games, { ...last, name: own, title: plan.title }] : games;
  const entries = offers.sort((one, other) => rank(one) - rank(other)).map(({ name, title, line }, index) => make(
    "label", {},
    make("input", { type: "radio", name: "game", value: name, checked: !index, onchange: choose }),
    make("b", {}, title), make("small", {}, line)));
  const list = make("div", { className: "list", lang: "en", role: "radiogroup", ariaLabel: text.game }, ...entries);
  const chosen = () => list.querySelector(":checked").value;
  const game = () => chosen() || plan.game;

  function sift() {
    const wanted = search.value.trim().toLowerCase();
    for (const entry of entries) {
      entry.hidden = !`${entry.firstChild.value} ${entry.textContent}`.toLowerCase().includes(wanted);
    }
  }

  async function choose() {
    [options, failed] = [null, false];
    ready();
    const name = chosen();
    const sheet = await ask(`games/${encodeURIComponent(game())}`).catch(({ message }) => ({ message }));
    if (chosen() !== name) return; // another was chosen meanwhile
    failed = Boolean(sheet.message);
    tell(sheet.message ?? "");
    if (failed) return;
    const { doubles, ...kept } = name === own ? plan.options : {}; // the table knows whose doubles are whose
    options = optionForm(form, sheet, kept, planned);
    options.follow(marks);
    say(takes, text.takes(range(sheet.sides), range(sheet.team_size)));
    rules.replaceChildren(make("summary", {}, text.rules), ...sheet.rules.split("\n\n").map((each) =>
      make("p", { lang: "en" }, ...each.split("`").map((piece, index) => (index % 2 ? make("b", {}, piece) : piece)))));
    ready();
  }

  async function begin() {
    if (!players.take()) return;
    for (const folded of element.querySelectorAll("details:has(:invalid)")) folded.open = true;
    const wrong = element.querySelector("input:invalid");
    tell(wrong ? `${wrong.ariaLabel ?? wrong.labels[0].textContent}: ${wrong.validationMessage}` : "");
    if (wrong) return wrong.reportValidity();
    const others = options.follow(marks, true);
    if (others.length) return tell(text.others(others.join(", ")));
    sending = true;
    ready();
    try {
      await send(app.place, "start", {
        game: game(), ...players.read(), options: options.read(),
        format: { legs: Number(legs.value), sets: Number(sets.value) },
        ...(bull.checked && !order.hidden && { order: "bull" }), at: app.state.line,
      });
      element.close();
    } catch (problem) {
      tell(problem.message);
    }
    element.match = app.state.match;
    sending = false;
    ready();
    if (element.open && !element.contains(document.activeElement)) start.focus(); // which it lost, being disabled
  }

  /** At all news; `anew` when it was just opened. */
  function refresh(anew) {
    const { match, phase, title } = app.state;
    say(start, match && phase !== "over" ? text.stop(title) : words.start);
    if (anew) tell("");
    else if (element.open && element.match !== match && !sending) tell(text.begun(title));
    element.match = match;
    const lost = document.body.dataset.link === "lost";
    if (lost) tell(words.lostLong);
    else if (said.textContent === words.lostLong) tell("");
    if (failed && element.open && !lost) choose();
  }

  /** The button that opened it, which would have the focus again, may be gone by now. */
  function onclose() {
    if (document.activeElement !== document.body) return;
    for (const id of ["menu", "next"]) $(id).focus(); // Next cannot be pressed where a question is open
  }

  const element = make("dialog", { id: "lobby", test: "lobby", ariaLabel: text.title, refresh, onclose },
    make("div", { className: "bar" }, make("h2", { tabIndex: -1, autofocus: true }, text.title),
      make("button", { type: "button", ariaLabel: text.close, onclick: () => element.close() }, "×")),
    who, part("game", search, list), part("options", takes, form, rules),
    make("div", { className: "bar" }, said, start));
  choose();
  return element;
}
