/**
 * P10: requests reach the model byte for byte except for documented edits, and so do responses. Generated
 * bodies go through Plaza to the counting upstream; recorded streams are split at every byte.
 */
import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { withPlaza } from "../harness/processes/with-plaza.ts";
import { seededRandom } from "../harness/random.ts";
import { isUsageOnly } from "../harness/sse.ts";
import { owedBytes, type RecordedStream, recordedStreams } from "../harness/streams/streams.ts";
import { soundScript } from "../upstream/answer.ts";
import { defaultPlan, planOver } from "../upstream/plan.ts";
import type { Upstream } from "../upstream/server.ts";
import { judgeForwarded, type TrickyBody, trickyBody } from "./p10-bodies.ts";
import { passBytes } from "./p10-formats.ts";
import { keepMeaning } from "./p10-meaning.ts";

const replacement = Buffer.from("\ufffd");

/** The bytes the caller must get for a generated body: the upstream's, without unrequested usage. */
function owedAnswer(body: TrickyBody): Buffer {
  const asked = JSON.parse(body.text) as { x_rig: object };
  const script = soundScript(planOver(defaultPlan, asked.x_rig), {
    format: "chat",
    callId: body.id,
    model: "upstream-model",
    isStream: body.isStream,
    isUsageAsked: true,
    authorization: "",
    address: "",
    leaks: [],
  });
  const steps = script.steps.filter(
    (step) => !body.isStream || body.isUsageAsked || !isUsageOnly(step.bytes),
  );
  return Buffer.concat(steps.map((step) => step.bytes));
}

async function sendBodies(plaza: Plaza, upstream: Upstream, count: number, seed: number): Promise<Figure[]> {
  const random = seededRandom(seed);
  const bodies = Array.from({ length: count }, (_, index) => trickyBody(random.fork(`body-${index}`), index));
  const sentWrong: string[] = [];
  const backWrong: string[] = [];
  await inParallel(bodies, 8, async (body) => {
    const seen = await post({ url: plaza.chatUrl, key: plaza.key, body: body.text, withinMs: 20_000 });
    const call = upstream.findCall(body.id);
    if (seen.status !== 200 || call?.body === undefined) {
      sentWrong.push(`${body.id}: status ${seen.status} ${seen.body.toString("utf8").slice(0, 200)}`);
      return;
    }
    const why = judgeForwarded(body, Buffer.from(call.body, "base64").toString("utf8"), "upstream-model");
    if (why !== undefined) sentWrong.push(`${body.id}: ${why}`);
    const owed = owedAnswer(body);
    if (!seen.body.equals(owed))
      backWrong.push(`${body.id}: ${seen.body.length} bytes back, ${owed.length} owed`);
  });
  return [
    countFigure(
      "P10",
      "bodies reach the upstream unchanged but for model and stream_options",
      count,
      sentWrong,
    ),
    countFigure("P10", "answers to them come back unchanged", count, backWrong),
  ];
}

/** One way of splitting one stream into writes. */
interface Recut {
  readonly stream: RecordedStream;
  readonly split: readonly number[];
}

function recuts(size: "short" | "long", seed: number): Recut[] {
  const random = seededRandom(seed);
  const everyByte = recordedStreams.map((stream) => ({ stream, split: [1] }));
  const sizes = (): number[] =>
    Array.from({ length: random.int(1, 12) }, () => random.int(1, random.pick([2, 9, 200])));
  const rounds = size === "long" ? 1500 : 6;
  const seeded = recordedStreams.flatMap((stream) =>
    Array.from({ length: rounds }, () => ({ stream, split: sizes() })),
  );
  if (size === "short") return [...everyByte, ...seeded];
  const twoPieces = recordedStreams.flatMap((stream) =>
    Array.from({ length: stream.bytes.length - 1 }, (_, at) => ({
      stream,
      split: [at + 1, stream.bytes.length],
    })),
  );
  return [...everyByte, ...twoPieces, ...seeded];
}

async function recutStreams(plaza: Plaza, size: "short" | "long", seed: number): Promise<Figure[]> {
  const cases = recuts(size, seed);
  const wrong: string[] = [];
  const replaced: string[] = [];
  await inParallel(cases, 8, async ({ stream, split }, index) => {
    const isUsageAsked = index % 2 === 0;
    const body = JSON.stringify({
      model: "rig-model",
      messages: [{ role: "user", content: "hello" }],
      stream: true,
      ...(isUsageAsked ? { stream_options: { include_usage: true } } : {}),
      x_rig: { replay: stream.name, split },
    });
    const seen = await post({ url: plaza.chatUrl, key: plaza.key, body, withinMs: 30_000 });
    const what = `${stream.name} in pieces of ${split.slice(0, 6).join(",")}`;
    if (!seen.body.equals(owedBytes(stream, isUsageAsked))) {
      wrong.push(`${what}: status ${seen.status}, ${seen.body.length} bytes, ${seen.problem}`);
    }
    if (seen.body.includes(replacement)) replaced.push(what);
  });
  return [
    countFigure("P10", "re-cut streams arrive byte for byte", cases.length, wrong),
    zeroFigure("P10", "U+FFFD in re-cut streams", cases.length, replaced),
  ];
}

/**
 * A catalog can hold a thousand upstreams, and each conversation has its own: the long form runs in parts.
 */
async function converse(size: "short" | "long", seed: number): Promise<Figure[]> {
  const random = seededRandom(seed);
  if (size === "short") return keepMeaning(random.fork("meaning"), 12);
  const figures: Figure[] = [];
  for (const part of [1, 2, 3, 4]) figures.push(...(await keepMeaning(random.fork(`part ${part}`), 32)));
  return figures;
}

export const run: Rig = async ({ size, seed }) => [
  ...(await withPlaza({}, async (plaza, upstream) => [
    ...(await sendBodies(plaza, upstream, size === "long" ? 5000 : 500, seed)),
    ...(await recutStreams(plaza, size, seed)),
    ...(await passBytes(plaza, upstream, size === "long" ? 3000 : 150, seededRandom(seed).fork("passed"))),
  ])),
  ...(await converse(size, seed)),
];
