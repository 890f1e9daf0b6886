/** Where P23 searches: observed bytes, their recipient, and the canaries they must not contain. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Seen } from "../../harness/http-client.ts";
import type { Plaza } from "../../harness/processes/plaza.ts";
import { type Canary, findCanaries } from "./p23-canaries.ts";

/** Observed bytes and their recipient. */
export interface Sighting {
  readonly where: string;
  readonly bytes: Buffer;
  /** True when the recipient is the caller whose texts are planted. */
  readonly isOwner: boolean;
}

export function sighting(where: string, seen: Seen, isOwner: boolean): Sighting {
  return {
    where,
    bytes: Buffer.concat([Buffer.from(seen.rawHeaders.join("\n")), Buffer.from("\n"), seen.body]),
    isOwner,
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

/** Stored and logged data: secrets may appear only encrypted. */
export function atRest(plaza: Plaza, folder: string): Sighting[] {
  const files = filesBelow(folder).map((path) => ({
    where: `file ${path.slice(folder.length)}`,
    bytes: readFileSync(path),
    isOwner: false,
  }));
  return [...files, { where: "logs", bytes: Buffer.from(plaza.logs()), isOwner: false }];
}

/** Canaries found where they must not be. */
export function hits(canaries: readonly Canary[], sightings: readonly Sighting[]): string[] {
  return sightings.flatMap(({ where, bytes, isOwner }) =>
    findCanaries(canaries, bytes)
      .filter((canary) => canary.kind === "secret" || !isOwner)
      .map((canary) => `${canary.name} in ${where}`),
  );
}

/** The only file that may contain upstream addresses: the operator's catalog. */
export const isCatalogFile = (one: Sighting): boolean => one.where === "file /plaza.yaml";
