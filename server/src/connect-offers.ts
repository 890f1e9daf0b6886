/**
 * What a first start could connect: services whose key is in the environment, and model servers on this machine. It looks and tells,
 * and connects nothing. Nobody waits for it: what was not found when the banner is printed is not offered.
 */
import { type Config, type Environment, settings } from "./config.ts";
import { type AnswerHandler, createHttpClient, type HttpClient } from "./lib/http-client.ts";
import { parseJson } from "./lib/record.ts";
import { findListing } from "./providers/listing.ts";
import { type Target, targets } from "./providers/targets.ts";

/** A command to copy, and what it would connect. */
export interface Offer {
  readonly command: string;
  readonly note: string;
}

/** Where a server on this machine might be. */
export interface LocalPlace {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
}

export interface LookAround {
  /** What is known by now; where that is nothing, how to go about it. */
  found(): readonly Offer[];
  /** Settled when every place has answered or was given up. */
  readonly isDone: Promise<void>;
}

/** How long all places together may take. */
const lookMs = 300;
const bytesMax = 1024 ** 2;

const isLocal = ({ baseUrl, needsKey }: Target): boolean =>
  !needsKey && baseUrl !== undefined && new URL(baseUrl).hostname === "127.0.0.1";

const localPlaces: readonly LocalPlace[] = targets.flatMap((target) =>
  isLocal(target) && target.baseUrl !== undefined ? [{ ...target, baseUrl: target.baseUrl }] : [],
);

/** The options that make the command work on the same data. */
function sameData({ dataDir, database }: Pick<Config, "dataDir" | "database">): string {
  const plain = (word: string): string => (/^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word));
  const data = dataDir === settings.dataDir.initial ? "" : ` --data ${plain(dataDir)}`;
  if (database.kind === "postgres") return `${data} --database postgres://…`;
  const usual = settings.database.initial.replace("{dataDir}", dataDir);
  const here = `sqlite:${database.file}`;
  return here === usual ? data : `${data} --database ${plain(here)}`;
}

/** How many models a server lists within the time; undefined where there is no such server. Never rejects. */
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
        else parts.push(chunk);
      },
      onResponseEnd() {
        const body = status === 200 ? parseJson(Buffer.concat(parts).toString("utf8")) : undefined;
        end(findListing("openai")?.read(body)?.models.length);
      },
      onResponseError: () => end(undefined),
    };
    client.get({ path, headers: ["accept", "application/json", "accept-encoding", "identity"] }, handler);
  });
}

async function look(place: LocalPlace, timeoutMs: number): Promise<number | undefined> {
  const { origin, pathname } = new URL(place.baseUrl);
  const client = createHttpClient(origin, timeoutMs);
  try {
    return await countModels(client, `${pathname}/models`, timeoutMs);
  } finally {
    await client.close();
  }
}

export interface LookOptions {
  readonly config: Pick<Config, "dataDir" | "database" | "port">;
  readonly env: Environment;
  /** For tests. */
  readonly places?: readonly LocalPlace[];
  readonly timeoutMs?: number;
}

/** Begins to look; returns at once with what the environment says. */
export function lookAround(options: LookOptions): LookAround {
  const { config, env, places = localPlaces, timeoutMs = lookMs } = options;
  const tail = sameData(config);
  const offers = targets.flatMap(({ id, name, keyVariables }): Offer[] => {
    const variable = keyVariables.find((one) => (env[one]?.trim() ?? "") !== "");
    if (variable === undefined) return [];
    return [{ command: `npx plaza connect ${id} --credential-env ${variable}${tail}`, note: name }];
  });
  // What answers on the port that is to be ours is us.
  const others = places.filter(({ baseUrl }) => new URL(baseUrl).port !== String(config.port));
  const looks = others.map(async (place) => {
    const count = await look(place, timeoutMs);
    if (count === undefined || count === 0) return;
    const models = count === 1 ? "1 model" : `${count} models`;
    offers.push({
      command: `npx plaza connect ${place.id} --price 0/0${tail}`,
      note: `${place.name} on this machine, ${models}, free of charge`,
    });
  });
  const hint: Offer = {
    command: `npx plaza connect openai${tail}`,
    note: "or another service, or a base URL; it asks for the key",
  };
  return {
    found: () => (offers.length > 0 ? [...offers] : [hint]),
    isDone: Promise.all(looks).then(() => undefined),
  };
}
