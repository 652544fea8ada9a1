/* Draws any board face from its outlines. Nothing here knows a face by name: the numbers around the edge and the two
   tones of the wedges are read off the doubles, and a face without doubles simply has neither. */

const SVG = "http://www.w3.org/2000/svg";
const isNumber = (label) => /^\d+$/.test(label);

function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** A point to put a mark on: the mean of the vertices, or the top of a ring (its middle is another area's). */
function middle(outline) {
  if (outline.length > 1) {
    return [0, Math.max(...outline.flat().map(([, y]) => y))];
  }
  const ring = outline[0];
  return [0, 1].map((axis) => ring.reduce((sum, point) => sum + point[axis], 0) / ring.length);
}

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
    const numbers = tones(layout.segments);
    const toneOf = new Map(numbers.map(({ number, tone }) => [number, tone]));
    const reach = layout.radius * (numbers.length ? 1.17 : 1.03);
    svg.setAttribute("viewBox", [-reach, -reach, 2 * reach, 2 * reach].join(" "));
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
      svg.append(shape("text", { x: at[0] * scale, y: -at[1] * scale, class: "number" }, number));
    }
    this.marks = svg.appendChild(shape("g", { class: "marks" }));
  }

  /** The areas that an id or a group label stands for; S20, which has no area, stands for both singles of the 20. */
  covered(label) {
    const segment = this.byId.get(label);
    if (segment?.outline.length) return [segment];
    const wanted = segment ? segment.groups : [label];
    return this.areas.filter((area) => wanted.length && wanted.every((group) => area.groups.includes(group)));
  }

  /** Lights the targets and marks this visit's darts. */
  show(targets, darts) {
    this.paint("target", targets);
    this.paint("hit", darts.map((dart) => dart.segment));
    this.marks.replaceChildren();
    const size = this.layout.radius * 0.05;
    const seen = new Map();
    darts.forEach((dart, index) => {
      const area = this.covered(dart.segment)[0];
      if (!area) return;
      const twin = seen.get(area.id) ?? 0;
      seen.set(area.id, twin + 1);
      const [x, y] = middle(area.outline);
      const away = Math.hypot(x, y);
      // Twins stand beside each other, across the wedge: right, left, further right …
      const step = size * 1.9 * (twin % 2 ? 1 : -1) * Math.ceil(twin / 2);
      const [right, up] = away < 1 ? [1, 0] : [y / away, -x / away];
      const at = [x + right * step, -(y + up * step)];
      this.marks.append(
        shape("circle", { cx: at[0], cy: at[1], r: size, class: "mark" }),
        shape("text", { x: at[0], y: at[1], class: "mark-number", "font-size": size * 1.5 }, index + 1),
      );
    });
  }

  paint(name, labels) {
    const lit = new Set(labels.flatMap((label) => this.covered(label)).map((area) => area.id));
    for (const [id, path] of this.paths) path.classList.toggle(name, lit.has(id));
  }
}
