/**
 * The identity of the machine that Plaza runs on, in place of credentials: asks the cloud's own services for
 * short-lived ones. Asks every time; who uses them keeps them (`gateway/upstreams/tokens.ts`).
 */
import type { CreateHttpClient } from "../lib/net/http-client.ts";
import type { IdentityRequest } from "../providers/provider.ts";
import { awsCredentials } from "./aws.ts";
import { azureCredentials } from "./azure.ts";
import { googleCredentials } from "./google.ts";
import type { ShortLived } from "./reading.ts";
import {
  createSurroundings,
  type MetadataOrigins,
  metadataOrigins,
  type Surroundings,
} from "./surroundings.ts";

/** Short-lived credentials, or a credential that the provider itself exchanges for them. */
export type Found = ShortLived | { readonly credential: string };

export interface MachineIdentity {
  /**
   * Throws an `IdentityFailure`. `open`: opens clients of issuers, as the upstream is reached. `limitMs`:
   * limit for each answer of an issuer, in milliseconds; there are at most two.
   */
  get(
    request: IdentityRequest,
    asked: { readonly open: (origin: string) => ReturnType<CreateHttpClient>; readonly limitMs: number },
  ): Promise<Found>;
}

export interface MachineIdentityOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: { wallMs(): number };
  /** For tests. */
  readonly origins?: MetadataOrigins;
  /** Limit for each answer of a service of this machine, in milliseconds; there are at most three. */
  readonly localMs?: number;
}

function find(request: IdentityRequest, around: Surroundings): Promise<Found> {
  switch (request.cloud) {
    case "aws":
      return awsCredentials(around, request.region);
    case "google":
      return googleCredentials(around, request.scope);
    case "azure":
      return azureCredentials(around, request.scope, request.authority);
  }
}

/** `env`: the environment of the process. Nothing is read or called before `get`. */
export function createMachineIdentity({
  env,
  clock,
  origins = metadataOrigins,
  localMs = 5_000,
}: MachineIdentityOptions): MachineIdentity {
  return {
    get(request, { open, limitMs }) {
      const given = { env, origins, open, nowMs: () => clock.wallMs() };
      const around = createSurroundings({
        ...given,
        localMs: Math.min(localMs, limitMs),
        issuerMs: limitMs,
      });
      return find(request, around);
    },
  };
}
