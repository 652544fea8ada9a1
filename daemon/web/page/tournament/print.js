/* A tournament on paper, black on white: the bracket or the tables, the order of play, the code to sign up, and empty score
   sheets for tables without a board. What is seen on the screen is what is printed. */

import { make, rebuild } from "../dom.js";
import { cutList, cutTree, isOpen, listSections } from "./bracket_layout.js";
import { makeRound, makeTree } from "./bracket_panels.js";
import { makeName, nameSection, said } from "./match_card.js";
import { loadSheet } from "../parts.js";
import { askCode, drawCode } from "./sign_up_code.js";
import { listPlaced, makeCross, makeLadder, makePlaces, makeStandings, nameStandings } from "./standings_table.js";
import { namePair, nameRound, nameSide, nameTable, writeClock } from "./texts.js";

/** @typedef {{ id: string, view: Oche.TournamentView | null, subscribe(read: () => void): () => void, ask(path: string): Promise<any> }} Source */
/** @typedef {"bracket" | "standings" | "order" | "code" | "sheets"} Part */
/** What has room on a sheet of paper that lies: of a tree, of a table, which is larger on A3, and of matches that are beside and
    below each other. */
const SIZES = { a4: { columns: 4, rows: 8, lines: 18, beside: 3, below: 7.5 }, a3: { columns: 5, rows: 16, lines: 18, beside: 4, below: 11 } };
const TITLE = 0.5; // of the height of a match
const PARTS = /** @type {Part[]} */ (["bracket", "standings", "order", "code", "sheets"]);
const TREES = ["winners", "losers", "final", "third"];
const MOST_CROSSED = 12, MOST_BELOW = 10; // sides that each have a column; those whose results have room below their standings
const MOST_LEGS = 5; // that have room on a score sheet
const VISITS = 15;
const NEXT = 2; // matches for each table without a board

/** Shows it; returns what ends that. @param {HTMLElement} root @param {Source} source */
export async function show(root, source) {
  await Promise.all([loadSheet("static/tournament/bracket.css"), loadSheet("static/tournament/print.css")]);
  const chosen = { size: /** @type {keyof typeof SIZES} */ ("a4"), parts: new Set(/** @type {Part[]} */ (["bracket", "standings", "order", "code"])), isAsked: false };
  /** @type {{ url: string, qr: Oche.QrCode } | null} */
  let code = null;
  const pages = make("div", { className: "papers", test: "papers", tabIndex: 0, role: "group", ariaLabel: said.printNow });
  const draw = () => {
    const { view } = source;
    if (!view) return;
    if (!chosen.isAsked && view.tables.some(({ paper }) => paper)) chosen.parts.add("sheets");
    for (const part of PARTS) /** @type {HTMLInputElement} */ (root.querySelector(`[data-testid=part-${part}]`)).checked = chosen.parts.has(part);
    pages.className = `papers ${chosen.size}`;
    rebuild(pages, [view.line, view.matches, view.tables, chosen.size, [...chosen.parts], code], () =>
      PARTS.filter((part) => chosen.parts.has(part)).flatMap((part) => MAKERS[part](view, SIZES[chosen.size], code)));
  };
  root.replaceChildren(makeChoices(chosen, draw), pages);
  const leave = source.subscribe(draw);
  draw();
  askCode(source).then((found) => {
    code = found;
    draw();
  });
  return leave;
}

/** @param {{ size: keyof typeof SIZES, parts: Set<Part>, isAsked: boolean }} chosen @param {() => void} draw */
function makeChoices(chosen, draw) {
  const size = make("select", { ariaLabel: said.paperSize, test: "paper-size", onchange() {
    chosen.size = /** @type {keyof typeof SIZES} */ (size.value);
    draw();
  } }, ...Object.keys(SIZES).map((each) => make("option", { value: each }, each.toUpperCase())));
  const parts = PARTS.map((part) => {
    const box = make("input", { type: "checkbox", checked: chosen.parts.has(part), test: `part-${part}`, onchange() {
      chosen.isAsked = true;
      if (box.checked) chosen.parts.add(part);
      else chosen.parts.delete(part);
      draw();
    } });
    return make("label", { className: "switch" }, box, make("span", {}, said.parts[part]));
  });
  return make("div", { className: "print-choices" }, size, ...parts, make("button", { type: "button", className: "go", test: "print", onclick: () => print() }, said.printNow));
}

