/** Days and wall times across clock changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addDays, dayAt, dayStartMs, fromWallTime, isDay, isTimeZone, toWallTime } from "./zone.ts";

const startOf = (day: string, zone: string) => new Date(dayStartMs(day, zone)).toISOString();

test("a day begins at the zone's midnight, before and after clocks change", () => {
  assert.equal(startOf("2026-03-29", "Europe/Berlin"), "2026-03-28T23:00:00.000Z");
  assert.equal(startOf("2026-03-30", "Europe/Berlin"), "2026-03-29T22:00:00.000Z");
  assert.equal(startOf("2026-10-25", "Europe/Berlin"), "2026-10-24T22:00:00.000Z");
  assert.equal(startOf("2026-10-26", "Europe/Berlin"), "2026-10-25T23:00:00.000Z");
  assert.equal(startOf("2026-11-21", "Asia/Shanghai"), "2026-11-20T16:00:00.000Z");
  assert.equal(startOf("2026-11-21", "Asia/Kolkata"), "2026-11-20T18:30:00.000Z");
  assert.equal(startOf("2026-11-21", "Asia/Kathmandu"), "2026-11-20T18:15:00.000Z");
  assert.equal(startOf("2026-11-21", "UTC"), "2026-11-21T00:00:00.000Z");
});

test("a day whose midnight is skipped begins when its clocks begin", () => {
  // Beirut skips 00:00 to 01:00 on the last Sunday of March.
  assert.equal(startOf("2026-03-29", "Asia/Beirut"), "2026-03-28T22:00:00.000Z");
});

test("a day whose midnight comes twice begins the first time", () => {
  // Havana's clocks go from 01:00 back to 00:00.
  assert.equal(startOf("2026-11-01", "America/Havana"), "2026-11-01T04:00:00.000Z");
});

test("every start of a day lies on that day, and a millisecond before on the one before", () => {
  for (const zone of [
    "Europe/Berlin",
    "America/Havana",
    "Asia/Beirut",
    "Australia/Lord_Howe",
    "Pacific/Apia",
  ]) {
    for (let day = "2026-01-01"; day < "2027-01-01"; day = addDays(day, 1)) {
      const at = dayStartMs(day, zone);
      assert.equal(dayAt(at, zone), day, zone);
      assert.equal(dayAt(at - 1, zone), addDays(day, -1), zone);
    }
  }
});

test("wall times and instants are each other's opposite", () => {
  assert.equal(toWallTime("2026-11-21T08:00:00.000Z", "America/New_York"), "2026-11-21T03:00");
  assert.equal(fromWallTime("2026-11-21T03:00", "America/New_York"), "2026-11-21T08:00:00.000Z");
  assert.equal(fromWallTime("2026-03-29T02:30", "Europe/Berlin"), "2026-03-29T01:30:00.000Z");
  assert.equal(fromWallTime("tomorrow", "UTC"), undefined);
  assert.equal(fromWallTime("2026-13-41T00:00", "UTC"), undefined);
});

test("what is no day and no zone is told", () => {
  assert.ok(isDay("2028-02-29"));
  for (const text of ["", "2026-02-29", "2026-2-1", "20261121", "2026-11-21T00:00"])
    assert.ok(!isDay(text), text);
  assert.ok(isTimeZone("Asia/Shanghai"));
  assert.ok(!isTimeZone("Mars/Olympus"));
});
