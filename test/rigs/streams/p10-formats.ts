/**
 * P10 for callers of Responses, Messages and Gemini at upstreams of their own format: generated bodies reach
 * the upstream byte for byte but for the model's name and `store`, and answers come back byte for byte, in
 * whatever pieces they were written. Part of the rig in `p10-bytes.ts`.
 */
import { spokenName } from "../harness/catalog.ts";
import { type EndpointName, pathOf } from "../harness/endpoints.ts";
import { countFigure, type Figure, zeroFigure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import type { Random } from "../harness/random.ts";
import { soundScript } from "../upstream/answer.ts";
import { defaultPlan, type Plan, planOver } from "../upstream/plan.ts";
import type { Upstream } from "../upstream/server.ts";
import { firstDifference, space, strings, value } from "./p10-bodies.ts";

type PassedName = Exclude<EndpointName, "chat">;
const passedNames: readonly PassedName[] = ["responses", "messages", "gemini"];
const upstreamModel = "upstream-model";
const replacement = Buffer.from("\ufffd");

/** One call: its body before and after the model's name. */
export interface PassedBody {
  readonly endpoint: PassedName;
  readonly plan: Partial<Plan> & { readonly id: string };
  readonly isStream: boolean;
  /** The text around the model's name; `after` is empty for Gemini, which has it in the path. */
  readonly before: string;
  readonly after: string;
  /** True when the caller says itself that nothing is to be stored. */
  readonly saysStore: boolean;
}

const turns: Readonly<Record<PassedName, (said: string) => [name: string, text: string]>> = {
  responses: (said) => ["input", `[{"role":"user","content":[{"type":"input_text","text":${said}}]}]`],
  messages: (said) => ["messages", `[{"role":"user","content":[{"type":"text","text":${said}}]}]`],
  gemini: (said) => ["contents", `[{"role":"user","parts":[{"text":${said}}]}]`],
};

const bounds: Readonly<Record<PassedName, readonly [name: string, text: string]>> = {
  responses: ["max_output_tokens", "64"],
  messages: ["max_tokens", "64"],
  gemini: ["generationConfig", '{ "maxOutputTokens" : 64 ,"temperature":1e0}'],
};

/** Body number `index` of a run, in spellings that a careless gateway would change. */
function passedBody(random: Random, index: number): PassedBody {
  const endpoint = passedNames[index % passedNames.length] as PassedName;
  const isStream = random.chance(0.5);
  const sizes = Array.from({ length: random.int(1, 9) }, () => random.int(1, random.pick([2, 9, 200])));
  const plan = {
    id: `p10-passed-${index}`,
    keepBody: true,
    tokens: random.int(1, 12),
    text: random.pick(["en", "zh", "emoji"]),
    crlf: random.chance(0.3),
    split: isStream ? random.pick([[1], sizes]) : [],
  };
  const told = `x-rig:${Buffer.from(JSON.stringify(plan)).toString("base64url")};`;
  const said = `${random.pick(strings).slice(0, -1)} ${told}"`;
  const saysStore = endpoint === "responses" && random.chance(0.5);
  const members: (readonly [string, string])[] = [turns[endpoint](said), bounds[endpoint]];
  if (endpoint !== "gemini") members.push(["model", ""]);
  if (endpoint !== "gemini" && isStream) members.push(["stream", "true"]);
  if (saysStore) members.push(["store", "false"]);
  if (endpoint === "messages" && random.chance(0.5)) members.push(["metadata", '{"user_id":"\\u7528"}']);
  for (let extra = random.int(0, 3); extra > 0; extra--) members.push([`x_名_${extra}`, value(random, 4)]);
  const texts = random
    .shuffle(members)
    .map(([name, text]) =>
      name === "model"
        ? `"model"${space(random)}:\u0000`
        : `${space(random)}"${name}"${space(random)}:${space(random)}${text}${space(random)}`,
    );
  const [before = "", after = ""] = `${space(random)}{${texts.join(",")}}${space(random)}`.split("\u0000");
  return { endpoint, plan, isStream, before, after, saysStore };
}

const withModel = ({ endpoint, before, after }: PassedBody, model: string): string =>
  endpoint === "gemini" ? before : `${before}${JSON.stringify(model)}${after}`;

/** Describes what is wrong with the body the upstream received; undefined = only the named edits. */
export function judgePassed(body: PassedBody, received: string): string | undefined {
  const wanted = withModel(body, upstreamModel);
  if (body.endpoint !== "responses" || body.saysStore)
    return received === wanted ? undefined : `changed: ${firstDifference(wanted, received)}`;
  if (received === wanted) return "the upstream was not told to store nothing";
  const without = received.replace(/"store":false,|,"store":false/, "");
  return without === wanted ? undefined : `changed: ${firstDifference(wanted, without)}`;
}

/** The bytes the caller must get: the upstream's. */
function owedAnswer({ endpoint, plan, isStream }: PassedBody): Buffer {
  const script = soundScript(planOver(defaultPlan, plan), {
    format: endpoint,
    callId: plan.id,
    model: upstreamModel,
    isStream,
    isUsageAsked: true,
    authorization: "",
    address: "",
    leaks: [],
  });
  return Buffer.concat(script.steps.map(({ bytes }) => bytes));
}

/** Sends the bodies and compares both ways. */
export async function passBytes(
  plaza: Plaza,
  upstream: Upstream,
  count: number,
  random: Random,
): Promise<Figure[]> {
  const bodies = Array.from({ length: count }, (_, index) =>
    passedBody(random.fork(`passed-${index}`), index),
  );
  const sentWrong: string[] = [];
  const backWrong: string[] = [];
  const replaced: string[] = [];
  await inParallel(bodies, 8, async (body) => {
    const { endpoint, plan, isStream } = body;
    const model = spokenName("rig-model", endpoint);
    const seen = await post({
      url: plaza.origin + pathOf(endpoint, { model, isStream }),
      key: plaza.key,
      body: withModel(body, model),
      withinMs: 20_000,
    });
    const call = upstream.findCall(plan.id);
    if (seen.status !== 200 || call?.body === undefined) {
      sentWrong.push(`${endpoint} ${plan.id}: status ${seen.status} ${seen.body.toString("utf8", 0, 200)}`);
      return;
    }
    const why = judgePassed(body, Buffer.from(call.body, "base64").toString("utf8"));
    if (why !== undefined) sentWrong.push(`${endpoint} ${plan.id}: ${why}`);
    const owed = owedAnswer(body);
    if (!seen.body.equals(owed)) {
      const difference = firstDifference(owed.toString("utf8"), seen.body.toString("utf8"));
      backWrong.push(`${endpoint} ${plan.id}: ${difference}`);
    }
    if (seen.body.includes(replacement)) replaced.push(`${endpoint} ${plan.id}`);
  });
  const passed = "of Responses, Messages and Gemini at upstreams of the same format";
  return [
    countFigure("P10", `bodies ${passed} arrive unchanged but for model and store`, count, sentWrong),
    countFigure("P10", "answers to them come back byte for byte, however they were cut", count, backWrong),
    zeroFigure("P10", "U+FFFD in them", count, replaced),
  ];
}
