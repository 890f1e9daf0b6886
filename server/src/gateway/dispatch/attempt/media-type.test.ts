import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaTypeOf } from "./media-type.ts";

test("a media type is named without what stands behind it; what is none is not repeated", () => {
  const cases: readonly [string | string[] | undefined, string][] = [
    ["text/html; charset=utf-8", "text/html"],
    ["Text/HTML", "text/html"],
    [" application/vnd.api+json ;x=secret", "application/vnd.api+json"],
    [undefined, "none"],
    ["", "none"],
    ["the caller's own words", "odd"],
    ["text/html,the words", "odd"],
    [`text/${"x".repeat(41)}`, "odd"],
    [["text/html", "words"], "odd"],
  ];
  for (const [said, named] of cases) assert.equal(mediaTypeOf({ "content-type": said }), named, String(said));
});
