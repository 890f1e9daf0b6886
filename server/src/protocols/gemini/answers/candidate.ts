/**
 * One candidate of an answer as Gemini's parts, buffered until they are taken. From the first call on,
 * everything waits for the candidate's end, because a call is a single part and must be complete.
 */
import type { CallHead, EndReason, OpaqueReasoning, TokenLogprob } from "../../../conversation/answer.ts";
import type { Citation } from "../../../conversation/blocks.ts";
import { isShallow, parseExact } from "../../../lib/json/exact-json.ts";
import { isRecord } from "../../../lib/record.ts";
import { geminiPayloads } from "../../payloads/marks.ts";
import type { PayloadPart } from "../../payloads/payload.ts";
import type { Seal } from "../../payloads/seal.ts";

type Fields = Readonly<Record<string, unknown>>;

interface TextPart {
  text: string;
  readonly thought?: true;
  readonly thoughtSignature?: string;
}

interface CallDraft {
  readonly head: CallHead;
  json: string;
  readonly input: string | undefined;
  readonly pieces: readonly PayloadPart[];
}

/** Google's own signatures, in the format of `signatures.ts`. */
const nativeFormat = "google-gemini-v1";
/** Arguments nested deeper are written as text. */
const depthMax = 256;

/** Arguments must be an object. Anything else a model wrote is kept as text. */
function argsOf({ json, input }: CallDraft): object {
  if (input !== undefined) return { input };
  if (json.trim() === "") return {};
  const args = isShallow(json, depthMax) ? parseExact(json) : undefined;
  return isRecord(args) ? args : { input: json };
}

export class Candidate {
  readonly #seal: Seal;
  #ready: (TextPart | Fields)[] = [];
  /** Parts and calls, from the first call on. */
  #waiting: (TextPart | Fields | CallDraft)[] = [];
  readonly #calls = new Map<number, CallDraft>();
  /** Opaque reasoning that waits for the next part to be attached to. */
  #pieces: PayloadPart[] = [];
  #tokens: TokenLogprob[] = [];
  #citations: Citation[] = [];
  /** All text so far; citation positions are counted in its bytes. */
  #said = "";
  #hasParts = false;
  reason: EndReason | undefined;

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  /** True when a part was written or waits to be written. */
  get hasParts(): boolean {
    return this.#hasParts;
  }

  /** True when parts wait only to be taken. */
  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  text(text: string): void {
    if (text === "") return;
    this.#said += text;
    const signature = this.#signature();
    const last = this.#list.at(-1);
    const isOpen =
      last !== undefined && "text" in last && !("thought" in last) && !("thoughtSignature" in last);
    if (signature === undefined && isOpen) (last as TextPart).text += text;
    else this.#push({ text, ...(signature === undefined ? {} : { thoughtSignature: signature }) });
  }

  thought(text: string): void {
    if (text === "") return;
    const last = this.#list.at(-1);
    if (last !== undefined && "thought" in last) (last as TextPart).text += text;
    else this.#push({ text, thought: true });
  }

  opaque({ format, model, text, signature, data, id }: OpaqueReasoning): void {
    this.#pieces.push({ format, model, text, signature, data, id });
  }

  call(index: number, head: CallHead, input?: string): void {
    const draft: CallDraft = { head, json: "", input, pieces: this.#pieces };
    this.#pieces = [];
    this.#calls.set(index, draft);
    this.#hasParts = true;
    this.#waiting.push(draft);
  }

  fragment(index: number, fragment: string): void {
    const draft = this.#calls.get(index);
    if (draft !== undefined) draft.json += fragment;
  }

  image(mimeType: string, data: string): void {
    const signature = this.#signature();
    const inlineData = { mimeType, data };
    this.#push(signature === undefined ? { inlineData } : { inlineData, thoughtSignature: signature });
  }

  tokens(tokens: readonly TokenLogprob[]): void {
    this.#tokens.push(...tokens);
  }

  citation(citation: Citation): void {
    this.#citations.push(citation);
  }

  finish(reason: EndReason): void {
    this.reason = reason;
  }

  /** Makes the parts ready that waited for the end. */
  close(): void {
    for (const part of this.#waiting)
      this.#ready.push("head" in part ? this.#callPart(part as CallDraft) : part);
    this.#waiting = [];
    const signature = this.#signature();
    // Google writes a signature that nothing follows on an empty text.
    if (signature !== undefined) this.#ready.push({ text: "", thoughtSignature: signature });
  }

  /** The candidate's new members since the last call; undefined when there are none. */
  take(): Fields | undefined {
    if (this.#ready.length === 0 && this.#tokens.length === 0) return undefined;
    const parts = this.#ready;
    this.#ready = [];
    const logprobs = this.#takeTokens();
    return {
      content: { parts, role: "model" },
      ...(logprobs === undefined ? {} : { logprobsResult: logprobs }),
    };
  }

  /** The sources; undefined when there are none. */
  grounding(): Fields | undefined {
    if (this.#citations.length === 0) return undefined;
    const uris = [...new Set(this.#citations.map(({ url }) => url))];
    const byte = (place: number): number => Buffer.byteLength(this.#said.slice(0, place));
    return {
      groundingChunks: uris.map((uri) => {
        const title = this.#citations.find(({ url }) => url === uri)?.title;
        return { web: { uri, title } };
      }),
      groundingSupports: this.#citations.map(({ url, start, end }) => ({
        segment: { startIndex: byte(start), endIndex: byte(end), text: this.#said.slice(start, end) },
        groundingChunkIndices: [uris.indexOf(url)],
      })),
    };
  }

  get #list(): readonly (TextPart | Fields | CallDraft)[] {
    return this.#waiting.length > 0 ? this.#waiting : this.#ready;
  }

  #push(part: TextPart | Fields): void {
    this.#hasParts = true;
    if (this.#waiting.length > 0) this.#waiting.push(part);
    else this.#ready.push(part);
  }

  /** The signature from the waiting pieces, for the part it belongs to. */
  #signature(): string | undefined {
    const pieces = this.#pieces;
    if (pieces.length === 0) return undefined;
    this.#pieces = [];
    const [only] = pieces;
    // Google's own signature is passed on unchanged.
    if (pieces.length === 1 && only?.format === nativeFormat && only.data !== undefined) return only.data;
    return geminiPayloads.write(pieces, this.#seal);
  }

  #callPart(draft: CallDraft): Fields {
    const { head, pieces } = draft;
    const functionCall = { id: head.id, name: head.name, args: argsOf(draft) };
    const { signature } = head;
    if (pieces.length === 0)
      return signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature };
    const all = signature === undefined ? pieces : [...pieces, { data: signature, call: head.id }];
    const payload = geminiPayloads.write(all, this.#seal);
    return payload === undefined ? { functionCall } : { functionCall, thoughtSignature: payload };
  }

  #takeTokens(): Fields | undefined {
    if (this.#tokens.length === 0) return undefined;
    const tokens = this.#tokens;
    this.#tokens = [];
    const onWire = ({ token, logprob }: Pick<TokenLogprob, "token" | "logprob">): Fields => ({
      token,
      logProbability: logprob,
    });
    return {
      chosenCandidates: tokens.map(onWire),
      topCandidates: tokens.map(({ alternatives }) => ({ candidates: alternatives.map(onWire) })),
    };
  }
}
