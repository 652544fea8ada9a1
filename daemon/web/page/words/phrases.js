/* How identifiers, values and facts become words: alike in every language, so that a language file is texts alone. */

import { makeBedNaming } from "./naming.js";

/** Always as many, so that they do not dance. @type {Record<string, number>} */
const DECIMALS = { average: 1, first_nine: 1, mpr: 2, mpr_80: 2, ppd: 2 };
const MOST_HEARTS = 9;
const TONS = ["low_ton", "high_ton"]; // what machines call a visit of 100 and more
const MOST_PIPS = 6;

const spaceOut = (/** @type {string} */ name) => name.replaceAll("_", " ");
const capitalize = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);
const capitalizeWords = (/** @type {string} */ text) =>
  text.replace(/(?<=^| )(?!of |an? |in |the )\p{Ll}/gu, (letter) => letter.toUpperCase());

/** Returns what makes something at its first call and keeps it: writers of numbers, days and lists are dear, and most
    first screens do without. @template Made @param {() => Made} make @returns {() => Made} */
function once(make) {
  /** @type {Made | undefined} */
  let made;
  return () => (made ??= make());
}

/** Returns what writes a number with so many digits after the point; nothing for none. @param {string} language */
const makeDecimals = (language) => (/** @type {number | null | undefined} */ value, /** @type {number} */ digits) =>
  value?.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });

/** Returns what says whether a number has the noun of one: in French 0 has, too. @param {string} language */
export function makeIsOne(language) {
  const rules = once(() => new Intl.PluralRules(language));
  return (/** @type {number} */ n) => rules().select(n) === "one";
}

/** Returns what writes a number with its noun.
    @param {string[]} forms one, many @param {(n: number) => boolean} isOne @param {(n: number) => string} write */
const makeCounter = ([one, many], isOne, write = String) => (/** @type {number} */ n) => `${write(n)} ${isOne(n) ? one : many}`;

/** Returns what names identifiers: segments, options, targets. @param {Oche.Language} words */
function makeNaming(words) {
  const { groups, names } = words;
  const name = (/** @type {string} */ id) => names[id] ?? spaceOut(id);
  // What has no word is shown in English, where each word of a name is capitalized.
  const head = (/** @type {string} */ id) =>
    (names[id] && !words.voice.startsWith("en") ? capitalize(names[id]) : capitalizeWords(name(id)));
  const { segment, spoken } = makeBedNaming(words);
  return {
    symbol: name, segment, spoken,
    option: (/** @type {string} */ text) =>
      (/^[a-z]+(_[a-z\d]+)*$/.test(text) ? head(text) : segment(text)),
    targetName: (/** @type {string} */ label) => groups[label] ?? (/^S\d/.test(label) ? spoken(label) : segment(label, true)),
  };
}

/** Returns what says a game's details. @param {Oche.Language} words @param {string} language */
function makeDetailing(words, language) {
  const { beds, rings } = words;
  const { segment, symbol } = makeNaming(words);
  const decimal = makeDecimals(language);

  /** Any value in a few characters; "" for what is empty, off or too deep to be short. @type {Oche.Shortly} */
  function shortly(value, isDeep = false) {
    if (value === null || value === false || value === "") return "";
    if (typeof value === "number") return Number.isInteger(value) ? String(value) : decimal(value, 1) ?? "";
    if (typeof value !== "object") return /^[a-z_]+$/.test(value) ? symbol(value) : segment(value, true);
    if (Array.isArray(value)) {
      if (value.length === 2 && value.every(Number.isInteger)) return value[1] ? value.join("/") : "";
      return value.some((each) => typeof each === "object") ? "" : value.join("/");
    }
    if (isDeep) return "";
    return Object.entries(value).map(([key, each]) => {
      if (each === true) return symbol(key);
      const text = shortly(each, true);
      return text && key !== "points" ? `${symbol(key)} ${text}` : text; // points are what a bare number means anyway
    }).filter(Boolean).join(", ");
  }

  /** One entry of a detail: a label and its value, or a text; empty where there is nothing to say.
      @param {string} key @param {any} value @returns {Oche.Short} */
  return function detail(key, value) {
    if (value === true) return symbol(key);
    if (value && key === "role") return symbol(value);
    if (value && key === "place") return words.place(value);
    if (key === "halves" && typeof value === "number") return value ? words.timesHalved(value) : "";
    if (value && key === "zone") return beds[value] ?? rings[value];
    const text = key in DECIMALS && typeof value === "number" ? decimal(value, DECIMALS[key]) : shortly(value);
    return text ? [symbol(key), text] : "";
  };
}

