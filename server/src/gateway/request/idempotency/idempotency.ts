/**
 * The Idempotency-Key: a call that is repeated with the same key and body gets the answer of the first, and
 * is paid once. A claim is taken before anything is set aside or sent upstream, and ends with the settlement
 * of its request. It knows the answers' bytes, not what they say.
 */

import { createHash } from "node:crypto";
import { wireErrorEvent } from "@plaza/contract/error-wire.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { formatUsd, type NanoUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { Exchange } from "../../../lib/net/exchange.ts";
import type { Log } from "../../../lib/telemetry/log.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type {
  IdempotencyStore,
  Settlement,
  StoredAnswer,
} from "../../../store/requests/settlement-shapes.ts";
import type { AttemptEnd } from "../../dispatch/attempt/attempt.ts";
import type { Leases } from "../../money/leases.ts";
import type { GatewaySettings } from "../../settings.ts";
import type { Caller } from "../authenticate.ts";
import { answerType, type Reply, servedByHeader, streamHeaders } from "../reply.ts";
import { isAllowed } from "../resolve.ts";

export interface IdempotencyContext {
  readonly store: IdempotencyStore;
  readonly leases: Leases;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** The key of a call, or undefined when it has none. Throws `invalid_request`. */
export function readIdempotencyKey({ headers }: Pick<Exchange, "headers">): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  // A header sent twice arrives joined by ", ", and the space is not allowed.
  if (typeof key === "string" && /^[!-~]{1,255}$/.test(key)) return key;
  throw new GatewayError("invalid_request", {
    message: message("call.idempotencyKeyForm"),
  });
}

/**
 * Pauses between tries to give a key free; a process that cannot reach the
 * store for longer loses its claims anyway.
 */
const freePausesMs = [1_000, 4_000, 15_000, 30_000];

/**
 * Most keys of one process that wait to be given free; beyond them they stay taken until their holder ends.
 */
const freeingMax = 10_000;

/** A key this request has taken. A class because it has a lifetime: it ends exactly once. */
export class KeyClaim {
  readonly #context: IdempotencyContext;
  readonly #accountId: string;
  readonly #key: string;
  readonly #requestId: string;
  #isEnded = false;
  static #freeing = 0;

  constructor(context: IdempotencyContext, accountId: string, key: string, requestId: string) {
    this.#context = context;
    this.#accountId = accountId;
    this.#key = key;
    this.#requestId = requestId;
  }

