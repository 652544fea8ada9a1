/* Draws any board face from its outlines. Nothing here knows a face by name: the numbers around the edge and the two
   tones of the wedges are read off the doubles; without doubles the areas carry their numbers or symbols themselves.
   What is lit is drawn over the areas in layers of its own, so that a dart repaints nothing else of the board. */

import { makeSvg, rebuild, setSideColour } from "./dom.js";
import { hasGlyph, makeGlyphMark } from "./glyphs.js";
import { findRoomiest, meanOf, findMiddle } from "./outline.js";

const isNumber = (/** @type {string} */ label) => /^\d+$/.test(label);
const MOST_LIT = 0.5; // of the areas: of more the others are dimmed
const SMALLEST = 0.032; // of the radius: an area with less room carries no label, since it could not be read

/** Returns the numbers around a face, each with a point of its wedge and which of the two tones that has.
    @param {Oche.Segment[]} segments */
function findTones(segments) {
  const around = segments
    .filter((s) => s.outline.length && s.groups.includes("double"))
    .flatMap((s) => s.groups.filter(isNumber).slice(0, 1).map((number) => ({ number, at: findMiddle(s.outline) })))
    .sort((a, b) => Math.atan2(a.at[0], a.at[1]) - Math.atan2(b.at[0], b.at[1]));
  return around.map((each, place) => ({ ...each, tone: place % 2 ? "dark" : "light" }));
}

let made = 0; // boards, each of which has a pattern with a name of its own

