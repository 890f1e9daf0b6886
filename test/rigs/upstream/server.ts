/**
 * The counting upstream: a server that speaks chat completions, Responses, Messages and Gemini, follows each
 * request's instructions and keeps a journal, which rigs compare with Plaza's records.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { EndpointName } from "../harness/endpoints.ts";
import { monotonicMs } from "../harness/measure/clock.ts";
import { watchStalls } from "../harness/measure/stalls.ts";
import { soundScript } from "./answer.ts";
import { findFault, usageShape } from "./faults.ts";
import { type CallEnding, type CallRecord, openJournal } from "./journal.ts";
import { defaultPlan, type Plan, planFromModel, planInText, planOver } from "./plan.ts";
import { openStage, playRaw, playScript, waitOn } from "./player.ts";
import type { Asked, Ending, Script } from "./script.ts";

export interface UpstreamOptions {
  /** The address it listens on and gives as its own; default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Defaults for requests without instructions. */
  readonly plan?: Partial<Plan> | undefined;
  /** JSONL file; absent = memory only. */
  readonly journal?: string | undefined;
  /**
   * Path before `/chat/completions` and the paths of the other formats; default `/v1`. Gemini is served below
   * `/v1beta`, too.
   */
  readonly basePath?: string | undefined;
  /** Texts repeated in every error, as careless vendors do. */
  readonly leaks?: readonly string[] | undefined;
  /** Headers of every response, as careless vendors send them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Watches its event loop; reported at `GET /rig/stalls`. */
  readonly watchesStalls?: boolean | undefined;
}

/** Running and finished calls; also served at `GET /rig/state`. */
export interface UpstreamState {
  readonly accepted: number;
  /** Ids of running calls. */
  readonly active: readonly string[];
  readonly trapHits: number;
  readonly openSockets: number;
  /** Bytes written for running calls, including those buffered in this process. */
  readonly writtenBytes: number;
}

export interface Upstream {
  readonly port: number;
  readonly baseUrl: string;
  state(): UpstreamState;
  /** All calls in order of acceptance. */
  calls(): CallRecord[];
  findCall(id: string): CallRecord | undefined;
  setPlan(plan: Partial<Plan>): void;
  stop(): Promise<void>;
}

const bodyBytesMax = 256 * 1024 * 1024;

/** Starts an upstream on a free port. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const journal = openJournal(options.journal);
  const host = options.host ?? "127.0.0.1";
  const basePath = options.basePath ?? "/v1";
  const leaks = options.leaks ?? [];
  const watch = options.watchesStalls === true ? watchStalls() : undefined;
  const serials = new Map<string, number>();
  let base = planOver(defaultPlan, options.plan);
  let minted = 0;
  let trapHits = 0;
  const sockets = new Set<Socket>();
  const running = new Map<number, () => number>();

  const state = (): UpstreamState => ({
    accepted: journal.records.size,
    active: [...journal.records.values()]
      .filter((record) => record.end === undefined)
      .map((record) => record.id),
    trapHits,
    openSockets: sockets.size,
    writtenBytes: [...running.values()].reduce((sum, written) => sum + written(), 0),
  });

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? "/";
    if (url.startsWith("/rig/trap")) trapHits++;
    if (url === "/rig/state") return void response.end(JSON.stringify(state()));
    if (url === "/rig/stalls") return void response.end(JSON.stringify(watch?.stalls ?? []));
    if (url === "/rig/calls") return void response.end(JSON.stringify([...journal.records.values()]));
    const body = await readBody(request);
    if (url === "/rig/plan") {
      base = planOver(base, JSON.parse(body.toString("utf8")));
      return void response.end("{}");
    }
    const under = url.startsWith("/v1beta/models/") ? "/v1beta" : basePath;
    const place = url.startsWith(`${under}/`) ? placeOf(url.slice(under.length)) : undefined;
    if (place === undefined) return void response.writeHead(404).end();
    const seen = readRequest(body, base, place);
    const plan: Plan = { ...seen.plan, id: seen.plan.id === "" ? `call-${++minted}` : seen.plan.id };
    const asked: Asked = {
      format: place.format,
      callId: plan.id,
      model: seen.model,
      isStream: seen.isStream,
      isUsageAsked: seen.isUsageAsked,
      authorization: credentialIn(request),
      address: `http://${request.headers.host ?? "127.0.0.1"}${url}`,
      leaks,
    };
    const serial = journal.accepted(accepted(request, body, plan, asked));
    serials.set(plan.id, serial);
    for (const [name, value] of Object.entries(options.headers ?? {})) response.setHeader(name, value);
    const { socket } = request;
    const from = socket.bytesWritten;
    running.set(serial, () => socket.bytesWritten - from);
    try {
      journal.ended(serial, await answer(plan, asked, request, response));
    } finally {
      running.delete(serial);
    }
  };

  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      process.stderr.write(`upstream: ${error instanceof Error ? error.stack : String(error)}\n`);
      request.socket.destroy();
    });
  });
  server.on("connection", (socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, 4096, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    baseUrl: `http://${host}:${port}${basePath}`,
    state,
    calls: () => [...journal.records.values()],
    findCall: (id) => journal.records.get(serials.get(id) ?? -1),
    setPlan: (plan) => {
      base = planOver(base, plan);
    },
    async stop() {
      watch?.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      journal.close();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > bodyBytesMax) throw new RangeError("request body over 256 MiB");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** What a path below the base says of a call. */
