import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../lib/testing/any-character.ts";
import { readDirectives } from "./directives.ts";

const read = (message: string) => {
  const { text, mistakes, ...rest } = readDirectives(message);
  return { text, mistakes: mistakes.length, ...rest };
};

test("directives stand at the beginning of a line, the rest is text", () => {
  assert.deepEqual(read("hello"), { text: "hello", mistakes: 0 });
  assert.deepEqual(read("/slow 5 /words 3 hello /cut 2"), {
    text: "hello /cut 2",
    mistakes: 0,
    slow: 5,
    words: 3,
  });
  assert.deepEqual(read("hello\n/cut 2\nagain"), { text: "hello\nagain", mistakes: 0, cut: 2 });
  assert.deepEqual(read("hello /cut 2"), { text: "hello /cut 2", mistakes: 0 });
  assert.deepEqual(read("/usr/bin/env"), { text: "/usr/bin/env", mistakes: 0 });
  assert.deepEqual(read("/html\n/refuse /filter"), {
    text: "",
    mistakes: 0,
    html: true,
    refuse: true,
    filter: true,
  });
  assert.deepEqual(read("a\n /cut 2"), { text: "a\n /cut 2", mistakes: 0 });
  assert.deepEqual(read("/cut 1 /cut 2"), { text: "", mistakes: 0, cut: 2 });
});

test("/fail takes a code only if it looks like one", () => {
  assert.deepEqual(read("/fail 429").fail, { status: 429, code: undefined });
  assert.deepEqual(read("/fail 429 insufficient_quota").fail, { status: 429, code: "insufficient_quota" });
  assert.deepEqual(read("/fail 500 please"), {
    text: "please",
    mistakes: 0,
    fail: { status: 500, code: undefined },
  });
});

test("/tool and /tools", () => {
  assert.equal(read("/tool").tools, 1);
  assert.equal(read("/tool get_weather").tools, "get_weather");
  assert.equal(read("/tools 2 x").tools, 2);
});

test("/echo takes the rest exactly, also over lines", () => {
  assert.equal(read("/echo  a\n /cut 1 ").echo, " a\n /cut 1 ");
  assert.equal(read("/echo\nx").echo, "x");
  assert.equal(read("/echo").echo, "");
  const both = read("/slow 1 /echo /slow 2");
  assert.deepEqual([both.slow, both.echo], [1, "/slow 2"]);
  assert.deepEqual(read("first\n/echo x"), { text: "first", mistakes: 0, echo: "x" });
  assert.equal(read("say /echo x").echo, undefined);
});

test("every wrong argument and unknown name is a mistake", () => {
  const wrong = [
    ...[
      "/fail",
      "/fail 200",
      "/fail 600",
      "/fail x",
      "/cut",
      "/cut -1",
      "/cut 100001",
      "/cut 1.5",
      "/error x",
      "/hang",
    ],
    ...[
      "/slow 60001",
      "/wait 600001",
      "/words 0",
      "/words 4001",
      "/usage",
      "/usage some",
      "/tools 0",
      "/tools",
      "/nope",
    ],
  ];
  for (const message of wrong) assert.equal(read(message).mistakes, 1, message);
  assert.equal(read("/nope /slow x /constructor").mistakes, 3);
  assert.equal(read("/nope ".repeat(100)).mistakes, 5);
});

test("any text is read in bounded time and gives bounded mistakes", () => {
  for (const text of [
    "/".repeat(1e6),
    "/a ".repeat(1e6),
    "\n/".repeat(1e6),
    "/ /".repeat(1e6),
    " /echo".repeat(1e6),
  ]) {
    readDirectives(text);
  }
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => typeof readDirectives(text).text === "string"),
  );
});
