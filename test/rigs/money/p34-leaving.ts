/**
 * The second half of P34: callers of all endpoints that disconnect during streams of every form, from
 * upstreams of every format, with prompts in every field. The upstream counts its output and reasoning
 * tokens; the row must agree within the stated error.
 */
import { spokenName } from "../harness/catalog.ts";
import { type EndpointName, endpointNames, pathOf, type Route } from "../harness/endpoints.ts";
import { countFigure, type Figure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import { eventually } from "../harness/measure/clock.ts";
import type { RequestSeen } from "../harness/money/ledger-reader.ts";
import type { MoneyStage } from "../harness/money/money.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import {
  lastWord,
  prose,
  quickShapes,
  type ShapeName,
  type StreamRequest,
  told,
  written,
} from "./p34-leaving-streams.ts";

const words = "How many of these words are paid for? ".repeat(20);
const maxTokens = 60_000;

/** A request of a format: the member that holds the conversation, and the others. */
interface Asked {
  readonly conversation: object;
  readonly rest: object;
}

/** The request without the model, for these words of the user. */
const asked: Readonly<Record<EndpointName, (text: string) => Asked>> = {
  chat: (content) => ({
    conversation: { messages: [{ role: "user", content }] },
    rest: { stream: true, max_tokens: maxTokens },
  }),
  responses: (input) => ({
    conversation: { input },
    rest: { stream: true, store: false, max_output_tokens: maxTokens },
  }),
  messages: (content) => ({
    conversation: { messages: [{ role: "user", content }] },
    rest: { stream: true, max_tokens: maxTokens },
  }),
  gemini: (text) => ({
    conversation: { contents: [{ role: "user", parts: [{ text }] }] },
    rest: {},
  }),
};

/** A member besides the conversation that can contain the prompt. */
interface Place {
  readonly member: object;
  /** Only an upstream of the endpoint's own format may know it. */
  readonly isOwn?: boolean;
  /** Translated to Messages it is a tool that the model must call, and words beside that call are dropped. */
  readonly isSchema?: boolean;
}

const schema = { type: "object", properties: { a: { type: "string", description: prose } } };
const document: Place = { member: { documents: [{ text: prose }] }, isOwn: true };

const places: Readonly<Record<EndpointName, readonly Place[]>> = {
  chat: [
    { member: {} },
    { member: { tools: [{ type: "function", function: { name: "f", description: prose } }] } },
    {
      member: { response_format: { type: "json_schema", json_schema: { name: "a", schema } } },
      isSchema: true,
    },
    { member: { functions: [{ name: "f", description: prose }] }, isOwn: true },
    document,
  ],
  responses: [
    { member: {} },
    { member: { instructions: prose } },
    { member: { tools: [{ type: "function", name: "f", description: prose, strict: false }] } },
    { member: { text: { format: { type: "json_schema", name: "a", schema } } }, isSchema: true },
    document,
  ],
  messages: [
    { member: {} },
    { member: { system: [{ type: "text", text: prose }] } },
    { member: { tools: [{ name: "f", description: prose, input_schema: { type: "object" } }] } },
    { member: { output_config: { format: { type: "json_schema", schema } } } },
    document,
  ],
  gemini: [
    { member: {} },
    { member: { systemInstruction: { parts: [{ text: prose }] } } },
    { member: { tools: [{ functionDeclarations: [{ name: "f", description: prose }] }] } },
    {
      member: { generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema } },
      isSchema: true,
    },
    document,
  ],
};

/** Allowed relative error of either number. */
const errorMax = 0.02;
/**
 * Silence is measured at both ends of a socket on a busy machine, so this applies to the sum of all calls.
 */
const thinkingErrorMax = 0.05;

/** One call and its expected row. */
export interface Leave {
  readonly name: string;
  readonly input: number;
  readonly output: number;
}

/** Describes what is wrong with a row; undefined = correct. */
export function judgeLeave(
  left: Leave,
  row: { readonly source: string; readonly input: number; readonly output: number } | undefined,
): string | undefined {
  if (row === undefined) return `${left.name}: no row`;
  if (row.source !== "estimated") return `${left.name}: ${row.source}`;
  for (const part of ["input", "output"] as const) {
    const off = Math.abs(row[part] - left[part]) / left[part];
    if (!(off <= errorMax)) return `${left.name}: ${part} ${row[part]}, the upstream counted ${left[part]}`;
  }
  return undefined;
}

interface Case {
  readonly route: Route;
  readonly place: Place;
  readonly request: Omit<StreamRequest, "promptTokens">;
}

interface Left extends Case {
  readonly keyId: string;
  /** The estimate for its prompt. */
  readonly promptTokens: number;
}

const nameOf = ({ route: { endpoint, spoken }, request, place }: Case): string =>
  `${endpoint} of ${spoken}: ${request.shape}, prompt in ${Object.keys(place.member)[0] ?? "its words"}`;

const wantedOf = (left: Left): Leave => ({
  name: nameOf(left),
  input: left.promptTokens,
  output: written.get(left.request.id) ?? Number.NaN,
});

