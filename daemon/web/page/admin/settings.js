/* The settings: the configuration of the daemon as a form. Only what was changed is sent; the daemon checks it as it checks
   its file, and starts anew with it. */

import { $, make, nameForTests, setText } from "../dom.js";
import { linkTo } from "../preferences.js";
import { makeFinder } from "./board_finder.js";
import { makeTokenField } from "./board_token.js";
import { makeField, text, Unreadable } from "./settings_fields.js";
import { makeOptions } from "./settings_options.js";
import { prepareViews, refreshDoors, showAll, showView } from "./settings_views.js";
import { collectChanges, compare, describeCard, fillDifferences, listDifferences, listWritten, nameCard } from "./settings_changes.js";
import { call, changeBoard, waitForStart } from "./setup_link.js";
import { readSettings } from "./states.js";
import { makeTokens } from "./tokens.js";
import { saySentence, sayFailure } from "../words/tasks.js";
import { words } from "../words/words.js";

/** The sections in their order: which keys are seen at once; all others unfold. @type {[string, string, string[]][]} */
const SECTIONS = [
  ["table", "table", ["board", "profile", "board_token", "dartboard", "name", "title", "takeout", "takeout_s", "face", "game", "options", "players"]],
  ["mqtt", "mqtt", ["host", "port", "username", "password", "tls", "on"]],
  ["home_assistant", "mqtt", ["discovery", "discovery_prefix"]],
  ["web", "web", ["host", "port", "names", "venue"]],
  ["player", "player", ["name", "doubles"]],
  ["routine", "routine", ["name", "title", "exercises", "options"]],
  ["outlets", "outlets", ["spoken", "feed", "loudspeaker"]],
  ["proxy", "proxy", ["host"]],
  ["league", "league", ["on", "since"]],
  ["bridge", "bridge", ["name", "language", "log_level", "week_at", "update_url"]],
];
/** The same of the lists of tables within a section; those that are not named here show all their keys. @type {Record<string, string[]>} */
const WITHIN = { "outlets.rule": ["on", "points", "player", "then"] };
/** What these fields name: what the daemon offers, and the names in the cards of this section. */
const NAMED = /** @type {Record<string, string>} */ ({
  "outlets.rule.table": "table", "outlets.rule.game": "game", "outlets.rule.then.webhook": "outlets.webhook",
  "outlets.rule.then.light": "outlets.scene", "outlets.rule.then.lights": "outlets.light",
  "outlets.light.table": "table", "outlets.feed.table": "table", "outlets.loudspeaker.table": "table",
});
const OF_HOME_ASSISTANT = ["discovery", "discovery_prefix"];

/** @type {Oche.Settings} */
let settings;
/** Those that the form has, as SECTIONS. @type {[string, string, string[]][]} */
let sections = [];
/** The fields of the sections that are there once, by section. @type {Map<string, Oche.SettingsField[]>} */
const single = new Map();
/** The cards of tables, players, routines and proxies; one that is removed is left out, a new one has no `index`.
    @type {Map<string, Oche.SettingsCard[]>} */
const cards = new Map();
/** @type {{ read: () => string, say: (text: string) => void, focus: () => void } | null} */
let password = null;

/** @param {string} kind @param {string} section @param {any} schema @param {any} values @param {string} prefix */
function makeFields(kind, section, schema, values, prefix) {
  const labels = /** @type {Record<string, string>} */ (text.fields);
  return Object.entries(schema.properties).filter(([key, each]) => !each.readOnly && !isList(each)
    && (section !== "mqtt" || OF_HOME_ASSISTANT.includes(key) === (kind === "home_assistant")))
    .map(([key, each]) => makeField({
      key, path: `${section}.${key}`, test: `${prefix}.${key}`, label: labels[`${section}.${key}`] ?? labels[key] ?? key, names: findNames,
    }, each, settings.form, values?.[key], settings.choices[key]));
}

/** Whether it is a list of tables, which are cards. @param {any} schema */
const isList = ({ type, items }) => type === "array" && "$ref" in items;

