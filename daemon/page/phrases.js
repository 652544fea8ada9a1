/* How identifiers, values and facts become words: alike in every language, so that a language file is texts alone. */

const DECIMALS = { average: 1, first_nine: 1, mpr: 2, mpr_80: 2, ppd: 2 }; // always as many, so that they do not dance
const MOST_HEARTS = 9;

const plain = (name) => String(name).replaceAll("_", " ");
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const capitals = (text) => text.replace(/(?<=^| )(?!of |an? |in |the )\p{Ll}/gu, (letter) => letter.toUpperCase());
const decimals = (language) => (value, digits) => value?.toLocaleString(language, {
  minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false,
});
const counting = ([one, many], write = String) => (n) => `${write(n)} ${n === 1 ? one : many}`;

/** A language's words, and what is built of them. */
export function phrases(words, language) {
  const { beds, counts, groups, names, ranks, rings, shorts, suits, told } = words;
  const list = new Intl.ListFormat(language, { type: "conjunction" });
  const decimal = decimals(language);
  const name = (id) => names[id] ?? plain(id);
  const segment = (id) => (id.length > 2 && beds[id] ? sentence(beds[id]) : id);
  const option = (text) => (/^[a-z_]+$/.test(text) ? capitals(name(text)) : text);
  const spoken = (id) => beds[id] ?? (/^[TDSOI]\d+$/.test(id) ? `${rings[id[0]]} ${id.slice(1)}` : id);
  const targetName = (label) => groups[label] ?? label;

  /** Any value of a game's detail in a few characters; "" for what is empty, off or too deep to be short. */
  function shortly(value, deep = false) {
    if (value === null || value === false || value === "") return "";
    if (typeof value === "number") return Number.isInteger(value) ? String(value) : decimal(value, 1);
    if (typeof value !== "object") return /^[a-z_]+$/.test(value) ? name(value) : String(value);
    if (Array.isArray(value)) return value.some((each) => typeof each === "object") ? "" : value.join("/");
    if (deep) return "";
    return Object.entries(value).map(([key, each]) => {
      if (each === true) return name(key);
      const text = shortly(each, true);
      return text && key !== "points" ? `${name(key)} ${text}` : text; // points are what a bare number means anyway
    }).filter(Boolean).join(", ");
  }

  /** One entry of a game's detail: a label and its value, or a text; empty where there is nothing to say. */
  function detail(key, value) {
    if (value === true) return name(key);
    if (value && ["place", "zone"].includes(key)) return words[key]?.(value) ?? beds[value] ?? rings[value];
    const text = key in DECIMALS && typeof value === "number" ? decimal(value, DECIMALS[key]) : shortly(value);
    return text && [name(key), text];
  }

  /** The few words flashed large for a fact, or null for facts that pass quietly. */
  function moment(fact) {
    switch (fact.event_type) {
      case "bust": return words.bust;
      case "halved": return sentence(words.halved);
      case "award": return option(fact.award);
      case "leg_won": return words.legTo(fact.player);
      case "set_won": return words.setTo(fact.player);
      case "match_won": if (fact.isOrder) return `${words.order}: ${list.format(fact.names)}`;
        return fact.names?.length ? words.matchTo(list.format(fact.names)) : words.drawn;
      case "eliminated": return words.isOut(fact.player);
      case "closed": return words.closed(targetName(fact.target));
      case "claimed": return words.claimed(option(fact.cell));
      default: return null;
    }
  }

  /** What the live region says of a fact, or null. */
  function tell(fact) {
    const { event_type: type, player, points, score } = fact;
    if (type === "dart") return told.dart(player, spoken(fact.segment), points, score);
    if (type === "visit") return told.visit(points);
    if (type === "takeout_started") return `${words.takeout}.`;
    if (type === "match_stopped") return `${words.stopped}.`;
    if (type in told) return told[type](player);
    const text = moment(fact);
    return text && (/[.!?]$/.test(text) ? text : `${text}.`);
  }

  return {
    ...words, segment, option, spoken, targetName, detail, moment, tell,
    ...Object.fromEntries(Object.entries(counts).map(([key, forms]) => [key, counting(forms)])),
    symbol: name, short: (target) => shorts[target] ?? targetName(target), suit: (suit) => suits[suit] ?? "",
    card: (rank, suit) => words.card(ranks[rank] ?? rank, suits[suit]),
    question: ({ id, text }) => words.prompts[id.split("@")[0]] ?? text,
    first: (text) => text.split(/(?<=[.?!]) /)[0],
    wins: (winners) => list.format(winners), ordered: (sides) => words.ordered(list.format(sides)),
    stuck: (ids) => (ids.includes("?") ? words.stuckSomewhere : words.stuck(list.format(ids), ids.length)),
    boardLabel: (targets) => words.boardLabel(targets.join(", ")),
    marks: (last) => (last.marks ? `${last.marks} × ${last.multiplier} = ${last.points}` : words.noTarget),
    done: words.ofMarks, gained: (n) => `+${n}`, sum: (n) => `= ${n}`, owns: (n) => `№ ${n}`, penalty: "−3",
    hearts: (n, of = n) => (of > MOST_HEARTS ? words.lives(n) : "♥".repeat(n) + "♡".repeat(Math.max(0, of - n))),
  };
}

