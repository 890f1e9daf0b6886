/**
 * For tests: rules that every provider's usage reader must follow, given one valid report and the places of
 * its counts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "@plaza/contract/usage.ts";
import fc from "fast-check";

type Report = Readonly<Record<string, unknown>>;

/** Values that are invalid as counts. */
const impossible = [-1, 1.5, "5", true, {}, [], 1_000_000_001, 1e300, Number.NaN];

export interface ReaderRules {
  readonly read: (value: unknown) => Usage | undefined;
  /** The counts a report must have, with small values. */
  readonly required: Report;
  /** Functions that put a value in one place of a report that is otherwise valid. */
  readonly places: readonly ((value: unknown) => Report)[];
}

/**
 * Registers the tests: an absent count is not 0, 0 is a valid count, one invalid count rejects the report,
 * and totals add up.
 */
export function readerRules({ read, required, places }: ReaderRules): void {
  test("absent is not 0, and 0 is a value", () => {
    for (const value of [undefined, null, 0, "x", [], [required], {}]) assert.equal(read(value), undefined);
    for (const name of Object.keys(required)) {
      const { [name]: _, ...rest } = required;
      assert.equal(read(rest), undefined, `without ${name}`);
      assert.equal(read({ ...required, [name]: null }), undefined, `${name} null`);
    }
    const zeros = Object.fromEntries(Object.keys(required).map((name) => [name, 0]));
    assert.deepEqual(read(zeros), { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 });
  });

  test("one impossible number makes the whole untrusted", () => {
    for (const place of places) {
      const zero = place(0);
      assert.notEqual(read(zero), undefined, `good: ${JSON.stringify(zero)}`);
      for (const value of impossible)
        assert.equal(read(place(value)), undefined, JSON.stringify([value, zero]));
    }
  });

  test("whatever is read adds up: whole, not negative, parts within their wholes", () => {
    const tokens = fc.oneof(
      fc.nat(60),
      fc.integer({ min: 999_999_990, max: 1_000_000_000 }),
      fc.constantFrom<unknown>(null, undefined, -1, 0.5, -0),
    );
    const values = fc.array(tokens, { minLength: places.length, maxLength: places.length });
    fc.assert(
      fc.property(values, fc.boolean(), (drawn, isSparse) => {
        const merged = places.reduce((report: Report, place, index) => {
          return isSparse && index % 2 === 1 ? report : merge(report, place(drawn[index]));
        }, required);
        const usage = read(merged);
        if (usage === undefined) return;
        for (const [name, value] of Object.entries(usage)) {
          assert(Number.isInteger(value) && value >= 0 && !Object.is(value, -0), `${name} ${value}`);
          assert(value <= 1_000_000_000, `${name} ${value}`);
        }
        const { input, output, cacheWrite, reasoning } = usage;
        assert((usage.audioInput ?? 0) + (usage.imageInput ?? 0) <= input);
        assert((usage.audioOutput ?? 0) + (usage.imageOutput ?? 0) + reasoning <= output);
        assert((usage.longCacheWrite ?? 0) <= cacheWrite);
      }),
      { numRuns: 2_000 },
    );
  });
}

/** Merges two reports; lists are joined. */
function merge(a: Report, b: Report): Report {
  const merged: Record<string, unknown> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const old = merged[name];
    const isBothObjects =
      typeof old === "object" && old !== null && typeof value === "object" && value !== null;
    if (Array.isArray(old) && Array.isArray(value)) merged[name] = [...old, ...value];
    else if (isBothObjects && !Array.isArray(old)) merged[name] = merge(old as Report, value as Report);
    else merged[name] = value;
  }
  return merged;
}
