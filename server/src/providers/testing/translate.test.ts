/**
 * Property tests for every provider that translates. A request becomes a call or is refused by field name. No
 * answer makes a translator throw or report an end that did not come. Requests and answers are random:
 * `TEST_RUNS` multiplies their number, and `SEED` repeats a run.
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { FormatId } from "@plaza/contract/formats.ts";
import fc from "fast-check";
import type { FaultKind } from "../../domain/routing/fault.ts";
import { chatCodecOf, requestOf, upstreamOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { runsOf } from "../../lib/testing/runs.ts";
import { decodeRequest } from "../../protocols/openai-chat/decode-request.ts";
import { readUsage } from "../../protocols/openai-chat/usage.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocols/protocol.ts";
import { Untranslatable } from "../../protocols/untranslatable.ts";
import type { HttpProvider } from "../provider.ts";
import { testedInProcess } from "./all.ts";
import type { Fixture } from "./fixture.ts";
import { bytesOf, cut, type Luck, luckOf, randomBytes, spoiltAnswer } from "./translate-answers.ts";
import { anyRequest, type Body, nestedSchema, plainRequest } from "./translate-requests.ts";

const runs = runsOf(400);
const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const options = { numRuns: runs, seed };
const startedMs = performance.now();
const secret = "CNRYcredential0123456789abcdef";

/** One upstream and model of a provider. */
interface Use {
  readonly provider: HttpProvider;
  readonly upstream: ReturnType<typeof upstreamOf>;
  readonly model: string;
  readonly formats: readonly FormatId[] | undefined;
}

/** One of these is in every stream of a format that has ended. */
const marksOf: Readonly<Partial<Record<FormatId, readonly string[]>>> = {
  "openai-responses": ["response.completed", "response.incomplete"],
};

/** Every upstream and model the fixtures know, each once. */
function usesOf(general: HttpProvider, fixtures: readonly Fixture[]): Use[] {
  const uses = new Map<string, Use>();
  for (const { model, upstream: more, formats } of fixtures) {
    const upstream = upstreamOf(general, { ...more, credentials: [secret] });
    const provider = general.forUpstream?.(upstream) ?? general;
    uses.set(JSON.stringify([model, more, formats]), { provider, upstream, model, formats });
  }
  return [...uses.values()];
}

/** The call, or the refusal with its field name. Any other error is thrown. */
function encode(use: Use, request: ProviderRequest): UpstreamCall | Untranslatable {
  const { provider, upstream, model } = use;
  try {
    const { body } = request;
    return chatCodecOf(provider, { ...use, body }).encode(request, upstream, secret, model);
  } catch (error) {
    if (error instanceof Untranslatable) return error;
    throw error;
  }
}

/** The request as the gateway admits it; undefined when the gateway refuses it. */
function admitted(
  body: Body,
  model: string,
  more: Partial<ProviderRequest> = {},
): ProviderRequest | undefined {
  try {
    return requestOf({ ...body, model }, more);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** True when the path exists in the body. Its last name may be missing, but not an index of a list. */
function leadsSomewhere(param: string, body: Body): boolean {
  const steps = param.split(/[.[\]]+/).filter((step) => step !== "");
  let value: unknown = body;
  for (const [index, step] of steps.entries()) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) {
      return index > 0 && steps.slice(index).every((missing) => !/^\d+$/.test(missing));
    }
    value = (value as Record<string, unknown>)[step];
  }
  return steps.length > 0;
}

/** The old name a refusal may use, because old names are read into the new ones. */
function olden(param: string): string {
  if (param === "reasoning_effort") return "reasoning.effort";
  if (param === "tool_choice") return "function_call";
  return param.replace(/tool_calls\[\d+\]\.function/, "function_call");
}