/** Relative error of all rows with reasoning together, in percent. */
function thinkingFigure(lefts: readonly Left[], rows: ReadonlyMap<string, RequestSeen>): Figure {
  let [off, all] = [0, 0];
  for (const left of lefts) {
    const { output } = wantedOf(left);
    all += output;
    off += Math.abs((rows.get(left.keyId)?.output ?? 0) - output);
  }
  const share = off / all;
  return {
    promise: "P34",
    name: "thinking in silence before the caller left (sum of differences)",
    reached: `${(share * 100).toFixed(2)} % of ${all} tokens in ${lefts.length} rows`,
    wanted: `≤ ${thinkingErrorMax * 100} %`,
    ok: share <= thinkingErrorMax,
    kind: "timing",
  };
}

const routes: readonly Route[] = endpointNames.flatMap((endpoint) =>
  endpointNames.map((spoken) => ({ endpoint, spoken })),
);

const isKnown = ({ endpoint, spoken }: Route, { isOwn, isSchema }: Place): boolean =>
  endpoint === spoken || (isOwn !== true && (isSchema !== true || spoken !== "messages"));

/** Every shape at every route, in each round. */
function casesOf(names: readonly ShapeName[], rounds: number, random: Random): Case[] {
  const all = routes.flatMap((route) => names.map((shape) => ({ route, shape })));
  return Array.from({ length: rounds * all.length }, (_, index) => {
    const { route, shape } = all[index % all.length] as (typeof all)[number];
    const id = `p34-${names.length}-${index}`;
    const own = random.fork(id);
    const place = own.pick(places[route.endpoint].filter((one) => isKnown(route, one)));
    return { route, place, request: { id, shape, isWhole: false, isReporting: own.chance(0.5) } };
  });
}

/** The body of a call, and the estimate for its prompt, which the upstream reports so that totals match. */
function bodyOf({ route: { endpoint }, place, request }: Case, model: string) {
  const own = endpoint === "gemini" ? {} : { model };
  let promptTokens = 0;
  for (let turn = 0; turn < 10; turn += 1) {
    const { conversation, rest } = asked[endpoint](`${words}${told({ ...request, promptTokens })}`);
    const parts = [...Object.values(conversation), ...Object.values(place.member)];
    const bytes = parts.reduce((sum: number, part) => sum + Buffer.byteLength(JSON.stringify(part)), 0);
    const estimate = Math.ceil(bytes / 4);
    if (estimate === promptTokens)
      return { body: JSON.stringify({ ...own, ...conversation, ...rest, ...place.member }), promptTokens };
    promptTokens = estimate;
  }
  throw new Error("no prompt size is its own estimate");
}

/** Long enough for a stream that comes at once, where nothing tells its caller that it is all there. */
const blindMs = 2_000;

/** Gemini has no parts of a call: what comes after its beginning is kept until it is complete. */
const isBlind = ({ route: { endpoint, spoken }, request }: Case): boolean =>
  endpoint === "gemini" && spoken !== "gemini" && request.shape.startsWith("arguments");

/**
 * Makes the call and leaves after the last word of the stream, or after a while where the caller does not get
 * it, or stays to its end.
 */
async function leave(stage: MoneyStage, plaza: Plaza, account: string, one: Case): Promise<Left> {
  const { route, request } = one;
  const { endpoint, spoken } = route;
  const key = await stage.createKey(account);
  const model = spokenName(request.shape === "thinking" ? "rig-thinker" : "rig-model", spoken);
  const { body, promptTokens } = bodyOf(one, model);
  let seen = "";
  await post({
    url: plaza.origin + pathOf(endpoint, { model, isStream: true }),
    key: key.secret,
    body,
    withinMs: isBlind(one) ? blindMs : 20_000,
    onArrival: ({ bytes }, call) => {
      seen = (seen + bytes.toString("latin1")).slice(-4_000);
      if (!request.isWhole && seen.includes(lastWord)) call.destroy();
    },
  });
  return { ...one, keyId: key.id, promptTokens };
}

export async function leavingFigures(
  stage: MoneyStage,
  plaza: Plaza,
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<Figure[]> {
  const random = seededRandom(seed).fork("leaving");
  const account = await stage.createAccount(1_000_000_000_000n);
  const leaveAll = (cases: readonly Case[], width: number): Promise<Left[]> =>
    inParallel(cases, width, (one) => leave(stage, plaza, account, one));
  // Plaza estimates reasoning speed from complete answers.
  const whole = routes
    .filter(({ endpoint, spoken }) => endpoint === spoken)
    .flatMap((route) => [0, 1, 2].map((turn) => ({ route, id: `p34-whole-${route.spoken}-${turn}` })));
  const learned = whole.map(({ route, id }) => ({
    route,
    place: { member: {} },
    request: { id, shape: "thinking" as const, isWhole: true, isReporting: false },
  }));
  await leaveAll(learned, 4);
  const thinkers = await leaveAll(casesOf(["thinking"], rounds, random), 4);
  const lefts = await leaveAll(casesOf(quickShapes, rounds, random), 8);
  const wanted = new Set([...thinkers, ...lefts].map(({ keyId }) => keyId));
  const read = async () => (await stage.reader.requests()).filter(({ keyId }) => wanted.has(keyId));
  await eventually(async () => (await read()).length >= wanted.size, 15_000, 100);
  const rows = new Map((await read()).map((row) => [row.keyId, row]));
  const misses = lefts.map((left) => judgeLeave(wantedOf(left), rows.get(left.keyId)));
  return [
    countFigure(
      "P34",
      "estimates of callers that left, prompt and output each within 2 %",
      lefts.length,
      misses.filter((why) => why !== undefined),
    ),
    thinkingFigure(thinkers, rows),
  ];
}