  /** Ends the claim together with its request: the answer to keep, or undefined to give the key free. */
  settle(answer: StoredAnswer | undefined): NonNullable<Settlement["idempotency"]> {
    this.#isEnded = true;
    return { key: this.#key, answer };
  }

  /** Gives the key free, where nothing else ended the claim. */
  drop(): void {
    if (!this.#isEnded) this.free();
  }

  /**
   * Gives the key free although the claim was ended with a settlement that could
   * not be written. Nobody waits for it.
   */
  free(): void {
    this.#isEnded = true;
    if (KeyClaim.#freeing >= freeingMax) return;
    KeyClaim.#freeing += 1;
    void this.#giveBack().finally(() => {
      KeyClaim.#freeing -= 1;
    });
  }

  async #giveBack(): Promise<void> {
    const claim = { accountId: this.#accountId, key: this.#key, requestId: this.#requestId };
    for (const pauseMs of freePausesMs) {
      try {
        await this.#context.store.dropIdempotencyClaim(claim);
        return;
      } catch (error) {
        const reason = (error as Error).message;
        this.#context.log.warn("claim_not_dropped", { request: this.#requestId, error: reason });
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      }
    }
  }
}

/** How long a caller should wait that repeats a call which is still under way. */
const inFlightMs = 1_000;

/** The same where the journal of a process that is gone is waited for. */
const inJournalMs = 15_000;

/** What marks an answer that was too large to be kept. Never an answer's own status. */
const notKeptStatus = 409;
const notKept: StoredAnswer = { status: notKeptStatus, headers: [], body: Buffer.from("not kept") };

/** An answer that was given before, and the request it belongs to. */
export interface EarlierAnswer {
  readonly requestId: string;
  readonly answer: StoredAnswer;
}

export interface ClaimRequest {
  readonly key: string;
  readonly accountId: string;
  readonly requestId: string;
  /** Of the path that was called. */
  readonly operation: Operation;
  readonly body: Buffer;
}

/**
 * The same for the same call alone. A chat's is of its body alone: keys were taken for chats before there
 * were other paths.
 */
function fingerprintOf({ operation, body }: ClaimRequest): string {
  const hash = createHash("sha256");
  if (operation !== "chat") hash.update(`${operation}\n`);
  return hash.update(body).digest("hex");
}

async function ask(context: IdempotencyContext, request: ClaimRequest) {
  const { key, accountId, requestId } = request;
  const fingerprint = fingerprintOf(request);
  for (let tries = 0; tries < 2; tries += 1) {
    const claim = await context.store.claimIdempotencyKey({
      accountId,
      key,
      fingerprint,
      requestId,
      holderId: context.leases.holderId,
      expiresAt: context.clock.wallMs() + context.settings.idempotencyKeptMs,
    });
    if (claim.kind !== "fenced") return claim;
    // This process was thought dead: it goes on under another holder.
    await context.leases.beat();
  }
  throw new Error("this process's holder has expired");
}

/**
 * Takes the key, or finds the answer of the call that took it before. Throws
 * `idempotency_in_flight`, `idempotency_key_reused`, `idempotency_answer_not_kept` or, when the
 * store cannot be asked, `ledger_unavailable`.
 */
export async function claimKey(
  context: IdempotencyContext,
  request: ClaimRequest,
): Promise<KeyClaim | EarlierAnswer> {
  const claim = new KeyClaim(context, request.accountId, request.key, request.requestId);
  const outcome = await ask(context, request).catch((error: Error) => {
    // It may have been taken all the same, and only the news of it was lost.
    claim.free();
    context.log.warn("key_not_claimed", { request: request.requestId, error: error.message });
    throw new GatewayError("ledger_unavailable", {
      message: message("call.idempotencyUnchecked"),
    });
  });
  if (outcome.kind === "claimed") return claim;
  if (outcome.kind === "in_journal") {
    throw new GatewayError("idempotency_in_flight", {
      message: message("call.idempotencyElsewhere"),
      retryAfterMs: inJournalMs,
    });
  }
  if (outcome.kind !== "done") {
    throw outcome.kind === "other_body"
      ? new GatewayError("idempotency_key_reused")
      : new GatewayError("idempotency_in_flight", { retryAfterMs: inFlightMs });
  }
  if (outcome.answer.status !== notKeptStatus) return outcome;
  throw new GatewayError("idempotency_answer_not_kept", {
    message: message("call.idempotencyNotKept", { requestId: outcome.requestId }),
  });
}

/** How a request ended, as far as its answer goes. */
export interface AnswerEnding {
  readonly end: AttemptEnd;
  /** What a caller of a cut stream is told. */
  readonly error: GatewayError | undefined;
  readonly reply: Reply;
}

/**
 * The answer to keep: a complete one, or as much as there was of one that was charged all the same. undefined
 * where nothing was charged for: the next try is a new call.
 */
export function answerToKeep(
  { end, error, reply }: AnswerEnding,
  charge: NanoUsd,
  bytesMax: number,
): StoredAnswer | undefined {
  if (end.kind === "fault") return undefined;
  if (end.kind === "answer") {
    if (end.body.length > bytesMax) return notKept;
    const headers = ["content-type", answerType, ...reply.addedHeaders, "x-plaza-charge", formatUsd(charge)];
    return { status: 200, headers, body: end.body };
  }
  if (end.kind !== "stream" && charge === 0n) return undefined;
  const tail = end.kind === "stream" ? end.tail : wireErrorEvent(error ?? stopped());
  const body = reply.keptStream(tail);
  return body === undefined
    ? notKept
    : { status: 200, headers: [...streamHeaders, ...reply.addedHeaders], body };
}

function stopped(): GatewayError {
  return new GatewayError("upstream_error", {
    message: message("call.stoppedAfterCaller"),
    shouldRetry: false,
  });
}

/**
 * Throws `model_not_allowed` where another model than the one asked for gave the answer, and this key may not
 * use it: it was asked for with a key that may.
 */
export function requireServedBy(caller: Caller, { headers }: StoredAnswer): void {
  const at = headers.indexOf(servedByHeader);
  const model = at < 0 ? undefined : headers[at + 1];
  if (model === undefined || isAllowed(caller, model)) return;
  throw new GatewayError("model_not_allowed", {
    message: message("call.idempotencyOtherModel"),
    param: "model",
  });
}

/** Gives an earlier answer again: the same bytes, and a note which request they are of. */
export function replayAnswer(reply: Reply, { requestId, answer }: EarlierAnswer): void {
  const [, contentType = answerType, ...rest] = answer.headers;
  const { body } = answer;
  reply.send(answer.status, contentType, Buffer.from(body.buffer, body.byteOffset, body.byteLength), [
    ...rest,
    "idempotent-replayed",
    "true",
    "x-plaza-original-request",
    requestId,
  ]);
}
