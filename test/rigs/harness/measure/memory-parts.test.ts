/**
 * The smaps reader, on a made-up process: which memory counts as malloc arenas decides how a soak explains
 * growth.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { residentParts } from "./memory-parts.ts";

const region = (range: string, name: string, resident: number, anonymous: number): string =>
  [
    `${range} rw-p 00000000 00:00 0 ${name}`,
    "Size:              65536 kB",
    `Rss:               ${resident} kB`,
    `Anonymous:         ${anonymous} kB`,
    "VmFlags: rd wr mr mw me ac",
    "",
  ].join("\n");

test("memory is told apart: mapped files, malloc's first arena, its other arenas, and the rest", () => {
  const smaps = [
    region("00400000-08400000", "/usr/bin/node", 60_000, 0),
    region("0a000000-0b000000", "                 [heap]", 16_000, 16_000),
    region("7f1000000000-7f1000800000", "", 8_000, 8_000),
    region("7f1004000000-7f1004100000", "", 1_000, 1_000),
    region("7f1005040000-7f1005080000", "", 256, 256),
  ].join("");
  assert.deepEqual(residentParts(smaps), {
    total: 85_256 * 1024,
    file: 60_000 * 1024,
    anonymous: 25_256 * 1024,
    firstArena: 16_000 * 1024,
    otherArenas: 9_000 * 1024,
    arenaCount: 2,
  });
});
