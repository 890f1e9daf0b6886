/** Recognizes common browsers, even those that claim to be others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceOf } from "./user-agent.ts";

const cases: readonly [string, string, string][] = [
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
    "Edge",
    "Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    "Safari",
    "iOS",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
    "Chrome",
    "Android",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0", "Firefox", "Linux"],
];

for (const [userAgent, browser, system] of cases) {
  test(`${browser} on ${system}`, () => assert.deepEqual(deviceOf(userAgent), { browser, system }));
}

test("what is no browser is not guessed", () => {
  assert.equal(deviceOf("curl/8.9.0"), undefined);
  assert.equal(deviceOf(""), undefined);
});
