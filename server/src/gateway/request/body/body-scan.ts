/**
 * Scans a JSON body as it arrives and finds the fields one endpoint needs, under limits on depth and number
 * of values. Knows where fields are, not what they mean.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { createJsonScannerFactory } from "../../../lib/json/scan.ts";
import type { JsonScan, JsonScanFault, JsonScanner } from "../../../lib/json/scan-shapes.ts";
import type { GatewaySettings } from "../../settings.ts";

/** Scans one body. `push` returns the error as soon as the body is certain to be refused. */
export interface BodyScanner {
  push(chunk: Buffer): GatewayError | undefined;
  /**
   * Returns the scan of the complete body. Throws `invalid_request` when it is not a well-formed object, or
   * repeats or misspells a field name.
   */
  end(body: Buffer): JsonScan;
}

export interface BodyScanners {
  create(): BodyScanner;
}

/** Field names to find at the top level, and names to count at any depth. */
interface Scanned {
  readonly names: readonly string[];
  readonly counted: readonly string[];
}

type ScanSettings = Pick<GatewaySettings, "jsonDepthMax" | "jsonValuesMax">;

const invalid = (made: Message, param?: string): GatewayError =>
  new GatewayError("invalid_request", { message: made, param });

/**
 * Some upstreams ignore case in names and use the last duplicate. Only the exact spelling is allowed, so that
 * Plaza and the upstream read the same field.
 */
export const misspelt = (name: string): GatewayError =>
  invalid(message("body.fieldMisspelt", { name }), name);

function refusal(fault: JsonScanFault, settings: ScanSettings): GatewayError {
  if (fault.reason === "syntax") {
    return invalid(message("body.notJsonAt", { at: fault.at }));
  }
  const { at } = fault;
  return new GatewayError("request_too_large", {
    message:
      fault.reason === "depth"
        ? message("body.tooDeep", { max: settings.jsonDepthMax, at })
        : message("body.tooManyValues", { max: settings.jsonValuesMax, at }),
  });
}

class OneBody implements BodyScanner {
  readonly #scanner: JsonScanner;
  readonly #settings: ScanSettings;

  constructor(scanner: JsonScanner, settings: ScanSettings) {
    this.#scanner = scanner;
    this.#settings = settings;
  }

  push(chunk: Buffer): GatewayError | undefined {
    const fault = this.#scanner.push(chunk);
    return fault === undefined ? undefined : refusal(fault, this.#settings);
  }

  end(body: Buffer): JsonScan {
    const scan = this.#scanner.end();
    if (scan.reason !== undefined) {
      if (body.length === 0) throw invalid(message("body.empty"));
      throw refusal(scan, this.#settings);
    }
    if (scan.root !== "object") throw invalid(message("body.notObject"));
    if (scan.duplicate !== undefined) {
      throw invalid(message("body.fieldTwice", { name: scan.duplicate }), scan.duplicate);
    }
    if (scan.misspelt !== undefined) throw misspelt(scan.misspelt);
    return scan;
  }
}

/** Builds the scanner factory of an endpoint; called once per process. */
export function createBodyScanners({ names, counted }: Scanned, settings: ScanSettings): BodyScanners {
  const limits = { depthMax: settings.jsonDepthMax, valuesMax: settings.jsonValuesMax };
  const createScanner = createJsonScannerFactory(names, limits, counted);
  return { create: () => new OneBody(createScanner(), settings) };
}
