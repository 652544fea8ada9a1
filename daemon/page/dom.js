/* Three small verbs instead of a framework. All text goes in as text nodes: a name full of markup shows as a name.
   Elements are kept and changed rather than made anew, so that focus and animations survive a new state. */

export const $ = (id) => document.getElementById(id);

/** Makes an element; `props` are DOM properties, `data` its data-attributes, children are nodes or plain text. */
export function make(tag, { data = {}, ...props } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), props);
  Object.assign(element.dataset, data);
  element.append(...children);
  return element;
}

/** Sets the text, and touches the page only when it differs. */
export function say(element, text) {
  const wanted = String(text ?? "");
  if (element.textContent !== wanted) element.textContent = wanted;
}

/** Leaves exactly `count` children in `parent`, making those that lack by `build(index)`; returns them. */
export function keep(parent, count, build) {
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(build(parent.children.length));
  return [...parent.children];
}
