/* A few small verbs instead of a framework. All text goes in as text nodes: a name full of markup shows as a name.
   Elements are kept where they can be, so that focus and animations survive a new state. */

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

/** Makes an element; `props` are DOM properties, `test` is its name for tests, children are nodes or plain text. */
export function make(tag, { test, ...props } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), props);
  if (test) element.dataset.testid = test;
  element.append(...children);
  return element;
}

/** Makes a piece of a drawing, from its attributes. */
export function shape(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Sets the text, and touches the page only when it differs. */
export function say(element, text) {
  const wanted = String(text ?? "");
  if (element.textContent !== wanted) element.textContent = wanted;
}

/** Says it, and how long it is, for the style sheet to fit it to its box. */
export function fit(element, text) {
  say(element, text);
  element.style.setProperty("--chars", Math.max(1, [...String(text)].length));
}

/** Leaves exactly `count` children in `parent`, making those that lack by `build(index)`; returns them. */
export function keep(parent, count, build) {
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(build(parent.children.length));
  return [...parent.children];
}

/** Texts as elements of their own; a pair is a label and its value. */
export const spans = (texts, className = "") => texts.map((text) => make("span", { className },
  ...(Array.isArray(text) ? [make("i", {}, text[0]), " ", make("b", {}, text[1])] : [text])));

/** Builds what `parent` holds anew, but only when `from` (anything JSON) is not what it was built from. */
export function rebuild(parent, from, build) {
  const built = JSON.stringify(from);
  if (parent.dataset.built === built) return;
  parent.dataset.built = built;
  parent.replaceChildren(...build(from));
}

const COLOURS = 8;

/** Gives an element its side's colour, and no other. */
export function tint(element, side) {
  for (let each = 0; each < COLOURS; each++) element.classList.toggle(`side-${each}`, each === side % COLOURS);
}
