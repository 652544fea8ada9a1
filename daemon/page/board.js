/* Draws any board face from its outlines. Nothing here knows a face by name: the numbers around the edge and the two
   tones of the wedges are read off the doubles; without doubles the areas carry their numbers or symbols themselves. */

import { shape } from "./dom.js";
import { hasGlyph, mark } from "./glyphs.js";
import { heart, mean, middle } from "./outline.js";

const isNumber = (label) => /^\d+$/.test(label);
const SMALLEST = 0.032; // of the radius: an area with less room carries no label, since nobody could read it

/** Which wedge of the two tones a number has, from its place around the face. */
function tones(segments) {
  const around = segments
    .filter((s) => s.outline.length && s.groups.includes("double") && s.groups.some(isNumber))
    .map((s) => ({ number: s.groups.find(isNumber), at: middle(s.outline) }))
    .sort((a, b) => Math.atan2(a.at[0], a.at[1]) - Math.atan2(b.at[0], b.at[1]));
  return around.map((each, place) => ({ ...each, tone: place % 2 ? "dark" : "light" }));
}

export class Board {
  constructor(svg, layout) {
    this.svg = svg;
    this.layout = layout;
    this.byId = new Map(layout.segments.map((s) => [s.id, s]));
    this.areas = layout.segments.filter((s) => s.outline.length);
    this.paths = new Map();
    this.numbers = new Map();
    this.hearts = new Map(); // of labelled areas, by id
    const numbers = tones(layout.segments);
    const toneOf = new Map(numbers.map(({ number, tone }) => [number, tone]));
    const reach = layout.radius * 1.19; // room for the numbers
    const high = Math.max(...this.areas.flatMap((s) => s.outline.flat().map(([, y]) => Math.abs(y))));
    const [wide, tall] = numbers.length ? [reach, reach] : [layout.radius * 1.02, high + layout.radius * 0.02];
    svg.setAttribute("viewBox", [-wide, -tall, 2 * wide, 2 * tall].join(" "));
    svg.replaceChildren();
    if (numbers.length) svg.append(shape("circle", { r: reach, class: "surround" }));
    for (const segment of this.areas) {
      const d = segment.outline.map((ring) => `M${ring.map(([x, y]) => `${x} ${-y}`).join("L")}Z`).join("");
      const ringed = ["double", "triple", "bull"].some((label) => segment.groups.includes(label));
      const tone = toneOf.get(segment.groups.find(isNumber)) ?? (segment.groups.includes("double") ? "dark" : "light");
      const path = shape("path", { d, class: `area ${ringed ? "ring" : "bed"} ${tone}`, "data-segment": segment.id });
      this.paths.set(segment.id, path);
      svg.append(path);
    }
    for (const { number, at } of numbers) {
      const scale = (layout.radius * 1.085) / Math.hypot(...at);
      const text = shape("text", { x: at[0] * scale, y: -at[1] * scale, class: "number" }, number);
      this.numbers.set(number, svg.appendChild(text));
    }
    if (!numbers.length) this.label();
    this.layer = svg.appendChild(shape("g", { class: "layer" })); // what a game's own face draws
    this.marks = svg.appendChild(shape("g", { class: "marks" }));
  }

  /** Writes on each area what it stands for, where it has room. */
  label() {
    const labels = shape("g", { class: "labels" });
    for (const segment of this.areas) {
      const digits = segment.groups.filter(isNumber);
      this.paths.get(segment.id).classList.add(
        ...segment.groups.filter((group) => !isNumber(group)).map((group) => `g-${group}`), `of-${digits.length}`);
      const { at: [x, y], room } = heart(segment.outline);
      this.hearts.set(segment.id, { at: [x, y], room });
      const symbol = segment.groups.find(hasGlyph);
      if (symbol && segment.outline.length === 1) {
        labels.append(mark(symbol, x, -y, Math.min(room * 1.5, this.layout.radius * 0.15)));
      } else if (digits.length && room > this.layout.radius * SMALLEST) {
        const size = Math.min(this.layout.radius * 0.12, (room * 1.7) / (0.4 + 0.6 * digits.length));
        const kind = `digits of-${digits.length}`;
        labels.append(shape("text", { x, y: -y, class: kind, "font-size": size }, digits.join(" ")));
      }
    }
    this.svg.append(labels);
  }

