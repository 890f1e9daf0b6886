// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the file format has variables of this form.
/** The headers of an upstream: what they may be called, what they may say, and where values come from. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { providers } from "../../../../providers/index.ts";
import { readCatalogFile } from "../../file.ts";

const env = { TEAM: "team a", LINE_END: "x\r\nx-evil: 1" };

function read(headers: unknown, more: object = {}) {
  const upstream = { id: "main", provider: "openai", baseUrl: "http://127.0.0.1/v1", headers, ...more };
  const text = JSON.stringify({ upstreams: [upstream], models: [] });
  const readSecret = (path: string) =>
    path === "/run/token" ? { text: "from-a-file" } : { code: "ENOENT" as const };
  return readCatalogFile(text, { env, fileName: "f", providers, readSecret });
}

function headersOf(headers: unknown, more: object = {}) {
  const result = read(headers, more);
  assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
  return result.catalog.upstreams[0]?.headers;
}

function faultOf(headers: unknown, more: object = {}): string {
  const result = read(headers, more);
  assert.ok(!result.ok, "expected a fault");
  assert.equal(result.faults.length, 1, result.faults.join("\n"));
  return result.faults[0] ?? "";
}

test("names are in lower case and in order; values come from variables and files", () => {
  assert.deepEqual(Object.entries(headersOf({ "X-Team": "${TEAM}", "X-Gateway": "file:/run/token" }) ?? {}), [
    ["x-gateway", "from-a-file"],
    ["x-team", "team a"],
  ]);
  assert.equal(headersOf({}), undefined);
});

test("headers of the transport and of the provider are refused by name", () => {
  for (const name of ["Host", "content-length", "Transfer-Encoding", "connection", "content-type", "TE"])
    assert.match(faultOf({ [name]: "x" }), /is a header that Plaza sets itself/);
  const withKey = { credentials: ["sk-1"] };
  assert.match(faultOf({ Authorization: "x" }, withKey), /authorization is a header of the provider/);
  assert.deepEqual(headersOf({ Authorization: "Basic eDp5" }), { authorization: "Basic eDp5" });
  const anthropic = { ...withKey, provider: "anthropic" };
  assert.deepEqual(headersOf({ Authorization: "Basic eDp5" }, anthropic), { authorization: "Basic eDp5" });
  for (const name of ["X-Api-Key", "Anthropic-Version"])
    assert.match(faultOf({ [name]: "x" }, anthropic), /is a header of the provider/);
});

test("a name is a plain word, there once, and there are at most 16", () => {
  for (const name of ["", "x team", "x:team", "x\r\ny", "-x", "x.y", "ä", "x".repeat(101)])
    assert.match(faultOf({ [name]: "x" }), /is not a header name/, name);
  assert.match(faultOf({ "X-Team": "a", "x-team": "b" }), /x-team is there twice/);
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`x-${index}`, "v"]));
  assert.match(faultOf(many), /has 17 headers; at most 16 are allowed/);
});

test("no value ends its line or is shown", () => {
  for (const value of ["${LINE_END}", "secret\n", " secret", "s\u0000ecret", "sécret", "s\tecret"]) {
    const fault = faultOf({ "x-team": value });
    assert.match(fault, /printable ASCII/);
    assert.doesNotMatch(fault, /ecret|evil/);
  }
  assert.match(faultOf({ "x-team": "v".repeat(4_097) }), /longer than 4096 characters/);
  assert.match(faultOf({ "x-team": 5 }), /must be text/);
  assert.match(faultOf("x-team: 5"), /mapping of header names/);
});
