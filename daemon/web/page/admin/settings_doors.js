/* The four doors before the form of all settings: what each is about as a drawing, what works, what is still to do, and the
   one or two fields of the form that matter. What is put off, or was done by hand, is remembered on this device. */

import { make, makeSvg } from "../dom.js";
import { makeGlyph } from "../glyphs.js";
import { makeCode } from "../wall/seats.js";
import { saySentence } from "../words/tasks.js";
import { words } from "../words/words.js";
import { text } from "./settings_fields.js";

const KEPT = "oche.todo";
const SIMULATED = "sim:";
const NONE = "none";
const LOCAL = ["127.0.0.1", "::1", "localhost"];

/** The doors, and what of the form each shows. @type {Record<Oche.Door, string[]>} */
export const DOORS = {
  board: ["table.board", "table.profile", "table.board_token", "table.finder"],
  players: ["player.name", "player.doubles"],
  phones: ["web.host", "web.tokens"],
  home: ["mqtt.on", "mqtt.host", "mqtt.username", "mqtt.password", "mqtt.test", "mqtt.entities"],
};
const NAMES = /** @type {Oche.Door[]} */ (Object.keys(DOORS));

const line = { fill: "none", stroke: "currentColor", "stroke-width": 3, "stroke-linejoin": "round", "stroke-linecap": "round" };
const lit = { ...line, class: "lit" };
/** @param {number} x @param {number} y @param {number} width @param {number} height @param {Record<string, string | number>} how */
const box = (x, y, width, height, how = line) => makeSvg("rect", { x, y, width, height, rx: 3, ...how });
const path = (/** @type {string} */ d, how = line) => makeSvg("path", { d, ...how });
const circle = (/** @type {number} */ cx, /** @type {number} */ cy, /** @type {number} */ r, how = line) => makeSvg("circle", { cx, cy, r, ...how });

/** @type {Record<Oche.Door, () => SVGElement[]>} */
const DRAWINGS = {
  board: () => [circle(60, 40, 36), circle(60, 40, 29), circle(60, 40, 18), circle(60, 40, 6, lit),
    path([...Array(10).keys()].map((each) => {
      const [x, y] = [Math.sin((each + 0.5) * Math.PI / 5), Math.cos((each + 0.5) * Math.PI / 5)];
      return `M${60 + 8 * x} ${40 - 8 * y}L${60 + 36 * x} ${40 - 36 * y}`;
    }).join("")), path("M68 32L104 8M98 5l6 3-1 7", lit)],
  players: () => [circle(40, 28, 13), path("M16 74c0-36 48-36 48 0"), circle(82, 24, 13, lit), path("M70 44c20-10 38 4 38 30", lit)],
  phones: () => [box(8, 8, 76, 48), path("M30 70h32M46 56v14"), path("M20 42V24h52v18M20 33h52"), box(86, 28, 28, 48, lit), path("M96 68h8", lit)],
  home: () => [path("M16 40L60 8l44 32M26 34v40h68V34"), circle(60, 48, 5, lit), path("M47 40c4-12 22-12 26 0M40 32c8-16 32-16 40 0", lit), path("M60 53v21", lit)],
};

/** @param {Oche.Door} door */
const draw = (door) => makeSvg("svg", { viewBox: "0 0 120 82", "aria-hidden": "true", class: "drawing" }, ...DRAWINGS[door]());

/** Returns what was put off or done, by the name of the item. @returns {Record<string, "later" | "done">} */
function readKept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {string} id @param {"later" | "done" | null} what */
function keep(id, what) {
  const { [id]: _, ...others } = readKept();
  try {
    localStorage.setItem(KEPT, JSON.stringify(what ? { ...others, [id]: what } : others));
  } catch { /* a browser that keeps nothing: the item comes back */ }
}

/** Reads what the doors tell of, but the boards, which are followed. @param {Oche.Settings} settings @param {Oche.CareTools["call"]} call
    @returns {Promise<Oche.DoorFacts>} */