  /** An arrow around the board that ends at a number, after so many numbers clockwise. */
  arrow(number, steps) {
    const text = this.numbers.get(String(number));
    const r = this.layout.radius * 1.155;
    const point = (turn, out = r) => `${out * Math.sin(turn)} ${-out * Math.cos(turn)}`;
    const end = Math.atan2(text.getAttribute("x"), -text.getAttribute("y"));
    const way = (steps * 2 * Math.PI) / this.numbers.size;
    const head = end - Math.sign(steps) * 0.07;
    const arc = `M${point(end - way)}A${r} ${r} 0 ${+(Math.abs(way) > Math.PI)} ${+(steps > 0)} ${point(head)}`;
    return [shape("path", { d: arc, class: "way" }),
      shape("path", { d: `M${point(end)}L${point(head, r * 1.03)}L${point(head, r * 0.97)}Z`, class: "way tip" })];
  }

  /** Where on the face an event happened: tenths of a millimetre, y up. */
  at(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return { x: Math.round(point.x), y: Math.round(-point.y) };
  }

  /** The areas that an id or a group label stands for: both singles for S20, both sides for a line. */
  covered(label) {
    if (label.includes("|")) return label.split("|").flatMap((each) => this.covered(each));
    const segment = this.byId.get(label);
    if (segment?.outline.length) return [segment];
    const wanted = segment ? segment.groups : [label];
    return this.areas.filter((area) => wanted.length && wanted.every((group) => area.groups.includes(group)));
  }

  /** The segment that a typed text means, if there is one. */
  named(text) {
    return this.byId.get(text.trim()) ?? this.byId.get(text.trim().toUpperCase());
  }

  /** Whether a dart in this segment is a dart in one of these targets. */
  counts(id, targets) {
    const areas = this.covered(id);
    return targets.some((target) => this.covered(target).some((area) => areas.includes(area)));
  }

  /** Lights the targets and marks this visit's darts, at the point where `places` (by line) knows it. */
  show(targets, darts, places = new Map()) {
    this.paint("target", targets);
    this.paint("hit", darts.map((dart) => dart.segment));
    for (const [number, text] of this.numbers) text.classList.toggle("aimed", targets.includes(number));
    this.marks.replaceChildren();
    const size = this.layout.radius * 0.05;
    const seen = new Map();
    darts.forEach((dart, index) => {
      const known = places.get(dart.line);
      const [x, y] = known ? [known.x, -known.y] : this.beside(dart.segment, size, seen) ?? [];
      if (x === undefined) return;
      this.marks.append(
        shape("circle", { cx: x, cy: y, r: known ? size * 0.8 : size, class: "mark" }),
        shape("text", { x, y, class: "mark-number", "font-size": size * 1.5 }, index + 1),
      );
    });
  }

  /** A place for a mark; twins stand beside each other, across the wedge: right, left, further right … */
  beside(id, size, seen) {
    const areas = this.covered(id);
    if (!areas.length) return null;
    const twin = seen.get(areas[0].id) ?? 0;
    seen.set(areas[0].id, twin + 1);
    const [x, y] = id.includes("|") ? mean(areas.map((area) => mean(area.outline[0]))) : this.spot(areas[0], size);
    const away = Math.hypot(x, y);
    const step = size * 1.9 * (twin % 2 ? 1 : -1) * Math.ceil(twin / 2);
    const [right, up] = away < 1 ? [1, 0] : [y / away, -x / away];
    return [x + right * step, -(y + up * step)];
  }

  /** Where a mark goes in an area: above the label, if there is one and room. */
  spot({ id, outline }, size) {
    const { at: [x, y], room } = this.hearts.get(id) ?? { at: middle(outline), room: 0 };
    return [x, room > 3 * size ? y + room * 0.6 : y];
  }

  paint(name, labels) {
    const lit = new Set(labels.flatMap((label) => this.covered(label)).map((area) => area.id));
    for (const [id, path] of this.paths) path.classList.toggle(name, lit.has(id));
  }
}
