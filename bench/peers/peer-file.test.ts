/** The JSON file that describes a gateway to measure: what it may say, and which mistakes are named. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { streamModel } from "../replies.ts";
import { heldStreamPlan, jsonModel, shortStreamPlan } from "../rig.ts";
import { readPeers } from "./compare.ts";
import { fillIn, parsePeerFile, readPeerFile } from "./peer-file.ts";

const least = {
  name: "one",
  command: ["one", "--port", "{port}"],
  switches: { auth: "off", limits: "off", ledger: "on (file)" },
};
const parse = (more: object = {}) => parsePeerFile(JSON.stringify({ ...least, ...more }), "/somewhere");

test("the least a file must say, and what the rest is without it", () => {
  assert.deepEqual(parse(), {
    ...least,
    port: undefined,
    path: "/v1/chat/completions",
    model: "{model}",
    key: "sk-not-checked",
    headers: {},
    env: {},
    files: {},
    startSeconds: 60,
    streams: undefined,
    install: undefined,
  });
});

test("everything a file can say", () => {
  const peer = parse({
    about: "for readers",
    port: 8080,
    path: "/openai/chat?x=1",
    model: "openai/{model}",
    key: "sk-k",
    headers: { "X-Tenant": "bench" },
    env: { A: "1" },
    files: { "a.yaml": "b: {upstream}" },
    startSeconds: 5,
    streams: 30,
    install: { python: "pins.txt" },
  });
  assert.deepEqual(peer.headers, { "x-tenant": "bench" });
  assert.deepEqual([peer.port, peer.streams, peer.startSeconds], [8080, 30, 5]);
  assert.deepEqual(peer.install, { python: "/somewhere/pins.txt" });
  assert.deepEqual(parse({ install: { npm: "a@1", overrides: { b: "2" } } }).install, {
    npm: "a@1",
    overrides: { b: "2" },
  });
});

const mistakes: readonly (readonly [string, object, RegExp])[] = [
  ["a misspelt field", { comand: ["x"] }, /unknown field comand; there are name, command/],
  ["no name", { name: undefined }, /name must be a text/],
  ["a name too long for a column", { name: "n".repeat(31) }, /name has more than 30/],
  ["a command line instead of words", { command: "one --port 1" }, /command must be a list/],
  ["an empty command", { command: [] }, /command must name a program/],
  ["a number among the words", { command: ["one", 1] }, /command\[1\] must be a text/],
  ["a port that is none", { port: 70_000 }, /port must be a whole number from 1 to 65535/],
  ["a path without /", { path: "v1" }, /path must begin with \//],
  ["a key with a space", { key: "Bearer x" }, /key must be ASCII without spaces/],
  ["a header the load writes", { headers: { Authorization: "x" } }, /bearer token goes into "key"/],
  ["a header that would split the request", { headers: { a: "b\r\nc: d" } }, /headers\.a must be one line/],
  ["a header with a space in its name", { headers: { "a b": "c" } }, /not a header's name/],
  ["an object among the texts", { env: { A: {} } }, /env\.A must be a text/],
  ["a file outside the folder", { files: { "../a": "b" } }, /files\.\.\.\/a: a file's name has no folder/],
  ["no switches", { switches: undefined }, /switches must tell "auth", "limits" and "ledger"/],
  ["a switch left out", { switches: { auth: "on", limits: "off" } }, /switches\.ledger must be a text/],
  ["a switch that tells neither", { switches: { ...least.switches, auth: "maybe" } }, /begin with on or off/],
  ["a switch misspelt", { switches: { ...least.switches, legder: "on" } }, /unknown field switches\.legder/],
  ["no time to start", { startSeconds: 0 }, /startSeconds must be a whole number/],
  ["both registries", { install: { npm: "a", python: "b" } }, /either "npm"/],
  ["overrides for Python", { install: { python: "b", overrides: { a: "1" } } }, /either "npm"/],
];
for (const [what, more, told] of mistakes) {
  test(`${what} is refused by name`, () => assert.throws(() => parse(more), told));
}

test("a file that is not JSON, not an object, or not there is named", () => {
  assert.throws(() => parsePeerFile("{", "/"), /not JSON/);
  assert.throws(() => parsePeerFile("[]", "/"), /one JSON object/);
  assert.throws(() => readPeerFile("/nowhere/peer.json"), /\/nowhere\/peer\.json: .*ENOENT/);
});

test("placeholders that are known are replaced, other braces stay", () => {
  assert.equal(fillIn("{a: {port}, b: {none}}", { port: "80" }), "{a: 80, b: {none}}");
});

test("every file of this folder can be read, and names are told apart", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".json"));
  assert.ok(files.includes("example.json"));
  for (const file of files) readPeerFile(join(import.meta.dirname, file));
  assert.equal(readPeers({ hasKnownPeers: true, peerFiles: [] }).length, 3);
  const portkey = join(import.meta.dirname, "portkey.json");
  assert.throws(
    () => readPeers({ hasKnownPeers: true, peerFiles: [portkey] }),
    /two peers are called Portkey/,
  );
});

test("LiteLLM's and Ferro's files list the models of the load", () => {
  const file = readPeerFile(join(import.meta.dirname, "litellm.json")).files["litellm.yaml"] ?? "";
  const { env } = readPeerFile(join(import.meta.dirname, "ferro.json"));
  const models = [jsonModel, streamModel(heldStreamPlan), streamModel(shortStreamPlan)];
  for (const model of models) assert.match(file, new RegExp(`model_name: ${model}\n.*openai/${model},`));
  assert.deepEqual(env["OLLAMA_MODELS"]?.split(","), models);
});