export async function gatherFacts(settings, call) {
  const get = async (/** @type {string} */ path) => {
    const { status, answer } = await call(path);
    return status === 200 ? answer : null;
  };
  const [tables, players, broker, announced] = await Promise.all(["tables", "players", "broker", "settings/home_assistant"].map(get));
  const base = encodeURIComponent(new URL(".", document.baseURI).href);
  const codes = tables?.length ? await get(`table/${encodeURIComponent(tables[0].table)}/join?base=${base}`) : null;
  return { settings, tables: tables ?? [], players: players ?? [], broker: broker?.text ?? "", announced, codes, boards: new Map() };
}

/** Reads what each board says of itself, one after the other: a browser has few connections. @param {Oche.DoorFacts} facts */
export async function readBoards({ tables, boards }) {
  for (const { table } of tables) {
    const stream = new EventSource(new URL(`api/table/${encodeURIComponent(table)}/events`, document.baseURI));
    await /** @type {Promise<void>} */ (new Promise((done) => {
      stream.onerror = () => done();
      stream.addEventListener("board", ({ data }) => {
        boards.set(table, JSON.parse(data));
        done();
      });
    }));
    stream.close();
  }
}

/** @type {Record<Oche.Door, (facts: Oche.DoorFacts) => Oche.DoorState>} */
const DESCRIBE = {
  board({ settings, tables, boards }) {
    const say = text.doors.board;
    /** @type {Oche.DoorState} */
    const found = { works: [], todo: [] };
    let isReal = false;
    for (const { table, name } of tables) {
      const named = (/** @type {string} */ said) => (tables.length > 1 ? `${name}${words.colon}${said}` : said);
      const { board } = settings.written.table?.find((/** @type {any} */ each) => (each.name ?? "main") === table) ?? {};
      const status = boards.get(table);
      if (board === NONE) found.works.push(named(say.noSensor));
      else if (!board || board.startsWith(SIMULATED)) found.todo.push({ id: `board-simulated-${table}`, said: named(say.simulated) });
      else if (status) {
        isReal = true;
        if (status.state === "online") found.works.push(named(say.online));
        else found.todo.push({ id: `board-away-${table}`, said: `${named(say.offline)} ${status.trouble_said ? saySentence(status.trouble_said) : ""}`.trim() });
        if (status.stuck.length) found.todo.push({ id: `board-stuck-${table}`, said: named(say.stuck) });
      }
    }
    if (isReal) found.todo.push({ id: "board-press", said: say.press, byHand: say.pressed });
    return found;
  },
  players({ players }) {
    const say = text.doors.players;
    if (!players.length) return { works: [], todo: [{ id: "players-add", said: say.add }] };
    const bare = players.filter(({ picture }) => !picture);
    const list = (/** @type {{ name: string }[]} */ some) => some.slice(0, 4).map(({ name }) => name).join(", ") + (some.length > 4 ? " …" : "");
    return {
      works: [say.known(players.length), ...(bare.length < players.length ? [say.pictures(players.length - bare.length)] : [])],
      todo: [...(bare.length ? [{ id: "players-pictures", said: say.noPictures(list(bare)) }] : []),
        ...(players.some(({ doubles }) => doubles?.length) ? [] : [{ id: "players-doubles", said: say.noDoubles }])],
    };
  },
  phones({ settings, codes }) {
    const say = text.doors.phones;
    const isOpen = !LOCAL.includes(settings.written.web?.host ?? LOCAL[0]);
    if (!isOpen) return { works: [say.here], todo: [{ id: "phones-open", said: say.closed }] };
    const wall = codes?.codes.find(({ view }) => view === "spectator")?.url.split("#")[0];
    return {
      works: [say.open, ...(settings.needs_token ? [say.tokens] : [])],
      todo: [...(codes?.local ? [{ id: "phones-local", said: say.local }] : []),
        ...(codes?.local ? [] : [{ id: "phones-scan", said: say.scan, byHand: say.scanned }]),
        ...(wall ? [{ id: "phones-wall", said: say.wall(wall), byHand: say.hung }] : [])],
    };
  },
  home({ settings, broker, announced }) {
    const say = text.doors.home;
    const { host, on } = settings.written.mqtt ?? {};
    if (on === false) return { works: [], todo: [{ id: "home-off", said: say.off }] };
    if (!host) return { works: [say.own], todo: [{ id: "home-broker", said: say.noBroker }] };
    if (broker) return { works: [], todo: [{ id: "home-trouble", said: say.trouble(broker) }] };
    const devices = announced?.devices.length ?? 0;
    return {
      works: [say.connected, ...(devices ? [say.announced(devices)] : []), ...(announced?.home_assistant === "online" ? [say.online] : [])],
      todo: [...(devices ? [] : [{ id: "home-silent", said: say.silent }]), ...(announced?.home_assistant === "unread" ? [{ id: "home-unread", said: say.unread }] : []),
        { id: "home-look", said: say.look, byHand: say.looked }],
    };
  },
};

