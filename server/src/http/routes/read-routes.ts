/** The GET routes besides the endpoints: those that need a key, and the public status routes. */
import { GatewayError } from "@plaza/contract/errors.ts";
import { type BalanceContext, getBalance } from "../../gateway/endpoints/balance.ts";
import { geminiModel, geminiModels, isGeminis } from "../../gateway/endpoints/gemini/model-list.ts";
import { getModel, listModels } from "../../gateway/endpoints/models.ts";
import { formatOfModels } from "../../gateway/endpoints/path-families.ts";
import { getRequest, type RequestsContext } from "../../gateway/endpoints/requests.ts";
import {
  deleteResponse,
  eventsAskedFor,
  getResponse,
  getResponseEvents,
  listInputItems,
  type StoredResponsesContext,
} from "../../gateway/endpoints/responses/read-stored.ts";
import type { Caller } from "../../gateway/request/authenticate.ts";
import { presentedKey } from "../../gateway/request/key/presented-key.ts";
import type { PipelineContext } from "../../gateway/request/pipeline.ts";
import { answerType, type Reply } from "../../gateway/request/reply.ts";
import { isAllowed } from "../../gateway/request/resolve.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import { isWithin } from "../../lib/time/schedule.ts";
import type { StorageFaultCode, StorageStore } from "../../store/operation/storage-shapes.ts";
import type { Fallback, RouteEntry } from "./routes.ts";

const sendJson = (reply: Reply, status: number, value: unknown): void =>
  reply.send(status, answerType, Buffer.from(JSON.stringify(value)));

/** Answers in the format of the client that asks for models; true for Google's, which reads another list. */
function isGoogles({ headers }: Exchange, reply: Reply): boolean {
  const format = formatOfModels(headers);
  if (format !== undefined) reply.speak(format);
  return isGeminis(format);
}

/** What stands behind a response's id where its input is asked for. */
const inputItems = "/input_items";

/** How long a readiness check waits for the store. */
const readyMs = 1_000;

/** What these routes need. */
export interface ReadContext
  extends Pick<
    PipelineContext,
    "authenticator" | "clock" | "gate" | "limits" | "log" | "measuredOf" | "snapshot"
  > {
  readonly store: BalanceContext["store"] &
    RequestsContext["store"] &
    StoredResponsesContext["store"] &
    Pick<StorageStore, "ping" | "storageFault">;
}

/** Routes that need a key. */
export function callerRoutes(context: ReadContext): RouteEntry[] {
  const { authenticator, clock, gate } = context;
  const moment = () => ({ nowMs: clock.wallMs(), measuredOf: context.measuredOf });
  /**
   * `answer`: returns what is sent, unless it sent a stream itself. `isModel`: the path names a
   * model, so its limits are reported too.
   */
  const route = (
    path: string,
    answer: (caller: Caller, tail: string, exchange: Exchange, reply: Reply) => unknown,
    { isModel = false, method = "GET" }: Pick<Partial<RouteEntry>, "method"> & { isModel?: boolean } = {},
  ): RouteEntry => ({
    method,
    path,
    handler: async (exchange, reply, tail) => {
      gate.glance();
      const caller = await authenticator.authenticate(presentedKey(exchange), exchange);
      const snapshot = context.snapshot();
      const model = isModel && isAllowed(caller, tail) ? snapshot.models.get(tail)?.model : undefined;
      reply.addPassingHeaders(context.limits.headers({ caller, snapshot, model }));
      const answered = await answer(caller, tail, exchange, reply);
      if (reply.isStream) return;
      if (Buffer.isBuffer(answered)) reply.send(200, answerType, answered);
      else sendJson(reply, 200, answered);
    },
  });
  const all = (caller: Caller) => listModels(context.snapshot(), caller, moment());
  const one = (caller: Caller, id: string) => getModel(context.snapshot(), caller, id, moment());
  async function ofResponse(
    caller: Caller,
    tail: string,
    { query }: Exchange,
    reply: Reply,
  ): Promise<unknown> {
    if (tail.endsWith(inputItems))
      return listInputItems(context, caller, tail.slice(0, -inputItems.length), query);
    const after = eventsAskedFor(query);
    if (after === undefined) return getResponse(context, caller, tail);
    const events = await getResponseEvents(context, caller, tail, after);
    reply.beginStream();
    reply.endStream(events);
    return undefined;
  }
  return [
    route("/v1/models", (caller, _tail, exchange, reply) =>
      isGoogles(exchange, reply) ? geminiModels(all(caller).data, context.snapshot()) : all(caller),
    ),
    route(
      "/v1/models/*",
      (caller, id, exchange, reply) =>
        isGoogles(exchange, reply) ? geminiModel(one(caller, id), context.snapshot()) : one(caller, id),
      { isModel: true },
    ),
    route("/v1beta/models", (caller) => geminiModels(all(caller).data, context.snapshot())),
    route("/v1beta/models/*", (caller, id) => geminiModel(one(caller, id), context.snapshot()), {
      isModel: true,
    }),
    route("/v1/balance", (caller) => getBalance(context, caller)),
    route("/v1/requests/*", (caller, id) => getRequest(context, caller, id)),
    route("/v1/responses/*", ofResponse),
    route("/v1/responses/*", (caller, id) => deleteResponse(context, caller, id), { method: "DELETE" }),
  ];
}

