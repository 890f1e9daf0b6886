/**
 * A server that stands for all metadata services and issuers of a cloud, and a machine that finds them there.
 * Each test writes its answers from the service's specification.
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createHttpClient } from "../../lib/net/http-client.ts";
import type { IdentityRequest } from "../../providers/provider.ts";
import { createMachineIdentity, type Found } from "../machine-identity.ts";

/** A request as a service sees it. `host`: the service it was meant for. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly form: URLSearchParams;
  readonly body: string;
}

/** A status, or 200 with a body; `json` for an object. "hang": no answer. */
export type Reply =
  | "hang"
  | number
  | string
  | object
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> };

export interface FakeCloud {
  readonly origin: string;
  readonly seen: Seen[];
  /** Origins of issuers that were to be called. */
  readonly issuers: string[];
  /** Asks the machine's identity with this environment. */
  get(request: IdentityRequest, env: Readonly<Record<string, string>>): Promise<Found>;
  stop(): Promise<void>;
}

/** What the machine's clock says, unless a test says otherwise. */
export const now = Date.parse("2026-11-22T12:00:00Z");

const isWhole = (
  reply: object,
): reply is { status: number; body: unknown; headers?: Record<string, string> } =>
  "status" in reply && "body" in reply;

function write(response: ServerResponse, reply: Reply): void {
  if (reply === "hang") return;
  if (typeof reply === "number") return void response.writeHead(reply).end();
  if (typeof reply === "string") return void response.end(reply);
  const { status, body, headers = {} } = isWhole(reply) ? reply : { status: 200, body: reply };
  response.writeHead(status, headers);
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** `nowMs`: of the machine. The server's `Date` is `now`. */
export async function startFakeCloud(
  answer: (seen: Seen) => Reply,
  { nowMs = now, localMs = 2_000 }: { nowMs?: number; localMs?: number } = {},
): Promise<FakeCloud> {
  const seen: Seen[] = [];
  const issuers: string[] = [];
  const server = createServer((request, response) => {
    response.setHeader("date", new Date(now).toUTCString());
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const { pathname: path, searchParams: query } = new URL(url, "http://fake");
      const one = { method, path, query, headers, body, form: new URLSearchParams(body) };
      seen.push(one);
      write(response, answer(one));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    seen,
    issuers,
    get(request, env) {
      const identity = createMachineIdentity({
        ...{ env, localMs, clock: { wallMs: () => nowMs } },
        origins: { instance: origin, ecsTask: origin },
      });
      const open = (issuer: string) => {
        issuers.push(issuer);
        return createHttpClient(origin, 2_000);
      };
      return identity.get(request, { open, limitMs: 2_000 });
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Runs `work` with a fake cloud, and stops it afterwards. */
export async function withCloud(
  answer: (seen: Seen) => Reply,
  work: (cloud: FakeCloud) => Promise<void>,
  options: Parameters<typeof startFakeCloud>[1] = {},
): Promise<void> {
  const cloud = await startFakeCloud(answer, options);
  try {
    await work(cloud);
  } finally {
    await cloud.stop();
  }
}
