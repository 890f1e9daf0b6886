/**
 * P23: secrets and prompts never leak. Canaries are planted in credentials, keys, headers, prompts and
 * upstream error texts; every fault and every kind of refusal is provoked; then logs, answers, upstream
 * requests and database files are searched for them. Over all endpoints, at upstreams of every format.
 */
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inAllFormats, spokenName } from "../../harness/catalog.ts";
import {
  bodyFor,
  type EndpointName,
  endpointNames,
  pathOf,
  type Route,
  routeFor,
} from "../../harness/endpoints.ts";
import { countFigure, type Figure, type Rig, zeroFigure } from "../../harness/figure.ts";
import { get, inParallel, post, type Seen } from "../../harness/http-client.ts";
import { addFresh, freshModel } from "../../harness/processes/fresh-upstreams.ts";
import { type Plaza, startPlaza, temporaryFolder } from "../../harness/processes/plaza.ts";
import { closedPort } from "../../harness/processes/ports.ts";
import { isAlive } from "../../harness/processes/proc.ts";
import { type Random, seededRandom } from "../../harness/random.ts";
import { sendRaw } from "../../harness/raw-client.ts";
import { callerFaults, faults } from "../../upstream/faults.ts";
import { startUpstream, type Upstream } from "../../upstream/server.ts";
import { type PrivateCall, privateBody, privatePath } from "./p23-bodies.ts";
import { type Canaries, type Canary, plantCanaries } from "./p23-canaries.ts";
import { searchProviders } from "./p23-providers.ts";
import { atRest, hits, isCatalogFile, type Sighting, sighting } from "./p23-search.ts";

/** Each vendor's clients send the key in a header of their own, too. */
const keyHeaders: Readonly<Record<EndpointName, string | undefined>> = {
  chat: undefined,
  responses: undefined,
  messages: "x-api-key",
  gemini: "x-goog-api-key",
};

function privateHeaders(canaries: Canaries, endpoint: EndpointName, key: string): Record<string, string> {
  const name = keyHeaders[endpoint];
  return {
    ...(name === undefined ? {} : { [name]: key }),
    cookie: canaries.text("header: cookie"),
    "x-secret": canaries.text("header: x-secret"),
    "openai-organization": canaries.text("header: openai-organization"),
    "user-agent": canaries.text("header: user-agent"),
  };
}

interface Provocation extends Route {
  readonly id: string;
  readonly fault: string;
  readonly isStream: boolean;
}

/**
 * Success, every upstream fault and client errors, streamed and whole; the number in an id selects the
 * upstream's first leak.
 */
function provocations(canaries: Canaries, seed: number): Provocation[] {
  const { leaks, wordsFrom } = canaries;
  const routed = <Case extends { readonly id: string }>(one: Case) => ({ ...one, ...routeFor(one.id, seed) });
  const rows = [
    "",
    ...[...faults, ...callerFaults].filter(({ make }) => make !== undefined).map(({ name }) => name),
  ];
  const told = [0, wordsFrom].flatMap((turn) =>
    rows.flatMap((fault) =>
      [true, false].map((isStream) => ({
        fault,
        isStream,
        id: `${fault}-${isStream ? "stream" : "whole"}-${turn}`,
      })),
    ),
  );
  const turns = ["status_400", "status_500_body"].flatMap((fault) =>
    leaks.map((_, turn) => ({ fault, isStream: turn % 2 === 0, id: `turn-${fault}-${turn}` })),
  );
  return [...told, ...turns].map(routed);
}

/** The model of each case, at an upstream of its format that has not failed before. */
function freshModels(cases: readonly Provocation[]): string[] {
  const used = new Map<EndpointName, number>();
  return cases.map(({ spoken }) => {
    const place = used.get(spoken) ?? 0;
    used.set(spoken, place + 1);
    return freshModel(spokenName("rig-model", spoken), place);
  });
}

