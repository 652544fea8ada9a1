/* Prints the types that the page's scripts are checked with: of what the daemon tells them, from the JSON Schema on the
   standard input, and of the elements in the page's documents, by their ids. */

import { compile } from "json-schema-to-typescript";
import { readFileSync } from "node:fs";

const OPTIONS = { additionalProperties: false, bannerComment: "", format: false, unknownAny: false, unreachableDefinitions: true };
const DOCUMENTS = ["index.html", "history.html", "settings.html", "guide.html", "stream.html", "take_home.html", "story.html", "camera.html", "tournament.html"].map((name) => new URL(`../../../daemon/web/page/${name}`, import.meta.url));

const types = await compile(JSON.parse(readFileSync(0, "utf8")), "Any", OPTIONS);
const elements = new Map();
for (const document of DOCUMENTS) {
  for (const [, tag, id] of readFileSync(document, "utf8").matchAll(/<(\w+)\b[^>]*?\sid="([\w-]+)"/g)) {
    const kind = tag === "svg" ? "SVGSVGElement" : `HTMLElementTagNameMap["${tag}"]`;
    elements.set(id, [...new Set([...(elements.get(id) ?? []), kind])]);
  }
}
const lines = [...elements].map(([id, kinds]) => `  "${id}": ${kinds.join(" | ")};`);
console.log(`declare namespace Oche {\n${types}\nexport interface Elements {\n${lines.join("\n")}\n}\n}`);
