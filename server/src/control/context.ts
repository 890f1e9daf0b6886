/**
 * What handlers of the control plane get: the parts of the process they may use, the caller, and the input.
 * They share only the store with the gateway.
 */
import type { AnswerOf, ApiRoutes, Input, RouteSpec, TokenScope } from "@plaza/contract/api/index.ts";
import type { Config } from "../config/config.ts";
import type { ModelCatalog } from "../domain/catalog/model-catalog.ts";
import type { Measured } from "../domain/catalog/model-status.ts";
import type { RandomBytes } from "../domain/keys/api-key.ts";
import type { MachineIdentity } from "../identity/machine-identity.ts";
import type { NewId } from "../lib/id.ts";
import type { CreateHttpClient } from "../lib/net/http-client.ts";
import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { LedgerReport } from "../store/ledger/shapes.ts";
import type { Store } from "../store/store.ts";
import type { RepeatedRefusals } from "./audit/repeats.ts";
import type { LiveHub } from "./live/hub.ts";
import type { BodyMemory } from "./receive.ts";

/** The parts of the process. */
export interface ControlContext {
  readonly store: Store;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
  readonly version: string;
  /** Returns the key that seals the console's secrets; called each time, because keys can be exchanged. */
  readonly secretKey: () => Uint8Array;
  /** The shipped catalog of models and prices, read on first use. */
  readonly modelCatalog: () => Promise<ModelCatalog>;
  /** Checks the ledger on a separate connection, so that settlements do not wait for it. */
  readonly checkLedger: () => Promise<LedgerReport>;
  /** Repeated refusals in the audit log. */
  readonly repeats: RepeatedRefusals;
  /** The memory for all bodies of the process; the console's may use a share. */
  readonly bodies: BodyMemory;
  /** The measured problem of a model, from all processes. */
  readonly measuredOf: (modelId: string) => Measured;
  /** Opens clients of upstreams for questions about their models. */
  readonly createClient: CreateHttpClient;
  /** The machine's identity, asked when a credential is `workloadIdentity`. */
  readonly identity: MachineIdentity;
  /** The live view of the installation. */
  readonly live: LiveHub;
  /** The endpoint's port, which the system may have chosen. */
  readonly endpointPort: () => number;
}

/** A user with a session. */
export interface SignedIn {
  readonly kind: "user";
  readonly sessionId: string;
  /** The token pages send with every change. */
  readonly csrf: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly isOperator: boolean;
  /** Null: an operator without an account. */
  readonly account: { readonly id: string; readonly role: "owner" | "member" } | null;
}

/** A program with an operator token. */
export interface Automation {
  readonly kind: "token";
  readonly tokenId: string;
  /**
   * The creator recorded for what it creates: the token's id, or for the setting's token its value's
   * fingerprint.
   */
  readonly makerId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<TokenScope>;
  /** Unix milliseconds; null: it does not expire. */
  readonly expiresAt: number | null;
}

export interface Nobody {
  readonly kind: "nobody";
}

export type Viewer = Nobody | SignedIn | Automation;

type Member = SignedIn & { readonly account: NonNullable<SignedIn["account"]> };

/** Who may call a handler, given its route's access rule (`access.ts` enforces it). */
export type ViewerOf<Spec extends RouteSpec> = {
  anyone: Viewer;
  user: SignedIn;
  member: Member;
  owner: Member;
  operator: SignedIn | Automation;
}[Spec["access"]];

/** Cookies of the answer: `HttpOnly`, `SameSite=Lax`, and `Secure` if the page was loaded over TLS. */
export interface Cookies {
  get(name: string): string | undefined;
  set(name: string, value: string, maxAgeSeconds: number): void;
  clear(name: string): void;
}

/** Where a request came from. */
export interface Origin {
  /** The caller's address; a proxy's header counts if the proxy is trusted. */
  readonly ip: string;
  readonly userAgent: string;
  /** The console's origin as the browser sees it, like `https://plaza.example.com`. */
  readonly site: string;
  readonly requestId: string;
}

/** One call of a route. */
export interface Call<Spec extends RouteSpec = RouteSpec> extends Input<Spec> {
  readonly viewer: ViewerOf<Spec>;
  readonly from: Origin;
  readonly cookies: Cookies;
  /** The full request URL including its query, for what the schema does not describe. */
  readonly url: URL;
  /** Resolves with false when the session or token ended meanwhile; for long answers. */
  isStillAllowed(): Promise<boolean>;
  /** Aborted when the client disconnects; for work that is then useless. */
  readonly signal?: AbortSignal | undefined;
  /** Adds to the audit log entry: what changed, and how. No secrets. */
  note(subject: string | undefined, detail?: Readonly<Record<string, unknown>>): void;
  /** Reports that the call changed nothing; it then gets no audit log entry. */
  unchanged(): void;
}

/** The answer of a route that does not return JSON. */
export interface Download {
  readonly fileName: string;
  /** Pieces of text, in order, generated on demand. */
  readonly pieces: AsyncIterable<string>;
}

/** The answer of a route that streams events. */
export interface EventStream {
  /** Whole events in wire form. Each is asked for when the one before was taken by the connection. */
  readonly events: AsyncIterable<string>;
}

export interface Redirect {
  readonly location: string;
}

type Given<Spec extends RouteSpec> = Spec extends { answerType: "redirect" }
  ? Redirect
  : Spec extends { answerType: "text/csv" }
    ? Download
    : Spec extends { answerType: "text/event-stream" }
      ? EventStream
      : Spec extends { answer: object }
        ? AnswerOf<Spec>
        : undefined;

/** Answers one route; throws GatewayError for any other outcome. */
export type Handler<Spec extends RouteSpec> = (
  context: ControlContext,
  call: Call<Spec>,
) => Promise<Given<Spec>> | Given<Spec>;

/** A handler for each of a set of routes, by the route's name. */
export type HandlersOf<Specs extends Record<string, RouteSpec>> = {
  readonly [Name in keyof Specs]: Handler<Specs[Name]>;
};

export type AllHandlers = HandlersOf<ApiRoutes>;