/** @param {Oche.TournamentView} view @param {string} title @param {...Node} content */
const makePaper = (view, title, ...content) => make("section", { className: "paper" },
  make("div", { className: "paper-head" }, make("h2", {}, [view.spec.name, title].filter(Boolean).join(" · ")), make("span", {}, said.asOf(writeClock(Date.now() / 1000)))), ...content);

/** @type {Record<Part, (view: Oche.TournamentView, size: typeof SIZES["a4"], code: { url: string, qr: Oche.QrCode } | null) => Node[]>} */
const MAKERS = {
  bracket: makeBracket,
  standings: makeTables,
  order: makeOrder,
  code: (view, _, code) => (code?.qr && view.phase !== "over" ? [makePaper(view, said.parts.code, make("div", { className: "code" }, drawCode(code.qr), make("p", {}, said.scan), make("p", { className: "url" }, code.url)))] : []),
  sheets: makeSheets,
};

/** Makes the trees; the match for third place is below the final. @param {Oche.TournamentView} view @param {typeof SIZES["a4"]} size */
function makeBracket(view, size) {
  const sections = listSections(view), third = sections.find(({ key }) => key === "third");
  return sections.filter(({ key }) => key !== "third" && TREES.includes(key)).flatMap((section) => cutTree(section.rounds, size).map((rounds) => {
    const hasThird = third && rounds.some(({ match }) => match.stage === "final");
    return makePaper(view, nameSection(view, section) || (section.key === "winners" ? said.bracket : nameRound(view, section.rounds[0].match)), makeTree(view, rounds),
      ...(hasThird ? [make("div", { className: "third" }, make("h3", {}, nameRound(view, third.rounds[0].match)), makeRound(view, third.rounds[0].matches, {}))] : []));
  }));
}

/** @param {Oche.TournamentView} view @param {typeof SIZES["a4"]} size */
function makeTables(view, { beside, below, lines }) {
  const ladder = view.ladder ?? [];
  const tables = view.spec.kind === "ladder" ? cutList(ladder, lines).filter(({ length }) => length).map((order) => makePaper(view, said.ladder, makeLadder(view, { order, from: ladder.indexOf(order[0]) })))
    : view.standings.flatMap((standings) => {
      const count = standings.rows.length, title = nameStandings(standings);
      const cross = count <= MOST_CROSSED && view.spec.kind !== "swiss" ? [makeCross(view, standings)] : [];
      return [...cutList(standings.rows, lines).filter(({ length }) => length).map((rows) => makePaper(view, title, makeStandings(view, standings, { rows }), ...(count <= MOST_BELOW ? cross : []))),
        ...(count > MOST_BELOW ? cross.map((each) => makePaper(view, title, each)) : [])];
    });
  const rounds = listSections(view).filter(({ key }) => !TREES.includes(key)).flatMap((section) => makeRounds(view, section, beside, below));
  const hasPlaces = view.phase === "over" && !view.ladder?.length && view.standings.every(({ group }) => group !== null);
  const places = hasPlaces ? cutList(listPlaced(view), lines).filter(({ length }) => length).map((placed) => makePaper(view, said.places, makePlaces(view, { rows: placed }))) : [];
  return [...places, ...tables, ...rounds];
}

/** Makes the matches of a table, as many rounds on a sheet as have room; a large one goes on on the next.
    @param {Oche.TournamentView} view @param {import("./bracket_layout.js").Section} section @param {number} beside @param {number} below */
