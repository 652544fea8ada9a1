/* A canvas that texts, pictures and boards are drawn on, in the colours and the typeface of the page. It keeps the texts as
   they were drawn, for those who do not see the picture. */

import { COLOURS, makeSvg } from "../dom.js";

const FAMILY = 'oche, system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const DOTS = "…";
const NEARLY = 1.02; // a smaller letter is not as much narrower as it is lower

/** @typedef {{ size: number, width?: number, least?: number, weight?: number, colour?: string, align?: CanvasTextAlign }} TextStyle */

/** Returns what the style sheets say of colours: those of the page, and those of the sides. */
function readPalette() {
  const root = getComputedStyle(document.documentElement);
  const value = (/** @type {string} */ name) => root.getPropertyValue(name).trim();
  const sides = Array.from({ length: COLOURS }, (_, index) => {
    const probe = document.createElement("i");
    probe.className = `side-${index}`;
    document.body.append(probe);
    const found = getComputedStyle(probe).getPropertyValue("--side").trim();
    probe.remove();
    return found;
  });
  return { ground: value("--ground"), panel: value("--panel"), line: value("--line"), text: value("--text"), soft: value("--soft"), gold: value("--gold"), sides };
}

export class Drawing {
  /** Empties the canvas and gives it this size. @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
  constructor(canvas, width, height) {
    canvas.width = width;
    canvas.height = height;
    this.width = width;
    this.height = height;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.palette = readPalette();
    /** @type {string[]} */
    this.texts = [];
  }

  /** Fills the whole with the ground, in which a colour shines from a corner. @param {string} colour */
  fillGround(colour) {
    const { context, height, palette, width } = this;
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, width, height);
    const light = context.createRadialGradient(0, 0, 0, 0, 0, 1.1 * Math.hypot(width, height) / 1.4);
    light.addColorStop(0, colour);
    light.addColorStop(1, palette.ground);
    context.globalAlpha = 0.26;
    context.fillStyle = light;
    context.fillRect(0, 0, width, height);
    context.globalAlpha = 1;
  }

  /** Fills a box with round corners. @param {number} x @param {number} y @param {number} width @param {number} height @param {string} colour */
  fillBox(x, y, width, height, colour, alpha = 1, radius = 28) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.beginPath();
    context.roundRect(x, y, width, height, radius);
    context.fill();
    context.globalAlpha = 1;
  }

  /** Writes a text on a line: as large as `size`, smaller down to `least` where it is wider than `width`, and then with
      an ellipsis. Returns how wide it is. @param {string} text @param {number} x @param {number} y @param {TextStyle} style */
  write(text, x, y, { size, width = Infinity, least = size, weight = 500, colour = this.palette.text, align = "left" }) {
    const { context } = this;
    const plain = text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ").trim(); // no line breaks, and nothing that turns the line around
    let now = size;
    const measure = (/** @type {string} */ shown) => {
      context.font = `${weight} ${now}px ${FAMILY}`;
      return context.measureText(shown).width;
    };
    now = Math.max(least, Math.min(size, Math.floor(size * width / Math.max(1, measure(plain)))));
    const room = width * NEARLY;
    let shown = plain;
    if (measure(plain) > room) {
      const letters = [...new Intl.Segmenter().segment(plain)].map(({ segment }) => segment);
      while (letters.length > 1 && measure(letters.join("").trimEnd() + DOTS) > room) letters.pop();
      shown = letters.join("").trimEnd() + DOTS;
    }
    context.textAlign = align;
    context.textBaseline = "alphabetic";
    context.fillStyle = colour;
    context.fillText(shown, x, y);
    if (shown) this.texts.push(shown);
    return measure(shown);
  }

  /** Draws a line. @param {number} x @param {number} y @param {number} toX @param {number} toY @param {string} colour */
  rule(x, y, toX, toY, colour = this.palette.line, width = 2) {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(toX, toY);
    context.stroke();
  }

  /** Draws a face in a circle with a ring: the picture, else the first letter. @param {ImageBitmap | null} picture
      @param {string} name @param {number} x @param {number} y @param {number} radius @param {string} colour */
  drawFace(picture, name, x, y, radius, colour) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    if (picture) {
      context.clip();
      const part = Math.min(picture.width, picture.height);
      context.imageSmoothingQuality = "high";
      context.drawImage(picture, (picture.width - part) / 2, (picture.height - part) / 2, part, part, x - radius, y - radius, 2 * radius, 2 * radius);
    }
    context.restore();
    if (!picture) {
      const drawn = this.texts.length;
      this.write([...name][0]?.toUpperCase() ?? "", x, y + radius * 0.38, { size: radius * 1.1, weight: 700, colour: this.palette.ground, align: "center" });
      this.texts.length = drawn; // the name stands beside it
    }
    context.beginPath();
    context.arc(x, y, radius + radius * 0.05, 0, 2 * Math.PI);
    context.strokeStyle = colour;
    context.lineWidth = Math.max(4, radius * 0.07);
    context.stroke();
  }

  /** Draws a board as it is in the document, into a square around (x, y). @param {SVGSVGElement} svg
      @param {number} x @param {number} y @param {number} size */
  drawBoard(svg, x, y, size) {
    const [left, top, width, height] = (svg.getAttribute("viewBox") ?? "0 0 1 1").split(" ").map(Number);
    const scale = size / Math.max(width, height);
    this.context.save();
    this.context.translate(x - scale * (left + width / 2), y - scale * (top + height / 2));
    this.context.scale(scale, scale);
    for (const child of svg.children) this.drawNode(child);
    this.context.restore();
  }

  /** @param {Element} node */
  drawNode(node) {
    if (!(node instanceof SVGGraphicsElement)) return; // a pattern
    const { context } = this, style = getComputedStyle(node);
    context.save();
    const turned = node.transform.baseVal.consolidate()?.matrix;
    if (turned) context.transform(turned.a, turned.b, turned.c, turned.d, turned.e, turned.f);
    context.globalAlpha *= Number(style.opacity);
    if (node instanceof SVGGElement) for (const child of node.children) this.drawNode(child);
    else if (node instanceof SVGTextElement) this.paintText(node, style);
    else this.paintShape(node, style);
    context.restore();
  }

  /** @param {SVGGraphicsElement} node @param {CSSStyleDeclaration} style */
  paintShape(node, { fill, stroke, strokeLinejoin, strokeWidth }) {
    const { context } = this, path = new Path2D(node.getAttribute("d") ?? undefined);
    if (node instanceof SVGCircleElement) path.arc(node.cx.baseVal.value, node.cy.baseVal.value, node.r.baseVal.value, 0, 2 * Math.PI);
    if (isColour(fill)) {
      context.fillStyle = fill;
      context.fill(path, "evenodd");
    }
    if (isColour(stroke)) {
      context.strokeStyle = stroke;
      context.lineWidth = parseFloat(strokeWidth);
      context.lineJoin = /** @type {CanvasLineJoin} */ (strokeLinejoin);
      context.stroke(path);
    }
  }

  /** @param {SVGTextElement} node @param {CSSStyleDeclaration} style */
  paintText(node, { fill, fontSize, paintOrder, stroke, strokeWidth }) {
    const { context } = this, [x, y] = [Number(node.getAttribute("x")), Number(node.getAttribute("y"))];
    const text = node.textContent ?? "";
    context.font = `700 ${node.getAttribute("font-size") ?? parseFloat(fontSize)}px ${FAMILY}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    if (isColour(stroke) && paintOrder.startsWith("stroke")) {
      context.strokeStyle = stroke;
      context.lineWidth = parseFloat(strokeWidth);
      context.lineJoin = "round";
      context.strokeText(text, x, y);
    }
    context.fillStyle = fill;
    context.fillText(text, x, y);
  }
}

/** Whether what a style says is one, and no pattern. @param {string} said */
const isColour = (said) => said !== "none" && !said.startsWith("url");

/** Returns a drawing for a board, which is in the document and not seen; `removed` when it was drawn. */
export function makeUnseenSvg() {
  const svg = makeSvg("svg", { class: "unseen", "aria-hidden": "true" });
  document.body.append(svg);
  return svg;
}
