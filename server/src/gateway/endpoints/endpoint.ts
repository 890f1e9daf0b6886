/**
 * Defines an endpoint: its path, the fields it reads and the most a call may use. The pipeline serves every
 * endpoint through this interface. An endpoint states, in types of money and dispatch, the most a call may
 * use and the tools that may be left out. It holds no money, takes from no limit, calls no upstream and knows
 * no socket.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { JsonScan } from "../../lib/json/scan-shapes.ts";
import type { ValueSpan } from "../../lib/json/spans.ts";
import type { Exchange, RequestHeaders } from "../../lib/net/exchange.ts";
import { createSseReaderFactory, type SseReaderFactory } from "../../lib/sse/sse.ts";
import type { FieldSpans, ForwardedHeaders } from "../../protocols/protocol.ts";
import type { EarlierEvents, WireProtocol } from "../../protocols/wire-protocol.ts";
import type { NewStoredResponse, ResponsesStore } from "../../store/responses/shapes.ts";
import type { Offer } from "../dispatch/without-offers.ts";
import type { WorstCase } from "../money/worst-case.ts";
import { type BodyScanners, createBodyScanners } from "../request/body/body-scan.ts";
import type { GatewaySettings } from "../settings.ts";
import type { LiveModel } from "../snapshot.ts";

/** Fields the pipeline needs from every request. Endpoints add their own. */
export interface RequestFields {
  readonly model: string;
  /** Further models the caller accepts, in order and without duplicates; undefined = none. */
  readonly otherModels: readonly string[] | undefined;
  readonly isStream: boolean;
  /** True when the caller asked for usage in its stream. */
  readonly showsUsage: boolean;
  readonly spans: FieldSpans;
  /** The call in the format that providers serve, with `spans` in it. Absent: as it was sent. */
  readonly body?: Buffer | undefined;
  /** Paths of features that upstreams bill apart from tokens. */
  readonly apart: readonly string[];
  /** Tools of that kind that are only offered, beside the caller's own. Absent = none. */
  readonly offers?: readonly Offer[] | undefined;
  /** Absent: none go on. */
  readonly forwarded?: ForwardedHeaders | undefined;
}

/** Where what was kept of earlier calls is found, and whose it has to be. */
export interface CallState {
  readonly store: ResponsesStore;
  readonly accountId: string;
  /** True when the caller's key may use this model. */
  mayUse(modelId: string): boolean;
}

/** A call whose body says everything it referred to. */
export interface CompletedCall {
  readonly body: Buffer;
  /** What the caller itself sent as input, each item as JSON; references replaced. */
  readonly input: readonly string[];
  /** The response it continues. */
  readonly parentId: string | undefined;
}

/** Something at an upstream that a request names, and who made it. */
export interface Tie {
  /** Where the request names it. */
  readonly param: string;
  /** The deployment that answered then, as it is stored. */
  readonly deployment: string;
}

/** What became of a call that refers to earlier ones. */
export interface Completion {
  /** Undefined: its body says everything as it is. */
  readonly call: CompletedCall | undefined;
  /** What it names can be served only by who made it. */
  readonly ties: readonly Tie[];
}

/** An answer that is whole, as the caller gets its end. */
export interface WrittenAnswer {
  /** Of a stream its last event. */
  readonly bytes: Buffer;
  /** Of a stream: what its last event lacks of the answer; absent: nothing. */
  readonly lacking?: EarlierEvents | undefined;
  readonly isStream: boolean;
  readonly completed: CompletedCall | undefined;
}

/** What an endpoint keeps for later calls of the same account. */
export interface StoredState<Fields extends RequestFields> {
  /** Throws `invalid_request` for what is not served. `keptMs`: how long answers are kept; 0 = not at all. */
  require(fields: Fields, keptMs: number): void;
  /**
   * The call with what it refers to; undefined where it refers to nothing. Rejects with what the caller is
   * told.
   */
  complete(fields: Fields, body: Buffer, calling: CallState): Promise<Completion | undefined> | undefined;
  /** What an answer says of it, where it repeats its request. `keptMs`: as above. */
  echo(
    fields: Fields,
    completed: CompletedCall | undefined,
    keptMs: number,
  ): Readonly<Record<string, unknown>>;
  /** What is to be kept of an answer; undefined = nothing. */
  keep(
    fields: Fields,
    body: Buffer,
    answer: WrittenAnswer,
  ): Pick<NewStoredResponse, "id" | "itemIds" | "payload"> | undefined;
}

/** Opaque reasoning among the items of a list in a request. */
export interface OpaqueItems {
  /** The list's name. */
  readonly name: string;
  readonly items: readonly ValueSpan[];
  /** The items, by their place. */
  readonly found: readonly { readonly at: number; readonly data: string }[];
}

/** Where opaque reasoning stands. Method syntax, as in `Endpoint`. */
export interface OpaqueReading<Fields extends RequestFields> {
  /** undefined: a request without any. */
  inRequest(fields: Fields, body: Buffer): OpaqueItems | undefined;
  /** `bytes`: a whole answer, or the last event of a stream. */
  inAnswer(bytes: Buffer): readonly string[];
}

/** Where an id stands in a request. */
export interface NamedThing {
  readonly id: string;
  readonly param: string;
}

/**
 * Ids of what an upstream keeps of an answer, and opens for any caller that names it. Method syntax, as in
 * `Endpoint`.
 */
export interface NamedThings<Fields extends RequestFields> {
  inRequest(fields: Fields, body: Buffer): readonly NamedThing[];
  /** `body`: a whole answer. Of a stream its reader tells them (`StreamReader.keptIds`). */
  inAnswer(fields: Fields, body: Buffer): readonly string[];
}