function makeRounds(view, section, beside, below) {
  /** @type {{ room: number, content: Node[] }[]} */
  const sheets = [];
  for (const { match, matches } of section.rounds) {
    for (const part of cutList(matches, beside * Math.floor(below - TITLE))) {
      const needed = Math.ceil(part.length / beside) + TITLE, open = sheets.at(-1);
      const sheet = open && open.room >= needed ? open : { room: below, content: [] };
      if (sheet !== open) sheets.push(sheet);
      sheet.room -= needed;
      sheet.content.push(make("h3", {}, nameRound(view, match)), makeRound(view, part, {}));
    }
  }
  const title = nameSection(view, section) || said.cross;
  return sheets.map(({ content }) => makePaper(view, title, ...content));
}

/** Makes what is still to be played, in its order. @param {Oche.TournamentView} view @param {typeof SIZES["a4"]} size */
function makeOrder(view, { lines }) {
  const rank = (/** @type {Oche.TournamentMatchView} */ { id, table }) => (table !== null ? -1 : view.next.includes(id) ? view.next.indexOf(id) : view.next.length);
  const open = view.matches.filter((match) => !match.of && isOpen(match) && !match.sides.includes(0))
    .toSorted((one, other) => rank(one) - rank(other) || (one.due_s ?? Infinity) - (other.due_s ?? Infinity)); // else as they depend on each other
  return cutList(open, lines).filter(({ length }) => length).map((matches) => makePaper(view, said.parts.order, make("table", { className: "order" },
    make("thead", {}, make("tr", {}, ...[said.time, said.table, said.match].map((head) => make("th", { scope: "col" }, head)), make("td"), make("th", { scope: "col" }, said.result))),
    make("tbody", {}, ...matches.map((match) => make("tr", {}, make("td", {}, match.due_s == null ? "" : writeClock(match.due_s)), make("td", {}, nameTable(view, match.table)), make("td", {}, nameRound(view, match)),
      make("th", { scope: "row" }, makeName(namePair(view, match))), make("td", { className: "blank" }))))))); 
}

/** Makes score sheets of what tables without a board play and will play next, and an empty one. @param {Oche.TournamentView} view */
function makeSheets(view) {
  const papers = new Set(view.tables.filter(({ paper }) => paper).map(({ name }) => name));
  const called = view.matches.filter((match) => isOpen(match) && match.table !== null && papers.has(match.table));
  const next = view.next.slice(0, NEXT * papers.size).flatMap((id) => view.matches.find((match) => match.id === id && match.table === null) ?? []);
  const those = [...called, ...next];
  return [...those, null].map((match) => {
    const { legs, sets } = match ? findFormat(view, match) : view.spec.format ?? {};
    const sides = match ? [0, 1].map((side) => nameSide(view, match, side)) : ["", ""];
    const blocks = Math.min(MOST_LEGS, 2 * (legs ?? 1) - 1);
    const about = match ? [nameRound(view, match), nameTable(view, match.table)].filter(Boolean).join(" · ") : "";
    return makePaper(view, about, make("div", { className: "score-sides" }, ...sides.map((name) => makeName(name || " ")), make("span", {}, (sets ?? 1) > 1 ? said.setsTo(sets ?? 1, legs ?? 1) : said.legsTo(legs ?? 1))),
      make("div", { className: "leg-sheets" }, ...Array.from({ length: blocks }, (_, leg) => makeLeg(leg + 1, sides))),
      make("p", { className: "signed" }, `${said.result}:`, make("i"), `${said.signature}:`, make("i"), make("i")));
  });
}

/** @param {number} leg @param {string[]} sides */
const makeLeg = (leg, sides) => make("table", { className: "leg-sheet" }, make("caption", {}, said.leg(leg)),
  make("thead", {}, make("tr", {}, make("td"), ...sides.map((name) => (name ? make("th", { scope: "colgroup", colSpan: 2 }, makeName(name)) : make("td", { colSpan: 2 }))))),
  make("tbody", {}, ...Array.from({ length: VISITS }, (_, visit) => make("tr", {}, make("td", {}, String(visit + 1)), ...Array.from({ length: 4 }, () => make("td"))))));

/** Returns the format of the round of a match. @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match */
function findFormat({ spec: { format = {}, formats = {} } }, { last, round, stage }) {
  return formats[`${stage}-${round}`] ?? formats[`last-${last}`] ?? formats[stage] ?? format;
}
