/** The rigs' checks on made-up results: they accept correct ones and reject each kind of error. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../harness/random.ts";
import { type RawSeen, readAnswers } from "../harness/raw-client.ts";
import type { HostileCase } from "../security/p26-case.ts";
import { judgeCase } from "../security/p26-hostile.ts";
import { findCanaries, plantCanaries } from "../security/secrets/p23-canaries.ts";
import { judgeForwarded, type TrickyBody, trickyBody } from "../streams/p10-bodies.ts";
import { judgePassed } from "../streams/p10-formats.ts";

function forwarded(body: TrickyBody, edit: (text: string) => string): string | undefined {
  const renamed = `${body.text.slice(0, body.model.start)}"upstream-model"${body.text.slice(body.model.end)}`;
  return judgeForwarded(body, edit(renamed), "upstream-model");
}

const bodies = Array.from({ length: 400 }, (_, index) => trickyBody(seededRandom(index), index));

test("generated bodies are JSON and vary", () => {
  for (const body of bodies) assert.equal(typeof JSON.parse(body.text), "object");
  assert.equal(new Set(bodies.map((body) => body.text)).size, bodies.length);
});

test("a forwarded body is right with the named edits only", () => {
  for (const body of bodies) {
    if (!body.isStream || body.isUsageAsked) {
      assert.equal(
        forwarded(body, (text) => text),
        undefined,
        body.text,
      );
    } else if (body.streamOptions === undefined) {
      const inserted = (text: string): string =>
        text.replace(/\}(\s*)$/, ',"stream_options":{"include_usage":true}}$1');
      assert.equal(forwarded(body, inserted), undefined, body.text);
      assert.equal(
        forwarded(body, (text) => text),
        "usage was not asked for",
      );
    }
  }
});

test("a forwarded body is wrong when anything else changed", () => {
  for (const body of bodies) {
    const again = forwarded(body, (text) => JSON.stringify(JSON.parse(text)));
    const isSame =
      body.text.replace('"rig-model"', '"upstream-model"') ===
      JSON.stringify(JSON.parse(body.text.replace("rig-model", "upstream-model")));
    if (!isSame) assert.notEqual(again, undefined, body.text);
    assert.notEqual(judgeForwarded(body, body.text, "upstream-model"), undefined);
    assert.notEqual(
      forwarded(body, (text) => text.replace('"user"', '"usex"')),
      undefined,
    );
  }
});

test("canaries are found raw, in lower case, in base64 and in hex, and nowhere else", () => {
  const { all, text } = plantCanaries(seededRandom(3));
  assert.equal(all.length, 42);
  const core = text("prompt");
  const hidden = ["", "a", "ab"].map((before) => Buffer.from(`${before}${core} and more`).toString("base64"));
  for (const place of [core, core.toLowerCase(), Buffer.from(core).toString("hex"), ...hidden]) {
    assert.deepEqual(
      findCanaries(all, Buffer.from(`…${place}…`)).map((canary) => canary.name),
      ["prompt"],
    );
  }
  assert.deepEqual(findCanaries(all, Buffer.from("CNRY and nothing else")), []);
});

test("a hostile case is judged by status, shape, code and closing", () => {
  const one: HostileCase = {
    name: "c",
    pieces: () => [],
    statuses: [400],
    codes: ["invalid_request"],
    closesWithinMs: 100,
  };
  const seen = (body: string, closedAfterMs = 50, status = 400): RawSeen => {
    const bytes = Buffer.from(
      `HTTP/1.1 ${status} X\r\nx-request-id: r\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    return { bytes, closedAfterMs, firstByteAfterMs: 1, answers: readAnswers(bytes), problem: "" };
  };
  const shape = (code: string): string => JSON.stringify({ error: { message: "m", code } });
  assert.equal(judgeCase(one, seen(shape("invalid_request"))), undefined);
  assert.match(judgeCase(one, seen(shape("other"))) ?? "", /code other/);
  assert.match(judgeCase(one, seen("Bad Request")) ?? "", /error shape/);
  assert.match(judgeCase(one, seen(shape("invalid_request"), 101)) ?? "", /closed after/);
  assert.match(judgeCase(one, seen(shape("invalid_request"), Number.NaN)) ?? "", /never/);
  assert.match(judgeCase(one, seen(shape("invalid_request"), 50, 200)) ?? "", /status 200/);
});

test("bodies of all formats that pass are compared but for the named edits", () => {
  const own = { before: '{"model":', after: ',"x": 1e0}', plan: { id: "x" }, isStream: false };
  const responses = { ...own, endpoint: "responses" as const, saysStore: false };
  assert.equal(judgePassed(responses, '{"store":false,"model":"upstream-model","x": 1e0}'), undefined);
  assert.match(judgePassed(responses, '{"model":"upstream-model","x": 1e0}') ?? "", /to store nothing/);
  assert.match(judgePassed(responses, '{"store":false,"model":"upstream-model","x": 1}') ?? "", /changed/);
  const messages = { ...responses, endpoint: "messages" as const };
  assert.equal(judgePassed(messages, '{"model":"upstream-model","x": 1e0}'), undefined);
  assert.match(judgePassed(messages, '{"store":false,"model":"upstream-model","x": 1e0}') ?? "", /changed/);
  const gemini = { ...own, endpoint: "gemini" as const, before: '{"x": 1e0}', after: "", saysStore: false };
  assert.equal(judgePassed(gemini, '{"x": 1e0}'), undefined);
  assert.match(judgePassed(gemini, '{"x":1e0}') ?? "", /changed/);
});
