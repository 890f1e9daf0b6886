/**
 * The second half of P34: callers that disconnect during streams of every form, with prompts in every field.
 * The upstream counts its output and reasoning tokens; the row must agree within the stated error.
 */
import type { ServerResponse } from "node:http";
import { countFigure, type Figure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import type { RequestSeen } from "../harness/money/ledger-reader.ts";
import type { MoneyStage } from "../harness/money/money.ts";
import type { Plaza } from "../harness/processes/plaza.ts";

const words = ["The", " quick", " brown", " fox", " jumps", "\n", " over", ' "5"', " lazy", " dog"];
const word = (index: number): string => words[index % words.length] as string;
const times = (count: number, make: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, i) => make(i));
const argument = (text: string): object => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
const call = {
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }],
};

/** A stream: its deltas and their number of tokens. */
interface Shape {
  readonly deltas: readonly object[];
  readonly tokens: number;
  /** Milliseconds of silent reasoning before the first delta. */
  readonly thinkMs?: number;
}

/** Reasoning tokens per millisecond. */
const thinkingSpeed = 5;
const prose = "words and ".repeat(4_000);

const shapes: Readonly<Record<string, Shape>> = {
  plain: { deltas: times(2_000, (i) => ({ content: word(i) })), tokens: 2_000 },
  arguments: { deltas: [call, ...times(500, (i) => argument(word(i)))], tokens: 501 },
  "arguments at once": { deltas: [argument(prose)], tokens: prose.length / 4 },
  "arguments at once after text": {
    deltas: [...times(100, (i) => ({ content: word(i) })), argument(prose)],
    tokens: 100 + prose.length / 4,
  },
  nested: {
    deltas: times(400, (i) => ({ reasoning_details: [{ type: "reasoning.text", text: word(i) }] })),
    tokens: 400,
  },
  merged: { deltas: times(20, () => ({ content: prose.slice(0, 400) })), tokens: 2_000 },
  thinking: { deltas: times(50, (i) => ({ content: word(i) })), tokens: 50, thinkMs: 1_000 },
};

/** Output tokens that the upstream wrote, by mark. */
const written = new Map<string, number>();

interface StreamRequest {
  readonly id: string;
  readonly shape: string;
  readonly isWhole: boolean;
}

/**
 * Handles this half's requests: writes the stream and stops before its end unless the whole stream is
 * requested.
 */
export function leavingUpstream(body: string, reply: ServerResponse): boolean {
  const match = /"x_leave":(\{[^}]*\})/.exec(body);
  if (match?.[1] === undefined) return false;
  void writeStream(JSON.parse(match[1]) as StreamRequest, reply);
  return true;
}

async function writeStream(
  { id, shape: name, isWhole }: StreamRequest,
  reply: ServerResponse,
): Promise<void> {
  const shape = shapes[name] as Shape;
  const chunk = (choices: object[], more: object = {}): string =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices, ...more })}\n\n`;
  const from = monotonicMs();
  reply.writeHead(200, { "content-type": "text/event-stream" });
  reply.write(chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: "" }]));
  await pause(shape.thinkMs ?? 0);
  const thought = shape.thinkMs === undefined ? 0 : Math.round((monotonicMs() - from) * thinkingSpeed);
  for (const delta of shape.deltas) reply.write(chunk([{ index: 0, delta, finish_reason: "" }]));
  const output = Math.round(shape.tokens) + thought;
  written.set(id, output);
  if (!isWhole) {
    reply.write(chunk([{ index: 0, delta: { content: "" }, finish_reason: "" }], { x_here: true }));
    return;
  }
  const usage = {
    prompt_tokens: 10,
    completion_tokens: output,
    total_tokens: 10 + output,
    completion_tokens_details: { reasoning_tokens: thought },
  };
  reply.write(chunk([{ index: 0, delta: {}, finish_reason: "stop" }]));
  reply.end(`${chunk([], { usage })}data: [DONE]\n\n`);
}

/** Request members besides messages that can contain the prompt. */
const places: readonly object[] = [
  {},
  { tools: [{ type: "function", function: { name: "f", description: prose } }] },
  { response_format: { type: "json_schema", json_schema: { name: "a", schema: { description: prose } } } },
  { functions: [{ name: "f", description: prose }] },
  { documents: [{ text: prose }] },
];
const messages = [{ role: "user", content: "How many of these words are paid for? ".repeat(20) }];

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
    if (off > errorMax) return `${left.name}: ${part} ${row[part]}, the upstream counted ${left[part]}`;
  }
  return undefined;
}

interface Left {
  readonly id: string;
  readonly shape: string;
  readonly place: object;
  readonly keyId: string;
}

const wantedOf = ({ id, shape, place }: Left): Leave => {
  const extra = Object.values(place).reduce((bytes: number, one) => bytes + JSON.stringify(one).length, 0);
  return {
    name: `${shape}, prompt in ${Object.keys(place)[0] ?? "messages"}`,
    input: Math.ceil((JSON.stringify(messages).length + extra) / 4),
    output: written.get(id) ?? Number.NaN,
  };
};

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

export async function leavingFigures(stage: MoneyStage, plaza: Plaza, rounds: number): Promise<Figure[]> {
  const account = await stage.createAccount(1_000_000_000_000n);
  const ask = async (requested: StreamRequest, place: object): Promise<string> => {
    const key = await stage.createKey(account);
    const model = requested.shape === "thinking" ? "rig-thinker" : "rig-model";
    const body = JSON.stringify({ model, messages, stream: true, ...place, x_leave: requested });
    let seen = "";
    await post({
      url: plaza.chatUrl,
      key: key.secret,
      body,
      withinMs: 20_000,
      onArrival: ({ bytes }, request) => {
        seen = (seen + bytes.toString("latin1")).slice(-4_000);
        if (!requested.isWhole && seen.includes('"x_here":true')) request.destroy();
      },
    });
    return key.id;
  };
  // Plaza estimates reasoning speed from complete answers.
  for (let turn = 0; turn < 3; turn += 1) {
    await ask({ id: `p34-whole-${turn}`, shape: "thinking", isWhole: true }, {});
  }
  const leave = (names: readonly string[], count: number, width: number): Promise<Left[]> => {
    const cases = Array.from({ length: count * places.length }, (_, index) => ({
      shape: names[index % names.length] as string,
      place: places[Math.floor(index / names.length) % places.length] as object,
    }));
    return inParallel(cases, width, async (one, index) => {
      const id = `p34-${names.length}-${index}`;
      return { ...one, id, keyId: await ask({ id, shape: one.shape, isWhole: false }, one.place) };
    });
  };
  const thinkers = await leave(["thinking"], rounds, 4);
  const names = Object.keys(shapes).filter((name) => name !== "thinking");
  const lefts = await leave(names, rounds * names.length, 8);
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