/** Returns what finds the names that the field of this path chooses from. @param {string} path */
function findNames(path) {
  const section = NAMED[path];
  if (!section) return undefined;
  const offered = settings.choices[section.split(".").at(-1) ?? ""] ?? [];
  const read = (/** @type {Oche.SettingsCard} */ card) => readName(card) ?? schemaOf(section).properties.name.default;
  return () => [...new Set([...offered, ...(cards.get(section) ?? []).map(read).filter(Boolean)])];
}

/** Returns the name that is typed in a card, or written where it was never opened. @param {Oche.SettingsCard} card */
function readName({ fields, values }) {
  const field = fields.find(({ key }) => key === "name");
  return field ? field.read() : values.name;
}

/** Returns the sections of the form, and behind each the lists of tables within it. @returns {[string, string, string[]][]} */
const listSections = () => SECTIONS.flatMap((each) => {
  const properties = Object.entries(schemaOf(each[1]).properties).filter(([, schema]) => isList(schema));
  const within = properties.map(([key, { items }]) => /** @type {const} */ ([`${each[1]}.${key}`, Object.keys(settings.form.$defs[items.$ref.split("/").at(-1)].properties)]));
  return [each, ...within.map(([name, keys]) => /** @type {[string, string, string[]]} */ ([name, name, WITHIN[name] ?? keys]))];
});

/** Puts fields into place: those that are always seen in their order, the others below. @param {string[]} first
    @param {Oche.SettingsField[]} fields @param {(Node | string)[]} more */
function arrange(first, fields, ...more) {
  const isFirst = (/** @type {Oche.SettingsField} */ { key }) => first.includes(key);
  const place = (/** @type {Oche.SettingsField} */ { key }) => first.indexOf(key);
  const seen = fields.filter(isFirst).sort((one, other) => place(one) - place(other));
  const rest = fields.filter((each) => !isFirst(each));
  const grid = make("div", { className: "fields" }, ...seen.map(({ element }) => element), ...more);
  if (!rest.length) return [grid];
  const inner = make("div", { className: "fields" }, ...rest.map(({ element }) => element));
  return [grid, make("details", { className: "more" }, make("summary", {}, text.more), inner)];
}

/** @param {string} section @returns {any} */
const schemaOf = (section) => section.split(".").reduce((schema, key) => {
  const { items, $ref } = schema.properties[key];
  return settings.form.$defs[($ref ?? items.$ref).split("/").at(-1)];
}, settings.form.$defs.Config);

/** @param {string} kind @param {string} section @param {string[]} first */
function makeSection(kind, section, first) {
  const inner = make("div", { className: "inner" }, make("p", {}, /** @type {any} */ (text.about)[kind]));
  if (kind in text.one) {
    inner.append(...makeCards(section, first));
  } else {
    const fields = makeFields(kind, section, schemaOf(section), settings.written[section], section);
    single.set(kind, fields);
    const extra = kind === "mqtt" ? [makePassword(), makeBrokerTest()] : kind === "web" && settings.needs_token ? [makeTokenButtons()] : [];
    for (const [within, , keys] of sections.filter(([each]) => each.startsWith(`${kind}.`))) {
      inner.append(make("h3", {}, /** @type {any} */ (text.kinds)[within] ?? within), ...makeCards(within, keys));
    }
    inner.append(...arrange(first, fields, ...extra), ...(kind === "home_assistant" ? [makeAnnounced()] : []),
      ...(kind === "league" && settings.written.league?.on ? [makeSending()] : []));
  }
  return make("details", { open: kind === "table", test: `section-${kind}` },
    make("summary", {}, make("h2", {}, /** @type {any} */ (text.kinds)[kind])), inner);
}

/** Makes the cards of the tables of a section. @param {string} section @param {string[]} first */
function makeCards(section, first) {
  cards.set(section, []);
  const list = make("div");
  const add = make("button", { type: "button", test: `add-${section}`, onclick() { addCard(section, first, list).focus(); } }, text.add);
  if (section.includes(".")) add.setAttribute("aria-label", `${text.add}${words.colon}${nameCard(section, {})}`);
  for (const index of listWritten(settings.written, section).keys()) addCard(section, first, list, index);
  return [list, add];
}

