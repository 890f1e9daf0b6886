/**
 * Finds what a first start can offer to connect (`connect/find-offers.ts`), as commands to copy. Runs in the
 * background: what is not found before the banner is printed is not offered.
 */
import type { Config, Environment } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { keyOffers, type LocalServer, localServers, probeLocalServers } from "../connect/find-offers.ts";

/** A command to copy, and what it connects. */
export interface Offer {
  readonly command: string;
  readonly note: string;
}

export interface LookAround {
  /** Returns the offers so far, or a general hint when there are none. */
  found(): readonly Offer[];
  /** Resolves when every server has answered or timed out. */
  readonly isDone: Promise<void>;
}

/** Time limit for all servers together, in milliseconds. */
const lookMs = 300;

/** Returns the options with which the command uses the same data. */
function sameData({ dataDir, database }: Pick<Config, "dataDir" | "database">): string {
  const plain = (word: string): string => (/^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word));
  const data = dataDir === settings.dataDir.initial ? "" : ` --data ${plain(dataDir)}`;
  if (database.kind === "postgres") return `${data} --database postgres://…`;
  const usual = settings.database.initial.replace("{dataDir}", dataDir);
  const here = `sqlite:${database.file}`;
  return here === usual ? data : `${data} --database ${plain(here)}`;
}

export interface LookOptions {
  readonly config: Pick<Config, "dataDir" | "database" | "port">;
  readonly env: Environment;
  /** For tests. */
  readonly servers?: readonly LocalServer[];
  readonly timeoutMs?: number;
}

/** Starts the search and returns immediately, with the offers from the environment. */
export function lookAround(options: LookOptions): LookAround {
  const { config, env, servers = localServers, timeoutMs = lookMs } = options;
  const tail = sameData(config);
  const offers = keyOffers(env).map(
    ({ target: { id, name }, variable }): Offer => ({
      command: `npx plaza connect ${id} --credential-env ${variable}${tail}`,
      note: name,
    }),
  );
  const probes = probeLocalServers(servers, config.port, timeoutMs).map(async (look) => {
    const found = await look;
    if (found === undefined) return;
    const models = found.models === 1 ? "1 model" : `${found.models} models`;
    offers.push({
      command: `npx plaza connect ${found.server.id} --price 0/0${tail}`,
      note: `${found.server.name} on this machine, ${models}, free of charge`,
    });
  });
  const hint: Offer = {
    command: `npx plaza connect openai${tail}`,
    note: "or another service, or a base URL; it asks for the key",
  };
  return {
    found: () => (offers.length > 0 ? [...offers] : [hint]),
    isDone: Promise.all(probes).then(() => undefined),
  };
}
