/**
 * P25: the gateway connects only to addresses that its operator chose. Every spelling of a trap's address is
 * sent in every part of a request that can hold a URL, the upstream answers with every kind of redirect, and
 * the file fetcher is called with the trap's address, also by names whose address changes between two
 * lookups. The trap must count no connection, and must count direct ones.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseOpening } from "../../../server/src/lib/net/address-opening.ts";
import {
  createSafeFetch,
  FetchError,
  type FetchFailure,
  type SafeFetch,
} from "../../../server/src/lib/net/safe-fetch.ts";
import { oneUpstream } from "../harness/catalog.ts";
import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import { pause } from "../harness/measure/clock.ts";
import { type Plaza, startPlaza } from "../harness/processes/plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { sendRaw } from "../harness/raw-client.ts";
import { formatPlaces } from "./addresses/format-fields.ts";
import { bodyFields, detours, forbidden, headFields, rawRequests, trapSpellings } from "./p25-corpus.ts";
import { askProviders } from "./p25-providers.ts";
import { startTrap, type Trap } from "./p25-trap.ts";

/**
 * An address without a trap that a fetch may use: stands for the public host that an attacker's name resolves
 * to first.
 */
const allowedAddress = "127.0.0.3";

/** Wait for late connections to the trap. */
const lateMs = 300;

interface Station {
  readonly port: number;
  calls(): number;
  stop(): Promise<void>;
}

