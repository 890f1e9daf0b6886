/**
 * P23 for every provider: credentials of its form, tokens derived from them, and upstreams that quote
 * secrets, hosts, accounts and prompts in its error format. Part of the rig in `p23-secrets.ts`.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestedProvider, testedProviders } from "../../../../server/src/providers/testing/all.ts";
import type { CredentialKind, Leak, Planter } from "../../../../server/src/providers/testing/secrets.ts";
import type { Reply } from "../../../../server/src/providers/testing/wire.ts";
import type { RigUpstream } from "../../harness/catalog.ts";
import { countFigure, type Figure, zeroFigure } from "../../harness/figure.ts";
import { get, inParallel, post } from "../../harness/http-client.ts";
import { startPlaza, temporaryFolder } from "../../harness/processes/plaza.ts";
import type { Random } from "../../harness/random.ts";
import type { Canary } from "./p23-canaries.ts";
import { atRest, hits, isCatalogFile, sighting } from "./p23-search.ts";

/** Quoted by every vendor. */
const requestIdLeak: Leak = { name: "request id", text: (core) => `(request id: req_${core})` };

type Form = "shown" | "hidden" | "in a 200" | "after content" | "sound";

interface Case {
  readonly id: string;
  readonly provider: TestedProvider;
  readonly form: Form;
  readonly status: number;
  readonly text: string;
  readonly isStream: boolean;
}

const letters = [..."ABCDEFGHJKLMNPQRSTUVWXYZ23456789"];
const coreOf = (random: Random): string =>
  `CNRY${Array.from({ length: 16 }, () => random.pick(letters)).join("")}`;

function casesOf(texts: readonly string[], words: string): Case[] {
  const cases: Omit<Case, "id">[] = [];
  for (const provider of testedProviders) {
    const rotated = texts.map((_, turn) => [...texts.slice(turn), ...texts.slice(0, turn)].join(" "));
    rotated.forEach((text, turn) => {
      cases.push({ provider, form: "shown", status: 400, text, isStream: turn % 2 === 0 });
    });
    const all = `${words} ${texts.join(" ")} ${words}`;
    for (const isStream of [true, false]) {
      for (const status of [400, 401, 403, 404, 413, 429, 500, 503])
        cases.push({ provider, form: "hidden", status, text: all, isStream });
      cases.push({ provider, form: "in a 200", status: 500, text: all, isStream });
      cases.push({ provider, form: "sound", status: 200, text: "fine", isStream });
    }
    cases.push({ provider, form: "after content", status: 500, text: all, isStream: true });
  }
  return cases.map((one, index) => ({ ...one, id: `case${index}` }));
}

/** Upstream response headers that callers must not receive. */
const headersOf = (core: string): Record<string, string> => ({
  "anthropic-organization-id": core,
  "x-amzn-requestid": core,
  "apim-request-id": core,
  "x-ms-region": core,
  "set-cookie": `session=${core}`,
});

function replyTo({ provider, form, status, text, isStream }: Case, core: string): Reply {
  const headers = headersOf(core);
  const { wire, secrets } = provider;
  const type = secrets.shownType;
  const streamHeaders = { ...headers, "content-type": wire.streamType };
  const { begin, rest } = wire.stream("fine");
  if (form === "sound")
    return isStream
      ? { headers: streamHeaders, body: Buffer.concat([begin, rest]) }
      : { headers, body: wire.whole("fine") };
  if (form === "after content")
    return { headers: streamHeaders, body: Buffer.concat([begin, wire.streamError(500, type, text)]) };
  if (form === "in a 200" && isStream)
    return { headers: streamHeaders, body: wire.streamError(500, type, text) };
  const named = form === "shown" ? wire.errorHeaders?.(type) : undefined;
  return {
    status: form === "in a 200" ? 200 : status,
    headers: { ...headers, ...named },
    body: wire.error(status, type, text),
  };
}

/** One kind of credential of one provider, planted. */
interface PlantedKind {
  readonly provider: TestedProvider;
  readonly kind: CredentialKind;
  /** The environment variable with the credential. */
  readonly variable: string;
  readonly credential: string;
  /** The access token it is exchanged for. */
  readonly token: string | undefined;
}

interface Plan {
  readonly cases: readonly Case[];
  readonly canaries: readonly Canary[];
  readonly kinds: readonly PlantedKind[];
  readonly headerCore: string;
  readonly prompt: string;
}

/** Credentials of every format, each with a unique part. */
function planOf(random: Random): Plan {
  const canaries: Canary[] = [];
  const plant = (name: string, kind: Canary["kind"] = "secret"): string => {
    const core = coreOf(random);
    canaries.push({ name, core, text: core, kind });
    return core;
  };
  const planter: Planter = {
    plant: (name) => plant(name),
    add: (name, text) => void canaries.push({ name, core: text, text, kind: "secret" }),
  };
  const kinds = testedProviders.flatMap((provider) =>
    provider.secrets.credentials.map((kind, place): PlantedKind => {
      const variable = `RIG_${provider.id.toUpperCase().replaceAll("-", "_")}_${place}`;
      const credential = kind.credential(planter);
      return { provider, kind, variable, credential, token: kind.exchange?.token(planter) };
    }),
  );
  const leaks = [...testedProviders.flatMap(({ secrets }) => secrets.leaks), requestIdLeak];
  const texts = leaks.map(({ name, text }) => text(plant(`quoted: ${name}`)));
  const prompt = plant("prompt", "caller");
  return {
    cases: casesOf(texts, prompt),
    canaries,
    kinds,
    headerCore: plant("header of an upstream"),
    prompt,
  };
}