/** Adds rate limit headers to a call with a valid key that has no route. */
export function limitsReportedBy(context: ReadContext) {
  return async (exchange: Exchange, reply: Reply): Promise<void> => {
    try {
      context.gate.glance();
      const known = context.authenticator.check(presentedKey(exchange), exchange);
      const caller = known instanceof Promise ? await known : known;
      // The call fails anyway, so a bad key or a failed lookup is not reported as well.
      if (caller instanceof GatewayError) return;
      reply.addPassingHeaders(
        context.limits.headers({ caller, snapshot: context.snapshot(), model: undefined }),
      );
    } catch (error) {
      if (!(error instanceof GatewayError))
        context.log.error("internal_error", { request: reply.requestId, stack: (error as Error).stack });
    }
  };
}

/** Public texts: they name no file or host. */
const faultReasons: Readonly<Record<StorageFaultCode, string>> = {
  disk_full: "the disk is full",
  read_only: "the database cannot be written",
  io: "the disk fails",
  damaged: "the database is damaged",
  cannot_open: "the database cannot be opened",
};

/** Returns why this process should get no traffic; undefined = ready. Never rejects. */
export async function whyNotReady({
  gate,
  store,
}: Pick<ReadContext, "gate" | "store">): Promise<string | undefined> {
  if (gate.isDraining) return "stopping";
  const fault = store.storageFault();
  if (fault?.isRefusing === true) return faultReasons[fault.code];
  try {
    return (await isWithin(store.ping(), readyMs)) ? undefined : "the database does not answer";
  } catch {
    return "the database does not answer";
  }
}

/** Public routes. `fallback`: the console, shown to browsers at `/`. */
export function statusRoutes(context: ReadContext, fallback?: Fallback): RouteEntry[] {
  async function ready(reply: Reply): Promise<void> {
    const reason = await whyNotReady(context);
    if (reason === undefined) sendJson(reply, 200, { status: "ready" });
    else sendJson(reply, 503, { status: "not_ready", reason });
  }

  function welcome(reply: Reply): void {
    const text = [
      "This is Plaza, a model gateway.",
      "",
      "Point an OpenAI client at base_url = {this address}/v1 and send your key as a bearer token.",
      "GET /v1/models lists the models your key may use.",
      "",
    ].join("\n");
    reply.send(200, "text/plain; charset=utf-8", Buffer.from(text));
  }

  return [
    {
      method: "GET",
      path: "/healthz",
      handler: (_exchange, reply) => sendJson(reply, 200, { status: "ok" }),
    },
    { method: "GET", path: "/readyz", handler: (_exchange, reply) => ready(reply) },
    {
      method: "GET",
      path: "/",
      handler(exchange, reply) {
        if (fallback?.(exchange, reply) !== true) welcome(reply);
      },
    },
  ];
}
