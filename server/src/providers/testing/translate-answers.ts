/**
 * For tests: makes malformed answers. Parses recorded answers, damages them in a few places and writes them
 * again in their framing, or makes bytes without any framing.
 */

import { createFrameReader } from "../../protocols/bedrock-converse/frames.ts";
import { frame } from "../bedrock/fixtures/build.ts";
import type { Fixture } from "./fixture.ts";

/** Returns the next random number from 0 to 1. */
export type Luck = () => number;

/** A small seeded generator; its quality is enough to choose what to damage. */
export function luckOf(seed: number): Luck {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const pick = <T>(luck: Luck, list: readonly T[]): T => list[Math.floor(luck() * list.length)] as T;

/** Placeholders for texts that a value cannot express: nesting too deep to serialize, or an invalid name. */
const deepMark = "@@deep";
const protoMark = "@@proto";
const hugeMark = "@@huge";
const deepTexts = [1_000, 20_000].flatMap((depth) => [
  "[".repeat(depth) + "]".repeat(depth),
  `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
]);

const strange: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  9e15,
  1e308,
  4_294_967_296,
  "",
  "x",
  "__proto__",
  "constructor",
  "\ud800",
  "\n\ndata: [DONE]\n\n",
  "x".repeat(5_000),
  [],
  {},
  [null],
  [[]],
  [{}, 7, "x"],
  { [protoMark]: { isRecord: true } },
  { a: { b: [] } },
  deepMark,
  hugeMark,
];

/**
 * The value with some parts replaced, removed, doubled or renamed. `share`: fraction of the parts, 0 to 1.
 */
function spoil(value: unknown, luck: Luck, share: number): unknown {
  if (luck() < share) return pick(luck, strange);
  if (Array.isArray(value)) {
    const items = value.map((item) => spoil(item, luck, share));
    return luck() < share && items.length > 0 ? [...items, items[0], pick(luck, strange)] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    if (luck() < share / 2) return [];
    return [[luck() < share / 4 ? protoMark : name, spoil(part, luck, share)]];
  });
  if (luck() < share)
    entries.push([pick(luck, ["x_new", "type", "error", "index", protoMark]), pick(luck, strange)]);
  return Object.fromEntries(entries);
}

const written = (value: unknown, luck: Luck): string =>
  (JSON.stringify(value) ?? "")
    .replaceAll(`"${deepMark}"`, () => pick(luck, deepTexts))
    .replaceAll(`"${hugeMark}"`, () =>
      pick(luck, ["1e999", "-1e999", "123456789012345678901234567890", "1E-7"]),
    )
    .replaceAll(protoMark, "__proto__");

function spoiltJson(text: string, luck: Luck, share: number): string {
  try {
    return written(spoil(JSON.parse(text), luck, share), luck);
  } catch {
    return text;
  }
}

/** Rarely removes, doubles or reorders items. */
function shuffled<T>(list: readonly T[], luck: Luck): T[] {
  const kept = list.filter(() => luck() > 0.05).flatMap((one) => (luck() < 0.05 ? [one, one] : [one]));
  if (luck() < 0.2 && kept.length > 1) {
    const at = Math.floor(luck() * (kept.length - 1));
    const [first, second] = kept.slice(at, at + 2) as [T, T];
    kept.splice(at, 2, second, first);
  }
  return kept;
}

function spoiltEvents(text: string, luck: Luck, share: number): Buffer {
  const events = shuffled(text.split(/\r?\n\r?\n/), luck).map((event) =>
    event.replace(/^data: ?(.*)$/gm, (_, json: string) => `data: ${spoiltJson(json, luck, share)}`),
  );
  const strangers = [
    "event: new_thing\ndata: {}",
    "data: ",
    "data: nonsense",
    "id: 7\nretry: 1",
    ": ping",
    "data: null",
    "data: [1]",
  ];
  if (luck() < 0.3) events.splice(Math.floor(luck() * events.length), 0, pick(luck, strangers));
  return Buffer.from(events.join("\n\n"));
}

function spoiltFrames(bytes: Buffer, luck: Luck, share: number): Buffer {
  const frames: Buffer[] = [];
  const reader = createFrameReader(({ headers, payload }) => {
    const head =
      luck() < share
        ? {
            ...headers,
            ":event-type": pick(luck, ["newThing", "", "messageStart", "internalServerException"]),
          }
        : headers;
    frames.push(frame(head, spoiltJson(payload.toString("utf8"), luck, share)));
  });
  reader.push(bytes);
  return Buffer.concat(shuffled(frames, luck));
}

export const bytesOf = ({ answer }: Fixture): Buffer =>
  Buffer.isBuffer(answer)
    ? answer
    : Buffer.from(typeof answer === "string" ? answer : JSON.stringify(answer));

/** A damaged recorded answer; sometimes bytes are overwritten or the end is missing. */
export function spoiltAnswer(fixture: Fixture, streamType: string, luck: Luck): Buffer {
  const share = pick(luck, [0, 0.02, 0.1, 0.4]);
  const bytes = bytesOf(fixture);
  const isStream = fixture.request["stream"] === true && (fixture.status ?? 200) === 200;
  let spoilt: Buffer;
  if (!isStream) spoilt = Buffer.from(spoiltJson(bytes.toString("utf8"), luck, share));
  else if (streamType === "text/event-stream") spoilt = spoiltEvents(bytes.toString("utf8"), luck, share);
  else spoilt = spoiltFrames(bytes, luck, share);
  if (luck() < 0.1)
    for (let count = 0; count < 5; count += 1)
      spoilt[Math.floor(luck() * spoilt.length)] = Math.floor(luck() * 256);
  return luck() < 0.2 ? spoilt.subarray(0, Math.floor(luck() * spoilt.length)) : spoilt;
}

/** Random bytes, some of which look like the start of an event. */
export function randomBytes(luck: Luck): Buffer {
  const begin = pick(luck, [
    "",
    "data: ",
    "data: {",
    "event: error\ndata: ",
    "\ufeff",
    "<html>",
    "{",
    "[",
    "\0\0\0\x10",
  ]);
  return Buffer.concat([
    Buffer.from(begin),
    Buffer.from(Array.from({ length: Math.floor(luck() * 300) }, () => Math.floor(luck() * 256))),
  ]);
}

/** Splits the bytes as a network does. */
export function cut(bytes: Buffer, luck: Luck): Buffer[] {
  const places = Array.from({ length: Math.floor(luck() * 6) }, () => Math.floor(luck() * bytes.length)).sort(
    (a, b) => a - b,
  );
  return [...places, bytes.length].map((to, index) => bytes.subarray(places[index - 1] ?? 0, to));
}
