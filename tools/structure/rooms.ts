/**
 * Which part of the server may import which: the arrows of ARCHITECTURE.md as data. `structure.test.ts` holds
 * the code to it. Files of tests may import anything.
 */

/** One part of the server, by its folder or file below `server/src/`. */
export interface Room {
  /** Parts it may import beside itself, `lib` and the contract. */
  readonly imports: readonly string[];
  /** Modules of Node.js and packages it must not touch, as prefixes. */
  readonly without?: readonly string[];
}

/** What touches the network, the disk or the clock. */
const effects = [
  "node:fs",
  "node:http",
  "node:net",
  "node:timers",
  "node:worker_threads",
  "undici",
  "kysely",
  "pg",
];

export const rooms: Readonly<Record<string, Room>> = {
  lib: { imports: [], without: ["@plaza/"] },
  domain: { imports: [], without: effects },
  conversation: { imports: ["domain"], without: effects },
  protocols: { imports: ["conversation", "domain"], without: effects },
  providers: { imports: ["conversation", "protocols", "domain"], without: effects },
  store: { imports: ["domain"] },
  connect: { imports: ["providers", "protocols", "domain"] },
  gateway: {
    imports: ["providers", "protocols", "store", "domain"],
    // A caller is an `Exchange`, an upstream is reached through `lib/net/http-client.ts`.
    without: ["kysely", "node:sqlite", "undici", "node:http", "node:net", "node:tls"],
  },
  control: {
    imports: ["connect", "providers", "store", "config", "domain"],
    without: ["kysely", "node:sqlite"],
  },
  config: { imports: ["domain"] },
  http: { imports: ["gateway", "control", "store", "config", "domain"] },
};

/**
 * Folders of `protocols/` that several wire formats share. Every other folder there is one wire format, and
 * none of those may be imported by another folder of `protocols/`: they meet in a conversation.
 */
export const sharedByProtocols: readonly string[] = ["claude", "embeddings", "faults", "payloads", "scrub"];
