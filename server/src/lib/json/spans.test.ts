import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutsOf, frequentText, itemsOf, membersOf } from "./spans.ts";
import { splice } from "./splice.ts";
import { plainNamed } from "./testing/samples.ts";

/** The value with whitespace wherever JSON allows it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return ` [ ${value.map(spaced).join(" ,\n")}\t] `;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)} : ${spaced(each)}`);
    return ` {\r\n${members.join(" , ")} } `;
  }
  return ` ${JSON.stringify(value)} `;
}

/** Expected names come from the generated objects, not from `JSON.parse` (`samples.ts` says why). */
const anyName = fc.string({ maxLength: 6, unit: fc.constantFrom("a", "é", '"', "\\", "{", "🙂", "\n", ",") });
const anyValue = plainNamed(4);
const anyObject = fc.dictionary(anyName, anyValue, { maxKeys: 8, noNullPrototype: true });
/** The value after a JSON round trip, which has no -0. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;
const written = <T>(value: T, isSpaced: boolean): Buffer =>
  Buffer.from(isSpaced ? spaced(value) : JSON.stringify(value));

test("members and items are found where JSON.parse finds them, however they are written", () => {
  fc.assert(
    fc.property(anyObject, fc.array(anyValue, { maxLength: 6 }), fc.boolean(), (object, list, isSpaced) => {
      const body = written(object, isSpaced);
      const read = membersOf(body, 0).map(({ name, start, end }) => [
        name,
        JSON.parse(body.toString("utf8", start, end)),
      ]);
      assert.deepEqual(
        read,
        Object.entries(object).map(([name, value]) => [name, plain(value)]),
      );
      for (const { name, nameStart, nameEnd } of membersOf(body, 0)) {
        assert.equal(JSON.parse(body.toString("utf8", nameStart, nameEnd)), name);
      }
      const bytes = written(list, isSpaced);
      assert.deepEqual(
        itemsOf(bytes, 0).map(({ start, end }) => JSON.parse(bytes.toString("utf8", start, end)) as unknown),
        plain(list),
      );
    }),
  );
});

test("any members can be cut out, and exactly they are gone", () => {
  fc.assert(
    fc.property(anyObject, fc.array(fc.boolean()), fc.boolean(), (object, chosen, isSpaced) => {
      const body = written(object, isSpaced);
      const members = membersOf(body, 0);
      const isCut = (name: string) => chosen[members.findIndex((member) => member.name === name)] === true;
      const cuts = cutsOf(members, ({ name }) => isCut(name)).map((cut) => ({ ...cut, text: "" }));
      const left = Object.entries(object).filter(([name]) => !isCut(name));
      const spliced = splice(body, cuts);
      assert.doesNotThrow(() => JSON.parse(spliced.toString("utf8")));
      assert.deepEqual(
        membersOf(spliced, 0).map(({ name, start, end }) => [
          name,
          JSON.parse(spliced.toString("utf8", start, end)),
        ]),
        left.map(([name, value]) => [name, plain(value)]),
      );
    }),
  );
});

test("digits, spaces and escapes of what stays are not touched", () => {
  const body = Buffer.from('{"a":1, "id" : 9007199254740993123 ,"b":[1e400],"\\u0063":"\\u00e9\\"","d":{}}');
  const cut = (...names: string[]) =>
    splice(
      body,
      cutsOf(membersOf(body, 0), ({ name }) => names.includes(name)).map((span) => ({ ...span, text: "" })),
    ).toString();
  assert.equal(cut("a", "b"), '{"id" : 9007199254740993123,"\\u0063":"\\u00e9\\"","d":{}}');
  assert.equal(cut("c", "d"), '{"a":1, "id" : 9007199254740993123 ,"b":[1e400]}');
  assert.equal(cut("a", "id", "b", "c", "d"), "{}");
  assert.deepEqual(membersOf(Buffer.from("[1]"), 0), []);
  assert.deepEqual(itemsOf(Buffer.from("{}"), 0), []);
});

test("texts of many quotes are passed like others", () => {
  for (const count of [0, 1, 63, 64, 65, 200]) {
    const value = `${'\\"'.repeat(count)}\\\\`;
    const body = Buffer.from(`{"a":"${value}","b":1}`);
    assert.deepEqual(
      membersOf(body, 0).map(({ name, start, end }) => [name, body.toString("latin1", start, end)]),
      [
        ["a", `"${value}"`],
        ["b", "1"],
      ],
    );
  }
});

test("a name is frequent only by all of its bytes; others and escaped ones are read as they are", () => {
  for (const name of ["type", "typf", "uype", "Type", "typ", "types", "cache_control", "cache_controk"]) {
    const body = Buffer.from(`{"${name}":1}`);
    assert.deepEqual(
      membersOf(body, 0).map((member) => member.name),
      [name],
    );
  }
  const escaped = Buffer.from('{"typ\\u0065":1}');
  assert.equal(membersOf(escaped, 0)[0]?.name, "type");
  assert.equal(frequentText(escaped, 2, 11), undefined);
  assert.equal(frequentText(Buffer.from('"tools"'), 1, 6), "tools");
});
