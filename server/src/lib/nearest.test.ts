import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./nearest.ts";

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
