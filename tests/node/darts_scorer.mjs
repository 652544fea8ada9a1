// Plays match records of 501 double out with darts-scorer-core: each line parsed and applied, as tests/bench/neighbour.py
// does it with ours. Usage: darts_scorer.mjs FILE, a JSON list of records, each a list of lines. For each line on its
// standard input it plays all of them and prints the time of a processor in ms, and what each side has left at the end.

import core from "darts-scorer-core";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { Player, games } = core.default ?? core;
const MULTIPLIERS = { S: 1, O: 1, I: 1, D: 2, T: 3 };
const records = JSON.parse(readFileSync(process.argv[2], "utf8"));

function play(lines) {
  const game = new games.Darts501Game([new Player("Ann"), new Player("Bo")]);
  for (const line of lines) {
    const { throw: segment } = JSON.parse(line);
    if (segment === undefined) game.nextPlayer();
    else if (segment === "MISS") game.throw(0);
    else game.throw(segment.endsWith("B") ? 25 : Number(segment.slice(1)), MULTIPLIERS[segment[0]]);
  }
  return game.players.map((player) => game.getPointsByPlayer(player));
}

for await (const _ of createInterface(process.stdin)) {
  const before = process.cpuUsage();
  const left = records.map(play);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ ms: (user + system) / 1000, left }));
}
