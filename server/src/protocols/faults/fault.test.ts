import assert from "node:assert/strict";
import { test } from "node:test";
import { upstreamRequestCodes } from "@plaza/contract/errors.ts";
import fc from "fast-check";
import { anyFaults, echoFaults } from "../../providers/openai/fixtures/anyone.ts";
import { azureFaults, openaiFaults } from "../../providers/openai/fixtures/openai.ts";
import { serverFaults } from "../../providers/openai/fixtures/servers.ts";
import { routerFaults, vendorFaults } from "../../providers/openai/fixtures/vendors.ts";
import { canaries } from "../scrub/scrub-canaries.ts";
import { faultFromErrorValue, faultOfAnswer } from "./fault.ts";

const faultFixtures = [
  ...openaiFaults,
  ...azureFaults,
  ...routerFaults,
  ...vendorFaults,
  ...serverFaults,
  ...anyFaults,
  ...echoFaults,
];

const callerKinds = new Set(["bad_request", "context_length", "content_filter", "too_large"]);

for (const { name, status, headers = {}, body, kind, also = {} } of faultFixtures) {
  test(`${name} → ${kind}`, () => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const fault = faultOfAnswer(status, headers, text);
    assert.equal(fault.kind, kind);
    assert.equal(fault.status, status);
    if (callerKinds.has(kind)) assert.equal(fault.note, undefined);
    else assert.deepEqual([fault.message, fault.param, fault.code], [undefined, undefined, undefined]);
    for (const [key, value] of Object.entries(also)) assert.equal(fault[key as keyof typeof fault], value);
  });
}

test("an error value of a stream is judged as the same value in a body", () => {
  for (const { body, status } of faultFixtures) {
    if (typeof body === "string" || status !== 200) continue;
    assert.deepEqual(faultFromErrorValue(body), faultOfAnswer(200, {}, JSON.stringify(body)));
  }
});

test("every code that may be passed on is", () => {
  for (const code of upstreamRequestCodes) {
    const fault = faultOfAnswer(400, {}, JSON.stringify({ error: { message: "invalid api key", code } }));
    assert.deepEqual([fault.kind, fault.code], ["bad_request", code]);
  }
});

test("a param that is not a path of fields is left out", () => {
  for (const param of ["a b", "<b>", "x".repeat(101), "sk-abcdef123456", "api.canary-vendor.com", 7, {}]) {
    const fault = faultOfAnswer(400, {}, JSON.stringify({ error: { message: "m", param } }));
    assert.equal(fault.param, undefined);
  }
});

test("no canary in any shape of error at any status is left in the fault", () => {
  for (const { secret } of canaries) {
    const message = `Failed for ${secret}: see request "${secret}"`;
    const shapes: unknown[] = [
      { error: { message, type: secret, param: secret, code: secret } },
      {
        error: { message: "x", metadata: { raw: message, reasons: [secret] }, innererror: { code: secret } },
      },
      { code: secret, error: message },
      { object: "error", message, type: "x", param: null, code: 400 },
      { detail: [{ loc: ["body", secret], msg: message }] },
      { error: { message: { nested: message } } },
      { statusCode: 401, message },
      [{ error: { message } }],
      message,
    ];
    const bodies = [...shapes.map((shape) => JSON.stringify(shape)), message, `<title>${message}</title>`];
    for (const body of bodies) {
      for (const status of [200, 400, 401, 403, 413, 422, 429, 500, 503]) {
        const shown = JSON.stringify(faultOfAnswer(status, { "x-request-id": secret }, body));
        assert.equal(shown.includes(JSON.stringify(secret).slice(1, -1)), false, shown);
      }
    }
  }
});

test("a note holds nothing of what an upstream says: it may be the caller's prompt", () => {
  const prompt = "purple Elephants Never forget";
  const words = prompt.split(" ");
  const said = `Failed on the prompt "${prompt}"`;
  const bodies = [
    { error: { message: said, type: said, code: prompt } },
    { error: { message: said, type: "server_error", code: null, metadata: { raw: said } } },
    { error: said, code: said },
    { message: said, status: said },
    { detail: [{ loc: ["body", prompt], msg: said }] },
    { error: { message: { nested: said } } },
    [{ error: { message: said } }],
    said,
  ].map((body) => JSON.stringify(body));
  for (const body of [...bodies, said, `<title>${said}</title>`, `<html>${said}`]) {
    for (const status of [200, 301, 401, 402, 403, 404, 408, 429, 500, 502, 503, 529]) {
      const { note = "" } = faultOfAnswer(status, { "content-type": said }, body);
      for (const word of words) assert.equal(note.includes(word), false, note);
    }
  }
  const known = { error: { message: said, type: "server_error", code: "engine-overloaded.v2" } };
  assert.equal(
    faultOfAnswer(500, {}, JSON.stringify(known)).note,
    `500 engine-overloaded.v2 server_error: a text of ${said.length} characters`,
  );
});

test("whatever comes, there is a fault, and its texts are bounded", () => {
  const bodies = fc.oneof(fc.string({ maxLength: 300 }), fc.json(), fc.constant("[".repeat(60_000)));
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 599 }), bodies, (status, body) => {
      const fault = faultOfAnswer(status, {}, body);
      assert((fault.message ?? "").length <= 500 && (fault.note ?? "").length <= 500);
    }),
  );
});
