/* What is on the picture of a match, as texts, before anything is drawn. */

import { chooseColours } from "../avatar.js";
import { history, language, words } from "../words/words.js";

const MOST_FIGURES = 5;

/** @typedef {{ name: string, members: string, players: string[], score: string, won: boolean, figures: Map<string, string>, colour: number }} CardSide */
/** @typedef {ReturnType<typeof describeCard>} CardTexts */

/** The figures that a picture has room for, the most asked for first. */
const FIGURES = [
  ...(/** @type {const} */ (["mpr", "average", "firstNine", "checkouts", "highFinish", "bestLeg", "highVisit"])).map((name) => history.named[name]), "180",
];

/** Returns the texts of a picture. `best` is the best result that the player alone has ever had, "" where it is not known.
    @param {Oche.MatchReport} report @param {Oche.KnownPlayer[]} players @param {Oche.TakeHomeLanguage} texts */
export function describeCard(report, players, texts, venue = "", best = "") {
  const { format, sides, was_stopped: wasStopped } = report;
  const known = new Map(players.map((player) => [player.name.toLowerCase(), player]));
  const colours = chooseColours(sides.map((side) => {
    const player = side.players.length === 1 ? known.get(side.players[0].toLowerCase()) : undefined;
    return player?.given_colour ? undefined : player; // then that of its place, as on the scoreboard
  }));
  const told = sides.map((side, index) => describeSide(side, format, colours[index]));
  const legAlone = sides.length === 1 && !wasStopped ? sides[0].figures.best_leg : null;
  if (legAlone) told[0].score = words.darts(legAlone);
  const winners = told.filter(({ won }) => won);
  const isAlone = sides.length === 1;
  return {
    venue, title: words.title(report.title), best,
    date: new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(new Date(report.at)),
    outcome: wasStopped ? texts.stopped : isAlone ? texts.finished : describeOutcome(winners, texts),
    wasStopped, isAlone, sides: told,
    scoreOf: legAlone ? history.named.bestLeg : format.sets > 1 ? history.sets : format.legs > 1 ? history.legs : history.score,
    figures: chooseFigures(told),
    last: describeLast(report), lastPlayer: report.last.player, lastSide: report.last.side, lastDarts: wasStopped ? [] : report.last.darts,
    bestVisit: describeBestVisit(report),
  };
}

/** @param {CardSide[]} winners @param {Oche.TakeHomeLanguage} texts */
function describeOutcome(winners, texts) {
  if (!winners.length) return texts.drawn;
  const isOne = winners.length === 1 && winners[0].players.length === 1;
  return (isOne ? texts.wins : texts.win)(words.list(winners.map(({ name }) => name)));
}

/** @param {Oche.SideReport} side @param {Oche.MatchReport["format"]} format @returns {CardSide} */
function describeSide({ figures, legs, name, players, score, sets, won }, format, colour = 0) {
  const counted = format.sets > 1 ? sets : format.legs > 1 ? legs : score;
  const list = history.figures({ ...figures, tons: figures.tons ?? {} }).map(([label, text]) => /** @type {[string, string]} */ ([label, String(text ?? "")]));
  const members = players.every((player) => name.includes(player)) ? "" : words.list(players);
  return { name, members, players, score: history.number(counted), won, figures: new Map(list.filter(([, text]) => text)), colour };
}

/** Returns the labels of the figures that are shown. @param {CardSide[]} sides */
function chooseFigures(sides) {
  const isTold = (/** @type {string} */ label) => sides.some(({ figures }) => ![undefined, "", history.fixed(0)].includes(figures.get(label)));
  return FIGURES.filter(isTold).slice(0, MOST_FIGURES);
}

/** Returns the darts of the last visit as a line, "" where the match has none. @param {Oche.MatchReport} report */
function describeLast({ last, was_stopped: wasStopped }) {
  return wasStopped || !last.darts.length ? "" : [...last.darts.map((id) => words.segment(id)), ...(last.points ? [words.sum(last.points)] : [])].join(" ");
}

/** @param {Oche.MatchReport} report */
function describeBestVisit({ best_visits: [best], sides }) {
  if (best) return sides.length === 1 ? history.number(best.points) : `${history.number(best.points)} · ${best.player}`;
  const highest = sides.toSorted((one, other) => (other.figures.high_visit ?? 0) - (one.figures.high_visit ?? 0))[0];
  const points = highest?.figures.high_visit;
  return points ? (sides.length === 1 ? history.number(points) : `${history.number(points)} · ${highest.name}`) : "";
}
