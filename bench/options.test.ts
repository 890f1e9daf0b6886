/** The command line of the benchmark. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseOptions } from "./options.ts";

test("sizes, cases, and plain refusals", () => {
  assert.equal(parseOptions(["--help"]), undefined);
  assert.equal(parseOptions([])?.size.rounds, 4);
  const long = parseOptions(["--long", "--only", "json1k,stream,json1k", "--seconds", "4"]);
  assert.deepEqual([long?.cases, long?.size.windowMs], [["json1k", "stream"], 4000]);
  assert.throws(() => parseOptions(["--only", "json2k"]), /no case json2k/);
  assert.throws(() => parseOptions(["--rounds", "0"]), /--rounds takes 1 to 1000/);
});

test("pairs need another checkout, and take only what can be compared in pairs", () => {
  const pairs = parseOptions(["--against", "../other", "--pairs", "8", "--nginx"]);
  assert.deepEqual(
    [pairs?.against, pairs?.pairs, pairs?.hasNginx, pairs?.cases],
    ["../other", 8, true, ["json1k", "json100k", "stream", "refused"]],
  );
  assert.equal(parseOptions(["--against", "../other"])?.pairs, 20);
  assert.throws(() => parseOptions(["--pairs", "8"]), /need --against PATH/);
  assert.throws(() => parseOptions(["--nginx"]), /need --against PATH/);
  assert.throws(() => parseOptions(["--against", "x", "--pairs", "5"]), /--pairs takes 6 to 200/);
  assert.throws(() => parseOptions(["--against", "x", "--only", "startup"]), /not compared in pairs/);
  assert.throws(() => parseOptions(["--against", "x", "--long"]), /exclude each other/);
  assert.throws(() => parseOptions(["--against", "x", "--profile", "json1k"]), /exclude each other/);
});

test("settings are those of Plaza, for the measured build alone", () => {
  const set = ["--set", "PLAZA_TRANSPORT=own", "--set", "PLAZA_ADMIN=a=b"];
  assert.deepEqual(parseOptions(set)?.settings, { PLAZA_TRANSPORT: "own", PLAZA_ADMIN: "a=b" });
  assert.throws(() => parseOptions(["--set", "NODE_OPTIONS=x"]), /--set takes PLAZA_NAME=VALUE/);
  assert.throws(() => parseOptions(["--set", "PLAZA_TRANSPORT"]), /--set takes PLAZA_NAME=VALUE/);
});

test("other gateways: those it knows, those of files, a load that slow ones carry", () => {
  const both = parseOptions(["--peers", "--peer", "a.json", "--peer", "b.json"]);
  assert.deepEqual([both?.isPeers, both?.hasKnownPeers, both?.peerFiles], [true, true, ["a.json", "b.json"]]);
  assert.deepEqual(both?.cases, ["memory", "stream", "first-token", "json1k", "json100k"]);
  assert.deepEqual([both?.size.streams, both?.size.rounds, both?.size.firstTokensPerSecond], [300, 3, 20]);
  const one = parseOptions(["--peer", "a.json", "--only", "json1k", "--streams", "50"]);
  assert.deepEqual([one?.isPeers, one?.hasKnownPeers, one?.size.streams], [true, false, 50]);
  assert.equal(parseOptions([])?.isPeers, false);
  assert.throws(() => parseOptions(["--peers", "--only", "startup"]), /startup is not compared in peers/);
  assert.throws(() => parseOptions(["--peers", "--against", "x"]), /exclude --against and --profile/);
  assert.throws(() => parseOptions(["--peer", "a.json", "--profile", "json1k"]), /exclude/);
});
