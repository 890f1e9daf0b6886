/**
 * P25's fetcher of files, called directly: it refuses every spelling of a trap's address, names that resolve
 * to it, also on their second look, and redirects to it. Servers that stand for upstreams and allowed hosts.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseOpening } from "../../../../server/src/lib/net/address-opening.ts";
import {
  createSafeFetch,
  FetchError,
  type FetchFailure,
  type SafeFetch,
} from "../../../../server/src/lib/net/safe-fetch.ts";
import { forbidden, trapSpellings } from "../p25-corpus.ts";
import type { Trap } from "../p25-trap.ts";

/**
 * An address without a trap that a fetch may use: stands for the public host that an attacker's name resolves
 * to first.
 */
export const allowedAddress = "127.0.0.3";

interface Station {
  readonly port: number;
  calls(): number;
  stop(): Promise<void>;
}

export async function startStation(
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

/** How many cases were tried, and what went wrong. */
export interface Cases {
  readonly count: number;
  readonly misses: readonly string[];
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
export async function askFetcher(trap: Trap): Promise<Cases> {
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
export async function askRebinding(trap: Trap, rounds: number): Promise<Cases> {
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
