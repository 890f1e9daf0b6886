/** Samples of a first call survive odd model names. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { curlCall, pythonCall, typescriptCall } from "./first-call.ts";

const sample = { baseUrl: "http://127.0.0.1:8080/v1", model: `it's "quoted"`, key: "sk-plaza-x" };

test("a shell passes the body of the curl as one argument", { skip: process.platform === "win32" }, () => {
  const printed = curlCall(sample).replace(/^curl/, "printf '%s\\n'");
  const lines = execFileSync("/bin/sh", ["-c", printed], { encoding: "utf8" }).trim().split("\n");
  assert.equal(lines[0], "http://127.0.0.1:8080/v1/chat/completions");
  assert.equal(lines[2], "Authorization: Bearer sk-plaza-x");
  assert.deepEqual(JSON.parse(lines.at(-1) ?? ""), {
    model: sample.model,
    messages: [{ role: "user", content: "Hello" }],
  });
});

test("the clients get model, address and key as quoted texts", () => {
  for (const code of [pythonCall(sample), typescriptCall(sample)]) {
    assert.ok(code.includes(JSON.stringify(sample.model)));
    assert.ok(code.includes(JSON.stringify(sample.baseUrl)));
    assert.ok(code.includes(JSON.stringify(sample.key)));
  }
});