async function provokeUpstream(
  plaza: Plaza,
  canaries: Canaries,
  cases: readonly Provocation[],
): Promise<Sighting[]> {
  const models = freshModels(cases);
  const numbered = cases.map((one, index) => ({ ...one, model: models[index] ?? "" }));
  return inParallel(numbered, 8, async ({ fault, isStream, id, model, ...route }) => {
    const { endpoint, spoken } = route;
    const call = { model, isStream, plan: { fault, id, content: canaries.text("answer") } };
    const seen = await post({
      url: plaza.origin + privatePath(canaries, endpoint, call),
      key: plaza.key,
      body: privateBody(canaries, route, call),
      headers: privateHeaders(canaries, endpoint, plaza.key),
      withinMs: 15_000,
    });
    const how = `${endpoint} at ${spoken}, ${isStream ? "stream" : "whole"}, status ${seen.status}`;
    return sighting(`answer to ${fault || "success"} (${how})`, seen, true);
  });
}

/** Models whose upstream refuses connections, and callers that disconnect, at every endpoint. */
async function provokeNetwork(plaza: Plaza, canaries: Canaries): Promise<Sighting[]> {
  const ask = (endpoint: EndpointName, call: PrivateCall, withinMs?: number): Promise<Seen> =>
    post({
      url: plaza.origin + pathOf(endpoint, call),
      key: plaza.key,
      body: privateBody(canaries, { endpoint, spoken: "chat" }, call),
      withinMs,
    });
  const refused = await Promise.all(
    endpointNames.map((endpoint) => ask(endpoint, { model: "rig-refused", isStream: true, plan: {} })),
  );
  const plan = { headersMs: 5000, content: canaries.text("answer") };
  await Promise.all(
    endpointNames.flatMap((endpoint) =>
      [true, false].map((isStream) => ask(endpoint, { model: "rig-model", isStream, plan }, 150)),
    ),
  );
  return refused.map((seen) => sighting("answer to refused connection", seen, true));
}

/** Bodies that an endpoint refuses itself, by name, with the key each is sent with. */
function refusedBodies(
  plaza: Plaza,
  canaries: Canaries,
  endpoint: EndpointName,
): readonly (readonly [name: string, key: string, body: string])[] {
  const route = { endpoint, spoken: endpoint };
  const body = privateBody(canaries, route, { model: "rig-model", isStream: false, plan: {} });
  const said = canaries.text("broken body");
  const turns = { chat: "messages", responses: "input", messages: "messages", gemini: "contents" }[endpoint];
  const begun = `{"model":"rig-model","max_tokens":9,"${turns}":`;
  return [
    ["wrong key", canaries.text("wrong key"), body],
    ["no JSON", plaza.key, `${begun}[{"content":"${said}`],
    ["wrong types", plaza.key, `${begun}{"${said}":[{"content":"${said}"}]}}`],
    ["wrong role", plaza.key, `${begun}[{"role":"${said}","content":"${said}"}]}`],
    ["wrong tools", plaza.key, body.replace('"tools":[', `"tools":["${said}",`)],
    ["too deep", plaza.key, `${begun}${"[".repeat(100)}"${said}"${"]".repeat(100)}}`],
    ["too many values", plaza.key, `${begun}["${said}"${",0".repeat(300_000)}]}`],
    ["duplicate keys", plaza.key, body.replace("{", `{"${turns}":"${said}","model":"${said}",`)],
  ];
}