/** Returns what tells facts. @param {Oche.Language} words @param {(names: string[]) => string} list */
function makeTelling(words, list) {
  const { option, spoken, targetName } = makeNaming(words);

  /** The few words flashed large for a fact, or "" for facts that pass quietly. @param {Oche.Fact} fact */
  function moment({ award = "", cell = "", event_type: type, isAlone, isOrder, isSteel, lives = 1, names = [], player = "", points = 0, target = "" }) {
    switch (type) {
      case "bust": return words.bust;
      case "halved": return capitalize(words.halved);
      case "award": {
        if (isSteel && TONS.includes(award) && points >= 100) return capitalize(words.hundreds(points));
        const name = (isSteel && words.pub[award]) || words.names[award];
        return name ? capitalize(name) : option(award);
      }
      case "life_lost": return player || target ? words.losesLives(player || targetName(target), lives) : "";
      case "match_dart_missed": return words.matchDartMissed;
      case "comeback": return words.comeback(player);
      case "badge": return words.badgeTo(player);
      case "leg_won": return words.legTo(player);
      case "set_won": return words.setTo(player);
      case "match_won": if (isAlone) return names.length ? words.finished : words.over;
        if (isOrder) return `${words.order}${words.colon}${list(names)}`;
        return names.length ? words.matchTo(list(names)) : words.drawn;
      case "eliminated": return words.isOut(player);
      case "closed": return words.closed(targetName(target));
      case "claimed": return words.claimed(player, option(cell));
      default: return "";
    }
  }

  /** What the live region says of a fact, or "". @param {Oche.Fact} fact */
  function tell(fact, isSplit = false) {
    const { event_type: type, player, points, score, segment = "" } = fact;
    if (type === "dart") return words.told.dart(player, spoken(segment, isSplit), points, score);
    if (type === "visit") return words.told.visit(points);
    if (type === "takeout_started") return `${words.takeout}.`;
    if (type === "match_stopped") return `${words.stopped}.`;
    if (type in words.told) return words.told[type](player);
    const text = moment(fact);
    return text && !/[.!?]$/.test(text) ? `${text}.` : text;
  }

  return { moment, tell };
}

/** Returns a language's words, and what is built of them. @param {Oche.Language} words @param {string} language */
export function makePhrases(words, language) {
  const { counts, ranks, rows, shorts, suits } = words;
  const formatter = once(() => new Intl.ListFormat(language, { type: "conjunction" }));
  const list = (/** @type {string[]} */ names) => (names.length > 1 ? formatter().format(names) : names.join()); // to make it takes long
  const names = makeNaming(words);
  const isOne = makeIsOne(language);
  const counted = Object.fromEntries(Object.entries(counts).map(([key, forms]) => [key, makeCounter(forms, isOne)]));
  return {
    ...words, ...names, ...makeTelling(words, list), detail: makeDetailing(words, language),
    .../** @type {Record<keyof typeof counts, (n: number) => string>} */ (counted),
    /** In a few characters: the half of a single is left out. */
    short: (/** @type {string} */ target) =>
      shorts[target] ?? (/^[SIO]\d+$/.test(target) ? target.slice(1) : names.targetName(target)),
    suit: (/** @type {string} */ suit) => suits[suit] ?? "",
    card: (/** @type {string} */ rank, /** @type {string} */ suit) => words.card(ranks[rank] ?? rank, suits[suit]),
    first: (/** @type {string} */ text) => text.split(/(?<=[.?!]) /)[0],
    list,
    /** Who has left, and that the side which is `alone` wins. @param {Oche.Side[]} sides @param {number} alone */
    leftAlone(sides, alone) {
      const others = sides.filter((_, index) => index !== alone), { name, players } = sides[alone];
      return {
        left: words.hasLeft(list(others.map((side) => side.name)), others.flatMap((side) => side.players).length),
        wins: words.winsIt(name, players.length),
      };
    },
    partners: (/** @type {string[]} */ players) => words.partners(list(players)), ordered: (/** @type {string[]} */ sides) => words.ordered(list(sides)),
    stuck: (/** @type {string[]} */ ids) => (ids.includes("?") ? words.stuckSomewhere : words.stuck(list(ids), ids.length)),
    boardLabel: (/** @type {string[]} */ targets) => words.boardLabel(targets.join(", ")),
    marks: (/** @type {{ marks: number, multiplier: number, points: number }} */ last) =>
      (last.marks ? `${counted.marked(last.marks)} × ${last.multiplier} = ${last.points}` : words.noTarget),
    done: words.ofMarks,
    unit: (/** @type {string} */ kind, /** @type {number} */ n) => {
      const [one, many] = /** @type {Record<string, string[]>} */ (words.units)[kind] ?? [];
      return (isOne(n) ? one : many) ?? names.symbol(kind);
    },
    gained: (/** @type {number} */ n) => `+${n}`,
    sum: (/** @type {number} */ n) => `= ${n}`,
    penalty: (/** @type {number} */ n) => `−${n}`,
    lifeGone: `−1 ${words.units.lives[0]}`,
    /** So many of those that are needed, as dots, which are drawn. @param {number} n @param {number} of */
    pips: (n, of) => (of > MOST_PIPS ? `${n}/${of}` : "●".repeat(n) + "○".repeat(Math.max(0, of - n))),
    /** As the head of a row that has room. @param {string} target */
    row: (target) => rows[target] ?? names.targetName(target),
    hearts: (/** @type {number} */ n, of = n) =>
      (of > MOST_HEARTS ? words.lives(n) : "♥".repeat(n) + "♡".repeat(Math.max(0, of - n))),
  };
}

