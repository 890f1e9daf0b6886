/**
 * Encodes every chat parameter with every provider and preset, and compares the result with their columns.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { chatCodecOf, createTestMemory } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { chat } from "../../gateway/endpoints/chat/chat.ts";
import { plainTarget } from "../../gateway/endpoints/testing/targets.ts";
import { createBodyScanners } from "../../gateway/request/body/body-scan.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocols/protocol.ts";
import { Untranslatable } from "../../protocols/untranslatable.ts";
import { deviations } from "../openai/deviations.ts";
import { presets } from "../presets/presets.ts";
import type { HttpProvider } from "../provider.ts";
import { testedInProcess } from "./all.ts";
import { type Outcome, parameters } from "./parameters.ts";

const parameterColumns = testedInProcess.flatMap((tested) => tested.parameters);
const loaded = new Map(
  await Promise.all(
    testedInProcess.map(async ({ id, descriptor }) => [id, await descriptor.load()] as const),
  ),
);
const scanners = createBodyScanners(chat.scanned, { jsonDepthMax: 64, jsonValuesMax: 200_000 });

/** The upstream and model a request is encoded for. */
interface Target {
  readonly provider: string;
  readonly model: string;
  readonly upstream?: Partial<Upstream> | undefined;
}

const messages = '"messages":[{"role":"user","content":"Hi"}]';

/** The call for a body with these members, or the refusal. */
function encode(
  { provider: id, model, upstream: more }: Target,
  members: string,
): UpstreamCall | Untranslatable {
  const general = loaded.get(id) as HttpProvider;
  const upstream: Upstream = {
    id: "table",
    provider: id,
    baseUrl: "https://upstream.test/v1",
    credentials: ["secret"],
    timeouts: defaultTimeouts,
    ...more,
  };
  const body = Buffer.from(`{"model":"${model}",${messages}${members === "" ? "" : `,${members}`}}`);
  const scanner = scanners.create();
  scanner.push(body);
  const { spans, isStream } = chat.read(scanner.end(body), body, plainTarget);
  const request: ProviderRequest = { body, spans, isStream, nowMs: 0, memory: createTestMemory() };
  try {
    return chatCodecOf(general.forUpstream?.(upstream) ?? general).encode(request, upstream, "secret", model);
  } catch (error) {
    if (error instanceof Untranslatable) return error;
    throw error;
  }
}

const joined = (...members: readonly (string | undefined)[]): string =>
  members.filter((member) => member !== undefined && member !== "").join(",");

/** Old names and the new ones they become. */
const newer: Readonly<Record<string, string>> = { functions: "tools", function_call: "tool_choice" };

const sentBy = ({ path, body, headers }: UpstreamCall): string =>
  JSON.stringify([path, JSON.parse(body.toString("utf8")), headers.indexOf("text/event-stream") >= 0]);

/** What happens to the parameter. `silent`: it is dropped and not reported. */
function judge(
  target: Target,
  { name, beside }: { readonly name: string; readonly beside?: string | undefined },
  sample: string,
): Outcome | "silent" {
  const plain = encode(target, beside ?? "");
  // When its companion is already refused, the parameter is sent alone.
  const company = plain instanceof Untranslatable ? undefined : beside;
  const member = `"${name}":${sample}`;
  const call = encode(target, joined(company, member));
  if (call instanceof Untranslatable) {
    // In no protocol can one choose among tools that are refused.
    const isSenseless = company !== beside && call.code === "invalid_request";
    assert.ok(isSenseless || call.code === "unsupported_parameter", `${name} ${sample}: ${call.message}`);
    assert.ok([name, newer[name]].includes(call.param.split(/[.[]/)[0]), `${call.param} for ${name}`);
    return "refused";
  }
  if (call.dropped?.some((path) => path.split(/[.[]/)[0] === name) === true) return "dropped";
  if (call.body.toString("utf8").includes(member)) return "kept";
  const without = encode(target, company ?? "");
  assert.ok(!(without instanceof Untranslatable));
  return sentBy(call) === sentBy(without) ? "silent" : "translated";
}

const isDone: ReadonlySet<string> = new Set(
  parameterColumns.flatMap(({ provider, outcomes }) =>
    Object.entries(outcomes).flatMap(([name, outcome]) =>
      outcome === "plaza" ? [`${provider} ${name}`] : [],
    ),
  ),
);

for (const column of parameterColumns) {
  test(`${column.id}: every parameter comes to what the table says`, () => {
    const expected: Record<string, string> = {};
    const seen: Record<string, string> = {};
    for (const parameter of parameters) {
      const outcome = column.outcomes[parameter.name] ?? column.otherwise;
      expected[parameter.name] = outcome === "plaza" ? "silent" : outcome;
      seen[parameter.name] = judge(column, parameter, parameter.samples[0]);
    }
    assert.deepEqual(seen, expected);
  });
}

test("only what Plaza does itself is not told: it shows a stream's usage, and passes on one call of several", () => {
  const others = [...isDone].filter((cell) => !/ (?:stream_options|parallel_tool_calls)$/.test(cell));
  assert.deepEqual(others, []);
});

test("every preset that deviates has a column; all others keep everything", () => {
  const known = new Set(parameterColumns.map(({ upstream }) => upstream?.preset));
  for (const { id, provider } of presets) {
    if (provider !== "openai") continue;
    if (Object.hasOwn(deviations, id)) assert.ok(known.has(id), `${id} deviates and has no column`);
    if (known.has(id)) continue;
    for (const parameter of parameters) {
      const target: Target = { provider, model: "m", upstream: { preset: id } };
      assert.equal(judge(target, parameter, parameter.samples[0]), "kept", `${id} ${parameter.name}`);
    }
  }
});

test("whatever the model, no value that asks for something is left out without a word", () => {
  const silent: string[] = [];
  let count = 0;
  for (const { id, fixtures } of testedInProcess) {
    const targets = new Map<string, Target>();
    for (const { model, upstream } of fixtures)
      targets.set(JSON.stringify([model, upstream]), { provider: id, model, upstream });
    for (const target of targets.values()) {
      for (const parameter of parameters) {
        for (const sample of parameter.samples) {
          count += 1;
          if (judge(target, parameter, sample) !== "silent") continue;
          const cell = `${id} ${parameter.name}`;
          if (!isDone.has(cell))
            silent.push(`${cell} ${sample} ${JSON.stringify([target.model, target.upstream])}`);
        }
      }
    }
  }
  assert.deepEqual(silent, []);
  assert.ok(count > 3_000, String(count));
});