/** Everything Plaza refuses itself, and what it serves besides model calls. */
async function provokeRefusals(plaza: Plaza, canaries: Canaries, otherKey: string): Promise<Sighting[]> {
  const say = canaries.text;
  const answers: Sighting[] = [];
  for (const endpoint of endpointNames) {
    const headers = privateHeaders(canaries, endpoint, plaza.key);
    const refuse = async (name: string, key: string, body: string, model = "rig-model"): Promise<void> => {
      const own = keyHeaders[endpoint];
      const url = plaza.origin + privatePath(canaries, endpoint, { model, isStream: false });
      const seen = await post({
        url,
        key,
        body,
        headers: own === undefined ? headers : { ...headers, [own]: key },
      });
      answers.push(sighting(`${name} at ${endpoint}`, seen, true));
    };
    const bodies = refusedBodies(plaza, canaries, endpoint);
    await Promise.all(bodies.map(([name, key, body]) => refuse(name, key, body)));
    const [[, , sound = ""] = []] = bodies;
    const unknown = sound.replace('"rig-model"', '"nobody-knows"');
    await refuse("unknown model", plaza.key, unknown, "nobody-knows");
  }
  const raws = [
    `GET /${say("query")}?k=${say("query")} HTTP/1.1\r\nHost: plaza\r\nCookie: ${say("header: cookie")}\r\n\r\n`,
    `POST /v1/chat/completions HTTP/1.1\r\nHost: plaza\r\nX-Secret : ${say("header: x-secret")}\r\n\r\n`,
    `${say("prompt")} is no HTTP\r\n\r\n`,
  ];
  for (const raw of raws) {
    const seen = await sendRaw({
      port: plaza.port,
      pieces: [{ bytes: Buffer.from(raw), afterMs: 0 }],
      withinMs: 1500,
    });
    answers.push({ where: "raw refusal", bytes: seen.bytes, isOwner: true });
  }
  const paths = [
    "/",
    "/healthz",
    "/readyz",
    "/metrics",
    "/v1/models",
    "/v1/models/rig-model",
    "/v1/balance",
    "/v1/requests",
    "/api/openapi.json",
  ];
  for (const path of paths) {
    for (const key of [plaza.key, otherKey, ""]) {
      const seen = await get(plaza.origin + path, key === "" ? {} : { authorization: `Bearer ${key}` });
      answers.push({
        where: path,
        bytes: Buffer.from(seen.rawHeaders.join("\n") + seen.text),
        isOwner: false,
      });
    }
  }
  return answers;
}

/** Another caller's answers, which must not contain texts of the first. */
async function askAsOther(plaza: Plaza, otherKey: string): Promise<Sighting[]> {
  const seen = await inParallel(Array.from({ length: 20 }), 4, (_, index) => {
    const endpoint = endpointNames[(index ?? 0) % endpointNames.length] ?? "chat";
    const call = { model: "rig-model", isStream: false, maxTokens: 9, plan: {}, text: "hello" };
    return post({
      url: plaza.origin + pathOf(endpoint, call),
      key: otherKey,
      body: bodyFor(endpoint, call),
    });
  });
  return seen.map((one) => sighting("another caller's answer", one, false));
}

/** What the upstream received besides the body; it must not contain the caller's headers. */
function upstreamHeads(upstream: Upstream): Sighting[] {
  return upstream.calls().map((call) => ({
    where: "upstream request head",
    bytes: Buffer.from(`${call.path}\n${call.headers.join("\n")}`),
    isOwner: false,
  }));
}

/** Provocations that did not reach the upstream. */
function unheard(cases: readonly Provocation[], upstream: Upstream): string[] {
  return cases.map(({ id }) => id).filter((id) => upstream.findCall(id) === undefined);
}

/** Received bodies of a trace collector. */
interface Collector {
  readonly url: string;
  readonly bodies: Buffer[];
  stop(): void;
}

