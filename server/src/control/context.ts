/**
 * What handlers of the control plane work with: the parts of the process they may touch, who is asking, and
 * what was asked. They meet the gateway in the store only.
 */
import type { AnswerOf, ApiRoutes, Input, RouteSpec, TokenScope } from "@plaza/contract/api/index.ts";
import type { Config } from "../config/config.ts";
import type { ModelCatalog } from "../domain/catalog/model-catalog.ts";
import type { Measured } from "../domain/catalog/model-status.ts";
import type { RandomBytes } from "../domain/keys/api-key.ts";
import type { NewId } from "../lib/id.ts";
import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { LedgerReport } from "../store/ledger/shapes.ts";
import type { Store } from "../store/store.ts";
import type { RepeatedRefusals } from "./audit/repeats.ts";
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
  /** Seals what the console keeps secret; asked anew each time, as keys can be exchanged. */
  readonly secretKey: () => Uint8Array;
  /** The shipped catalog of models and prices; read on first use. */
  readonly modelCatalog: () => Promise<ModelCatalog>;
  /** Adds everything up on a connection of its own, so that settlements do not wait behind it. */
  readonly checkLedger: () => Promise<LedgerReport>;
  /** Refused acts that come again and again, in the audit log. */
  readonly repeats: RepeatedRefusals;
  /** The memory of all bodies of the process, of which the console's take a share. */
  readonly bodies: BodyMemory;
  /** What is known against a model, by all processes. */
  readonly measuredOf: (modelId: string) => Measured;
  /** The port the endpoint listens on, which the system may have chosen. */
  readonly endpointPort: () => number;
}

/** A user with a session. */
export interface SignedIn {
  readonly kind: "user";
  readonly sessionId: string;
  /** What the session's pages send with every change. */
  readonly csrf: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly isOperator: boolean;
  /** null: an operator without an account. */
  readonly account: { readonly id: string; readonly role: "owner" | "member" } | null;
}

/** A program with an operator token. */
export interface Automation {
  readonly kind: "token";
  readonly tokenId: string;
  /**
   * Who makes what is made with it, as it is written down: its id, and of the
   * setting's token its value's fingerprint.
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

/** Who a handler can be called by, given whose its route is (`access.ts` makes it so). */
export type ViewerOf<Spec extends RouteSpec> = {
  anyone: Viewer;
  user: SignedIn;
  member: Member;
  owner: Member;
  operator: SignedIn | Automation;
}[Spec["access"]];

/** Cookies of the answer; `HttpOnly`, `SameSite=Lax`, and `Secure` where the page came over TLS. */
export interface Cookies {
  get(name: string): string | undefined;
  set(name: string, value: string, maxAgeSeconds: number): void;
  clear(name: string): void;
}

/** Where a request came from. */
export interface Origin {
  /** Address of the caller; a proxy's word counts where the proxy is trusted. */
  readonly ip: string;
  readonly userAgent: string;
  /** `https://plaza.example.com`: where the console is, as the browser sees it. */
  readonly site: string;
  readonly requestId: string;
}

/** One call of a route. */
export interface Call<Spec extends RouteSpec = RouteSpec> extends Input<Spec> {
  readonly viewer: ViewerOf<Spec>;
  readonly from: Origin;
  readonly cookies: Cookies;
  /** The whole address asked for, with its query; for what the schema does not describe. */
  readonly url: URL;
  /** Aborted when the client disconnects; for work without value afterwards. */
  readonly signal?: AbortSignal | undefined;
  /** What the audit log says beside who, when and which route: the thing changed, and how. No secrets. */
  note(subject: string | undefined, detail?: Readonly<Record<string, unknown>>): void;
  /** Says that everything is already as it was asked to be: such a call has no line in the audit log. */
  unchanged(): void;
}

/** What a route that answers with something else than JSON gives. */
export interface Download {
  readonly fileName: string;
  /** Pieces of text, in order; made as they are taken. */
  readonly pieces: AsyncIterable<string>;
}

export interface Redirect {
  readonly location: string;
}

type Given<Spec extends RouteSpec> = Spec extends { answerType: "redirect" }
  ? Redirect
  : Spec extends { answerType: "text/csv" }
    ? Download
    : Spec extends { answer: object }
      ? AnswerOf<Spec>
      : undefined;

/** Answers one route; throws GatewayError for everything else. */
export type Handler<Spec extends RouteSpec> = (
  context: ControlContext,
  call: Call<Spec>,
) => Promise<Given<Spec>> | Given<Spec>;

/** A handler for each of a set of routes, by the route's name. */
export type HandlersOf<Specs extends Record<string, RouteSpec>> = {
  readonly [Name in keyof Specs]: Handler<Specs[Name]>;
};

export type AllHandlers = HandlersOf<ApiRoutes>;
