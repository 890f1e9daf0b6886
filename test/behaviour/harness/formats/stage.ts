/**
 * One Plaza with an upstream of each format behind it, and callers of each format before it: for tests that
 * must hold for every pair.
 */
import assert from "node:assert/strict";
import { parseUsd } from "@plaza/contract/money.ts";
import type { StoredRequest } from "../../../../server/src/store/requests/shapes.ts";
import { post, type Seen } from "../../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../app-in-process.ts";
import { type ScriptedAnswer, type ScriptedUpstream, startScriptedUpstream } from "../scripted-upstream.ts";
import { type Caller, callers, type Request, type Told } from "./callers.ts";
import { answerOf, type Said, type UpstreamFormat } from "./upstreams.ts";

export const formats = Object.keys(callers) as UpstreamFormat[];

/** Every caller with every upstream. */
export const pairs: readonly (readonly [caller: UpstreamFormat, upstream: UpstreamFormat])[] =
  formats.flatMap((caller) => formats.map((upstream) => [caller, upstream] as const));

/** The usual price in nano-dollars per token. */
export const nanosPerToken = { input: 1_000n, cached: 100n, output: 2_000n };
const price = { input: parseUsd("1"), cachedInput: parseUsd("0.1"), output: parseUsd("2") };

/** Names that say what a model there can do. */
const upstreamModels: Readonly<Record<UpstreamFormat, string>> = {
  "openai-chat": "upstream-model",
  "openai-responses": "gpt-5.6",
  "anthropic-messages": "claude-sonnet-4-5",
  gemini: "gemini-3-pro-preview",
};
const providers = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  "anthropic-messages": "anthropic",
  gemini: "google",
} as const;

export interface Asked extends Partial<Omit<Request, "model">> {
  readonly from?: TestAccount;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the one of the format's own upstream. */
  readonly model?: string;
  /** Instead of what the members above say. */
  readonly body?: Record<string, unknown>;
}

export interface FormatStage {
  readonly app: TestApp;
  readonly account: TestAccount;
  readonly upstreams: Readonly<Record<UpstreamFormat, ScriptedUpstream>>;
  /**
   * A model at an upstream of this format that no other test asks: what it does is remembered. Under its name
   * and `-or-FORMAT` it has the usual upstream of that format behind it.
   */
  fresh(format: UpstreamFormat): string;
  /** The body a caller of this format sends. */
  bodyFor(caller: UpstreamFormat, upstream: UpstreamFormat, asked?: Asked): Record<string, unknown>;
  /** Asks, without laying out an answer. */
  send(caller: UpstreamFormat, upstream: UpstreamFormat, asked?: Asked): Promise<Seen>;
  /** Lays out an answer, asks, and reads what came strictly. */
  ask(
    caller: UpstreamFormat,
    upstream: UpstreamFormat,
    said: Said | ScriptedAnswer,
    asked?: Asked,
  ): Promise<{ seen: Seen; told: Told }>;
  rowOf(seen: Seen): Promise<StoredRequest>;
  stop(): Promise<void>;
}

const freshMax = 60;

const isScripted = (said: Said | ScriptedAnswer): said is ScriptedAnswer =>
  "body" in said || "events" in said || "status" in said;

const baseUrlOf = ({ baseUrl }: ScriptedUpstream, format: UpstreamFormat): string =>
  format === "gemini" ? baseUrl.replace(/\/v1$/, "/v1beta") : baseUrl;

/** The stage; `more`: facts of all of its models. */
export async function startFormats(more: Parameters<typeof modelOn>[2] = {}): Promise<FormatStage> {
  const started = await Promise.all(
    formats.map(async (format) => [format, await startScriptedUpstream()] as const),
  );
  const upstreams = Object.fromEntries(started) as Record<UpstreamFormat, ScriptedUpstream>;
  const ids = started.flatMap(([format]) => [
    format,
    ...Array.from({ length: freshMax }, (_, index) => `${format}-${index}`),
  ]);
  const formatOf = (id: string): UpstreamFormat => id.replace(/-\d+$/, "") as UpstreamFormat;
  const modelAt = (id: string, at: readonly string[]) => ({
    ...modelOn(id, [], { maxOutput: 9_000, price, ...more }),
    deployments: at.map((upstream, index) => ({
      upstream,
      model: upstreamModels[formatOf(upstream)],
      priority: index + 1,
      weight: 1,
      ...(formatOf(upstream) === "openai-responses" ? { formats: ["openai-responses" as const] } : {}),
    })),
  });
  const app = await startApp({
    catalog: {
      upstreams: ids.map((id) => {
        const format = formatOf(id);
        return upstreamAt(id, baseUrlOf(upstreams[format], format), { provider: providers[format] });
      }),
      models: ids.flatMap((id) => [
        modelAt(id, [id]),
        ...formats.map((other) => modelAt(`${id}-or-${other}`, [id, other])),
      ]),
      limits: {},
    },
  });
  const account = await app.newAccount("1000");
  const used = new Map<UpstreamFormat, number>();

  const modelFor = (upstream: UpstreamFormat, { model = upstream }: Asked): string => model;

  const stage: FormatStage = {
    app,
    account,
    upstreams,
    fresh(format) {
      const index = used.get(format) ?? 0;
      assert.ok(index < freshMax, "no fresh model is left");
      used.set(format, index + 1);
      return `${format}-${index}`;
    },
    bodyFor: (caller, upstream, asked = {}) =>
      asked.body ??
      callers[caller].body({ isStream: false, ...asked, model: modelFor(upstream, asked) } as Request),
    send: (caller, upstream, asked = {}) =>
      post({
        url: `${app.origin}${callers[caller].path(modelFor(upstream, asked), asked.isStream === true)}`,
        key: (asked.from ?? account).key,
        headers: asked.headers,
        body: JSON.stringify(stage.bodyFor(caller, upstream, asked)),
      }),
    async ask(caller, upstream, said, asked = {}) {
      const isStream = asked.isStream === true;
      upstreams[upstream].answerWith(isScripted(said) ? said : answerOf(upstream, said, isStream));
      const seen = await stage.send(caller, upstream, asked);
      assert.equal(seen.status, 200, `${caller} at ${upstream}: ${seen.body}`);
      return { seen, told: readFor(callers[caller], seen, isStream) };
    },
    async rowOf(seen) {
      const found = await app.store.findRequest(String(seen.headers["x-request-id"]));
      assert.ok(found !== undefined, String(seen.body));
      return found.request;
    },
    async stop() {
      await app.stop();
      for (const format of formats) await upstreams[format].stop();
    },
  };
  return stage;
}

/** Reads strictly; what was got is part of what goes wrong. */
function readFor(caller: Caller, { body }: Seen, isStream: boolean): Told {
  try {
    return caller.read(body, isStream);
  } catch (error) {
    (error as Error).message += `\n${body.toString("utf8").slice(0, 4_000)}`;
    throw error;
  }
}
