/**
 * Sends the call of an attempt: a local script, the caller's own bytes, a translated call, or a batch. A
 * failure before sending ends the attempt with a fault.
 */
import { message, textOf } from "@plaza/contract/messages/message.ts";
import { turns } from "../../../lib/time/slices.ts";
import type { CallBatch, Fault, ProviderRequest, UpstreamCall } from "../../../protocols/protocol.ts";
import type { WireProtocol } from "../../../protocols/wire-protocol.ts";
import { isLetThrough } from "../../../providers/charged-apart.ts";
import type { RequestMemory } from "../../request/memory/replay-memory.ts";
import { CallRefused } from "../fault-error.ts";
import type { DispatchState, Running } from "../state.ts";
import { AnswerAttempt } from "./answer.ts";
import { BatchCall } from "./batch-call.ts";
import { playScript } from "./local-transport.ts";
import { buildThreadedCall, ThreadedStream, ThreadedTranslation } from "./threaded-call.ts";
import {
  type BoundTranslation,
  buildBatch,
  buildCall,
  playTranslated,
  type TokenTarget,
  tokenFor,
} from "./translated-call.ts";
import type { Way } from "./way.ts";

/** What to send, and how. */
interface Sent {
  readonly way: Way;
  readonly asked: ProviderRequest;
  /** undefined when the call needs only the caller's bytes. */
  readonly memory: RequestMemory | undefined;
  readonly translation: BoundTranslation | undefined;
}

/** Sends the call, at once or when its tokens and files have been fetched. */
export function sendCall(
  state: DispatchState,
  running: Running,
  { way, asked, memory, translation }: Sent,
): void {
  const { context, request } = state;
  const { attempt, choice } = running;
  const { credential } = choice;
  const { deployment, live } = choice.live;
  const { provider, upstream } = live;
  const { model } = deployment;
  const post = (call: UpstreamCall): void => {
    running.dropped = call.dropped;
    live.client?.post(call, attempt);
  };
  const refuse = (error: unknown): void => {
    if (error instanceof CallRefused) {
      attempt.refuse(error.fault);
      return;
    }
    context.log.error("attempt_not_started", {
      request: request.reply.requestId,
      upstream: upstream.id,
      error: (error as Error).name,
    });
    attempt.refuse({ kind: "server", note: "the call could not be built" });
  };
  const barred = request.apart.find((path) => !isLetThrough(path, upstream.options));
  if (barred !== undefined && provider.transport === "http") {
    attempt.refuse(faultOfBarred(barred));
    return;
  }
  try {
    if (way.script !== undefined) {
      const createdSeconds = Math.floor(context.clock.wallMs() / 1000);
      const script =
        way.translation === undefined
          ? way.script(asked, model, createdSeconds)
          : playTranslated(way.script, asked, model, createdSeconds);
      playScript(script, attempt);
      return;
    }
    if (provider.transport === "local") throw new UnservedOperation();
    if (translation instanceof ThreadedTranslation && way.single !== undefined) {
      const target = { provider, codec: way.single, upstream, credential, model, memory };
      const sent = { session: translation.session, request: asked };
      const handler = asked.isStream ? new ThreadedStream(attempt, translation) : attempt;
      void buildThreadedCall(context, target, sent, attempt.ended)
        .then((call) => {
          running.dropped = call.dropped;
          live.client?.post(call, handler);
        })
        .catch(refuse);
    } else if (way.batch !== undefined) {
      const batch = buildBatch(context, { provider, codec: way.batch, upstream, credential, model }, asked);
      const start = (calls: CallBatch): void => startBatch(state, running, calls);
      if (batch instanceof Promise) void batch.then(start).catch(refuse);
      else start(batch);
    } else if (way.single === undefined) {
      throw new UnservedOperation();
    } else if (way.isPlain) {
      post(way.single.encode(asked, upstream, credential, model));
    } else {
      const { protocol } = request.endpoint;
      const target = { protocol, provider, codec: way.single, upstream, credential, model, memory };
      const call = buildCall(context, target, asked, attempt.ended);
      if (call instanceof Promise) void call.then(post).catch(refuse);
      else post(call);
    }
  } catch (error) {
    refuse(error);
  }
}

/** A bug: `resolve` leaves out deployments that do not serve the operation. */
class UnservedOperation extends Error {
  override readonly name = "UnservedOperation";
}

/** The batch with its answer in the caller's format. */
function batchIn({ joined }: Pick<WireProtocol, "joined">, batch: CallBatch): CallBatch {
  if (joined === undefined) return batch;
  return {
    calls: batch.calls,
    take: (index, body, headers) => batch.take(index, body, headers),
    *join(parts) {
      const { body, usage } = yield* batch.join(parts);
      return { body: yield* joined(body), usage };
    },
  };
}

/** Signs one call of a batch; undefined when the provider signs none. Rejects when there is no token. */
function signWith(
  { tokens, clock }: DispatchState["context"],
  { provider, upstream, credential }: TokenTarget,
  call: UpstreamCall,
): Promise<UpstreamCall> | undefined {
  const { sign } = provider;
  if (sign === undefined) return undefined;
  return (async () => {
    const token = await tokenFor({ tokens }, { provider, upstream, credential });
    if (typeof token !== "string") throw new CallRefused(token);
    return await sign(call, upstream, token, clock.wallMs());
  })();
}

function startBatch({ context, request }: DispatchState, running: Running, batch: CallBatch): void {
  const { attempt, choice } = running;
  const { provider, upstream, client } = choice.live.live;
  if (!(attempt instanceof AnswerAttempt) || provider.transport !== "http" || client === undefined) {
    throw new UnservedOperation();
  }
  running.dropped = batch.calls[0]?.dropped;
  const { answerBytesMax: set } = context.settings;
  const { protocol } = request.endpoint;
  new BatchCall(batchIn(protocol, batch), attempt, {
    client,
    bytesMax: protocol.answerBytesMax?.(set) ?? set,
    sign: (call) => signWith(context, { provider, upstream, credential: choice.credential }, call),
    pause: () => turns.next(),
  }).start();
}

/** Refuses features that upstreams bill apart from tokens, because Plaza has no price for them. */
function faultOfBarred(param: string): Fault {
  const messageRef = message("call.chargedApart", { param });
  return { kind: "unsupported", message: textOf(messageRef), messageRef, param };
}
