/**
 * P25: the gateway connects only to addresses that its operator chose. Every spelling of a trap's address is
 * sent in every part of a request that can hold a URL, the upstream answers with every kind of redirect, and
 * the file fetcher is called with the trap's address, also by names whose address changes between two
 * lookups. The trap must count no connection, and must count direct ones.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { inAllFormats, oneUpstream, spokenName } from "../harness/catalog.ts";
import { bodyFor, type EndpointName, endpointNames, pathOf } from "../harness/endpoints.ts";
import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import { pause } from "../harness/measure/clock.ts";
import { type Plaza, startPlaza } from "../harness/processes/plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { sendRaw } from "../harness/raw-client.ts";
import { answerGreedily } from "../money/p34-answers.ts";
import { callAt } from "../money/p34-greedy.ts";
import { allowedAddress, askFetcher, askRebinding, type Cases, startStation } from "./addresses/fetching.ts";
import { countAt, formatPlaces } from "./addresses/format-fields.ts";
import { bodyFields, detours, headFields, rawRequests, trapSpellings } from "./p25-corpus.ts";
import { askProviders } from "./p25-providers.ts";
import { startTrap, type Trap } from "./p25-trap.ts";

/** Wait for late connections to the trap. */
const lateMs = 300;

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A detour in the words of the user, where upstreams of every format find it. */
const detourWords = (told: Told): string =>
  `x-detour:${Buffer.from(JSON.stringify(told)).toString("base64url")};`;

/**
 * An upstream of every format that answers as the words of the user say, or normally. `arrived`: the calls
 * that came to it, by format.
 */
function answerAsTold(
  arrived: Map<EndpointName, number>,
  req: IncomingMessage,
  res: ServerResponse,
  body: string,
): void {
  const counted = countAt(req.url ?? "");
  if (counted !== undefined) {
    res.writeHead(200, { "content-type": "application/json" }).end(counted);
    return;
  }
  const call = callAt(req.url ?? "") ?? { format: "chat" };
  const { format } = call;
  arrived.set(format, (arrived.get(format) ?? 0) + 1);
  const [, words] = /x-detour:([\w-]+);/.exec(body) ?? [];
  const { status, headers }: Told =
    words === undefined
      ? { status: 200, headers: {} }
      : JSON.parse(Buffer.from(words, "base64url").toString("utf8"));
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (status >= 300) {
    res.writeHead(status, { "content-type": "application/json" }).end('{"error":{"message":"elsewhere"}}');
    return;
  }
  const isStream = call.isStream ?? /"stream":\s*true/.test(body);
  answerGreedily({ ...smallest, isStream }, format, res, status);
}

const smallest = { output: 1, promptTokens: 1, isAudio: false, isAudioPrompt: false };

const callBody = (model: string, more: object): string =>
  JSON.stringify({
    model,
    messages: [{ role: "user", content: "x" }],
    max_tokens: 5,
    ...more,
  });

/** A plain call of this endpoint. */
function plainCall(endpoint: EndpointName, model: string, text = "x", isStream = false) {
  const call = { model, isStream, maxTokens: 5, plan: {}, text };
  return { path: pathOf(endpoint, call), body: bodyFor(endpoint, call) };
}

/** New connections to the trap since the last call, as misses. */
async function takeHits(trap: Trap, what: string): Promise<string[]> {
  await pause(lateMs);
  const hits = Array.from(
    { length: trap.connections() },
    (_, index) => `${what}: ${trap.heard()[index] ?? "?"}`,
  );
  return hits;
}

