/**
 * Allowed imports between the parts of the server: the arrows of ARCHITECTURE.md as data. `structure.test.ts`
 * checks them. Test files may import anything.
 */

/** One part of the server, by its folder or file below `server/src/`. */
export interface Room {
  /** Parts it may import besides itself, `lib` and the contract. */
  readonly imports: readonly string[];
  /** Node.js modules and packages it must not import, as prefixes. */
  readonly without?: readonly string[];
}

/** Modules that access the network, the disk or the clock. */
const effects = [
  "node:fs",
  "node:http",
  "node:net",
  "node:timers",
  "node:worker_threads",
  "undici",
  "kysely",
  "pg",
  "mysql2",
];

export const rooms: Readonly<Record<string, Room>> = {
  lib: { imports: [], without: ["@plaza/"] },
  domain: { imports: [], without: effects },
  conversation: { imports: ["domain"], without: effects },
  protocols: { imports: ["conversation", "domain"], without: effects },
  providers: { imports: ["conversation", "protocols", "domain"], without: effects },
  store: { imports: ["domain"] },
  // Asks the machine for credentials; it knows what providers ask for, and no provider.
  identity: { imports: ["providers"] },
  connect: { imports: ["identity", "providers", "protocols", "domain"] },
  gateway: {
    imports: ["identity", "providers", "protocols", "store", "domain"],
    // A caller is an `Exchange`; upstreams are called through `lib/net/http-client.ts`.
    without: ["kysely", "node:sqlite", "undici", "node:http", "node:net", "node:tls"],
  },
  control: {
    imports: ["connect", "identity", "providers", "store", "config", "domain"],
    without: ["kysely", "node:sqlite"],
  },
  // SQLite's files are handled by `store/backup/`.
  backup: { imports: ["store"], without: ["kysely", "node:sqlite", "undici"] },
  config: { imports: ["domain"] },
  // Callers' and upstreams' connections; what is served on them is not known here.
  transport: { imports: [] },
  http: { imports: ["gateway", "control", "store", "config", "domain", "transport"] },
};

/**
 * Folders of `protocols/` shared by several wire formats. Every other folder is one wire format, which no
 * other folder of `protocols/` may import: formats are converted through a conversation.
 */
export const sharedByProtocols: readonly string[] = ["claude", "embeddings", "faults", "payloads", "scrub"];