/** The same for the statistics. */
export function histories(history, words, language) {
  const whole = new Intl.NumberFormat(language).format;
  const decimal = decimals(language);
  const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  const matches = counting(history.matches, whole);
  const pair = (numbers) => history.pair(...numbers);
  const name = words.symbol;
  const { figures: named, kinds } = history;
  const fixed = (value) => decimal(value, 2);
  return {
    ...history, fixed, level: (value) => decimal(value, 1), number: whole, day: (at) => day.format(new Date(at)), share: (n) => `${decimal(100 * n, 1)} %`,
    reading: ({ done, of }) => history.reading(whole(done), whole(of)),
    played: ({ matches: n, won, stopped }) => history.played(matches(n), won, stopped),
    mostly: ({ label, figure, value }) => (value === null ? label : `${label} · ${kinds[figure]} ${decimal(value, 1)}`),
    trend: (figure) => history.trend(kinds[figure]),
    trendLabel: (figure, from, to, n) => history.trendLabel(kinds[figure], fixed(from), fixed(to), matches(n)),
    months: (figure) => [...history.months, kinds[figure]],
    /** The figures of a game: [label, text, is it long]; what means nothing in it has no text. */
    figures: (f) => [
      [named.mpr, fixed(f.mpr)], [f.mpr === null ? named.average : named.round, fixed(f.average)],
      [named.ppd, fixed(f.ppd)], [named.firstNine, fixed(f.first_nine)],
      [named.upTo80, fixed(f.mpr_80 ?? f.average_80)], [named.level, f.level],
      [named.rate, f.checkouts && `${f.checkout_rate.toLocaleString(language)} %`], [named.checkouts, f.checkouts && pair(f.checkouts)],
      [named.highFinish, f.high_finish], [named.bestLeg, f.best_leg && history.inDarts(f.best_leg)],
      [named.highVisit, f.high_visit], [named.legs, f.legs && pair(f.legs)], [named.darts, whole(f.darts)],
      ...Object.entries({ ...f.tons, ...f.marks, ...f.more }).map(([key, n]) => [name(key), whole(n)]),
      ...Object.entries(f.bests).map(([key, n]) => [history.best(name(key)), n]),
      [named.awards, Object.entries(f.awards).map(([key, n]) => `${name(key)} ${n}`).join(", "), true],
      [Object.keys(f.targets).every((bed) => bed[0] === "D") ? named.doubles : named.targets,
        Object.entries(f.targets).map(([bed, n]) => `${bed} ${pair(n)}`).join(", "), true],
    ],
  };
}