async function startCollector(): Promise<Collector> {
  const bodies: Buffer[] = [];
  const server = createServer(async (req, res) => {
    for await (const chunk of req) bodies.push(chunk as Buffer);
    res.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    stop: () => server.close().closeAllConnections(),
  };
}

/** Data sent to monitoring: metrics and traces. */
function watched(metrics: string, collector: Collector): Sighting[] {
  return [
    { where: "metrics", bytes: Buffer.from(metrics), isOwner: false },
    { where: "traces", bytes: Buffer.concat(collector.bodies), isOwner: false },
  ];
}

interface StageOptions {
  readonly canaries: Canaries;
  readonly folder: string;
  readonly upstream: Upstream;
  readonly collector: Collector;
  readonly cases: readonly Provocation[];
}

async function setStage({ canaries, folder, upstream, collector, cases }: StageOptions): Promise<Plaza> {
  const headersFrom = { "x-gateway-token": "RIG_HEADER" };
  const fast = { connect: "1s", firstToken: "1s", idle: "1s", total: "2s" };
  const refusedPort = await closedPort();
  const catalog = {
    upstreams: [
      {
        id: "main",
        baseUrl: upstream.baseUrl,
        credentialFrom: "RIG_KEY_ONE",
        headersFrom,
        timeouts: fast,
      },
      {
        id: "refused",
        baseUrl: `http://127.0.0.1:${refusedPort}${canaries.text("upstream path")}`,
        credentialFrom: "RIG_KEY_TWO",
        headersFrom,
        timeouts: fast,
      },
    ],
    models: [
      { id: "rig-model", deployments: [{ upstream: "main", model: "upstream-model" }] },
      { id: "rig-refused", deployments: [{ upstream: "refused", model: "upstream-model" }] },
    ],
  };
  return startPlaza({
    folder,
    catalog: endpointNames.reduce((all, spoken) => {
      const count = cases.filter((one) => one.spoken === spoken).length;
      return addFresh(all, spokenName("rig-model", spoken), count);
    }, inAllFormats(catalog)),
    env: {
      PLAZA_LOG_REQUESTS: "on",
      PLAZA_OTLP_ENDPOINT: collector.url,
      PLAZA_OTLP_HEADERS: `authorization=${canaries.text("collector header")}`,
      RIG_KEY_ONE: canaries.text("upstream credential"),
      RIG_HEADER: canaries.text("header of an upstream"),
      RIG_KEY_TWO: canaries.text("second upstream credential"),
    },
  });
}

/** Plaza chooses the caller's key, so the key itself is the canary. */
function withKey(canaries: Canaries, key: string): Canary[] {
  return canaries.all.map((canary) =>
    canary.name === "caller's own key" ? { ...canary, core: key, text: key } : canary,
  );
}

async function search(random: Random): Promise<Figure[]> {
  const canaries = plantCanaries(random);
  const upstream = await startUpstream({
    basePath: canaries.text("upstream path"),
    leaks: canaries.leaks,
    headers: canaries.headers,
  });
  const folder = temporaryFolder();
  const collector = await startCollector();
  const cases = provocations(canaries, random.int(0, 2 ** 31));
  const plaza = await setStage({ canaries, folder, upstream, collector, cases });
  try {
    const otherKey = await plaza.createKey("5.00");
    const all = withKey(canaries, plaza.key);
    const answers = [
      ...(await provokeUpstream(plaza, canaries, cases)),
      ...(await provokeNetwork(plaza, canaries)),
      ...(await provokeRefusals(plaza, canaries, otherKey)),
      ...(await askAsOther(plaza, otherKey)),
    ];
    const isUp = isAlive(plaza.pid) && (await plaza.isServing());
    const alive = atRest(plaza, folder);
    const metrics = (await get(`${plaza.origin}/metrics`)).text;
    await plaza.stop();
    const told = watched(metrics, collector);
    const rest = [...alive, ...atRest(plaza, folder)].filter((one) => !isCatalogFile(one));
    const notPath = all.filter((canary) => canary.name !== "upstream path");
    const ownHead = all.filter(
      (canary) =>
        canary.name === "caller's own key" || canary.name.startsWith("header: ") || canary.name === "query",
    );
    return [
      countFigure("P23", `faults that reached an upstream, with ${all.length} canaries`, cases.length, [
        ...unheard(cases, upstream),
      ]),
      zeroFigure(
        "P23",
        "answers hold no secret and no other caller's words",
        answers.length,
        hits(all, answers),
      ),
      zeroFigure("P23", "logs and files at rest hold no canary", rest.length, hits(notPath, rest)),
      zeroFigure("P23", "metrics and traces hold no canary", told.length, [
        ...hits(all, told),
        ...(metrics.includes("plaza_requests_total") ? [] : ["there were no metrics"]),
        ...(collector.bodies.length > 0 ? [] : ["there were no traces"]),
      ]),
      zeroFigure(
        "P23",
        "upstreams are told nothing of the caller's head",
        upstream.calls().length,
        hits(ownHead, upstreamHeads(upstream)),
      ),
      zeroFigure(
        "P23",
        "redirects are not followed",
        1,
        upstream.state().trapHits === 0 ? [] : ["the trap was called"],
      ),
      countFigure("P23", "Plaza still serves after every fault", 1, isUp ? [] : ["it is gone or not ready"]),
    ];
  } finally {
    await plaza.stop();
    await upstream.stop();
    collector.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const run: Rig = async ({ size, seed }) => {
  const random = seededRandom(seed);
  const rounds = size === "long" ? 5 : 1;
  const figures: Figure[] = [];
  for (let round = 0; round < rounds; round++) {
    figures.push(...(await search(random.fork(`round-${round}`))));
    figures.push(...(await searchProviders(random.fork(`providers-${round}`))));
  }
  return figures;
};
