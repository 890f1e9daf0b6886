import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOf, dayText, slotMs, zoneStretches } from "./time-zone.ts";

const slotAt = (text: string): number => Date.parse(text) / slotMs;
/** A year and a half that contains the clock changes of 2025 and 2026. */
const from = slotAt("2025-01-01T00:00:00Z");
const to = slotAt("2026-07-01T00:00:00Z");

test("a zone without changes is one stretch", () => {
  assert.deepEqual(zoneStretches("UTC", from, to), [{ from, to, offset: 0 }]);
  assert.deepEqual(zoneStretches("Asia/Kolkata", from, to), [{ from, to, offset: 11 }]);
  assert.deepEqual(zoneStretches("UTC", from, from + 1), [{ from, to: from + 1, offset: 0 }]);
});

test("stretches end exactly where clocks change", () => {
  const changes = ["2025-03-30T01:00:00Z", "2025-10-26T01:00:00Z", "2026-03-29T01:00:00Z"].map(slotAt);
  const [spring = 0, autumn = 0, next = 0] = changes;
  assert.deepEqual(zoneStretches("Europe/Berlin", from, to), [
    { from, to: spring, offset: 2 },
    { from: spring, to: autumn, offset: 4 },
    { from: autumn, to: next, offset: 2 },
    { from: next, to, offset: 4 },
  ]);
  // Summer time of half an hour, changing at a UTC half hour.
  const lordHowe = zoneStretches("Australia/Lord_Howe", from, to);
  assert.deepEqual(lordHowe[1]?.from, slotAt("2025-04-05T15:00:00Z"));
  assert.deepEqual(
    lordHowe.map(({ offset }) => offset),
    [22, 21, 22, 21],
  );
});

test("every half hour is of the day the calendar says", () => {
  for (const zone of [
    "America/St_Johns",
    "America/Santiago",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Africa/Cairo",
  ]) {
    const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
    for (const stretch of zoneStretches(zone, from, to)) {
      for (let slot = stretch.from; slot < stretch.to; slot++)
        assert.equal(dayText(dayOf(slot, stretch.offset)), format.format(slot * slotMs), `${zone} ${slot}`);
    }
  }
});

test("zones that are not whole half hours from UTC are refused, and names that are none", () => {
  for (const zone of ["Asia/Kathmandu", "Pacific/Chatham", "Australia/Eucla"])
    assert.throws(() => zoneStretches(zone, from, to), {
      name: "TimeZoneError",
      reason: "between_half_hours",
    });
  for (const zone of ["Mars/Olympus", "", "../etc", "Z".repeat(500)])
    assert.throws(() => zoneStretches(zone, from, to), { name: "TimeZoneError", reason: "unknown" });
});
