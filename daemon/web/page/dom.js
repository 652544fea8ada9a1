/* A few small verbs instead of a framework. All text goes in as text nodes: a name full of markup shows as a name.
   Elements are kept where they can be, so that focus and animations survive a new state. */

const SVG = "http://www.w3.org/2000/svg";

/** Returns the element of this id, which is in the document.
    @template {keyof Oche.Elements} Id @param {Id} id @returns {Oche.Elements[Id]} */
export const $ = (id) => /** @type {any} */ (document.getElementById(id));

/** Makes an element; `props` are DOM properties, `test` is its name for tests, children are nodes or plain text.
    @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {Oche.Props<Tag>} props
    @param {...(Node | string)} children @returns {HTMLElementTagNameMap[Tag]} */
export function make(tag, { test, ...props } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), props);
  if (test) element.dataset.testid = test;
  element.append(...children);
  return element;
}

/** Makes a piece of a drawing, from its attributes.
    @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {Record<string, string | number>} attributes
    @param {...(Node | string | number)} children @returns {SVGElementTagNameMap[Tag]} */
export function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children.map((child) => (typeof child === "number" ? String(child) : child)));
  return element;
}

/** Sets the text, and touches the page only when it differs. @param {Element} element @param {string | number} text */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}

/** Sets the text, and how long it is, for the style sheet to fit it to its box.
    @param {HTMLElement} element @param {string | number} text */
export function setFittedText(element, text) {
  setText(element, text);
  setStyle(element, "--chars", Math.max(1, [...String(text)].length));
}

/** Sets a property that the style sheets read. @param {HTMLElement | SVGElement} element @param {string} name @param {unknown} value */
export function setStyle(element, name, value) {
  element.style.setProperty(name, String(value));
}

/** Leaves exactly `count` children in `parent`, making those that lack by `build(index)`; returns them.
    @template {Element} Child @param {Element} parent @param {number} count @param {(index: number) => Child} build */
export function keepChildren(parent, count, build) {
  while (parent.children.length > count) parent.lastElementChild?.remove();
  while (parent.children.length < count) parent.append(build(parent.children.length));
  return /** @type {Child[]} */ ([...parent.children]);
}

/** Builds what `parent` holds anew, but only when `from` (anything JSON) is not what it was built from.
    @template From @param {HTMLElement | SVGElement} parent @param {From} from
    @param {(from: From) => (Node | string)[]} build */
export function rebuild(parent, from, build) {
  const built = JSON.stringify(from);
  if (parent.dataset.built === built) return;
  parent.dataset.built = built;
  parent.replaceChildren(...build(from));
}

export const COLOURS = 8;

/** Gives an element its side's colour, and no other; without a side none.
    @param {Element} element @param {number | null} [side] */
export function setSideColour(element, side) {
  const colour = side == null ? null : side % COLOURS;
  for (let each = 0; each < COLOURS; each++) element.classList.toggle(`side-${each}`, each === colour);
}

/** Names every element that has an id for the tests. */
export function nameForTests() {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[id]"))) {
    element.dataset.testid ??= element.id;
  }
}

/** Returns the element that fits the selector and in which the event happened, else null.
    @param {Event} event @param {string} selector */
export const findClosest = (event, selector) =>
  (event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(selector)) : null);

const timers = new Map();

/** Shows a text in an element for a while; a new text starts the while again.
    @param {HTMLElement} element @param {string} text @param {number} ms */
export function showBriefly(element, text, ms) {
  setText(element, text);
  element.hidden = false;
  clearTimeout(timers.get(element));
  timers.set(element, setTimeout(() => { element.hidden = true; }, ms));
}

const TOAST_MS = 5_000;

let isSo = () => true;

/** Says a sentence below the game for a few seconds, while it is so.
    @param {string} text @param {() => boolean} [isStillSo] asked when there is news */
export function showToast(text, isStillSo = () => true) {
  isSo = isStillSo;
  dispatchEvent(new CustomEvent("toast", { detail: text })); // to who plays by ear
  showBriefly($("toast"), text, TOAST_MS);
}

/** Drops what is said if it is so no longer. */
export function dropToast() {
  if (!isSo()) $("toast").hidden = true;
}

/** Returns whole numbers that are typed into one field; commas, semicolons or blanks stand between. Null: one is no whole number. @param {string} typed */
export function readNumbers(typed) {
  const found = typed.split(/[\s,;]+/).filter(Boolean).map(Number);
  return found.every(Number.isInteger) ? found : null;
}