/** Adds a table, a player, a rule …; `index` is its place in the file, if it is there. A card of a section within another
    is folded, and has its fields once it is opened: there may be hundreds. @param {string} section
    @param {string[]} first @param {HTMLElement} list @param {number} [index] */
function addCard(section, first, list, index) {
  const own = /** @type {Oche.SettingsCard[]} */ (cards.get(section));
  const values = index === undefined ? {} : listWritten(settings.written, section)[index];
  const number = list.children.length;
  const name = nameCard(section, values, index === undefined ? "" : schemaOf(section).properties.name?.default);
  const error = make("p", { className: "error", test: `error-${section}.${number}` });
  const content = make("div", {}, error);
  const remove = make("button", { type: "button", className: "remove", test: `remove-${section}.${number}` }, text.remove);
  /** @type {Oche.SettingsField[]} */
  const fields = [];
  const fill = () => {
    if (fields.length) return;
    fields.push(...makeFields(section, section, schemaOf(section), values, `${section}.${number}`));
    if (section === "table") {
      followGame(fields, number, values);
      fields.push(makeTokenField(`table.${number}.board_token`, Boolean(values.board_token_file)));
    }
    const token = /** @type {ReturnType<typeof makeTokenField>} */ (fields.find(({ key }) => key === "board_token"));
    const finder = section === "table" ? [markPart("table.finder", makeFinder(fields, number, values, settings.boards, token, { call, learnTried }))] : section === "outlets.light" ? [makeLightFinder(card, number)] : [];
    content.append(...finder, ...arrange(first, fields), remove);
  };
  const card = { index, fields, name, values, fill, say: (/** @type {string} */ sentence) => { error.textContent = sentence; }, focus: () => { fill(); fields[0].focus(); } };
  const isFolded = section.includes(".");
  const element = isFolded
    ? make("details", { className: "card", test: `card-${section}.${number}`, ontoggle: fill }, make("summary", {}, make("b", {}, name), " ", make("small", {}, describeCard(section, values))), content)
    : make("fieldset", {}, make("legend", {}, name), content);
  if (!isFolded) fill();
  own.push(card);
  remove.onclick = () => {
    own.splice(own.indexOf(card), 1);
    element.remove();
    $("save").focus();
  };
  remove.setAttribute("aria-label", `${text.remove}${words.colon}${name}`);
  list.append(element);
  return card;
}

/** Has the options of a table be those of its game. @param {Oche.SettingsField[]} fields @param {number} card @param {any} values */
function followGame(fields, card, values) {
  const [at, game] = ["options", "game"].map((key) => fields.findIndex((each) => each.key === key));
  const usual = schemaOf("table").properties.game.default;
  const place = { key: "options", path: "table.options", test: `table.${card}.game-options`, label: text.fields.options };
  fields[at] = makeOptions(place, { json: fields[at], game: fields[game], usual, written: values.options, call });
}

/** Makes what finds a light and tries it, with the lights and scenes as they are typed. @param {Oche.SettingsCard} card @param {number} number */
function makeLightFinder(card, number) {
  const place = make("div", { className: "finder" });
  const makeTrial = () => {
    const body = makeBody(() => collectChanges(sections.filter(([kind]) => ["outlets.light", "outlets.scene"].includes(kind)), readForm()));
    return body && { version: body.version, changes: body.changes, light: cards.get("outlets.light")?.indexOf(card) };
  };
  import("./find_light.js").then(({ fillFinder }) => fillFinder(place, { card: number, fields: card.fields, makeBody: makeTrial, showRefusal, namesOfOthers: () => (cards.get("outlets.light") ?? []).filter((each) => each !== card).map(readName) }));
  return place;
}

/** Names a part of the form for the doors, as fields are. @param {string} path @param {HTMLElement} element */
function markPart(path, element) {
  element.dataset.path = path;
  return element;
}