/** What a request's target says beside the path of its endpoint. */
export interface CallTarget {
  /** What the `*` in the endpoint's path stood for, percent-decoded; empty without one. */
  readonly tail: string;
  /** As it was sent, without the `?`; empty without one. */
  readonly query: string;
  /** The model, where the path names it and not the body. */
  readonly model?: string | undefined;
  /** Of the headers the endpoint lets through; absent: it lets none. */
  readonly forwarded?: ForwardedHeaders | undefined;
}

/**
 * Methods use method syntax so that an endpoint with its own fields can be assigned to `Endpoint`. This is
 * safe because it only receives the fields it read itself.
 */
export interface Endpoint<Fields extends RequestFields = RequestFields> {
  /** Exact, or with a `*` for any text, which `read` is told: at the end, or before an ending. */
  readonly path: string;
  /**
   * What fingerprints of its calls hash before the body. Only for paths whose fingerprints were stored before
   * the target was part of them. Absent: the target.
   */
  readonly fingerprintMark?: string | undefined;
  /** The operation a model must support. */
  readonly operation: Operation;
  /** The wire format of its answers. */
  readonly protocol: WireProtocol;
  /**
   * The wire format for one request, when reading the answer depends on the request. The stream markers must
   * be the same.
   */
  protocolOf?(fields: Fields): WireProtocol | undefined;
  /**
   * Names to find at the top level of the body, and names to count at any depth. `valuesMin`: number of JSON
   * values a body may always have, even if the configured limit is lower.
   */
  readonly scanned: {
    readonly names: readonly string[];
    readonly counted: readonly string[];
    readonly valuesMin?: number;
  };
  /** The caller's headers, in lower case, that go on to upstreams of its format. Absent: none. */
  readonly forwardedHeaders?: readonly string[];
  /** The field that holds the prompt, named in errors about its length. */
  readonly promptField: string;
  /** Fields that identify a session, in order of preference. Requests of one session go to one deployment. */
  readonly sessionFields: readonly Exclude<keyof FieldSpans, "outputs">[];
  /**
   * Parameters that may be dropped when the caller allows it, because they affect neither meaning nor cost.
   */
  readonly droppable: ReadonlySet<string>;
  /**
   * Parameters that may be dropped without asking the caller, because Plaza converts the answer to the
   * requested form itself.
   */
  readonly madeGood?: ReadonlySet<string>;
  /** Reads a complete body, and the target it was sent to. Throws `invalid_request` naming the field. */
  read(scan: JsonScan, body: Buffer, target: CallTarget): Fields;
  /** Reasoning that only its maker can read, in requests and answers. Absent: none is looked for. */
  readonly opaque?: OpaqueReading<Fields>;
  /** Absent where a call says everything by itself. */
  readonly state?: StoredState<Fields>;
  /** For endpoints without `state`. Absent: their requests name nothing that an answer told of. */
  readonly named?: NamedThings<Fields>;
  /** Returns the most the call may use with this model at this price. */
  worstCase(model: LiveModel, price: Price, fields: Fields, body: Buffer): WorstCase;
  /**
   * Tokens the prompt probably has, where the upstream does not say. `provider`: by whose rule files count.
   * `context`: most tokens the model that answered reads of one prompt; undefined = unknown.
   */
  promptTokens(fields: Fields, body: Buffer, provider: string, context: number | undefined): number;
}

/** An endpoint with the parsers that are created once per process. */
export interface ReadyEndpoint<Fields extends RequestFields = RequestFields> extends Endpoint<Fields> {
  readonly scanners: BodyScanners;
  readonly streamReaders: SseReaderFactory;
}

export function prepareEndpoint<Fields extends RequestFields>(
  endpoint: Endpoint<Fields>,
  settings: Pick<GatewaySettings, "jsonDepthMax" | "jsonValuesMax" | "eventBytesMax">,
): ReadyEndpoint<Fields> {
  const { streamMarks: marks } = endpoint.protocol;
  return {
    ...endpoint,
    scanners: createBodyScanners(endpoint.scanned, {
      ...settings,
      jsonValuesMax: Math.max(settings.jsonValuesMax, endpoint.scanned.valuesMin ?? 0),
    }),
    streamReaders: createSseReaderFactory({ marks, eventBytesMax: settings.eventBytesMax }),
  };
}

/** The most bytes of one header that is passed on. */
const forwardedMax = 4_096;

/** Throws `invalid_request` for a header no client means: what is passed on is what was priced. */
function forwardedOf(names: readonly string[], headers: RequestHeaders): ForwardedHeaders {
  const forwarded: Record<string, string> = {};
  for (const name of names) {
    const given = headers[name];
    if (given === undefined) continue;
    const value = typeof given === "string" ? given : given.join(",");
    if (value.length > forwardedMax || !/^[\x20-\x7e]*$/.test(value))
      throw new GatewayError("invalid_request", {
        message: message("call.headerOdd", { name, max: forwardedMax }),
      });
    forwarded[name] = value;
  }
  return forwarded;
}

/** Returns what an endpoint reads of a call beside its body. Throws `invalid_request` for an odd header. */
export function targetOf(
  { forwardedHeaders }: Pick<Endpoint, "forwardedHeaders">,
  { query, headers }: Pick<Exchange, "query" | "headers">,
  tail: string,
): CallTarget {
  if (forwardedHeaders === undefined) return { tail, query };
  return { tail, query, forwarded: forwardedOf(forwardedHeaders, headers) };
}

/** Returns the endpoint with the wire format for this request. */
export function endpointOf(endpoint: ReadyEndpoint, fields: RequestFields): ReadyEndpoint {
  const protocol = endpoint.protocolOf?.(fields);
  return protocol === undefined ? endpoint : { ...endpoint, protocol };
}
