/**
 * Bounds of the output said twice, under another spelling or in another place, on the endpoints whose bytes
 * pass to an upstream of the same format: whatever a careless server could read in what is sent, the account
 * can pay for. `test/rigs/money/p34-held.ts` does the same to chat, in numbers.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { post } from "../../rigs/harness/http-client.ts";
import { callers } from "../harness/formats/callers.ts";
import { type FormatStage, nanosPerToken, startFormats } from "../harness/formats/stage.ts";
import { answerOf, type UpstreamFormat } from "../harness/formats/upstreams.ts";

let stage: FormatStage;
before(async () => {
  stage = await startFormats({ maxOutput: 128_000, context: 400_000 });
});
after(async () => {
  await stage?.stop();
});

/** Five cents: some 25,000 tokens of output. */
const balance = 50_000_000n;
const affordable = Number(balance / nanosPerToken.output);

/** As servers fold names that they compare without case. */
const fold = (name: string): string => name.normalize("NFKC").toLowerCase().replaceAll("_", "");
const bounds = new Set(["max_tokens", "max_completion_tokens", "max_output_tokens"].map(fold));
const counts = new Set(["n", "candidate_count"].map(fold));

/** The most output that any server could read in a body: nothing said counts as the model's own bound. */
function mostIn(text: string): number {
  const plain = text.replace(/\\u([0-9a-f]{4})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  let most = 0;
  let answers = 1;
  for (const [, name = "", value = ""] of plain.matchAll(/"([^"]*)"\s*:\s*"?(-?\d[\d.eE+-]*)/g)) {
    const number = Number(value);
    if (bounds.has(fold(name))) most = Math.max(most, number > 0 && number < 1e9 ? number : 128_000);
    if (counts.has(fold(name))) answers = Math.max(answers, number);
  }
  return (most === 0 ? 128_000 : most) * answers;
}

const messages = '"messages":[{"role":"user","content":"hi"}]';
const input = '"input":"hi"';
const contents = '"contents":[{"parts":[{"text":"hi"}]}]';
const big = "100000";

/** By path: bodies without the model, which each of these formats would pass on. */
const hidden: Readonly<
  Record<string, { readonly format: UpstreamFormat; readonly bodies: readonly string[] }>
> = {
  "/v1/messages": {
    format: "anthropic-messages",
    bodies: [
      `"max_tokens":5,${messages},"max_tokens":${big}`,
      `"max_tokens":${big},${messages},"max_tokens":5`,
      `"max_tokens":5,"Max_Tokens":${big},${messages}`,
      `"max_tokens":5,"max\\u005ftokens":${big},${messages}`,
      `"\\u006d\\u0061x_tokens":${big},"max_tokens":5,${messages}`,
      `"max_token\u017f":${big},"max_tokens":5,${messages}`,
      `"max_tokens":1e5,${messages}`,
      `"max_tokens":99999.5,${messages}`,
      `"max_tokens":-1,${messages}`,
      `"max_tokens":"${big}",${messages}`,
      `"max_tokens":null,${messages}`,
      messages,
    ],
  },
  "/v1/responses": {
    format: "openai-responses",
    bodies: [
      `"max_output_tokens":20,${input},"max_output_tokens":${big}`,
      `"max_output_tokens":20,"MAX_OUTPUT_TOKENS":${big},${input}`,
      `"max_output_tokens":20,"max_output_token\\u0073":${big},${input}`,
      `"max_output_tokens":20,"max_tokens":${big},${input}`,
      `"max_output_tokens":20,"max_completion_tokens":${big},${input}`,
      `"max_output_tokens":20,"extra_body":{"max_output_tokens":${big}},${input}`,
      `"max_output_tokens":20,"n":64,"max_tokens":20000,${input}`,
      `"max_output_tokens":0,${input}`,
      `"max_output_tokens":-1,${input}`,
      `"max_output_tokens":"${big}",${input}`,
      `"max_output_tokens":null,${input}`,
      input,
    ],
  },
  "/v1beta/models/gemini:generateContent": {
    format: "gemini",
    bodies: [
      `"generationConfig":{"maxOutputTokens":5,"maxOutputTokens":${big}},${contents}`,
      `"generationConfig":{"maxOutputTokens":5,"max_output_tokens":${big}},${contents}`,
      `"generationConfig":{"maxOutputTokens":5,"MaxOutputTokens":${big}},${contents}`,
      `"generationConfig":{"maxOutputTokens":5,"maxOutput\\u0054okens":${big}},${contents}`,
      `"generationConfig":{"maxOutputTokens":5},"generation_config":{"maxOutputTokens":${big}},${contents}`,
      `"generationConfig":{"maxOutputTokens":5},"generationConfig":{"maxOutputTokens":${big}},${contents}`,
      `"generationConfig":{"maxOutputTokens":5},"GenerationConfig":{"maxOutputTokens":${big}},${contents}`,
      `"generationConfig":{"maxOutputTokens":20000,"candidateCount":8},${contents}`,
      `"generationConfig":{"maxOutputTokens":20000,"candidate_count":"8"},${contents}`,
      `"generationConfig":{"maxOutputTokens":20000,"candidateCount":1,"candidate_count":8},${contents}`,
      `"generationConfig":{"maxOutputTokens":0},${contents}`,
      `"generationConfig":{"maxOutputTokens":"${big}"},${contents}`,
      `"generationConfig":{"maxOutputTokens":null},${contents}`,
      `"generationConfig":null,${contents}`,
      contents,
    ],
  },
  "/openai/deployments/openai-chat/chat/completions": {
    format: "openai-chat",
    bodies: [
      `"max_tokens":5,"max_completion_tokens":${big},${messages}`,
      `"max_tokens":5,"Max_Tokens":${big},${messages}`,
      `"max_tokens":5,${messages},"max_tokens":${big}`,
      `"max_tokens":20000,"n":8,${messages}`,
      messages,
    ],
  },
};

for (const [path, { format, bodies }] of Object.entries(hidden)) {
  describe(path, () => {
    for (const [index, members] of bodies.entries()) {
      test(`${index}: ${members.slice(0, 120)}`, async () => {
        const account = await stage.app.newAccount("0.05");
        stage.upstreams[format].answerWith(answerOf(format, { texts: ["Yes."] }, false));
        const isInPath = !path.startsWith("/v1/");
        const body = `{${isInPath ? "" : `"model":"${format}",`}${members}}`;
        const seen = await post({ url: stage.app.origin + path, key: account.key, body });
        const [call] = stage.upstreams[format].calls;
        if (call === undefined) {
          assert.ok([400, 402].includes(seen.status), `${seen.status} ${seen.body}`);
          return;
        }
        assert.equal(seen.status, 200, String(seen.body));
        assert.ok(mostIn(call.text) <= affordable, `${mostIn(call.text)} in ${call.text}`);
      });
    }
  });
}

test("ordinary bodies are served, so that the refusals above mean something", async () => {
  for (const [path, { format }] of Object.entries(hidden)) {
    const account = await stage.app.newAccount("0.05");
    stage.upstreams[format].answerWith(answerOf(format, { texts: ["Yes."] }, false));
    const asked = callers[format].body({ model: format, isStream: false, outputMax: 500 });
    const seen = await post({ url: stage.app.origin + path, key: account.key, body: JSON.stringify(asked) });
    assert.equal(seen.status, 200, `${path}: ${seen.body}`);
    assert.equal(mostIn(stage.upstreams[format].calls[0]?.text ?? ""), 500);
  }
});