interface Place {
  readonly format: EndpointName;
  /** Of Gemini's paths, which the body does not repeat. */
  readonly model?: string;
  readonly isStream?: boolean;
}

function placeOf(path: string): Place | undefined {
  if (path === "/chat/completions") return { format: "chat" };
  if (path === "/responses") return { format: "responses" };
  if (path === "/messages") return { format: "messages" };
  const [, model, method] =
    /^\/models\/([^/:]+):(generateContent|streamGenerateContent\?alt=sse)$/.exec(path) ?? [];
  if (model === undefined) return undefined;
  return { format: "gemini", model: decodeURIComponent(model), isStream: method !== "generateContent" };
}

function credentialIn({ headers }: IncomingMessage): string {
  return String(headers.authorization ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? "");
}

interface Seen {
  readonly plan: Plan;
  readonly model: string;
  readonly isStream: boolean;
  readonly isUsageAsked: boolean;
}

/** Reads what the upstream needs from a body; an invalid JSON body gets the default plan. */
function readRequest(body: Buffer, base: Plan, place: Place): Seen {
  let value: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    if (typeof parsed === "object" && parsed !== null) value = parsed as Record<string, unknown>;
  } catch {
    value = {};
  }
  const named = value["model"];
  const model = place.model ?? (typeof named === "string" ? named : "");
  const options = value["stream_options"] as { include_usage?: unknown } | null | undefined;
  const plan = planOver(planFromModel(base, model), value["x_rig"] ?? planInText(body));
  const isSpared = plan.faultModel !== "" && plan.faultModel !== model;
  return {
    plan: isSpared ? { ...plan, fault: "" } : plan,
    model,
    isStream: place.isStream ?? value["stream"] === true,
    isUsageAsked: options?.include_usage === true,
  };
}

function accepted(request: IncomingMessage, body: Buffer, plan: Plan, asked: Asked): CallRecord {
  return {
    id: plan.id,
    path: request.url ?? "",
    headers: request.rawHeaders,
    bodySha256: createHash("sha256").update(body).digest("hex"),
    bodyLength: body.length,
    body: plan.keepBody ? body.toString("base64") : undefined,
    isStream: asked.isStream,
    fault: plan.fault,
    acceptedAt: monotonicMs(),
  };
}

async function answer(
  plan: Plan,
  asked: Asked,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<CallEnding> {
  const stage = openStage(request, response);
  if (!(await waitOn(stage, plan.headersMs))) {
    return { end: "cancelled", endedAt: monotonicMs(), events: 0, tokens: 0, bytes: 0 };
  }
  const fault = plan.fault === "" ? undefined : findFault(plan.fault);
  if (plan.fault !== "" && fault?.make === undefined) throw new RangeError(`no fault "${plan.fault}"`);
  const shape = usageShape(plan.fault);
  const sound = soundScript(shape === undefined ? plan : { ...plan, usage: shape }, asked);
  if (fault?.make !== undefined) {
    const faulty = fault.make(sound, asked);
    if ("raw" in faulty) return playRaw(stage, faulty.raw, faulty.ending, faulty.report);
    return playScript(faulty.script, stage, plan.coalesce);
  }
  return playScript(cut(sound, plan), stage, plan.coalesce);
}

/** Applies the plan's cut and split to a valid script. */
function cut(script: Script, plan: Plan): Script {
  const split = plan.split.length > 0 ? plan.split : undefined;
  const ending = plan.how as Ending;
  if (plan.cutEvent >= 0) return { ...script, steps: script.steps.slice(0, plan.cutEvent), ending, split };
  if (plan.cutByte < 0) return { ...script, split };
  const kept: Script["steps"][number][] = [];
  let left = plan.cutByte;
  for (const one of script.steps) {
    if (left <= 0) break;
    const isWhole = one.bytes.length <= left;
    const bytes = one.bytes.subarray(0, left);
    kept.push(isWhole ? one : { ...one, bytes, tokens: 0, hasUsage: false, isFinish: false, isEnd: false });
    left -= one.bytes.length;
  }
  return { ...script, steps: kept, ending, split };
}
