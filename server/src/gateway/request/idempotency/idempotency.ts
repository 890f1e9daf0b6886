/**
 * Idempotency-Key: a call repeated with the same key and body gets the first call's answer and is paid once.
 * The key is claimed before any hold or upstream call, and the claim ends with the request's settlement.
 * Answers are handled as bytes, without looking inside.
 */

import { createHash } from "node:crypto";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { formatUsd, type NanoUsd } from "@plaza/contract/money.ts";
import type { Exchange } from "../../../lib/net/exchange.ts";
import type { Log } from "../../../lib/telemetry/log.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type {
  IdempotencyStore,
  Settlement,
  StoredAnswer,
} from "../../../store/requests/settlement-shapes.ts";
import type { AttemptEnd } from "../../dispatch/attempt/attempt.ts";
import type { CallTarget, Endpoint } from "../../endpoints/endpoint.ts";
import type { Leases } from "../../money/leases.ts";
import type { GatewaySettings } from "../../settings.ts";
import type { Caller } from "../authenticate.ts";
import { withoutKey } from "../key/presented-key.ts";
import { answerType, type Reply, servedByHeader } from "../reply.ts";
import { isAllowed } from "../resolve.ts";

export interface IdempotencyContext {
  readonly store: IdempotencyStore;
  readonly leases: Leases;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns the request's Idempotency-Key; undefined when it has none. Throws `invalid_request`. */
export function readIdempotencyKey({ headers }: Pick<Exchange, "headers">): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  // A header sent twice arrives joined by ", "; the space fails this test.
  if (typeof key === "string" && /^[!-~]{1,255}$/.test(key)) return key;
  throw new GatewayError("invalid_request", {
    message: message("call.idempotencyKeyForm"),
  });
}

/**
 * Pauses between tries to release a key, in milliseconds. A process cut off from the store for longer loses
 * its claims anyway.
 */
const freePausesMs = [1_000, 4_000, 15_000, 30_000];

/**
 * Maximum number of keys one process releases at a time. Beyond that, keys stay claimed until their holder
 * expires.
 */
const freeingMax = 10_000;

/** A claim on an Idempotency-Key. A class because it must end exactly once. */
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

  /** Ends the claim with its request's settlement. `answer`: what to store; undefined releases the key. */
  settle(answer: StoredAnswer | undefined): NonNullable<Settlement["idempotency"]> {
    this.#isEnded = true;
    return { key: this.#key, answer };
  }

  /** Releases the key, unless the claim has already ended. */
  drop(): void {
    if (!this.#isEnded) this.free();
  }

  /**
   * Releases the key even after `settle`, for a settlement that could not be written. Runs in the background.
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

/** Retry-After for a repeat of a call that is still running, in milliseconds. */
const inFlightMs = 1_000;

/** Retry-After while the journal of a dead process has not been read yet, in milliseconds. */
const inJournalMs = 15_000;

/** Marks a stored answer as too large to keep. Real answers never have this status. */
const notKeptStatus = 409;
const notKept: StoredAnswer = { status: notKeptStatus, headers: [], body: Buffer.from("not kept") };

/** A stored answer and the id of the request that produced it. */
export interface EarlierAnswer {
  readonly requestId: string;
  readonly answer: StoredAnswer;
}

export interface ClaimRequest {
  readonly key: string;
  readonly accountId: string;
  readonly requestId: string;
  readonly endpoint: Pick<Endpoint, "path" | "fingerprintMark">;
  readonly target: CallTarget;
  readonly body: Buffer;
}

/** The same for the same call alone: its body, and the target, which may name the model and the format. */
function fingerprintOf({ endpoint, target: { tail, query }, body }: ClaimRequest): string {
  const mark = endpoint.fingerprintMark ?? `${endpoint.path} ${tail} ${withoutKey(query)}\n`;
  return createHash("sha256").update(mark).update(body).digest("hex");
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
    // The store took this process for dead. Continue with a new holder.
    await context.leases.beat();
  }
  throw new Error("this process's holder has expired");
}

/**
 * Claims the key, or returns the stored answer of the call that had it. Throws `idempotency_in_flight`,
 * `idempotency_key_reused`, `idempotency_answer_not_kept`, or `ledger_unavailable` when the store fails.
 */
export async function claimKey(
  context: IdempotencyContext,
  request: ClaimRequest,
): Promise<KeyClaim | EarlierAnswer> {
  const claim = new KeyClaim(context, request.accountId, request.key, request.requestId);
  const outcome = await ask(context, request).catch((error: Error) => {
    // The claim may have succeeded with only its confirmation lost, so release it.
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

/** The end of a request, as needed to store its answer. */
export interface AnswerEnding {
  readonly end: AttemptEnd;
  /** The error sent at the end of an interrupted stream. */
  readonly error: GatewayError | undefined;
  readonly reply: Reply;
}

/**
 * Returns the answer to store: a complete one, or the part of an interrupted one that was charged. undefined
 * when nothing was charged, so that a retry is a new call.
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
  const tail = end.kind === "stream" ? end.tail : reply.failureOf(error ?? stopped());
  const body = reply.keptStream(tail);
  return body === undefined
    ? notKept
    : { status: 200, headers: [...reply.streamHeaders, ...reply.addedHeaders], body };
}

function stopped(): GatewayError {
  return new GatewayError("upstream_error", {
    message: message("call.stoppedAfterCaller"),
    shouldRetry: false,
  });
}

/**
 * Throws `model_not_allowed` when the stored answer came from a model that this key may not use. The first
 * call may have used another key of the account.
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

/** Sends a stored answer again, with headers that mark it as a replay and name the original request. */
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
