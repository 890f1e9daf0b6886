/**
 * P23 for every provider, in every format it speaks, under callers of every endpoint: credentials of its
 * form, tokens derived from them, and upstreams that quote secrets, hosts, accounts and prompts in its error
 * format. Part of the rig in `p23-secrets.ts`.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestedProvider, testedProviders } from "../../../../server/src/providers/testing/all.ts";
import type { CredentialKind, Leak, Planter } from "../../../../server/src/providers/testing/secrets.ts";
import type { RigModel, RigUpstream } from "../../harness/catalog.ts";
import { type EndpointName, endpointNames, pathOf } from "../../harness/endpoints.ts";
import { countFigure, type Figure, zeroFigure } from "../../harness/figure.ts";
import { get, inParallel, post, type Seen } from "../../harness/http-client.ts";
import { type Plaza, startPlaza, temporaryFolder } from "../../harness/processes/plaza.ts";
import type { Random } from "../../harness/random.ts";
import { privateBody } from "./p23-bodies.ts";
import type { Canary } from "./p23-canaries.ts";
import {
  type FormedReply,
  replyOf,
  type SpeakingProvider,
  speakingProviders,
  unspoken,
} from "./p23-provider-forms.ts";
import { atRest, hits, isCatalogFile, type Sighting, sighting } from "./p23-search.ts";

/** Quoted by every vendor. */
const requestIdLeak: Leak = { name: "request id", text: (core) => `(request id: req_${core})` };

/** A path that callers of one format ask, and what they send. */
interface CallerPath {
  readonly name: string;
  /** False: some providers serve nothing there. */
  readonly isServed: boolean;
  path(model: string, isStream: boolean): string;
  body(model: string, isStream: boolean, prompt: string): string;
}

interface Case extends FormedReply {
  readonly id: string;
  readonly speaking: SpeakingProvider;
  readonly caller: CallerPath;
}

/** A request with the prompt wherever its format has a place that survives translation. */
function conversationOf(endpoint: EndpointName, model: string, isStream: boolean, prompt: string): string {
  const text = (name: string): string => (name === "tool arguments" ? JSON.stringify({ q: prompt }) : prompt);
  const say = { all: [], leaks: [], wordsFrom: 0, headers: {}, text };
  const other = endpoint === "chat" ? "gemini" : "chat";
  return privateBody(say, { endpoint, spoken: other }, { model, isStream, plan: {} });
}

const conversations: readonly CallerPath[] = endpointNames.map((endpoint) => ({
  name: endpoint,
  isServed: true,
  path: (model, isStream) => pathOf(endpoint, { model, isStream }),
  body: (model, isStream, prompt) => conversationOf(endpoint, model, isStream, prompt),
}));

const contentOf = (text: string): object => ({ parts: [{ text }] });

/** Paths besides those of conversations: asked for errors only. */
const others: readonly CallerPath[] = (
  [
    ["embeddings", () => "/v1/embeddings", (model, prompt) => ({ model, input: prompt })],
    ["completions", () => "/v1/completions", (model, prompt) => ({ model, prompt })],
    [
      "embedContent",
      (model) => `/v1beta/models/${model}:embedContent`,
      (_model, prompt) => ({ content: contentOf(prompt) }),
    ],
    ["input_tokens", () => "/v1/responses/input_tokens", (model, prompt) => ({ model, input: prompt })],
    [
      "count_tokens",
      () => "/v1/messages/count_tokens",
      (model, prompt) => ({ model, messages: [{ role: "user", content: prompt }] }),
    ],
    [
      "countTokens",
      (model) => `/v1beta/models/${model}:countTokens`,
      (_model, prompt) => ({ contents: [{ role: "user", ...contentOf(prompt) }] }),
    ],
  ] satisfies [string, (model: string) => string, (model: string, prompt: string) => object][]
).map(([name, path, body]) => ({
  name,
  isServed: false,
  path,
  body: (model, _isStream, prompt) => JSON.stringify(body(model, prompt)),
}));