async function startUpstreams({ cases, headerCore, kinds }: Plan) {
  const called = new Set<string>();
  const presented: string[] = [];
  const server = createServer(async (req, res) => {
    for await (const _ of req);
    const [, place = ""] = req.url?.split("/") ?? [];
    called.add(place);
    presented.push(req.rawHeaders.join("\n"));
    const exchanged = kinds.find(({ kind }) => kind.exchange?.isAsked(req.url ?? ""));
    if (exchanged !== undefined) {
      const { token } = exchanged;
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify({ access_token: token, expires_in: 3600, token_type: "Bearer" }));
      return;
    }
    const found = cases.find(({ id }) => id === place);
    const reply = found === undefined ? { body: "{}", status: 404 } : replyTo(found, headerCore);
    res
      .writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers })
      .end(reply.body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    called,
    presented,
    stop: () => server.close().closeAllConnections(),
  };
}

/** The cases of a provider with several kinds of credential use them in turn. */
function upstreamOf({ id, provider }: Case, index: number, { kinds }: Plan, origin: string): RigUpstream {
  const own = kinds.filter((one) => one.provider === provider);
  const { kind, variable } = own[index % own.length] ?? assert.fail(`${provider.id} has no credential`);
  return {
    id,
    provider: provider.id,
    baseUrl: `${origin}/${id}${provider.wire.basePath}`,
    timeouts: { connect: "1s", firstToken: "2s", idle: "2s", total: "4s" },
    credentialFrom: variable,
    options: kind.options?.(origin) ?? provider.wire.options,
  };
}

/** A turn with a tool call, for providers with tools. */
const toolTurn = (prompt: string): object[] => [
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "c", type: "function", function: { name: "f", arguments: JSON.stringify({ q: prompt }) } },
    ],
  },
  { role: "tool", tool_call_id: "c", content: prompt },
];

function bodyOf({ id, isStream, provider }: Case, prompt: string): string {
  const hasTools = provider.descriptor.lacks?.includes("tools") !== true;
  const parameters = { type: "object", properties: { q: { type: "string" } } };
  const tool = { type: "function", function: { name: "f", description: prompt, parameters } };
  return JSON.stringify({
    model: id,
    stream: isStream,
    messages: [
      { role: "system", content: prompt },
      { role: "user", content: prompt },
      ...(hasTools ? toolTurn(prompt) : []),
    ],
    ...(hasTools ? { tools: [tool] } : {}),
  });
}

/** Provokes every form of error of every provider, then searches all outputs. */
export async function searchProviders(random: Random): Promise<Figure[]> {
  const plan = planOf(random);
  const { cases, canaries } = plan;
  const upstreams = await startUpstreams(plan);
  const folder = temporaryFolder();
  const deployed = (id: string) => ({ id, deployments: [{ upstream: id, model: "upstream-model" }] });
  const plaza = await startPlaza({
    folder,
    catalog: {
      upstreams: cases.map((one, index) => upstreamOf(one, index, plan, upstreams.origin)),
      models: cases.map(({ id }) => deployed(id)),
    },
    env: {
      ...Object.fromEntries(plan.kinds.map(({ variable, credential }) => [variable, credential])),
      PLAZA_LOG_REQUESTS: "on",
    },
  });
  try {
    const wrong: string[] = [];
    const answers = await inParallel(cases, 16, async (one) => {
      const { id, provider, form, status, isStream } = one;
      const seen = await post({
        url: plaza.chatUrl,
        key: plaza.key,
        body: bodyOf(one, plan.prompt),
        withinMs: 10_000,
      });
      const what = `${provider.id}: ${form} ${status} (${isStream ? "stream" : "whole"})`;
      const isAnswer = form === "sound" || form === "after content";
      if ((seen.status === 200) !== isAnswer)
        wrong.push(`${what}: status ${seen.status} ${seen.body.toString("utf8").slice(0, 200)}`);
      // An error that begins with a credential refusal is about the operator's key, and is not passed on.
      const isPassedOn = seen.status !== 400 || seen.body.includes("[removed]");
      if (form === "shown" && !isPassedOn) wrong.push(`${what}: the upstream's text was not passed on`);
      if (!upstreams.called.has(id)) wrong.push(`${what}: never reached its upstream`);
      return sighting(what, seen, true);
    });
    const metrics = {
      where: "metrics",
      bytes: Buffer.from((await get(`${plaza.origin}/metrics`)).text),
      isOwner: false,
    };
    const alive = atRest(plaza, folder);
    await plaza.stop();
    const rest = [...alive, ...atRest(plaza, folder), metrics].filter((one) => !isCatalogFile(one));
    const heads = upstreams.presented.join("\n");
    const shown = plan.kinds
      .filter(({ kind }) => kind.isOnlySignedWith !== true)
      .map(({ token, credential }) => token ?? credential);
    const unused = shown
      .filter((credential) => !heads.includes(credential))
      .map((credential) => `${credential.slice(0, 8)}… was never presented`);
    return [
      countFigure(
        "P23",
        `errors of ${testedProviders.length} providers, with ${canaries.length} canaries`,
        cases.length,
        wrong,
      ),
      zeroFigure("P23", "answers of all providers hold no secret", answers.length, hits(canaries, answers)),
      zeroFigure(
        "P23",
        "logs, files and metrics of all providers hold no canary",
        rest.length,
        hits(canaries, rest),
      ),
      countFigure("P23", "credentials and tokens of all kinds were presented", shown.length, unused),
    ];
  } finally {
    await plaza.stop();
    upstreams.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