/** A request with an address in it. */
interface Case {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Spellings × body fields and header fields of all endpoints, at upstreams of all formats. */
function casesFor(port: number, random: Random, isLong: boolean): Case[] {
  const spellings = trapSpellings(port);
  const perField = isLong ? spellings.length : 8;
  const draw = (): typeof spellings => random.shuffle(spellings).slice(0, perField);
  /** Half of an endpoint's calls at an upstream of its own format. */
  const modelFor = (own: EndpointName): string =>
    spokenName("rig-model", random.chance(0.5) ? own : random.pick(endpointNames));
  const printable = (text: string): string => text.replace(/[^ -~]/g, "%");
  const bodies = Object.entries(bodyFields).flatMap(([name, make]) =>
    (name === "image_url.url" ? spellings : draw()).map((spelling) => ({
      name: `${name}, ${spelling.name}`,
      path: pathOf("chat", { model: "", isStream: false }),
      body: callBody(modelFor("chat"), make(spelling.url)),
      headers: {},
    })),
  );
  const others = formatPlaces.flatMap(({ name, format, request }) =>
    draw().map((spelling) => ({
      name: `${name}, ${spelling.name}`,
      ...request(modelFor(format), spelling.url),
      headers: {},
    })),
  );
  const heads = Object.entries(headFields).flatMap(([name, make]) =>
    draw().map((spelling) => {
      const endpoint = random.pick(endpointNames);
      return {
        name: `${name} at ${endpoint}, ${spelling.name}`,
        ...plainCall(endpoint, modelFor(endpoint)),
        headers: make(printable(spelling.url), `127.0.0.1:${port}`),
      };
    }),
  );
  return [...bodies, ...others, ...heads];
}

/** All cases, and the raw requests at every endpoint. */
async function askEverywhere(plaza: Plaza, trap: Trap, random: Random, isLong: boolean): Promise<Cases> {
  const cases = casesFor(trap.port, random, isLong);
  const misses: string[] = [];
  await inParallel(cases, 16, async ({ name, path, body, headers }) => {
    const seen = await post({ url: plaza.origin + path, key: plaza.key, body, headers, withinMs: 20_000 });
    if (seen.status === 0 || seen.status >= 500)
      misses.push(`${name}: status ${seen.status} ${seen.problem}`);
  });
  const raws = endpointNames.flatMap((endpoint) =>
    Object.values(rawRequests(`127.0.0.1:${trap.port}`, plaza.key, plainCall(endpoint, "rig-model"))),
  );
  await inParallel(raws, 8, (text) =>
    sendRaw({ port: plaza.port, pieces: [{ bytes: Buffer.from(text), afterMs: 0 }], withinMs: 1_500 }),
  );
  return { count: cases.length + raws.length, misses };
}

/**
 * Every upstream answer that redirects, streamed and whole, at every endpoint from upstreams of every format.
 * None may look like success.
 */
async function askDetours(plaza: Plaza, trap: Trap): Promise<Cases> {
  const routes = endpointNames.flatMap((endpoint) => endpointNames.map((spoken) => ({ endpoint, spoken })));
  const cases = detours(trap.port).flatMap((detour) =>
    routes.flatMap((route) => [true, false].map((isStream) => ({ detour, route, isStream }))),
  );
  const misses: string[] = [];
  for (const { detour, route, isStream } of cases) {
    const model = spokenName("rig-model", route.spoken);
    const { path, body } = plainCall(route.endpoint, model, detourWords(detour), isStream);
    const seen = await post({ url: plaza.origin + path, key: plaza.key, body, withinMs: 20_000 });
    const name = `${route.endpoint} of ${route.spoken}: ${detour.name}`;
    if (seen.status === 0) misses.push(`${name}: no answer (${seen.problem})`);
    const isRedirect = detour.status >= 300 && detour.status <= 399;
    if (isRedirect && seen.status < 500) misses.push(`${name}: status ${seen.status}`);
    const told = seen.body.toString() + seen.rawHeaders.join();
    if (told.includes(`:${trap.port}`)) misses.push(`${name}: the address reached the caller`);
  }
  return { count: cases.length, misses };
}

/** Proxy environment variables of other programs; obeying them would send every call to the trap. */
function misleadingEnvironment(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  return {
    PLAZA_FETCH_MEDIA: "on",
    NODE_USE_ENV_PROXY: "1",
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    NO_PROXY: "",
    no_proxy: "",
  };
}

export const run: Rig = async ({ size, seed }) => {
  const isLong = size === "long";
  const trap = await startTrap();
  const arrived = new Map<EndpointName, number>();
  const upstream = await startStation("127.0.0.1", 0, (...call) => answerAsTold(arrived, ...call));
  let plaza: Plaza | undefined;
  try {
    const before = await trap.prove();
    plaza = await startPlaza({
      catalog: inAllFormats(oneUpstream(`http://127.0.0.1:${upstream.port}/v1`)),
      env: misleadingEnvironment(trap.port),
    });
    const asked = await askEverywhere(plaza, trap, seededRandom(seed), isLong);
    const hitsOfCallers = await takeHits(trap, "callers");
    const passedOn = upstream.calls();
    const unheard = endpointNames.filter((format) => (arrived.get(format) ?? 0) < asked.count / 16);
    const detoured = await askDetours(plaza, trap);
    const hits = await takeHits(trap, "callers and upstream");
    const fetched = await askFetcher(trap);
    const rebound = await askRebinding(trap, isLong ? 1_000 : 200);
    const allHits = await takeHits(trap, "all");
    const providers = await askProviders({
      trap,
      random: seededRandom(seed).fork("providers"),
      perField: isLong ? 40 : 2,
      start: startStation,
      openedAddress: allowedAddress,
    });
    const after = await trap.prove();
    const figures: Figure[] = [
      zeroFigure("P25", "connections at the trap: addresses in requests", asked.count, hitsOfCallers),
      zeroFigure(
        "P25",
        "connections at the trap: detours of the upstream",
        detoured.count,
        hits.slice(hitsOfCallers.length),
      ),
      zeroFigure(
        "P25",
        "connections at the trap: the fetcher itself, a name that changes its address",
        fetched.count + rebound.count,
        allHits.slice(hits.length),
      ),
      countFigure("P25", "requests with addresses are answered", asked.count, asked.misses),
      countFigure("P25", "detours end as faults", detoured.count, detoured.misses),
      countFigure("P25", "the fetcher refuses", fetched.count, fetched.misses),
      countFigure(
        "P25",
        "one look at a name, and the call goes where it said",
        rebound.count,
        rebound.misses,
      ),
      countFigure(
        "P25",
        `the trap counts what is called directly (${trap.addresses.join(", ")})`,
        trap.addresses.length * 2,
        [...before, ...after],
      ),
      countFigure(
        "P25",
        `addresses were passed on (${passedOn} calls at the upstream)`,
        asked.count,
        passedOn >= asked.count / 2 ? [] : ["most of the requests never got as far as the upstream"],
      ),
      countFigure("P25", "formats in which addresses were passed on", endpointNames.length, unheard),
      ...providers,
    ];
    return figures;
  } finally {
    await plaza?.stop();
    await upstream.stop();
    await trap.stop();
  }
};