export class Board {
  /** @param {SVGSVGElement} svg @param {Oche.Layout} layout */
  constructor(svg, layout) {
    this.svg = svg;
    this.layout = layout;
    this.byId = new Map(layout.segments.map((s) => [s.id, s]));
    this.areas = layout.segments.filter((s) => s.outline.length);
    /** @type {Map<string, SVGPathElement>} */
    this.paths = new Map();
    /** @type {Map<string, SVGTextElement>} */
    this.numbers = new Map();
    /** @type {Map<string, ReturnType<typeof findRoomiest>>} */
    this.hearts = new Map(); // of labelled areas, by id
    /** @type {Map<string, SVGTextElement>} */
    this.digits = new Map(); // written on areas, by id
    const numbers = findTones(layout.segments);
    const reach = layout.radius * 1.2; // room for the numbers
    const high = Math.max(...this.areas.flatMap((s) => s.outline.flat().map(([, y]) => Math.abs(y))));
    const [wide, tall] = numbers.length ? [reach, reach] : [layout.radius * 1.02, high + layout.radius * 0.02];
    svg.setAttribute("viewBox", [-wide, -tall, 2 * wide, 2 * tall].join(" "));
    /** Half the width and half the height of the drawing. */
    this.half = [wide, tall];
    svg.replaceChildren();
    if (numbers.length) svg.append(makeSvg("circle", { r: reach, class: "surround" }));
    this.drawAreas(new Map(numbers.map(({ number, tone }) => [number, tone])));
    if (numbers.length) this.drawWires(numbers.map(({ at }) => at));
    const hatch = `hatch-${made++}`;
    svg.append(makeSvg("pattern", { id: hatch, class: "hatch", width: 64, height: 64, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      makeSvg("rect", { width: 64, height: 64 }), makeSvg("path", { d: "M0 32H64" })));
    this.lights = svg.appendChild(makeSvg("g", { class: "lights" }));
    this.lights.style.setProperty("--hatch", `url(#${hatch})`);
    if (!numbers.length) this.label();
    this.layer = svg.appendChild(makeSvg("g", { class: "layer" })); // what a game's own face draws, below the numbers
    for (const { number, at } of numbers) {
      const scale = (layout.radius * 1.1) / Math.hypot(...at);
      const text = makeSvg("text", { x: at[0] * scale, y: -at[1] * scale, class: "number" }, number);
      this.numbers.set(number, svg.appendChild(text));
    }
    this.marks = svg.appendChild(makeSvg("g", { class: "marks" }));
  }

  /** @param {Map<string, string>} toneOf by number */
  drawAreas(toneOf) {
    for (const { groups, id, outline } of this.areas) {
      const d = outline.map((ring) => `M${ring.map(([x, y]) => `${x} ${-y}`).join("L")}Z`).join("");
      const ringed = ["double", "triple", "bull"].some((label) => groups.includes(label));
      const tone = toneOf.get(groups.find(isNumber) ?? "") ?? (groups.includes("double") ? "dark" : "light");
      const path = makeSvg("path", { d, class: `area ${ringed ? "ring" : "bed"} ${tone}`, "data-segment": id });
      this.paths.set(id, path);
      this.svg.append(path);
    }
  }

  /** Draws what a board with wedges has of steel: the wire between its areas, which stands out beyond them, and the ring
      that holds its numbers. @param {Oche.Point2[]} wedges a point in each, clockwise */
  drawWires(wedges) {
    const r = this.layout.radius;
    const legs = wedges.map(([x, y], place) => {
      const [nextX, nextY] = wedges[(place + 1) % wedges.length];
      const half = Math.atan2(x * nextY - y * nextX, x * nextX + y * nextY) / 2; // to the next, counter-clockwise
      const turn = Math.atan2(y, x) + half;
      return `M${r * Math.cos(turn)} ${-r * Math.sin(turn)}L${r * 1.035 * Math.cos(turn)} ${-r * 1.035 * Math.sin(turn)}`;
    });
    const between = [...this.paths.values()].map((path) => path.getAttribute("d"));
    this.svg.append(makeSvg("path", { d: [...between, ...legs].join(""), class: "wire" }),
      makeSvg("circle", { r: r * 1.185, class: "wire" }));
  }

  /** Writes on each area what it stands for, where it has room. */
  label() {
    const labels = makeSvg("g", { class: "labels" });
    for (const segment of this.areas) {
      const digits = segment.groups.filter(isNumber);
      this.paths.get(segment.id)?.classList.add(
        ...segment.groups.filter((group) => !isNumber(group)).map((group) => `g-${group}`), `of-${digits.length}`);
      const { at: [x, y], room } = findRoomiest(segment.outline);
      this.hearts.set(segment.id, { at: [x, y], room });
      const symbol = segment.groups.find(hasGlyph);
      if (symbol && segment.outline.length === 1) {
        labels.append(makeGlyphMark(symbol, x, -y, Math.min(room * 1.5, this.layout.radius * 0.15)));
      } else if (digits.length && room > this.layout.radius * SMALLEST) {
        const size = Math.min(this.layout.radius * 0.12, (room * 1.7) / (0.4 + 0.6 * digits.length));
        const kind = `digits of-${digits.length}`;
        const text = makeSvg("text", { x, y: -y, class: kind, "font-size": size }, digits.join(" "));
        this.digits.set(segment.id, labels.appendChild(text));
      }
    }
    this.svg.append(labels);
  }

  /** Returns an arrow around the board that ends at a number, after so many numbers clockwise.
      @param {number} number @param {number} steps */
  arrow(number, steps) {
    const text = this.numbers.get(String(number));
    const r = this.layout.radius * 1.175;
    const point = (/** @type {number} */ turn, out = r) => `${out * Math.sin(turn)} ${-out * Math.cos(turn)}`;
    const end = Math.atan2(Number(text?.getAttribute("x")), -Number(text?.getAttribute("y")));
    const way = (steps * 2 * Math.PI) / this.numbers.size;
    const head = end - Math.sign(steps) * 0.07;
    const arc = `M${point(end - way)}A${r} ${r} 0 ${+(Math.abs(way) > Math.PI)} ${+(steps > 0)} ${point(head)}`;
    return [makeSvg("path", { d: arc, class: "way" }),
      makeSvg("path", { d: `M${point(end)}L${point(head, r * 1.02)}L${point(head, r * 0.96)}Z`, class: "way tip" })];
  }

  /** Returns the badge of a side in the wedge of a number. @param {number} number @param {number} side */
  badge(number, side) {
    const text = this.numbers.get(String(number));
    const [x, y] = ["x", "y"].map((axis) => 0.7 * Number(text?.getAttribute(axis)));
    const size = this.layout.radius * 0.07;
    const mark = makeSvg("g", { class: "stand" }, makeSvg("circle", { cx: x, cy: y, r: size }),
      makeSvg("text", { x, y, "font-size": size * 1.5 }, side + 1));
    setSideColour(mark, side);
    return mark;
  }

  /** Returns a dart that was left in an area. @param {string} id */
  leftDart(id) {
    const size = this.layout.radius * 0.12;
    const [area] = this.covered(id);
    const [x, y] = area ? this.spot(area, size) : [0, 0];
    return makeSvg("g", { class: "caught" }, makeSvg("circle", { cx: x, cy: -y, r: size * 0.7 }), makeGlyphMark("dart", x, -y, size));
  }

  /** Returns where on the face an event happened: tenths of a millimetre, y up. @param {MouseEvent} event */
  at(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM()?.inverse());
    return { x: Math.round(point.x), y: Math.round(-point.y) };
  }

