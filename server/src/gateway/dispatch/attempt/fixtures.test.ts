/**
 * Runs every provider's fixtures through real attempts and checks what is sent upstream, what the caller gets
 * and what is charged. None of it may depend on how the bytes were split in transit.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FaultKind } from "../../../domain/routing/fault.ts";
import type { HttpProvider } from "../../../providers/provider.ts";
import { testedInProcess } from "../../../providers/testing/all.ts";
import { type Expected, kindsWithout } from "../../../providers/testing/fixture.ts";
import { faultError } from "../fault-error.ts";
import { callOf, lengthOf, type Played, playFixture } from "../testing/fixture-rig.ts";

const randomRounds = 20;

/** A small seeded generator, good enough to choose split points. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Got {
  text: string;
  reasoning: string;
  refusal: string;
  calls: { id: string; name: string; text: string }[];
  finish: string | null;
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface Piece {
  readonly choices: readonly {
    readonly delta?: Delta;
    readonly message?: Delta;
    readonly finish_reason?: string | null;
  }[];
}

function add(got: Got, delta: Delta, isWhole: boolean): void {
  got.text += delta.content ?? "";
  got.reasoning += delta.reasoning_content ?? "";
  got.refusal += delta.refusal ?? "";
  delta.tool_calls?.forEach((call, place) => {
    const index = isWhole ? place : (call.index ?? 0);
    got.calls[index] ??= { id: "", name: "", text: "" };
    got.calls[index].id ||= call.id ?? "";
    got.calls[index].name += call.function?.name ?? "";
    got.calls[index].text += call.function?.arguments ?? "";
  });
}

/**
 * Rebuilds the caller's answer, strictly: every event must be an OpenAI chunk and the last one the terminal
 * marker.
 */
function gather({ bytes, end }: Played, isStream: boolean): Got {
  const got: Got = { text: "", reasoning: "", refusal: "", calls: [], finish: null };
  const events = isStream
    ? bytes
        .toString("utf8")
        .split(/\r?\n\r?\n/)
        .flatMap((event) => event.split(/\r?\n/))
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trim())
    : [bytes.toString("utf8")].filter((text) => text !== "");
  if (end.kind === "stream") assert.equal(events.pop(), "[DONE]");
  for (const event of events) {
    const piece = JSON.parse(event) as Piece;
    const choice = piece.choices[0];
    if (choice === undefined) continue;
    add(got, choice.delta ?? choice.message ?? {}, choice.message !== undefined);
    got.finish = choice.finish_reason ?? got.finish;
  }
  return got;
}

/** The words by which clients built on LiteLLM recognise these faults, whatever the provider wrote. */
const fixedWords: Partial<Record<FaultKind, RegExp>> = {
  context_length: /^This model's maximum context length is /,
  content_filter: /content_policy_violation/,
};

function check(played: Played, expected: Expected, isStream: boolean): void {
  const { end } = played;
  const got = gather(played, isStream);
  const { usage, fault, retryAfterMs } = expected;
  if (fault === undefined) {
    assert.equal(end.kind, isStream ? "stream" : "answer", JSON.stringify(end));
  } else {
    assert.ok(end.kind === "fault" || end.kind === "cut", end.kind);
    assert.equal(end.fault.kind, fault, JSON.stringify(end.fault));
    const words = fixedWords[fault];
    if (words !== undefined)
      assert.match(faultError(end.fault, { attempts: 1, promptField: "messages" }).message, words);
    if (expected.text === undefined) assert.equal(played.bytes.length, 0, "nothing reaches the caller");
    if (retryAfterMs !== undefined) assert.equal(end.fault.retryAfterMs, retryAfterMs);
  }
  for (const name of ["text", "reasoning", "refusal", "finish"] as const) {
    if (expected[name] !== undefined) assert.equal(got[name], expected[name], name);
  }
  if (expected.toolCalls !== undefined) {
    const calls = got.calls.map(({ id, name, text }, index) => ({
      ...(expected.toolCalls?.[index]?.id === undefined ? {} : { id }),
      name,
      arguments: JSON.parse(text) as unknown,
    }));
    assert.deepEqual(calls, expected.toolCalls);
    for (const { id } of got.calls) assert.notEqual(id, "");
  }
  if (usage !== undefined) assert.deepEqual(end.usage ?? null, usage);
}

for (const { id, descriptor, fixtures: list } of testedInProcess) {
  const provider = (await descriptor.load()) as HttpProvider;

  test(`${id}: there are fixtures of every kind it does not lack and of no other, each with a name of its own`, () => {
    const kinds = new Set(list.map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), [...kindsWithout(descriptor.lacks)].sort());
    assert.equal(new Set(list.map(({ name }) => name)).size, list.length);
  });

  for (const fixture of list) {
    test(`${id}: ${fixture.name}`, async () => {
      const isStream = fixture.request["stream"] === true;
      const call = callOf(provider, fixture);
      const sent = JSON.parse(call.body.toString("utf8")) as Record<string, unknown>;
      for (const [name, value] of Object.entries(fixture.sent ?? {})) {
        if (value === null) assert.equal(sent[name], undefined, `${name} is not sent`);
        else assert.deepEqual(sent[name], value, `${name} as sent`);
      }
      const whole = await playFixture(provider, fixture, []);
      check(whole, fixture.expected, isStream);
      const length = lengthOf(fixture);
      const byByte = Array.from({ length: Math.max(0, length - 1) }, (_, index) => index + 1);
      const random = randomOf(length);
      const ways = Array.from({ length: randomRounds }, () =>
        Array.from({ length: 1 + Math.floor(random() * 8) }, () => Math.floor(random() * length)).sort(
          (a, b) => a - b,
        ),
      );
      for (const cuts of [byByte, ...ways]) {
        const played = await playFixture(provider, fixture, cuts);
        assert.equal(
          played.bytes.toString("utf8"),
          whole.bytes.toString("utf8"),
          `cut at ${cuts.slice(0, 20).join()}`,
        );
        assert.deepEqual(played.end.usage, whole.end.usage);
      }
    });
  }
}
