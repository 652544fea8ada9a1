// Says what the official parser finds wrong with an AsyncAPI document, a line each; nothing when it is right.

import { Parser } from "@asyncapi/parser";
import { readFileSync } from "node:fs";

const SEVERITIES = ["error", "warning", "information", "hint"];
const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2], "utf8"));
for (const found of diagnostics) {
  console.log(`${SEVERITIES[found.severity]}: ${found.path.join(".")}: ${found.message} (${found.code})`);
}
if (!document) console.log("error: there is no document");