function makePassword() {
  const input = make("input", { id: "password", type: "password", autocomplete: "new-password", test: "set-mqtt.password" });
  const error = make("p", { id: "password-error", className: "error", test: "error-mqtt.password" });
  input.setAttribute("aria-describedby", "password-error password-help");
  password = { read: () => input.value, say: (sentence) => { error.textContent = sentence; }, focus: () => input.focus() };
  return markPart("mqtt.password", make("div", { className: "field" }, make("label", { htmlFor: "password" }, text.fields.password), input, error,
    make("p", { id: "password-help", className: "help" }, text.keptSecret)));
}

/** Makes the button that tries the broker as it is typed. */
function makeBrokerTest() {
  const place = make("div", { className: "wide" });
  return markPart("mqtt.test", make("div", { className: "field wide" }, make("button", { type: "button", test: "test-broker", async onclick() {
    const body = makeBody(() => ["mqtt", "home_assistant"].flatMap((kind) => compare(single.get(kind) ?? [], ["mqtt"])));
    if (!body) return;
    const { testBroker } = await import("./settings_broker.js");
    await testBroker(place, call, body, showRefusal);
  } }, text.broker.test), make("p", { className: "help" }, text.broker.help), place));
}

/** Makes the part that shows what Home Assistant is told of. */
function makeAnnounced() {
  const place = make("div");
  return markPart("mqtt.entities", make("details", { className: "more", test: "entities", async ontoggle() {
    const { fillHomeAssistant } = await import("./settings_home_assistant.js");
    await fillHomeAssistant(place, call);
  } }, make("summary", {}, text.homeAssistant.title), place));
}

/** How it stands with the league, once its section is opened. */
function makeSending() {
  const place = make("div", { className: "field", test: "league-sending" });
  import("./settings_league.js").then(({ fillLeague }) => fillLeague(place, call));
  return place;
}

function makeTokenButtons() {
  /** @param {"play" | "setup"} role @param {string} label */
  const button = (role, label) => make("button", { type: "button", test: `token-${role}`, async onclick() {
    clear();
    const { status, answer } = await call("settings/token", { role });
    status === 200 ? showTokens(answer.tokens) : setText($("problem"), sayFailure(answer.error));
  } }, label);
  return markPart("web.tokens", make("div", { className: "field" }, button("play", text.makePlay), " ", button("setup", text.makeSetup),
    make("p", { className: "help" }, text.tokensHelp)));
}

/** @param {Oche.MadeToken[]} tokens */
function showTokens(tokens) {
  if (!tokens.length) return;
  $("tokens").replaceChildren(...makeTokens(tokens));
  $("tokens").hidden = false;
  $("tokens").scrollIntoView({ block: "nearest" });
}

/** Returns the body of a request with these changes and the password; null where a field cannot be read, which says so.
    @param {() => Oche.SettingsChange[]} collect */
function makeBody(collect) {
  clear();
  const typed = password?.read() || null;
  try {
    return { version: settings.version, changes: collect(), ...(typed && { password: typed }) };
  } catch (problem) {
    if (!(problem instanceof Unreadable)) throw problem;
    setText($("problem"), text.wrong);
    return null;
  }
}

/** @returns {Oche.SettingsForm} */
const readForm = () => ({ written: settings.written, cards, single, password: password?.read() ?? "" });

/** Says what the daemon has refused, beside the field if it is one's. @param {any} error */
function showRefusal(error) {
  const why = error.values?.why;
  const lacks = why?.key === "value.missing"; // the path is that of the table which lacks it
  const path = lacks ? [...error.path, why.values.given.slice(1, -1)] : error.path ?? [];
  const own = [...cards.keys()].find((each) => each === path.slice(0, each.split(".").length).join("."));
  const [index, key, inner] = path.slice(own ? own.split(".").length : 0);
  const card = own ? cards.get(own)?.[index] : undefined;
  card?.fill();
  const fields = card ? card.fields : sections.filter((each) => each[1] === index).flatMap(([kind]) => single.get(kind) ?? []);
  const whole = fields.find((each) => each.key === key);
  const sentence = lacks && whole ? text.required : sayFailure(error);
  const field = index === "mqtt" && /^password/.test(key) ? password : whole?.fields?.find((each) => each.key === inner) ?? whole;
  if (field) {
    field.say(sentence);
    field.focus();
  } else if (card) {
    card.say(sentence);
    card.focus();
  }
  setText($("problem"), field || card ? text.wrong : sentence);
}

