/**
 * Messages between the event loop and a translation thread. Everything in them can be cloned; bytes are
 * transferred, never shared.
 */
import type { Deployment, Upstream } from "@plaza/contract/catalog.ts";
import type { Delivered } from "../../../domain/money/estimate.ts";
import type { SealKeys } from "../../../protocols/payloads/seal.ts";
import type { Fault, MediaFile, ProviderRequest, StreamTranslator } from "../../../protocols/protocol.ts";
import type { FileAddress } from "../../../protocols/wire-protocol.ts";
import type { CallerId } from "./callers.ts";

/** A request without its body and without what only the event loop has. */
export type PlainRequest = Pick<
  ProviderRequest,
  | "spans"
  | "forwarded"
  | "isStream"
  | "outputTokensMax"
  | "outputCap"
  | "contextTokens"
  | "dropsParams"
  | "nowMs"
  | "echo"
  | "maker"
>;

/** What is translated for whom. A thread keeps it until it is closed, so that the body is parsed once. */
export interface TranslationTask {
  readonly caller: CallerId;
  readonly upstream: Upstream;
  readonly deployment: Pick<Deployment, "model" | "formats">;
  /** Id of the answer. */
  readonly answerId: string;
  readonly request: PlainRequest;
  /** Absent: payloads are plain. */
  readonly seal: SealKeys | undefined;
}

/** Entries of a replay memory: tool call id, value. */
export type Remembered = readonly (readonly [id: string, value: string])[];

/** The upstream call, with the ids that the memory was asked for and did not have. */
export interface EncodedCall {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  readonly dropped: readonly string[] | undefined;
  readonly missed: readonly string[];
}

/** What a translator says of its stream besides the events. */
export type StreamState = Omit<StreamTranslator, "push" | "end" | "finish">;

/** Translated events of a stream. */
export interface WrittenEvents {
  readonly bytes: Uint8Array;
  readonly state: StreamState;
  readonly remembered: Remembered;
}

/** A translated whole answer. */
export type WrittenAnswer =
  | {
      readonly body: Uint8Array;
      /** The usage report, for `readUsage`. */
      readonly report: unknown;
      /** What is counted where there is no report. */
      readonly said: Delivered;
      readonly remembered: Remembered;
    }
  /** Not an answer: the beginning of what it is, for `fault`. */
  | { readonly other: string };

/** What a thread is asked for, by kind: the parameters, and what comes back. */
export interface Jobs {
  readonly addresses: { readonly asks: undefined; readonly gives: readonly FileAddress[] };
  readonly encode: {
    readonly asks: {
      readonly credential: string;
      readonly remembered: Remembered;
      readonly media: ReadonlyMap<string, MediaFile> | undefined;
    };
    readonly gives: EncodedCall;
  };
  readonly push: { readonly asks: Uint8Array; readonly gives: WrittenEvents };
  readonly end: { readonly asks: undefined; readonly gives: WrittenEvents };
  readonly whole: { readonly asks: Uint8Array; readonly gives: WrittenAnswer };
}

export type JobKind = keyof Jobs;

export type ToThread =
  | {
      readonly kind: "open";
      readonly session: number;
      readonly task: TranslationTask;
      readonly body: Uint8Array;
    }
  | { readonly kind: "close"; readonly session: number }
  | { readonly kind: JobKind; readonly session: number; readonly job: number; readonly asks: unknown };

/** The answer to a job. `error`: the name of an exception that is a bug; its text may quote a body. */
export type FromThread =
  | { readonly job: number; readonly gives: unknown }
  | { readonly job: number; readonly fault: Fault }
  | { readonly job: number; readonly error: string };

/** Fewer bytes are copied: their memory may be a constant's, or shared with others. */
const copiedMax = 64 * 1024;

/** Bytes that own their memory, so that they can be transferred: themselves or a copy. */
export const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.byteLength > copiedMax &&
  bytes.byteLength === bytes.buffer.byteLength &&
  bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);

/** A view as a `Buffer`. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