async function startStation(
  address: string,
  port: number,
  answer: (req: IncomingMessage, res: ServerResponse, body: string) => void,
): Promise<Station> {
  let calls = 0;
  const server: Server = createServer((req, res) => {
    calls++;
    const parts: Buffer[] = [];
    req.on("data", (part: Buffer) => parts.push(part));
    req.once("end", () => answer(req, res, Buffer.concat(parts).toString()));
  });
  server.listen(port, address);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    calls: () => calls,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const answered = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "upstream-model",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** An upstream that answers as the body's `x_detour` says, or normally. */
function answerAsTold(_req: IncomingMessage, res: ServerResponse, body: string): void {
  // A probe of an ejected upstream has no body.
  const { x_detour: told } = JSON.parse(body || "{}") as {
    x_detour?: { status: number; headers: Record<string, string> };
  };
  res.writeHead(told?.status ?? 200, { "content-type": "application/json", ...told?.headers });
  res.end(told === undefined || told.status < 300 ? answered : '{"error":{"message":"elsewhere"}}');
}

const callBody = (more: object): string =>
  JSON.stringify({
    model: "rig-model",
    messages: [{ role: "user", content: "x" }],
    max_tokens: 5,
    ...more,
  });

/** New connections to the trap since the last call, as misses. */
async function takeHits(trap: Trap, what: string): Promise<string[]> {
  await pause(lateMs);
  const hits = Array.from(
    { length: trap.connections() },
    (_, index) => `${what}: ${trap.heard()[index] ?? "?"}`,
  );
  return hits;
}

interface Cases {
  readonly count: number;
  readonly misses: readonly string[];
}

/** Spellings × body fields and header fields, and the raw requests. */
async function askEverywhere(plaza: Plaza, trap: Trap, random: Random, isLong: boolean): Promise<Cases> {
  const spellings = trapSpellings(trap.port);
  const perField = isLong ? spellings.length : 8;
  const draw = (): typeof spellings => random.shuffle(spellings).slice(0, perField);
  const bodies = Object.entries(bodyFields).flatMap(([name, make]) =>
    (name === "image_url.url" ? spellings : draw()).map((spelling) => ({
      name: `${name}, ${spelling.name}`,
      url: plaza.chatUrl,
      body: callBody(make(spelling.url)),
      headers: {},
    })),
  );
  const others = formatPlaces.flatMap(({ name, request }) =>
    draw().map((spelling) => {
      const { path, body } = request("rig-model", spelling.url);
      return { name: `${name}, ${spelling.name}`, url: plaza.origin + path, body, headers: {} };
    }),
  );
  const printable = (text: string): string => text.replace(/[^ -~]/g, "%");
  const heads = Object.entries(headFields).flatMap(([name, make]) =>
    draw().map((spelling) => ({
      name: `${name}, ${spelling.name}`,
      url: plaza.chatUrl,
      body: callBody({}),
      headers: make(printable(spelling.url), `127.0.0.1:${trap.port}`),
    })),
  );
  const cases = [...bodies, ...others, ...heads];
  const misses: string[] = [];
  await inParallel(cases, 16, async ({ name, url, body, headers }) => {
    const seen = await post({ url, key: plaza.key, body, headers, withinMs: 20_000 });
    if (seen.status === 0 || seen.status >= 500)
      misses.push(`${name}: status ${seen.status} ${seen.problem}`);
  });
  const raws = Object.values(rawRequests(`127.0.0.1:${trap.port}`, plaza.key, callBody({})));
  await inParallel(raws, 8, (text) =>
    sendRaw({ port: plaza.port, pieces: [{ bytes: Buffer.from(text), afterMs: 0 }], withinMs: 1_500 }),
  );
  return { count: cases.length + raws.length, misses };
}

/** Every upstream answer that redirects, streamed and whole. None may look like success. */
async function askDetours(plaza: Plaza, trap: Trap): Promise<Cases> {
  const cases = detours(trap.port).flatMap((detour) => [true, false].map((stream) => ({ detour, stream })));
  const misses: string[] = [];
  for (const { detour, stream } of cases) {
    const body = callBody({ stream, x_detour: detour });
    const seen = await post({ url: plaza.chatUrl, key: plaza.key, body, withinMs: 20_000 });
    if (seen.status === 0) misses.push(`${detour.name}: no answer (${seen.problem})`);
    const isRedirect = detour.status >= 300 && detour.status <= 399;
    if (isRedirect && seen.status < 500) misses.push(`${detour.name}: status ${seen.status}`);
    const told = seen.body.toString() + seen.rawHeaders.join();
    if (told.includes(String(trap.port))) misses.push(`${detour.name}: the address reached the caller`);
  }
  return { count: cases.length, misses };
}

const mediaTypes = ["image/png"];

/** A miss unless the fetch fails for one of these reasons: another reason would hide a missing rule. */
async function mustFail(
  fetcher: SafeFetch,
  url: string,
  ...wanted: readonly FetchFailure[]
): Promise<string | undefined> {
  try {
    await fetcher.fetch({ url, mediaTypes, totalMs: 5_000 });
    return `${url} was fetched`;
  } catch (error) {
    if (!(error instanceof FetchError)) return `${url}: ${String(error)}`;
    return wanted.includes(error.failure) ? undefined : `${url}: ${error.failure} (${error.message})`;
  }
}

/** The fetcher alone, on the trap's own port, so that the port is no reason to refuse. */
async function askFetcher(trap: Trap): Promise<Cases> {
  const opening = parseOpening(`${allowedAddress}:${trap.port}`);
  const openings = opening === undefined ? [] : [opening];
  const toTrap = createSafeFetch({ openings, resolve: async () => ["127.0.0.1"] });
  const written = trapSpellings(trap.port).flatMap(({ url }) => [url, url.replace(/^http:/, "https:")]);
  const literal = forbidden.map((address) => (address.includes(":") ? `[${address}]` : address));
  const other = literal.flatMap((host) => [`http://${host}/`, `https://${host}/`]);
  const direct = await Promise.all([
    ...written.map((url) => mustFail(toTrap, url, "url", "scheme", "address")),
    ...other.map((url) => mustFail(toTrap, url, "address")),
  ]);
  const answers = [
    ...trap.addresses.map((address) => [address]),
    ...forbidden.map((address) => [address]),
    [allowedAddress, "127.0.0.1"],
    ["127.0.0.1", allowedAddress],
    [allowedAddress, "::1"],
    ["::ffff:127.0.0.2"],
    ["127.1"],
    ["localhost"],
    [],
  ];
  const named = await Promise.all(
    answers.map((addresses) =>
      mustFail(
        createSafeFetch({ openings, resolve: async () => addresses }),
        `http://name.test:${trap.port}/x.png`,
        addresses.length === 0 ? "unresolved" : "address",
      ).then((miss) => (miss === undefined ? undefined : `${addresses.join()}: ${miss}`)),
    ),
  );
  return {
    count: direct.length + answers.length,
    misses: [...direct, ...named].filter((miss) => miss !== undefined),
  };
}

/** A name that resolves alternately to the allowed address and the trap's; and redirects to the trap. */
async function askRebinding(trap: Trap, rounds: number): Promise<Cases> {
  const station = await startStation(allowedAddress, trap.port, (req, res) => {
    const status = Number(req.url?.slice(1));
    if (status >= 300) res.writeHead(status, { location: `http://127.0.0.1:${trap.port}/trap.png` }).end();
    else res.setHeader("content-type", "image/png").end("allowed");
  });
  try {
    const opening = parseOpening(`${allowedAddress}:${trap.port}`);
    let looks = 0;
    const fetcher = createSafeFetch({
      openings: opening === undefined ? [] : [opening],
      resolve: async () => [looks++ % 2 === 0 ? allowedAddress : "127.0.0.1"],
    });
    const misses: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const got = await fetcher
        .fetch({ url: `http://rebind.test:${trap.port}/200`, mediaTypes, totalMs: 5_000 })
        .then(({ bytes }) => bytes.toString())
        .catch((error: Error) => (error instanceof FetchError ? error.failure : String(error)));
      const wanted = round % 2 === 0 ? "allowed" : "address";
      if (got !== wanted) misses.push(`round ${round}: ${got} instead of ${wanted}`);
    }
    if (looks !== rounds) misses.push(`${looks} looks at the name for ${rounds} fetches`);
    const statuses = [300, 301, 302, 303, 305, 307, 308];
    for (const status of statuses) {
      const miss = await mustFail(fetcher, `http://${allowedAddress}:${trap.port}/${status}`, "redirect");
      if (miss !== undefined) misses.push(miss);
    }
    const wantedCalls = Math.ceil(rounds / 2) + statuses.length;
    if (station.calls() !== wantedCalls) misses.push(`${station.calls()} calls at the allowed address`);
    return { count: rounds + statuses.length, misses };
  } finally {
    await station.stop();
  }
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
  const upstream = await startStation("127.0.0.1", 0, answerAsTold);
  let plaza: Plaza | undefined;
  try {
    const before = await trap.prove();
    plaza = await startPlaza({
      catalog: oneUpstream(`http://127.0.0.1:${upstream.port}/v1`),
      env: misleadingEnvironment(trap.port),
    });
    const asked = await askEverywhere(plaza, trap, seededRandom(seed), isLong);
    const hitsOfCallers = await takeHits(trap, "callers");
    const passedOn = upstream.calls();
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
      ...providers,
    ];
    return figures;
  } finally {
    await plaza?.stop();
    await upstream.stop();
    await trap.stop();
  }
};