function clear() {
  setText($("problem"), "");
  password?.say("");
  for (const each of [...cards.values()].flat()) {
    each.say("");
    for (const field of each.fields) field.say("");
  }
  for (const field of [...single.values()].flat()) field.say("");
}

/** Sends a change, waits until the daemon has started with it, and shows what is so then.
    @param {string} path @param {object} body @param {string} done */
async function apply(path, body, done) {
  for (const id of /** @type {const} */ (["save", "revert"])) $(id).disabled = true;
  setText($("said"), "…");
  try {
    const { status, answer } = await call(path, body);
    if (status !== 200) {
      sayFile();
      return showRefusal(answer.error);
    }
    setText($("said"), text.saving);
    showTokens(answer.tokens);
    const there = answer.url ?? `${location.protocol}//${location.hostname}:${answer.port}${location.pathname}`;
    if (answer.port && location.port && new URL(there).host !== location.host) {
      $("said").replaceChildren(text.moved, " ", make("a", { href: there }, there.split("#")[0]));
      return;
    }
    await showStart(answer.run, done);
  } finally {
    $("save").disabled = false;
    $("revert").disabled = !settings.can_revert;
    if (document.activeElement === document.body) $("save").focus({ preventScroll: true });
  }
}

/** Shows what is so once the daemon has started anew. @param {string} run the start that was @param {string} done */
async function showStart(run, done) {
  const found = await waitForStart(run);
  if (!found) return setText($("problem"), text.lost);
  show(found);
  setText($("said"), found.notice ? sayFailure({ code: "", message: found.notice.text, ...found.notice }) : done);
}

function sayFile() {
  const { file, runs_with_file: isRunning, trouble, version } = settings;
  const isNew = version === "none";
  const where = isNew ? text.found(file) : location.hash === "#all" ? text.file(file) : ""; // the doors do without
  setText($("said"), trouble ? saySentence(trouble) : [where, isRunning || isNew ? "" : text.byHand].join(" ").trim());
}

/** @param {Oche.Settings} found */
function show(found) {
  settings = found;
  sayFile();
  setText($("version"), `oche ${found.oche}`);
  setText($("news"), text.care.newsHere(found.oche));
  $("news").hidden = !found.has_news;
  const wasOpen = /** @type {HTMLDetailsElement[]} */ ([...$("sections").children])
    .filter(({ open, dataset }) => dataset.was ?? open).map(({ dataset }) => dataset.testid);
  sections = listSections().filter(([kind]) => kind !== "player" || found.written.player?.length); // else they are in the profiles
  cards.clear();
  $("sections").replaceChildren(...sections.filter(([kind]) => !kind.includes(".")).map(([kind, section, first]) => makeSection(kind, section, first)));
  for (const each of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("#sections > details"))) {
    if (wasOpen.includes(each.dataset.testid)) each.open = true;
  }
  $("form").hidden = Boolean(found.trouble) && !found.version;
  $("save").disabled = Boolean(found.trouble);
  $("revert").hidden = !found.can_revert;
  showChanges();
  showView();
  refreshDoors(found, call);
}

/** Shows what will be written, as it is typed, and offers the names that cards have now. */
function showChanges() {
  for (const each of [...single.values(), ...[...cards.values()].flat().map(({ fields }) => fields)].flat()) each.refresh?.();
  fillDifferences($("changes"), listDifferences(sections, readForm()));
}

/** Returns the button for what the settings can do about a finding of the doctor; null: not now. @param {string} what */
function repair(what) {
  if (what === "revert") return settings.can_revert ? { label: text.revert, run: () => $("revert").click() } : null;
  const section = () => /** @type {HTMLDetailsElement | null} */ (document.querySelector(`[data-testid="section-${what}"]`));
  return section() && { label: text.care.openSection(/** @type {any} */ (text.kinds)[what]), run() {
    showAll();
    const found = section(); // made anew at each change
    if (!found) return;
    found.open = true;
    found.scrollIntoView();
    found.querySelector("summary")?.focus({ preventScroll: true });
  } };
}

