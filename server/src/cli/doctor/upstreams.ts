/**
 * `plaza doctor`: asks each upstream for its models with each credential, looks at its certificate, and
 * compares its time of day with this machine's.
 */
import { connect } from "node:tls";
import { type Catalog, type Upstream, workloadIdentity } from "@plaza/contract/catalog.ts";
import { nodeClients } from "../../app/outbound.ts";
import type { Config } from "../../config/config.ts";
import { ConnectFailure } from "../../connect/failure.ts";
import { getWhole } from "../../connect/get-whole.ts";
import { listUpstream } from "../../connect/list.ts";
import { createMachineIdentity } from "../../identity/machine-identity.ts";
import type { CreateHttpClient } from "../../lib/net/http-client.ts";
import { loadProviders, providerFor } from "../../providers/index.ts";
import type { CommandIo } from "../command-io.ts";
import { counted } from "../output.ts";
import { type Finding, ok, problem, reasonOf, warning } from "./finding.ts";

const timeoutMs = 10_000;
const connectMs = 5_000;
/** Asked at the same time. */
const atOnce = 8;
const dayMs = 86_400_000;
const certificateDays = 14;
/** Tokens of clouds, one-time codes and the days of budgets need the right time. */
const clockOffMs = 30_000;

interface Asked {
  readonly io: CommandIo;
  readonly createClient: CreateHttpClient;
}

/** Asks with each credential; resolves with what the worst answer says. */
async function checkUpstream(upstream: Upstream, { io, createClient }: Asked): Promise<Finding> {
  const what = `upstream ${upstream.id}`;
  const provider = providerFor(upstream);
  if (provider === undefined)
    return problem(what, `unknown provider ${upstream.provider}`, "start a newer Plaza");
  if (provider.transport !== "http") return ok(what, "needs no network");
  const ask = {
    ...{ upstream, provider, baseUrls: [upstream.baseUrl], timeoutMs, createClient },
    nowMs: io.clock.wallMs(),
    identity: createMachineIdentity({ env: io.env, clock: io.clock }),
  };
  const { credentials } = upstream;
  let models: number | undefined;
  let unchecked = 0;
  for (const [index, credential] of (credentials.length === 0 ? [""] : credentials).entries()) {
    try {
      const answer = await listUpstream({ ...ask, credential });
      models ??= answer.models?.length;
      if (!answer.isChecked && credential !== "") unchecked += 1;
    } catch (error) {
      if (!(error instanceof ConnectFailure)) throw error;
      const which = credentials.length > 1 ? `credential ${index + 1} of ${credentials.length}: ` : "";
      const isKey = error.code.startsWith("credential_") || error.code === "upstream_quota";
      const todo =
        credential === workloadIdentity
          ? "run doctor as the server runs; docs/operate/credentials.md says what is asked of this machine"
          : isKey
            ? "exchange the credential in the console, or connect the upstream again"
            : "check its base URL, the network and PLAZA_EGRESS_PROXY";
      return problem(what, `${which}${error.message}`, todo);
    }
  }
  const keys =
    credentials.length === 0 ? "no credential" : counted(credentials.length, "credential", "credentials");
  const checked = unchecked > 0 ? ", not verified: that would be charged" : "";
  const list = models === undefined ? "answers" : `lists ${counted(models, "model", "models")}`;
  return ok(what, `${list} (${keys}${checked})`);
}

/** The days that an address's certificate is good for; undefined: it could not be seen. */
function certificateDaysLeft(url: URL, nowMs: number): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const socket = connect({ host, port: Number(url.port || 443), servername: host, timeout: connectMs });
  const end = (days?: number) => {
    socket.destroy();
    resolve(days);
  };
  socket.once("secureConnect", () => {
    const until = Date.parse(socket.getPeerCertificate().valid_to);
    end(Number.isNaN(until) ? undefined : Math.floor((until - nowMs) / dayMs));
  });
  socket.once("timeout", () => end());
  socket.once("error", () => end());
  return promise;
}

async function checkCertificate(origin: string, nowMs: number): Promise<Finding | undefined> {
  const url = new URL(origin);
  const days = url.protocol === "https:" ? await certificateDaysLeft(url, nowMs) : undefined;
  if (days === undefined) return undefined;
  const what = "certificates";
  const text = `${url.host}: ${days} days left`;
  return days < certificateDays
    ? warning(what, text, "the operator of that host must renew it")
    : ok(what, text);
}

/** This machine's time of day beside that of an upstream, from its `Date`. */
async function checkClock(origin: string, { io, createClient }: Asked): Promise<Finding | undefined> {
  const client = createClient(origin, connectMs, "");
  try {
    const sentMs = io.clock.wallMs();
    const { headers } = await getWhole(
      client,
      { path: "/", headers: [] },
      { bytesMax: 1 << 20, totalMs: timeoutMs },
    );
    const theirs = typeof headers["date"] === "string" ? Date.parse(headers["date"]) : Number.NaN;
    if (Number.isNaN(theirs)) return undefined;
    const offMs = (sentMs + io.clock.wallMs()) / 2 - theirs;
    const text = `${Math.abs(Math.round(offMs / 1_000))} s ${offMs < 0 ? "behind" : "ahead of"} ${new URL(origin).host}`;
    if (Math.abs(offMs) <= clockOffMs) return ok("clock", text);
    return warning("clock", text, "set the clock, and keep it right with NTP");
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

/** Does the work for each item, a few at a time; results in the items' order. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
  }
  return results;
}

const isFound = (finding: Finding | undefined): finding is Finding => finding !== undefined;

/** The worst certificate; all others are as good. */
const worst = (findings: readonly Finding[]): Finding[] => {
  const bad = findings.filter(({ standing }) => standing !== "ok");
  return bad.length > 0
    ? bad
    : findings.slice(0, 1).map(({ what }) => ok(what, `${certificateDays} days or more`));
};

/** Everything about upstreams. Sends each credential to its own upstream, and calls no model. */
export async function checkUpstreams(io: CommandIo, config: Config, catalog: Catalog): Promise<Finding[]> {
  await loadProviders(catalog.upstreams.map(({ provider }) => provider));
  const asked: Asked = { io, createClient: nodeClients(config) };
  const upstreams = await inTurn(catalog.upstreams, (upstream) =>
    checkUpstream(upstream, asked).catch((error: unknown) =>
      problem(`upstream ${upstream.id}`, reasonOf(error), "please report this"),
    ),
  );
  const origins = [
    ...new Set(catalog.upstreams.flatMap(({ baseUrl }) => (baseUrl === "" ? [] : [new URL(baseUrl).origin]))),
  ];
  // Through a proxy the certificate seen here is not the one that calls see.
  const isDirect = config.egressProxy === undefined && config.upstreamProxies === undefined;
  const nowMs = io.clock.wallMs();
  const certificates = isDirect ? await inTurn(origins, (origin) => checkCertificate(origin, nowMs)) : [];
  const [first] = origins;
  const clock = first === undefined ? undefined : await checkClock(first, asked);
  return [...upstreams, ...worst(certificates.filter(isFound)), ...[clock].filter(isFound)];
}