const letters = [..."ABCDEFGHJKLMNPQRSTUVWXYZ23456789"];
const coreOf = (random: Random): string =>
  `CNRY${Array.from({ length: 16 }, () => random.pick(letters)).join("")}`;

function casesOf(texts: readonly string[], words: string): Case[] {
  const cases: Omit<Case, "id">[] = [];
  const all = `${words} ${texts.join(" ")} ${words}`;
  const rotated = texts.map((_, turn) => [...texts.slice(turn), ...texts.slice(0, turn)].join(" "));
  for (const speaking of speakingProviders) {
    for (const caller of conversations) {
      rotated.forEach((text, turn) => {
        cases.push({ speaking, caller, form: "shown", status: 400, text, isStream: turn % 2 === 0 });
      });
      for (const isStream of [true, false]) {
        for (const status of [400, 401, 403, 404, 413, 429, 500, 503])
          cases.push({ speaking, caller, form: "hidden", status, text: all, isStream });
        cases.push({ speaking, caller, form: "in a 200", status: 500, text: all, isStream });
        cases.push({ speaking, caller, form: "sound", status: 200, text: "fine", isStream });
      }
      cases.push({ speaking, caller, form: "after content", status: 500, text: all, isStream: true });
    }
    for (const caller of others) {
      cases.push({ speaking, caller, form: "shown", status: 400, text: all, isStream: false });
      for (const status of [400, 401, 404, 429, 500])
        cases.push({ speaking, caller, form: "hidden", status, text: all, isStream: false });
      cases.push({ speaking, caller, form: "in a 200", status: 500, text: all, isStream: false });
    }
  }
  return cases.map((one, index) => ({ ...one, id: `case${index}` }));
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
    const reply =
      found === undefined ? { body: "{}", status: 404 } : replyOf(found.speaking, found, headerCore);
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
function upstreamOf({ id, speaking }: Case, index: number, { kinds }: Plan, origin: string): RigUpstream {
  const { provider } = speaking;
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

const operations = ["chat", "completion", "embeddings"];

const modelOf = ({ id, speaking: { formats } }: Case): RigModel => ({
  id,
  deployments: [{ upstream: id, model: "upstream-model", ...(formats === undefined ? {} : { formats }) }],
  facts: { operations },
});

/** Plaza's own headers of an answer: for nobody's words. */
const ownHeaders = (where: string, { headers }: Seen): Sighting => ({
  where: `x-plaza headers of ${where}`,
  bytes: Buffer.from(
    Object.entries(headers)
      .filter(([name]) => name.startsWith("x-plaza-"))
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
  ),
  isOwner: false,
});

interface Answered {
  readonly sighting: Sighting;
  readonly own: Sighting;
  readonly wrong: readonly string[];
}

async function provoke(
  one: Case,
  plaza: Plaza,
  prompt: string,
  called: ReadonlySet<string>,
): Promise<Answered> {
  const { id, caller, form, status, isStream } = one;
  const seen = await post({
    url: plaza.origin + caller.path(id, isStream),
    key: plaza.key,
    body: caller.body(id, isStream, prompt),
    withinMs: 10_000,
  });
  const what = `${one.speaking.name} under ${caller.name}: ${form} ${status} (${isStream ? "stream" : "whole"})`;
  const wrong: string[] = [];
  const isAnswer = form === "sound" || form === "after content";
  if ((seen.status === 200) !== isAnswer)
    wrong.push(`${what}: status ${seen.status} ${seen.body.toString("utf8").slice(0, 200)}`);
  // An error that begins with a credential refusal is about the operator's key, and is not passed on.
  const isPassedOn = seen.status !== 400 || seen.body.includes("[removed]");
  if (form === "shown" && caller.isServed && !isPassedOn)
    wrong.push(`${what}: the upstream's text was not passed on`);
  if (caller.isServed && !called.has(id)) wrong.push(`${what}: never reached its upstream`);
  return { sighting: sighting(what, seen, true), own: ownHeaders(what, seen), wrong };
}

/** Paths that no provider served: nothing was searched there. */
function unasked(cases: readonly Case[], called: ReadonlySet<string>): string[] {
  const reached = new Set(cases.filter(({ id }) => called.has(id)).map(({ caller }) => caller));
  return [...conversations, ...others].filter((caller) => !reached.has(caller)).map(({ name }) => name);
}

/** What was seen of some of the cases, in a process of their own. */
interface Searched {
  readonly answers: readonly Answered[];
  readonly rest: readonly Sighting[];
  /** Credentials and tokens that upstreams were presented with. */
  readonly heads: string;
  readonly called: ReadonlySet<string>;
}

/** Upstreams that one catalog may have, with some to spare. */
const casesMax = 900;

async function search(cases: readonly Case[], plan: Plan): Promise<Searched> {
  const upstreams = await startUpstreams({ ...plan, cases });
  const folder = temporaryFolder();
  const plaza = await startPlaza({
    folder,
    catalog: {
      upstreams: cases.map((one, index) => upstreamOf(one, index, plan, upstreams.origin)),
      models: cases.map(modelOf),
    },
    env: {
      ...Object.fromEntries(plan.kinds.map(({ variable, credential }) => [variable, credential])),
      PLAZA_LOG_REQUESTS: "on",
    },
  });
  try {
    const answers = await inParallel(cases, 16, (one) => provoke(one, plaza, plan.prompt, upstreams.called));
    const bytes = Buffer.from((await get(`${plaza.origin}/metrics`)).text);
    const metrics = { where: "metrics", bytes, isOwner: false };
    const alive = atRest(plaza, folder);
    await plaza.stop();
    const rest = [...alive, ...atRest(plaza, folder), metrics].filter((one) => !isCatalogFile(one));
    return { answers, rest, heads: upstreams.presented.join("\n"), called: upstreams.called };
  } finally {
    await plaza.stop();
    upstreams.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Provokes every form of error of every provider at every endpoint, then searches all outputs. */
export async function searchProviders(random: Random): Promise<Figure[]> {
  const plan = planOf(random);
  const { canaries } = plan;
  const cases = random.shuffle(plan.cases);
  const found: Searched[] = [];
  for (let from = 0; from < cases.length; from += casesMax)
    found.push(await search(cases.slice(from, from + casesMax), plan));
  const answers = found.flatMap((one) => one.answers);
  const own = answers.map((one) => one.own).filter(({ bytes }) => bytes.length > 0);
  const rest = found.flatMap((one) => one.rest);
  const called = new Set(found.flatMap((one) => [...one.called]));
  const heads = found.map((one) => one.heads).join("\n");
  const shown = plan.kinds
    .filter(({ kind }) => kind.isOnlySignedWith !== true)
    .map(({ token, credential }) => token ?? credential);
  const unused = shown
    .filter((credential) => !heads.includes(credential))
    .map((credential) => `${credential.slice(0, 8)}… was never presented`);
  const figure = (name: string, seen: readonly Sighting[]): Figure =>
    zeroFigure("P23", name, seen.length, hits(canaries, seen));
  return [
    countFigure(
      "P23",
      `errors of ${testedProviders.length} providers at all endpoints, with ${canaries.length} canaries`,
      cases.length,
      answers.flatMap(({ wrong }) => wrong),
    ),
    countFigure(
      "P23",
      "formats of providers and paths of callers that were tried",
      speakingProviders.length + conversations.length + others.length,
      [...unspoken, ...unasked(cases, called)],
    ),
    figure(
      "answers of all providers hold no secret",
      answers.map((one) => one.sighting),
    ),
    figure("x-plaza headers hold no canary", own),
    figure("logs, files and metrics of all providers hold no canary", rest),
    countFigure("P23", "credentials and tokens of all kinds were presented", shown.length, unused),
  ];
}