/** Loads the part Care when it is opened first. */
async function openCare() {
  const { fillCare } = await import("./settings_care.js");
  fillCare($("care-parts"), { call, async restart() {
    const { run } = settings;
    const { status, answer } = await call("care/restart", {});
    if (status !== 200) return sayFailure(answer.error);
    await showStart(run, text.care.restarted);
    return settings.run === run ? text.lost : text.care.restarted;
  }, async restore(restore, parts) {
    clear();
    await apply("settings/restore", { version: settings.version, restore, parts }, text.care.restored);
    return $("problem").textContent || $("said").textContent || "";
  }, repair });
}

/** The board whose trial has lit the wrong bed. @type {{ address?: string, profile?: string }} */
let tried = {};
let isLearnFilled = false;

/** Has a board learned whose trial has lit the wrong bed. @param {string} address @param {string} [profile] */
async function learnTried(address, profile) {
  await call("boards/stop", {}); // the trial has the board
  tried = { address, profile };
  isLearnFilled = false;
  await openLearn();
  $("learn").open = true;
  $("learn").scrollIntoView();
  document.getElementById("learn-board")?.focus();
}

/** Loads the part that learns a board when it is opened first. */
async function openLearn() {
  if (isLearnFilled) return;
  isLearnFilled = true;
  const { fillLearn } = await import("./learn.js");
  const { tables, used } = text.learn;
  await fillLearn($("learn-parts"), {
    call,
    tried: () => tried,
    tables: () => (settings.written.table ?? []).map((/** @type {any} */ each) => ({ board: each.board, name: each.title || each.name || tables })),
    profiles: () => settings.choices.profile,
    async use(index, board, profile) {
      clear();
      await apply("settings", { version: settings.version, changes: changeBoard(settings, index, board, profile) }, used);
    },
  });
}

async function begin() {
  nameForTests();
  for (const id of /** @type {const} */ (["title", "back", "save", "revert"])) setText($(id), text[id]);
  document.title = `${text.title} – oche`;
  $("back").href = linkTo("./", {});
  setText($("guide"), text.guide.title);
  $("guide").href = linkTo("guide", {});
  const answer = await readSettings($("no-settings"), "settings");
  if (!answer) return;
  show(answer);
  prepareViews(call, () => { if (!$("revert").disabled) sayFile(); });
  for (const each of ["input", "change", "click"]) $("form").addEventListener(each, showChanges);
  setText($("plugins-title"), text.plugins.title);
  $("plugins").hidden = false;
  $("plugins").addEventListener("toggle", async () => (await import("./settings_plugins.js")).fillPlugins($("plugins-parts"), settings.plugins));
  setText($("voices-title"), text.voices.title);
  $("voices").hidden = false;
  $("voices").addEventListener("toggle", async () => (await import("./settings_voices.js")).fillVoices($("voices-parts"), call), { once: true });
  setText($("art-title"), text.art);
  $("art").hidden = false;
  $("art").addEventListener("toggle", async () => (await import("./settings_art.js")).fillArt($("art-parts"), call), { once: true });
  setText($("learn-title"), text.learn.title);
  $("learn").hidden = false;
  $("learn").addEventListener("toggle", openLearn, { once: true });
  setText($("care-title"), text.care.title);
  $("care").hidden = false;
  $("news").onclick = () => { $("care").open = true; $("care").scrollIntoView(); };
  $("care").addEventListener("toggle", openCare, { once: true });
  $("form").onsubmit = (event) => {
    event.preventDefault();
    const body = makeBody(() => collectChanges(sections, readForm()));
    if (!body) return;
    if (!body.changes.length && !body.password && settings.version !== "none") return setText($("problem"), text.noChange);
    apply("settings", body, text.saved);
  };
  $("revert").onclick = () => { clear(); apply("settings/revert", { version: settings.version }, text.reverted); };
}

begin().catch(({ message }) => setText($("said"), message));