function checkRefusal({ code, param, message }: Untranslatable, body: Body, drops: boolean): void {
  const isNamed =
    Object.hasOwn(body, param) || [param, olden(param)].some((path) => leadsSomewhere(path, body));
  assert.ok(isNamed, `${code} names '${param}', which is not in the request (${message})`);
  assert.ok(message.length > 10 && message.length < 1_000, message);
  // Without messages there is no request.
  const isTop = !/[.[]/.test(param) && param !== "messages";
  assert.ok(!(drops && isTop && code === "unsupported_parameter"), `${param} could have been dropped`);
}

const all = [];
for (const { id, fixtures, endMarks, descriptor } of testedInProcess) {
  const general = (await descriptor.load()) as HttpProvider;
  const uses = usesOf(general, fixtures);
  all.push({ id, general, fixtures, uses, endMarks, lacks: new Set(descriptor.lacks) });
}

const told: string[] = [];
after(() => {
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  process.stdout.write(`translate: SEED=${seed} ${runs} runs, ${seconds} s\n${told.join("\n")}\n`);
});

for (const { id, uses, lacks } of all) {
  test(`${id}: any request becomes a call, or is refused by name`, () => {
    const count = { calls: 0, refused: 0, gateway: 0 };
    const property = fc.property(anyRequest, fc.nat(), fc.boolean(), (body, place, drops) => {
      const use = uses[place % uses.length] as Use;
      const request = admitted(body, use.model, { dropsParams: drops, outputTokensMax: 5_000 });
      if (request === undefined) {
        count.gateway += 1;
        return;
      }
      const before = Buffer.from(request.body);
      const outcome = encode(use, request);
      assert.ok(request.body.equals(before), "the caller's bytes are as they were");
      assert.deepEqual(readOf(request.body), readOf(before), "and what was read of them");
      if (outcome instanceof Untranslatable) {
        count.refused += 1;
        checkRefusal(outcome, { ...body, model: use.model }, drops);
        return;
      }
      count.calls += 1;
      const text = outcome.body.toString("utf8");
      assert.equal(typeof JSON.parse(text), "object");
      assert.ok(
        !text.includes(secret) && !outcome.path.includes(secret),
        "the credential is in a header only",
      );
      assert.ok(
        outcome.headers.length % 2 === 0 && outcome.headers.every((word) => /^[\t\x20-\x7e]*$/.test(word)),
      );
      assert.match(outcome.path, /^\/[\x21-\x7e]*$/);
      const isSaid = (path: string): boolean => isManner(path) || isRaised(body[path], JSON.parse(text));
      assert.ok(drops || (outcome.dropped ?? []).every(isSaid), String(outcome.dropped));
      assert.deepEqual(bodyOf(encode(use, request)), text, "twice the same");
    });
    fc.assert(property, options);
    told.push(`  ${id}: ${count.calls} calls, ${count.refused} refused, ${count.gateway} not let in`);
    // A guard: the example knows few parameters, and of a hundred requests nine get through.
    assert.ok(count.calls >= runs / 100, "some of what is sent can be said");
  });

  test(`${id}: what every protocol can say is never refused`, () => {
    for (const use of uses) {
      const property = fc.property(plainRequest, (body) => {
        const request = admitted(body, use.model) ?? assert.fail("the gateway takes it");
        const outcome = encode(use, request);
        if (!(outcome instanceof Untranslatable)) return;
        if (lacks.has("tools") && outcome.param === "tools") return;
        // Some services are known to accept no tools.
        assert.equal(
          `${use.upstream.preset !== undefined} ${outcome.param}`,
          "true tools",
          `${use.model}: ${outcome.message}`,
        );
      });
      fc.assert(property, { numRuns: Math.max(10, Math.ceil(runs / 20)), seed });
    }
  });

  test(`${id}: schemas as deep as a body may be`, () => {
    for (const use of uses) {
      for (const drops of [true, false]) {
        const parameters = nestedSchema(58);
        const body = {
          messages: [{ role: "user", content: "x" }],
          tools: [{ type: "function", function: { name: "f", parameters } }],
        };
        const request = admitted(body, use.model, { dropsParams: drops });
        if (request !== undefined) encode(use, request);
      }
    }
  });
}

/** Fields that may be dropped without asking, because they affect style, not the result. */
const manners = new Set([
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "seed",
  "reasoning_effort",
  "parallel_tool_calls",
  "frequency_penalty",
  "presence_penalty",
  "reasoning",
  "thinking",
  // Bookkeeping, and how fast or verbose an answer is.
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "prompt_cache_options",
  "cache_control",
  "store",
  "metadata",
  "service_tier",
  "verbosity",
  "prediction",
]);

const isManner = (path: string): boolean =>
  manners.has(path.split(".")[0] ?? "") || /^tools\[\d+\]\.function\.strict$/.test(path);

/**
 * An output limit below the least that Responses takes is raised to it, and told: it is what clients ask to
 * see whether they are let in, and a refusal would say they are not.
 */
const isRaised = (limit: unknown, sent: Record<string, unknown>): boolean =>
  typeof limit === "number" && limit < 16 && sent["max_output_tokens"] === 16;

/** What was parsed from a body, which may be reused by later attempts; undefined when it is refused. */
function readOf(body: Buffer): unknown {
  try {
    return decodeRequest(body);
  } catch {
    return undefined;
  }
}

const bodyOf = (outcome: UpstreamCall | Untranslatable): string | undefined =>
  outcome instanceof Untranslatable ? undefined : outcome.body.toString("utf8");

const faultKinds: ReadonlySet<FaultKind> = new Set([
  "bad_request",
  "unsupported",
  "context_length",
  "content_filter",
  "too_large",
  "model_unavailable",
  "upstream_auth",
  "upstream_quota",
  "rate_limit",
  "request_over_limit",
  "overloaded",
  "server",
  "timeout",
]);

/** Checks that the output is OpenAI's stream: comments, chunks, and at the end an error or the marker. */
function checkEvents(text: string): void {
  const events = text.split("\n\n");
  assert.equal(events.pop(), "", "whole events only");
  for (const [index, event] of events.entries()) {
    const isLast = index === events.length - 1;
    if (event.startsWith(":")) continue;
    if (event === "data: [DONE]") assert.ok(isLast, "nothing comes after the end");
    else if (event.startsWith("event: error\n")) assert.ok(isLast, "nothing comes after an error");
    else {
      const chunk = JSON.parse(event.slice("data: ".length)) as Record<string, unknown>;
      assert.ok(event.startsWith("data: {") && Array.isArray(chunk["choices"]), event.slice(0, 200));
    }
  }
}

function translated(use: Use, fixture: Fixture, bytes: Buffer, luck: Luck): string {
  const { translation } = chatCodecOf(use.provider, use);
  assert.ok(translation !== undefined);
  const request = admitted(fixture.request, fixture.model) ?? assert.fail();
  const translator = translation.stream({
    id: "chatcmpl-1",
    createdSeconds: 1,
    model: fixture.model,
    request,
  });
  const out = cut(bytes, luck).map((piece) => Buffer.from(translator.push(Buffer.from(piece))));
  return Buffer.concat([...out, translator.end()]).toString("utf8");
}

for (const { id, general, fixtures, uses, endMarks } of all) {
  const streams = fixtures.filter(
    ({ request, status }) => request["stream"] === true && (status ?? 200) === 200,
  );
  const wholes = fixtures.filter(
    ({ request, status }) => request["stream"] !== true && (status ?? 200) === 200,
  );
  const useOf = (fixture: Fixture): Use => usesOf(general, [fixture])[0] as Use;
  if (!uses.some((use) => chatCodecOf(use.provider, use).translation !== undefined)) continue;
  const speaksOpenai = endMarks === undefined;

  test(`${id}: no stream makes its translator fail, or say it ended when it did not`, () => {
    let done = 0;
    const property = fc.property(fc.nat(), fc.nat(), (place, luckSeed) => {
      const fixture = streams[place % streams.length] as Fixture;
      const use = useOf(fixture);
      const { translation } = chatCodecOf(use.provider, use);
      if (translation === undefined) return;
      const luck = luckOf(luckSeed);
      const { streamType } = translation;
      const bytes = luck() < 0.1 ? randomBytes(luck) : spoiltAnswer(fixture, streamType, luck);
      const text = translated(use, fixture, bytes, luck);
      if (!speaksOpenai) checkEvents(text);
      if (!/^data: ?\[DONE\]/m.test(text)) return;
      done += 1;
      const read = bytes.toString("utf8");
      assert.ok(
        (marksOf[use.formats?.[0] ?? "openai-chat"] ?? endMarks ?? ["[DONE]"]).some((mark) =>
          read.includes(mark),
        ),
        `[DONE] without an end:\n${read.slice(-500)}`,
      );
    });
    fc.assert(property, options);
    told.push(`  ${id}: ${runs} spoilt streams, ${done} of them ended all the same`);
  });

  test(`${id}: no whole answer makes its translator fail`, () => {
    const property = fc.property(fc.nat(), fc.nat(), (place, luckSeed) => {
      const fixture = wholes[place % wholes.length] as Fixture;
      const use = useOf(fixture);
      const { translation } = chatCodecOf(use.provider, use);
      if (translation === undefined) return;
      const luck = luckOf(luckSeed);
      const bytes = luck() < 0.1 ? randomBytes(luck) : spoiltAnswer(fixture, "application/json", luck);
      const request = admitted(fixture.request, fixture.model) ?? assert.fail();
      const out = translation.whole(bytes, {
        id: "chatcmpl-1",
        createdSeconds: 1,
        model: fixture.model,
        request,
      });
      if (out === undefined || (speaksOpenai && out.equals(bytes))) return;
      const answer = JSON.parse(out.toString("utf8")) as Record<string, unknown>;
      if (!speaksOpenai) assert.ok(Array.isArray(answer["choices"]) && answer["choices"].length > 0);
      const usage = readUsage(answer["usage"]);
      for (const count of Object.values(usage ?? {})) {
        // What is not a count says how the report was read.
        if (typeof count !== "boolean") assert.ok(Number.isSafeInteger(count) && count >= 0);
      }
    });
    fc.assert(property, options);
  });
}

for (const { id, fixtures, uses } of all) {
  test(`${id}: any error is a fault of some kind`, () => {
    const errors = fixtures.filter(({ status, kind }) => (status ?? 200) !== 200 || kind.startsWith("error"));
    const statuses = [
      200, 301, 400, 401, 402, 403, 404, 408, 409, 413, 422, 424, 429, 498, 499, 500, 502, 503, 504, 529, 599,
    ];
    const headers = fc.dictionary(
      fc.constantFrom(
        "retry-after",
        "retry-after-ms",
        "content-type",
        "x-amzn-errortype",
        "x-ratelimit-reset-requests",
        "anthropic-ratelimit-tokens-remaining",
      ),
      fc.oneof(
        fc.constantFrom("", "-1", "1e999", "0", "99999999999", "Wed, 21 Oct 2099 07:28:00 GMT", "x"),
        fc.array(fc.string(), { maxLength: 2 }),
      ),
    );
    const property = fc.property(
      fc.nat(),
      fc.nat(),
      fc.constantFrom(...statuses),
      headers,
      (place, luckSeed, status, told) => {
        const fixture = errors[place % errors.length] as Fixture;
        const luck = luckOf(luckSeed);
        const bytes =
          luck() < 0.2
            ? randomBytes(luck)
            : spoiltAnswer({ ...fixture, status: 500, answer: bytesOf(fixture) }, "application/json", luck);
        const { provider } = uses[place % uses.length] as Use;
        const fault = provider.fault(status, told, bytes.toString("utf8"));
        assert.ok(faultKinds.has(fault.kind), fault.kind);
        assert.ok((fault.message ?? "").length <= 500);
        const { retryAfterMs = 0 } = fault;
        assert.ok(
          Number.isSafeInteger(retryAfterMs) && retryAfterMs >= 0 && retryAfterMs <= 3_600_000,
          String(retryAfterMs),
        );
      },
    );
    fc.assert(property, options);
  });
}