  /** Returns the areas that an id or a group label stands for: both singles for S20, both sides for a line.
      @param {string} label @returns {Oche.Segment[]} */
  covered(label) {
    if (label.includes("|")) return label.split("|").flatMap((each) => this.covered(each));
    const segment = this.byId.get(label);
    if (segment?.outline.length) return [segment];
    const wanted = segment ? segment.groups : [label];
    return this.areas.filter((area) => wanted.length && wanted.every((group) => area.groups.includes(group)));
  }

  /** Returns the groups of a segment, none where it is unknown. @param {string} id */
  groups(id) {
    return this.byId.get(id)?.groups ?? [];
  }

  /** Whether a dart in this segment is a dart in one of these targets. @param {string} id @param {string[]} targets */
  counts(id, targets) {
    const areas = this.covered(id);
    return targets.some((target) => this.covered(target).some((area) => areas.includes(area)));
  }

  /** Returns the areas to light, and those to dim, so that what stands out is what matters: targets are lit. Where they are
      most of the board, the areas that do not count are dimmed instead; where every area counts, or none, all look as usual.
      @param {string[]} targets @returns {{ lit: string[], dimmed: string[] }} */
  weigh(targets) {
    const counting = new Set(targets.flatMap((target) => this.covered(target)));
    const [on, off] = [this.areas.filter((area) => counting.has(area)), this.areas.filter((area) => !counting.has(area))]
      .map((areas) => areas.map(({ id }) => id));
    if (on.length <= this.areas.length * MOST_LIT) return { lit: on, dimmed: [] };
    return { lit: [], dimmed: off };
  }

  /** Lights the targets, or dims the rest; less bright is what comes after them, brightest what is advised among them. Marks this visit's darts, by a
      number at the point where their board saw them or `places` (by line) knows it and by an outline of the area, which outshines
      no target, and those that are on their way.
      @param {string[]} targets @param {Pick<Oche.Dart, "line" | "segment" | "point">[]} darts
      @param {Map<number, Oche.Tap>} places @param {Iterable<Oche.Tap>} waiting @param {string[]} later @param {string[]} advised */
  show(targets, darts, places = new Map(), waiting = [], later = [], advised = []) {
    const { dimmed, lit } = this.weigh(targets);
    /** @type {string[]} */
    const best = advised.flatMap((each) => this.covered(each)).map(({ id }) => id);
    const isAmong = lit.some((id) => !best.includes(id)); // else it is the target
    this.light("dimmed", dimmed);
    this.light("later", later.filter((each) => !targets.includes(each)));
    this.light("target", isAmong || !best.length ? lit : best);
    this.light("advised", isAmong ? best : []);
    this.light("hit", darts.map((dart) => dart.segment));
    const near = new Set([...(lit.length ? targets : []), ...advised].flatMap((target) => [target, ...this.groups(target)]));
    for (const [number, text] of this.numbers) {
      text.classList.toggle("aimed", near.has(number));
      text.classList.toggle("idle", dimmed.length > 0 && this.covered(number).every(({ id }) => dimmed.includes(id)));
    }
    for (const [id, text] of this.digits) text.classList.toggle("lit", lit.includes(id) || best.includes(id));
    this.marks.replaceChildren();
    const size = this.layout.radius * 0.055;
    /** @type {Map<string, number>} */
    const seen = new Map();
    darts.forEach(({ line, point, segment }, index) => {
      const known = places.get(line);
      const exact = point ?? (known?.x !== undefined && known.segment === segment ? [known.x, known.y] : null); // else it was corrected since
      const at = exact ? this.keepInside(exact, size) : this.beside(segment, size, seen);
      if (!at) return;
      const [x, y] = at;
      this.marks.append(
        makeSvg("circle", { cx: x, cy: y, r: exact ? size * 0.8 : size, class: "mark" }),
        makeSvg("text", { x, y, class: "mark-number", "font-size": size * 1.5 }, index + 1),
      );
    });
    for (const { x, y } of waiting) {
      if (x !== undefined) this.marks.append(makeSvg("circle", { cx: x, cy: -y, r: size * 0.8, class: "mark coming" }));
    }
  }