/** Returns what works and what is still to do, without what was done by hand. @param {Oche.Door} door @param {Oche.DoorFacts} facts */
function describe(door, facts) {
  const kept = readKept();
  const { works, todo } = DESCRIBE[door](facts);
  const isDone = (/** @type {Oche.DoorItem} */ { id, byHand }) => Boolean(byHand) && kept[id] === "done";
  const open = todo.filter((each) => !isDone(each));
  return {
    works: [...works, ...todo.filter(isDone).map(({ byHand = "" }) => byHand)],
    now: open.filter(({ id }) => kept[id] !== "later"), later: open.filter(({ id }) => kept[id] === "later"),
    done: todo.filter(isDone),
  };
}

/** Fills the front, where the four doors are. @param {HTMLElement} place @param {Oche.DoorFacts} facts */
export function fillFront(place, facts) {
  place.replaceChildren(...NAMES.map((door) => {
    const { works, now } = describe(door, facts);
    return make("a", { href: `#${door}`, className: "door", test: `door-${door}` }, draw(door),
      make("b", {}, text.doors.titles[door]), make("span", {}, works[0] ?? now[0]?.said ?? text.doors.nothing),
      make("small", { className: now.length ? "open" : "" }, now.length ? text.doors.count(now.length) : text.doors.nothing));
  }));
}

/** Fills a door. @param {HTMLElement} place @param {Oche.Door} door @param {Oche.DoorFacts} facts */
export function fillDoor(place, door, facts) {
  const { works, now, later, done } = describe(door, facts);
  /** @param {string} label @param {string} test @param {() => void} act */
  const button = (label, test, act) => make("button", { type: "button", test, onclick() {
    act();
    fillDoor(place, door, facts);
    place.querySelector("h2")?.focus();
  } }, label);
  const item = (/** @type {Oche.DoorItem} */ { id, said, byHand }, isPutOff = false) => make("li", { test: `todo-${id}` }, make("span", {}, said),
    make("div", { className: "buttons" }, ...(byHand ? [button(text.doors.done, "todo-done", () => keep(id, "done"))] : []),
      isPutOff ? button(text.doors.now, "todo-now", () => keep(id, null)) : button(text.doors.later, "todo-later", () => keep(id, "later"))));
  const heading = (/** @type {string} */ said) => make("h2", { tabIndex: -1 }, said);
  place.replaceChildren(
    draw(door), make("p", { className: "lead" }, text.doors.about[door]),
    ...(now.length ? [heading(text.doors.todo), make("ul", { className: "todo", test: "todo" }, ...now.map((each) => item(each)))]
      : [heading(text.doors.nothing)]),
    ...(later.length ? [make("details", { className: "more", test: "put-off" }, make("summary", {}, text.doors.putOff(later.length)),
      make("ul", { className: "todo" }, ...later.map((each) => item(each, true))))] : []),
    ...(works.length ? [make("h2", {}, text.doors.works), make("ul", { className: "works", test: "works" }, ...works.map((said) => make("li", {}, makeGlyph("tick"), said)))] : []),
    ...(done.length ? [button(text.doors.again, "todo-again", () => { for (const { id } of done) keep(id, null); })] : []),
    ...(door === "phones" && facts.codes && !facts.codes.local ? [make("h2", {}, text.doors.codes), make("ul", { className: "codes", test: "door-codes" },
      ...facts.codes.codes.map((code) => makeCode(`code-${code.view}`, text.doors.views[code.view], text.open, code)))] : []),
  );
}
