/* Which recordings of a sound pack say what: the keys of the packs that people have, by what happens. What those have no
   key for has one of our own, which begins with `oche_`. */

/* A line is one way to say it, and the first that a pack can say wholly is taken. Its steps are said one after the other;
   of `a|b` the first that there is and can be played, and `?a` only if it is there; `+{name}` is as the player has recorded
   it. What a place like `{name}` stands for may be missing, or be several: then the first for which there is a key. */

/** @type {Record<string, string[]>} */
const CALLS = {
  visit: ["?oche_{award} {points}", "oche_{award}"],
  bust: ["busted"],
  leg_won: ["gameshot ?leg_{leg} ?+{name}|{name}"],
  set_won: ["gameshot ?set_{set} ?+{name}|{name}"],
  match_won: ["matchshot|gameshot ?+{name}|{name}"],
  match_started: ["matchon|gameon"],
  leg_started: ["gameon"],
  requires: ["?+{name}|{name}|player{number} you_require c_{left}|{left}", "?+{name}|{name}|player{number} yr_{left}"],
  name: ["+{name}|{name}"],
  triple: ["t{bed}", "triple {bed}", "effect_t{bed}|effect_triple", "{points}"],
  double: ["d{bed}", "double {bed}", "effect_d{bed}|effect_double", "{points}"],
  single: ["s{bed}", "{bed}", "effect_s{bed}|effect_single{part}|effect_single"],
  bull: ["bull", "effect_bull", "{points}"],
  bullseye: ["bullseye", "effect_bullseye", "{points}"],
  outside: ["outside", "effect_outside", "{points}"],
};

/** What sounds after that. @type {Record<string, string[]>} */
const AMBIENT = {
  visit: ["ambient_{beds}|ambient_{points}|ambient_{over150}|ambient_{over120}|ambient_{over100}|ambient_{over50}|ambient_{over1}", "ambient_{none}"],
  bust: ["ambient_noscore"],
  leg_won: ["ambient_gameshot_{name}|ambient_gameshot"],
  set_won: ["ambient_setshot_{name}|ambient_setshot|ambient_gameshot_{name}|ambient_gameshot"],
  match_won: ["ambient_matchshot_{name}|ambient_matchshot|ambient_gameshot_{name}|ambient_gameshot"],
  match_started: ["ambient_matchon_{name}|ambient_matchon|ambient_gameon_{name}|ambient_gameon"],
  leg_started: ["ambient_gameon_{name}|ambient_gameon"],
  turn: ["ambient_playerchange_{name}|ambient_playerchange"],
};

const STEPS = [150, 120, 100, 50, 1];
const LARGEST_VISIT = 180;
const RINGS = { T: "triple", D: "double", S: "single", I: "single", O: "single" };
const PARTS = { I: "inner", O: "outer" };
const BULLS = { SB: "bull", DB: "bullseye", MISS: "outside" };
const BED = /^([TDSIO])(\d+)$/;
const PLACE = /{(\w+)}/g;

/** Returns the ways to say this, in order; each has steps, which have keys of which the first that there is counts.
    @param {string} what @param {Oche.KeyValues} values @returns {Oche.CallStep[][]} */
export const findWays = (what, values) => fill(CALLS[what] ?? [], values);

/** Returns the ways in which this sounds. @param {string} what @param {Oche.KeyValues} values @returns {Oche.CallStep[][]} */
export const findAmbience = (what, values) => fill(AMBIENT[what] ?? [], values);

/** @param {string[]} ways @param {Oche.KeyValues} values */
const fill = (ways, values) => ways.map((way) => way.split(" ").map((step) => ({
  isOptional: step.startsWith("?"),
  keys: step.replace("?", "").split("|").flatMap((key) => {
    const places = [...key.matchAll(PLACE)];
    return places.reduce((keys, [place, name]) => keys.flatMap((each) => listValues(values[name]).map((value) => each.replace(place, () => value))), [key]);
  }),
})));

/** Returns what a place stands for, as it is written in keys. @param {Oche.KeyValues[string]} value */
const listValues = (value) => [value ?? ""].flat().map((each) => `${each}`.normalize("NFC").toLowerCase()).filter(Boolean);

/** Returns what stands in the keys for a visit. @param {number} points @param {string[]} darts @returns {Oche.KeyValues} */
export const describeVisit = (points, darts) => ({
  points: points <= LARGEST_VISIT ? points : undefined,
  beds: darts.map((dart) => dart.replace(/^[IO]/, "S")).join(""),
  none: points ? undefined : "noscore",
  ...Object.fromEntries(STEPS.map((step) => [`over${step}`, points >= step ? `${step}more` : undefined])),
});

/** Returns what a dart is called by, and what stands in the keys for it; null: nothing calls such a segment.
    @param {string} segment @param {number} points @returns {{ what: string, values: Oche.KeyValues } | null} */
export function describeDart(segment, points) {
  const bull = BULLS[/** @type {keyof typeof BULLS} */ (segment)];
  if (bull) return { what: bull, values: { points } };
  const [, ring, bed] = BED.exec(segment) ?? [];
  if (!ring) return null;
  const part = PARTS[/** @type {keyof typeof PARTS} */ (ring)];
  return { what: RINGS[/** @type {keyof typeof RINGS} */ (ring)], values: { bed, points, part } };
}
