/* Who plays: people and bots in the order of throwing, alone or together with all of the same team. */

import { make, say, tint } from "./dom.js";
import { labelled } from "./form.js";
import { words } from "./words.js";

const CHIPS = 24; // people to tap
const maxLength = 40; // of names

const text = words.lobby;

/** Puts the list into `place`; `tell` says a sentence, `changed` is called with marks of the sides and of the players,
    by which each is known again wherever it is put. Gives what reads what a header says of the players, and `take`,
    which adds who still stands in the field: false when that cannot be. */
export function people(place, { players, teams, team_names: names }, recent, tell, changed) {
  const button = (label, onclick, ariaLabel = null) => make("button", { type: "button", onclick, ariaLabel }, label);
  const list = make("ol");
  const rows = () => [...list.children];
  let added = 0;
  const teamed = make("input", {
    type: "checkbox", checked: teams?.length < players.length || Boolean(names?.some(Boolean)), onchange: number,
  });
  const field = make("input", {
    maxLength, ariaLabel: text.name, placeholder: text.name, autocomplete: "off", enterKeyHint: "done",
    onkeydown: ({ key }) => { if (key === "Enter") type(); },
  });
  const has = (name) => rows().some((row) => row.read().toLowerCase() === name.toLowerCase());

  function add(name, team = 1 + (list.children.length % 2)) {
    const level = /^bot:(\d+)$/.exec(name)?.[1];
    const seen = level ? "Bot" : name;
    const skill = make("input", {
      type: "number", min: 20, max: 110, required: true, value: level ?? "", ariaLabel: text.level,
    });
    const together = make("input", {
      className: "team", maxLength, value: team, ariaLabel: text.team(seen), oninput: number,
    });
    const up = button("↑", () => {
      if (row.previousSibling) row.previousSibling.before(row);
      else list.append(row); // the first becomes the last
      number();
      up.focus();
    }, text.up(seen));
    const off = button("×", () => {
      ((row.nextSibling ?? row.previousSibling)?.lastChild ?? field).focus();
      row.remove();
      number();
    }, text.remove(seen));
    const row = make("li", { mark: added++, team: together, read: () => (level ? `bot:${skill.value}` : name) },
      make("span", { className: "badge" }), make("b", {}, seen), ...(level ? [skill] : []), together, up, off);
    list.append(row);
  }

  function welcome(name) {
    const twice = has(name) && !name.startsWith("bot:");
    tell(twice ? text.twice(name) : "");
    if (name && !twice) add(name);
    number();
    return !twice;
  }

  function take() {
    const taken = welcome(field.value.trim());
    if (taken) field.value = "";
    else field.focus();
    return taken;
  }

  function type() {
    take();
    field.focus();
  }

  function shuffle() {
    const were = rows().map((row) => row.team.value);
    const drawn = rows().map((row) => [Math.random(), row]).sort(([one], [other]) => one - other);
    drawn.forEach(([, row], place) => {
      row.team.value = were[place];
      list.append(row);
    });
    number();
  }

  /** The places of the list by team, or by themselves. */
  function sides() {
    const found = new Map();
    rows().forEach((row, seat) => {
      const side = (teamed.checked && row.team.value.trim()) || seat;
      found.set(side, [...(found.get(side) ?? []), seat]);
    });
    return found;
  }

  function number() {
    const made = [...sides().values()];
    made.forEach((seats, side) => seats.forEach((seat) => {
      say(list.children[seat].firstChild, side + 1);
      tint(list.children[seat], side);
    }));
    for (const chip of chips.children) chip.ariaPressed = has(chip.textContent);
    const marks = rows().map(({ mark }) => mark);
    changed({ by_side: made.map((seats) => seats.map((seat) => marks[seat]).sort().join()), by_player: marks });
  }

  const chips = make("div", { className: "row chips", role: "group", ariaLabel: text.recent },
    ...recent.slice(0, CHIPS).map(({ name }) => button(name, () => welcome(name))));
  const row = (...content) => make("div", { className: "row" }, ...content);
  place.append(list, row(field, button(text.add, type)), chips,
    row(button(text.bot, () => welcome("bot:60")), button(text.shuffle, shuffle)),
    labelled(text.teams, teamed, { className: "teams" }));
  const hasOwn = (team) => /\D/.test(names?.[team] ?? "") && names.indexOf(names[team]) === team;
  const called = (team) => (hasOwn(team) ? names[team] : team + 1);
  (teams ?? players.map((_, seat) => [seat])).forEach((seats, team) => seats.forEach((seat) =>
    add(players[seat], teamed.checked ? called(team) : undefined)));
  number();

  const read = () => ({
    players: rows().map((row) => row.read()),
    ...(teamed.checked && {
      teams: [...sides().values()], team_names: [...sides().keys()].map((team) => (/^\d*$/.test(team) ? "" : team)),
    }),
  });
  return { read, take };
}
