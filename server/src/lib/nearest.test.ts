import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest, suggest } from "./nearest.ts";

test("finds the word that was meant", () => {
  assert.equal(nearest("mian", ["backup", "main"]), "main");
  assert.equal(nearest("PLAZA_PROT", ["PLAZA_HOST", "PLAZA_PORT"]), "PLAZA_PORT");
  assert.equal(nearest("baseURL", ["provider", "baseUrl"]), "baseUrl");
  assert.equal(nearest("deploymnet", ["deployments", "price"]), "deployments");
});

test("stays silent when nothing is near", () => {
  assert.equal(nearest("weather", ["main", "backup"]), undefined);
  assert.equal(nearest("x", ["abc"]), undefined);
  assert.equal(nearest("", ["a"]), undefined);
  assert.equal(nearest("a".repeat(65), ["a".repeat(64)]), undefined);
});

test("prefers the smaller number of edits, then the first", () => {
  assert.equal(nearest("cats", ["cots", "cat", "cats "]), "cots");
  assert.equal(nearest("input", ["output", "inputs"]), "inputs");
});

test("a suggestion names the nearest word and what there is", () => {
  assert.equal(suggest("mian", ["main", "b"], "names"), '; did you mean "main"? (names: main, b)');
  assert.equal(suggest("zzz", ["main"], "names"), " (names: main)");
  assert.equal(suggest("zzz", [], "names"), " (names: none)");
  const many = Array.from({ length: 21 }, (_, index) => `name${index}`);
  assert.match(suggest("zzz", many, "names"), /name19, …\)$/);
});