  /** Returns where a mark of a point is drawn: at the edge of the drawing if the point is beyond it.
      @param {number[]} point @param {number} size */
  keepInside(point, size) {
    const [x, y] = point.map((each, axis) => Math.max(size - this.half[axis], Math.min(this.half[axis] - size, each)));
    return [x, -y];
  }

  /** Returns a place for a mark; twins stand beside each other, across the wedge or above a label: right, left, further
      right …
      @param {string} id @param {number} size @param {Map<string, number>} seen how many darts an area has already */
  beside(id, size, seen) {
    const areas = this.covered(id);
    if (!areas.length) return null;
    const twin = seen.get(areas[0].id) ?? 0;
    seen.set(areas[0].id, twin + 1);
    const [x, y] = id.includes("|") ? meanOf(areas.map((area) => meanOf(area.outline[0]))) : this.spot(areas[0], size);
    const away = Math.hypot(x, y);
    const step = size * 1.9 * (twin % 2 ? 1 : -1) * Math.ceil(twin / 2);
    const [right, up] = away < 1 || this.hearts.has(areas[0].id) ? [1, 0] : [y / away, -x / away];
    return [x + right * step, -(y + up * step)];
  }

  /** Returns where a mark goes in an area: above the label or the symbol, if there is one.
      @param {Oche.Segment} area @param {number} size */
  spot({ id, outline }, size) {
    const { at: [x, y], room } = this.hearts.get(id) ?? { at: findMiddle(outline), room: 0 };
    const label = Number(this.digits.get(id)?.getAttribute("font-size") ?? 0);
    return [x, y + (room > 3 * size ? room * (this.digits.has(id) ? 0.6 : 0.85) : label && label * 0.4 + size)];
  }

  /** Gives the areas of these labels a class, and no others. @param {string} name @param {string[]} labels */
  paint(name, labels) {
    const lit = new Set(labels.flatMap((label) => this.covered(label)).map((area) => area.id));
    for (const [id, path] of this.paths) path.classList.toggle(name, lit.has(id));
  }

  /** Lights the areas of these labels in a layer of this name, and no others. @param {string} name @param {string[]} labels */
  light(name, labels) {
    const group = this.lights.querySelector(`.${name}s`) ?? this.lights.appendChild(makeSvg("g", { class: `${name}s` }));
    const wanted = new Set(labels.flatMap((label) => this.covered(label)).map((area) => area.id));
    const lit = [...this.paths].filter(([id]) => wanted.has(id)).map(([, path]) => path);
    const from = lit.map((path) => [path.dataset.segment, path.getAttribute("class")]);
    rebuild(/** @type {SVGElement} */ (group), from, () => lit.map((path) =>
      makeSvg("path", { d: path.getAttribute("d") ?? "", class: `${path.getAttribute("class")} ${name}` })));
  }
}
