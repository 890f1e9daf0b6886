/**
 * P23 for every provider: credentials of each one's shape, tokens made of them, and upstreams that quote secrets, hosts, accounts and prompts
 * in each one's own form of an error. Part of the rig in `p23-secrets.ts`.
 */
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Reply, type Wire, wires } from "../../behaviour/providers/provider-wires.ts";
import type { RigUpstream } from "../harness/catalog.ts";
import { countFigure, type Figure, zeroFigure } from "../harness/figure.ts";
import { get, inParallel, post } from "../harness/http-client.ts";
import { startPlaza, temporaryFolder } from "../harness/processes/plaza.ts";
import type { Random } from "../harness/random.ts";
import type { Canary } from "./p23-canaries.ts";
import { atRest, hits, isCatalogFile, sighting } from "./p23-search.ts";

/** Texts that upstreams quote; `core` is searched for. */
interface Leak {
  readonly name: string;
  readonly text: (core: string) => string;
}

/**
 * What each provider's errors are known to quote (docs/wire/upstream-errors.md section 5), in words like
 * theirs.
 */
const leaks: readonly Leak[] = [
  { name: "anthropic key", text: (core) => `invalid x-api-key sk-ant-api03-${core}` },
  { name: "google key", text: (core) => `API key not valid: AIzaSy${core}${core}` },
  { name: "google project", text: (core) => `quota of consumer projects/123${core} used up` },
  {
    name: "google account",
    text: (core) => `permission denied for plaza-${core}@my-project.iam.gserviceaccount.com`,
  },
  { name: "google token", text: (core) => `token ya29.${core}${core} expired` },
  { name: "arn of a user", text: (core) => `User: arn:aws:iam::123456789012:user/${core} is not authorized` },
  { name: "access key id", text: (core) => `The key AKIA${core} is inactive` },
  {
    name: "signature",
    text: (core) => `AWS4-HMAC-SHA256 Credential=AKIA${core}/20261121/us-east-1, Signature=${core}`,
  },
  { name: "bedrock key", text: (core) => `bedrock-api-key-${core} is expired` },
  {
    name: "azure host",
    text: (core) => `https://${core.toLowerCase()}.openai.azure.com/openai/deployments/x`,
  },
  { name: "azure key", text: (core) => `api-key: ${core}` },
  { name: "azure resource", text: (core) => `resource '${core}' of subscription '${core}'` },
  { name: "request id", text: (core) => `(request id: req_${core})` },
];

/** The error that is the caller's own fault, and so shown: one for each protocol. */
const shownTypes: Readonly<Record<string, string>> = {
  openai: "something_new",
  azure: "BadRequest",
  anthropic: "invalid_request_error",
  google: "INVALID_ARGUMENT",
  bedrock: "ValidationException",
};

type Form = "shown" | "hidden" | "in a 200" | "after content" | "sound";

interface Case {
  readonly id: string;
  readonly wire: Wire;
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
  for (const wire of wires) {
    const rotated = texts.map((_, turn) => [...texts.slice(turn), ...texts.slice(0, turn)].join(" "));
    rotated.forEach((text, turn) => {
      cases.push({ wire, form: "shown", status: 400, text, isStream: turn % 2 === 0 });
    });
    const all = `${words} ${texts.join(" ")} ${words}`;
    for (const isStream of [true, false]) {
      for (const status of [400, 401, 403, 404, 413, 429, 500, 503])
        cases.push({ wire, form: "hidden", status, text: all, isStream });
      cases.push({ wire, form: "in a 200", status: 500, text: all, isStream });
      cases.push({ wire, form: "sound", status: 200, text: "fine", isStream });
    }
    cases.push({ wire, form: "after content", status: 500, text: all, isStream: true });
  }
  return cases.map((one, index) => ({ ...one, id: `case${index}` }));
}

/** Headers an upstream sends along: none of them is the caller's business. */
const headersOf = (core: string): Record<string, string> => ({
  "anthropic-organization-id": core,
  "x-amzn-requestid": core,
  "apim-request-id": core,
  "x-ms-region": core,
  "set-cookie": `session=${core}`,
});

function replyTo({ wire, form, status, text, isStream }: Case, core: string): Reply {
  const headers = headersOf(core);
  const type = shownTypes[wire.id] ?? "";
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
  const aws = wire.id === "bedrock" && form === "shown" ? { "x-amzn-errortype": type } : {};
  return {
    status: form === "in a 200" ? 200 : status,
    headers: { ...headers, ...aws },
    body: wire.error(status, type, text),
  };
}

interface Plan {
  readonly cases: readonly Case[];
  readonly canaries: readonly Canary[];
  readonly env: Readonly<Record<string, string>>;
  readonly headerCore: string;
  readonly prompt: string;
  readonly tokens: Readonly<Record<"google" | "azure", string>>;
}

