/**
 * What an endpoint is: a path under /v1, what has to be read of its body, and what such a call may
 * use. The pipeline serves every endpoint by these answers alone. An endpoint knows its fields; it
 * knows no money, limits, dispatch or sockets.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { JsonScan } from "../../lib/json/scan-shapes.ts";
import { createSseReaderFactory, type SseReaderFactory } from "../../lib/sse/sse.ts";
import type { FieldSpans } from "../../protocols/protocol.ts";
import type { WireProtocol } from "../../protocols/wire-protocol.ts";
import type { WorstCase } from "../money/worst-case.ts";
import { type BodyScanners, createBodyScanners } from "../request/body/body-scan.ts";
import type { GatewaySettings } from "../settings.ts";
import type { LiveModel } from "../snapshot.ts";

/** What the pipeline needs of a body, whatever its format. An endpoint's own fields stand beside these. */
export interface RequestFields {
  readonly model: string;
  /** Further models the caller takes, in this order, none twice; undefined when it named none. */
  readonly otherModels: readonly string[] | undefined;
  readonly isStream: boolean;
  /** Did the caller ask for usage in its stream? */
  readonly showsUsage: boolean;
  readonly spans: FieldSpans;
  /** Paths of what the request holds that upstreams charge apart from tokens. */
  readonly apart: readonly string[];
}

/**
 * The methods are written as methods so that an endpoint of any fields is an `Endpoint`:
 * it is only given what it read itself.
 */
export interface Endpoint<Fields extends RequestFields = RequestFields> {
  readonly path: string;
  /** What a model has to be for. */
  readonly operation: Operation;
  /** The wire format of its answers. */
  readonly protocol: WireProtocol;
  /**
   * The format as it reads the answer to this very request, where that depends on the request. It has the
   * same marks.
   */
  protocolOf?(fields: Fields): WireProtocol | undefined;
  /**
   * Names to look for at the top of the body, and names to count in all of it. `valuesMin`: so many JSON
   * values a body may have, whatever is set for all.
   */
  readonly scanned: {
    readonly names: readonly string[];
    readonly counted: readonly string[];
    readonly valuesMin?: number;
  };
  /** The field that holds what is asked, named where it is too long for a model. */
  readonly promptField: string;
  /**
   * Fields that name the session of a call, the first that is there: calls
   * of one session go to one deployment.
   */
  readonly sessionFields: readonly Exclude<keyof FieldSpans, "outputs">[];
  /**
   * Parameters that may be left out for a caller that allows it: a manner of writing,
   * nothing that changes meaning or cost.
   */
  readonly droppable: ReadonlySet<string>;
  /**
   * Parameters whose refusal no caller has to hear of: they are left out without its leave, because the
   * answer is brought into the form they ask for here.
   */
  readonly madeGood?: ReadonlySet<string>;
  /** Reads a complete body. Throws `invalid_request` naming the field. */
  read(scan: JsonScan, body: Buffer): Fields;
  /** The most the call may use when this model serves it at this price. */
  worstCase(model: LiveModel, price: Price, fields: Fields, body: Buffer): WorstCase;
  /**
   * Tokens the prompt probably has, where the upstream does not say. `provider`: by whose rule files count.
   */
  promptTokens(fields: Fields, body: Buffer, provider: string): number;
}

/** An endpoint with what is made for it once per process. */
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

/** The endpoint as it reads the answer to this very request. */
export function endpointOf(endpoint: ReadyEndpoint, fields: RequestFields): ReadyEndpoint {
  const protocol = endpoint.protocolOf?.(fields);
  return protocol === undefined ? endpoint : { ...endpoint, protocol };
}
