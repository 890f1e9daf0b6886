/**
 * Finds what could be connected right away: services whose key is in the environment, and model servers on
 * this machine. Connects nothing and reveals no secret.
 */
import { type AnswerHandler, createHttpClient, type HttpClient } from "../lib/net/http-client.ts";
import { parseJson } from "../lib/record.ts";
import { defaultProvider } from "../providers/index.ts";
import { type Target, targets } from "../providers/presets/targets.ts";

/** A possible server on this machine. */
export interface LocalServer {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
}

/** A service whose key is set, and the variable that holds it. */
export interface KeyOffer {
  readonly target: Target;
  readonly variable: string;
}

/** A server that answered, with its number of models. */
export interface LocalOffer {
  readonly server: LocalServer;
  readonly models: number;
}

const bytesMax = 1024 ** 2;

/** True for servers that people run on their own machine. */
export const isLocal = ({ baseUrl, needsKey }: Target): boolean =>
  !needsKey && baseUrl !== undefined && new URL(baseUrl).hostname === "127.0.0.1";

export const localServers: readonly LocalServer[] = targets.flatMap((target) =>
  isLocal(target) && target.baseUrl !== undefined ? [{ ...target, baseUrl: target.baseUrl }] : [],
);

const isSet = (env: Readonly<Record<string, string | undefined>>, name: string): boolean =>
  (env[name]?.trim() ?? "") !== "";

/** Returns the services whose key is in the environment. */
export function keyOffers(env: Readonly<Record<string, string | undefined>>): KeyOffer[] {
  return targets.flatMap((target) => {
    // The variable of a discontinued service may be used for other things now, and a preset whose address
    // depends on options has no fixed address.
    if (target.ended !== undefined || (target.baseUrl === undefined && target.preset !== undefined))
      return [];
    const variable = target.keyVariables.find((one) => isSet(env, one));
    return variable === undefined ? [] : [{ target, variable }];
  });
}

/**
 * Returns the number of models a server lists; undefined when there is no such server in time. Never rejects.
 */
function countModels(
  client: Pick<HttpClient, "get">,
  path: string,
  timeoutMs: number,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    let status = 0;
    const timer = setTimeout(() => resolve(undefined), timeoutMs);
    const end = (count: number | undefined): void => {
      clearTimeout(timer);
      resolve(count);
    };
    const handler: AnswerHandler = {
      onRequestStart() {},
      onResponseStart(_controller, answered) {
        status = answered;
      },
      onResponseData(controller, chunk) {
        bytes += chunk.length;
        if (bytes > bytesMax) controller.abort(new Error("too large"));
        else parts.push(Buffer.from(chunk));
      },
      onResponseEnd() {
        const body = status === 200 ? parseJson(Buffer.concat(parts).toString("utf8")) : undefined;
        end(defaultProvider.listing?.read(body)?.models.length);
      },
      onResponseError: () => end(undefined),
    };
    client.get({ path, headers: ["accept", "application/json", "accept-encoding", "identity"] }, handler);
  });
}

async function look(server: LocalServer, timeoutMs: number): Promise<LocalOffer | undefined> {
  const { origin, pathname } = new URL(server.baseUrl);
  const client = createHttpClient(origin, timeoutMs);
  try {
    const models = await countModels(client, `${pathname}/models`, timeoutMs);
    return models === undefined || models === 0 ? undefined : { server, models };
  } finally {
    await client.close();
  }
}

/** Checks all servers in parallel, within the time limit. `ownPort`: Plaza's own port, which is skipped. */
export function probeLocalServers(
  servers: readonly LocalServer[],
  ownPort: number,
  timeoutMs: number,
): Promise<LocalOffer | undefined>[] {
  const others = servers.filter(({ baseUrl }) => new URL(baseUrl).port !== String(ownPort));
  return others.map((server) => look(server, timeoutMs));
}