/** What of the words is said in figures, too. @typedef {{ colon: string, darts: (n: number) => string }} Counting */

/** Returns the words of the statistics.
    @param {Oche.HistoryLanguage} history @param {(id: string) => string} name @param {string} language @param {Counting} words */
export function makeHistoryPhrases(history, name, language, words) {
  const formatter = once(() => new Intl.NumberFormat(language));
  const number = (/** @type {number} */ n) => formatter().format(n);
  const decimal = makeDecimals(language);
  const day = once(() => new Intl.DateTimeFormat(language, { dateStyle: "medium" }));
  const matches = makeCounter(history.matches, makeIsOne(language), number);
  const { kinds } = history;
  const fixed = (/** @type {number | null} */ value) => decimal(value, 2) ?? "";
  return {
    ...history, named: history.figures, fixed, matches, number,
    level: (/** @type {number} */ value) => decimal(value, 1) ?? "",
    day: (/** @type {string} */ at) => day().format(new Date(at)),
    share: (/** @type {number} */ n) => `${decimal(100 * n, 1)} %`,
    reading: (/** @type {{ done: number, of: number }} */ { done, of }) => history.reading(number(done), number(of)),
    played: (/** @type {Oche.GameReport} */ { matches: n, won, stopped }) => history.played(matches(n), won, stopped),
    mostly: (/** @type {Oche.PlayerSummary} */ { label, figure, value }) =>
      (value === null || value <= 0 ? label : `${label} · ${kinds[figure]} ${decimal(value, 1)}`),
    figures: makeFigures(history, name, language, words),
  };
}

/** Returns what says the figures of a game: [label, text, is it long]; what means nothing in it has no text.
    @param {Oche.HistoryLanguage} history @param {(id: string) => string} name @param {string} language @param {Counting} words */
function makeFigures({ best, figures: named, pair }, name, language, { colon, darts }) {
  const formatter = once(() => new Intl.NumberFormat(language));
  const number = (/** @type {number} */ n) => formatter().format(n);
  const decimal = makeDecimals(language);
  const points = (/** @type {number | null} */ value) => (value !== null && value < 0 ? null : decimal(value, 2)); // below 0 it is none of points hit
  const of = (/** @type {number[] | null} */ numbers) => numbers && pair(numbers[0], numbers[1]);
  /** @type {(f: Oche.Figures) => [label: string, text: string | number | null | undefined, isLong?: boolean][]} */
  return (f) => [
    [named.mpr, decimal(f.mpr, 2)], [f.mpr === null ? named.average : named.round, points(f.average)],
    [named.ppd, points(f.ppd)], [named.firstNine, points(f.first_nine)],
    [named.upTo80, decimal(f.mpr_80 ?? f.average_80, 2)], [named.level, f.level],
    [named.rate, f.checkouts && `${f.checkout_rate?.toLocaleString(language)} %`], [named.checkouts, of(f.checkouts)],
    [named.highFinish, f.high_finish], [named.bestLeg, f.best_leg && darts(f.best_leg)],
    [named.highVisit, f.high_visit], [named.legs, of(f.legs)], [named.darts, number(f.darts)],
    ...Object.entries({ ...f.tons, ...f.marks }).sort(([one], [other]) => parseInt(one) - parseInt(other)).concat(Object.entries(f.more)).map(([key, n]) => /** @type {[string, string]} */ ([name(key), number(n)])),
    ...Object.entries(f.bests).map(([key, n]) => /** @type {[string, number]} */ ([best(name(key)), n])),
    [named.awards, Object.entries(f.awards).map(([key, n]) => `${number(n)} × ${name(key)}`).join(" · "), true],
    [Object.keys(f.targets).every((bed) => bed[0] === "D") ? named.doubles : named.targets,
      Object.entries(f.targets).map(([bed, numbers]) => `${bed}${colon}${of(numbers)}`).join(" · "), true],
  ];
}
