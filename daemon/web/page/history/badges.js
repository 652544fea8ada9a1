/* The badges of a player: those that are earned as medals, the greatest and latest first; those that come next with how far
   they are; and folded below them all others. A medal shows its tier by its bars as well, for who does not see colours. */

import { $, make, makeSvg } from "../dom.js";
import { linkHere } from "./history_links.js";
import { loadSheet } from "../parts.js";
import { history as words, importTexts } from "../words/words.js";

/** @type {{ badges: Oche.BadgesLanguage }} */
const { badges: text } = await importTexts("badges");
const SHOWN = 9; // as many as a phone likes to scroll
const NEXT = 4; // as many as one may have in mind
const BARS = [[], [0], [-4, 4], [-8, 0, 8]]; // across the middle of a medal, by the tier

/** Shows the badges below the card. @param {Oche.BadgeProgress[]} badges */
export async function showBadges(badges) {
  const known = badges.filter(({ id }) => id in text.named); // an older page may not know all
  const earned = known.filter(({ tier }) => tier).sort((one, other) => other.tier - one.tier || Date.parse(other.at ?? "") - Date.parse(one.at ?? ""));
  const next = known.filter(({ tier, count }) => !tier && count).sort((one, other) => findShare(other) - findShare(one)).slice(0, NEXT);
  const others = [...earned.splice(SHOWN), ...known.filter((each) => !each.tier && !next.includes(each))];
  await loadSheet("static/history/badges.css");
  $("badges").replaceChildren(make("h2", {}, text.title),
    ...(earned.length ? [makeList("earned", earned)] : [make("p", { className: "aside" }, text.none)]),
    ...(next.length ? [makeList("next", next)] : []),
    ...(others.length ? [make("details", {}, make("summary", {}, text.all), makeList("others", others))] : []));
  $("badges").hidden = false;
}

/** How much of what the next tier needs is done. @param {Oche.BadgeProgress} badge */
const findShare = ({ count, next }) => (next ? count / next : 1);

/** @param {string} className @param {Oche.BadgeProgress[]} badges */
const makeList = (className, badges) => make("ul", { className }, ...badges.map(makeBadge));

/** @param {Oche.BadgeProgress} badge */
function makeBadge({ id, tier, count, next, at, match }) {
  const [name, about] = text.named[/** @type {keyof typeof text.named} */ (id)];
  const done = next ? text.of(words.number(count), words.number(next)) : count > 1 ? words.number(count) : "";
  return make("li", { test: `badge-${id}` }, makeMedal(tier),
    make("div", {}, make("b", {}, name), make("span", { className: "about" }, about),
      make("span", { className: "done" }, ...(next && count ? [make("progress", { max: next, value: Math.min(count, next), ariaLabel: name })] : []),
        ...(done ? [make("span", {}, done)] : []),
        ...(match && at ? [make("a", { href: linkHere({ player: null, game: null, match }) }, words.day(at))] : []))));
}

/** Draws a medal on its ribbon, whose face is a dartboard; without a tier only where it would be. @param {number} tier */
function makeMedal(tier) {
  /** @type {Record<string, string>} */
  const label = tier ? { role: "img", "aria-label": text.tiers[tier - 1] } : { "aria-hidden": "true" };
  return makeSvg("svg", { viewBox: "-40 -40 80 104", class: `medal tier-${tier}`, ...label },
    makeSvg("path", { class: "ribbon", d: "M-22 22 L-30 62 L-14 54 L-2 62 L4 24 Z M22 22 L30 62 L14 54 L2 62 L-4 24 Z" }),
    makeSvg("circle", { class: "rim", r: 38 }),
    makeSvg("circle", { class: "beds", r: 30, pathLength: 20 }),
    makeSvg("circle", { class: "beds", r: 21, pathLength: 20 }),
    makeSvg("circle", { class: "middle", r: 17 }),
    ...BARS[tier].map((x) => makeSvg("rect", { class: "bar", x: x - 2, y: -9, width: 4, height: 18 })));
}
