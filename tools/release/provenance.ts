/** The provenance of a release: an in-toto statement with SLSA's predicate, version 1, not signed. */
import { type Target, targets } from "./executable.ts";
import { type SystemPackage, systemPurl } from "./image/libraries.ts";
import type { Release } from "./preconditions.ts";
import { lockBytes, lockEntries } from "./root.ts";
import { sha256Of } from "./sha256.ts";

/** The Node inside an executable, by the checksum that the lock file has of its package. */
function runtimeOf(target: Target) {
  const { nodePackage } = targets[target];
  const { version, integrity } = lockEntries[`node_modules/${nodePackage}`] ?? {};
  if (version === undefined || integrity === undefined) throw new Error(`no ${nodePackage} in the lock file`);
  const sha512 = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  return { uri: `pkg:npm/${nodePackage}@${version}`, digest: { sha512 } };
}

export interface ProvenanceInput {
  readonly release: Release;
  readonly targets: readonly Target[];
  /** Packages of Debian that images contain. */
  readonly system: readonly SystemPackage[];
  /** The release's files by name. */
  readonly outputs: ReadonlyMap<string, Uint8Array>;
  /** Versions of the programs that made it, by name. */
  readonly tools: Readonly<Record<string, string>>;
}

/** Returns the statement as JSON text. */
export function provenance({ release, targets: made, system, outputs, tools }: ProvenanceInput): string {
  const { version, commit, isDirty, time } = release;
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...outputs].map(([name, bytes]) => ({ name, digest: { sha256: sha256Of(bytes) } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:plaza:release:v1",
        externalParameters: { version, targets: made },
        internalParameters: { sourceDateEpoch: time.getTime() / 1000, isDirty },
        resolvedDependencies: [
          { uri: "urn:plaza:source", digest: { gitCommit: commit } },
          { uri: "package-lock.json", digest: { sha256: sha256Of(lockBytes) } },
          ...made.map(runtimeOf),
          ...system.map((one) => ({ uri: systemPurl(one), digest: { sha256: one.sha256 } })),
        ],
      },
      runDetails: { builder: { id: "urn:plaza:tools/release.ts", version: tools } },
    },
  };
  return `${JSON.stringify(statement, undefined, 2)}\n`;
}