/** Credentials of every shape, each with a part that occurs nowhere else. */
function planOf(random: Random): Plan {
  const canaries: Canary[] = [];
  const plant = (name: string, kind: Canary["kind"] = "secret"): string => {
    const core = coreOf(random);
    canaries.push({ name, core, text: core, kind });
    return core;
  };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const core = pem.split("\n")[8]?.slice(0, 40) ?? "";
  canaries.push({ name: "private key of a service account", core, text: core, kind: "secret" });
  const account = {
    type: "service_account",
    project_id: plant("project of a service account").toLowerCase(),
    private_key_id: plant("key id of a service account"),
    private_key: pem,
    client_email: `${plant("address of a service account").toLowerCase()}@p.iam.gserviceaccount.com`,
  };
  const env = {
    RIG_OPENAI: `sk-proj-${plant("credential: openai")}`,
    RIG_ANTHROPIC: `sk-ant-api03-${plant("credential: anthropic")}-AA`,
    RIG_GOOGLE: `AIza${plant("credential: google")}`,
    RIG_GOOGLE_ACCOUNT: JSON.stringify(account),
    RIG_BEDROCK: `AKIA${plant("credential: access key id")}:${plant("credential: AWS secret")}:${plant("credential: session token")}`,
    RIG_BEDROCK_KEY: `ABSK${plant("credential: bedrock key")}`,
    RIG_AZURE: plant("credential: azure"),
    RIG_AZURE_SECRET: `tenant:client:${plant("credential: azure secret")}`,
  };
  const texts = leaks.map(({ name, text }) => text(plant(`quoted: ${name}`)));
  const prompt = plant("prompt", "caller");
  return {
    cases: casesOf(texts, prompt),
    canaries,
    env,
    headerCore: plant("header of an upstream"),
    prompt,
    tokens: { google: `ya29.${plant("token: google")}`, azure: plant("token: azure") },
  };
}

async function startUpstreams({ cases, headerCore, tokens }: Plan) {
  const called = new Set<string>();
  const presented: string[] = [];
  const server = createServer(async (req, res) => {
    for await (const _ of req);
    const [, place = ""] = req.url?.split("/") ?? [];
    called.add(place);
    presented.push(req.rawHeaders.join("\n"));
    if (place === "google-token" || req.url?.includes("oauth2")) {
      const token = place === "google-token" ? tokens.google : tokens.azure;
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

/** Every second case of a provider that has two kinds of credential uses the other kind. */
function upstreamOf({ id, wire }: Case, index: number, origin: string): RigUpstream {
  const isOther = index % 2 === 1;
  const timeouts = { connect: "1s", firstToken: "2s", idle: "2s", total: "4s" };
  const plain = {
    id,
    provider: wire.id,
    baseUrl: `${origin}/${id}${wire.basePath}`,
    timeouts,
    options: wire.options,
  };
  if (wire.id === "google" && isOther) {
    return {
      ...plain,
      credentialFrom: "RIG_GOOGLE_ACCOUNT",
      options: { api: "vertex", tokenUri: `${origin}/google-token` },
    };
  }
  if (wire.id === "azure" && isOther)
    return { ...plain, credentialFrom: "RIG_AZURE_SECRET", options: { auth: "entra", authority: origin } };
  if (wire.id === "bedrock" && isOther) return { ...plain, credentialFrom: "RIG_BEDROCK_KEY" };
  return { ...plain, credentialFrom: `RIG_${wire.id.toUpperCase()}` };
}

const bodyOf = ({ id, isStream }: Case, prompt: string): string =>
  JSON.stringify({
    model: id,
    stream: isStream,
    messages: [
      { role: "system", content: prompt },
      { role: "user", content: prompt },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c", type: "function", function: { name: "f", arguments: JSON.stringify({ q: prompt }) } },
        ],
      },
      { role: "tool", tool_call_id: "c", content: prompt },
    ],
    tools: [
      {
        type: "function",
        function: {
          name: "f",
          description: prompt,
          parameters: { type: "object", properties: { q: { type: "string" } } },
        },
      },
    ],
  });

/** Provokes every form of error of every provider, then searches everything that came of it. */
export async function searchProviders(random: Random): Promise<Figure[]> {
  const plan = planOf(random);
  const { cases, canaries } = plan;
  const upstreams = await startUpstreams(plan);
  const folder = temporaryFolder();
  const deployed = (id: string) => ({ id, deployments: [{ upstream: id, model: "upstream-model" }] });
  const plaza = await startPlaza({
    folder,
    catalog: {
      upstreams: cases.map((one, index) => upstreamOf(one, index, upstreams.origin)),
      models: cases.map(({ id }) => deployed(id)),
    },
    env: { ...plan.env, PLAZA_LOG_REQUESTS: "on" },
  });
  try {
    const wrong: string[] = [];
    const answers = await inParallel(cases, 16, async (one) => {
      const { id, wire, form, status, isStream } = one;
      const seen = await post({
        url: plaza.chatUrl,
        key: plaza.key,
        body: bodyOf(one, plan.prompt),
        withinMs: 10_000,
      });
      const what = `${wire.id}: ${form} ${status} (${isStream ? "stream" : "whole"})`;
      const isAnswer = form === "sound" || form === "after content";
      if ((seen.status === 200) !== isAnswer)
        wrong.push(`${what}: status ${seen.status} ${seen.body.toString("utf8").slice(0, 200)}`);
      // A text that begins with the refusal of a key is about ours, and not shown at all.
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
    const shown = [
      plan.tokens.google,
      plan.tokens.azure,
      plan.env["RIG_ANTHROPIC"],
      plan.env["RIG_GOOGLE"],
      plan.env["RIG_BEDROCK_KEY"],
    ];
    const unused = shown
      .filter((credential) => !heads.includes(credential ?? "?"))
      .map((credential) => `${credential?.slice(0, 8)}… was never presented`);
    return [
      countFigure(
        "P23",
        `errors of ${wires.length} providers, with ${canaries.length} canaries`,
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
