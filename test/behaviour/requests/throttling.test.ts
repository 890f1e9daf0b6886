/**
 * An upstream that sometimes rate-limits its only credential: the refused call waits a moment and other calls
 * continue. An upstream that refuses everything gets no more calls.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";
import { completion, openaiError } from "../harness/openai-shapes.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const answer = JSON.stringify({ ...completion({ message: { content: "one" } }), usage });
const refusal = JSON.stringify(openaiError("slow down", { code: "rate_limit_exceeded" }));

interface Stage {
  /** Which calls, from 1, are refused, and their Retry-After. */
  refuses: (call: number) => boolean;
  retryAfter: string | undefined;
  calls: number;
  ask(more?: Record<string, unknown>): Promise<Seen>;
}

/** An upstream and a gateway for one test. */
async function stage(context: TestContext): Promise<Stage> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      made.calls += 1;
      const isRefused = made.refuses(made.calls);
      const wait = made.retryAfter === undefined ? {} : { "retry-after": made.retryAfter };
      response.writeHead(isRefused ? 429 : 200, {
        "content-type": "application/json",
        ...(isRefused ? wait : {}),
      });
      response.end(isRefused ? refusal : answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const app = await startApp({
    catalog: { upstreams: [upstreamAt("a", baseUrl)], models: [modelOn("m", ["a"])], limits: {} },
  });
  context.after(async () => {
    await app.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { key } = await app.newAccount("10");
  const messages = [{ role: "user", content: "hello" }];
  const made: Stage = {
    refuses: () => false,
    retryAfter: undefined,
    calls: 0,
    ask: (more = {}) =>
      post({ url: app.chatUrl, key, body: JSON.stringify({ model: "m", messages, ...more }) }),
  };
  return made;
}

/** Sends this many calls, evenly spread. */
async function load(made: Stage, calls: number, perSecond: number): Promise<Seen[]> {
  const asking: Promise<Seen>[] = [];
  for (let call = 0; call < calls; call += 1) {
    asking.push(made.ask());
    await new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond));
  }
  return await Promise.all(asking);
}

const refused = (answers: readonly Seen[]) => answers.filter(({ status }) => status !== 200);

/** Each test is five seconds of steady load. */
describe("now and then", { concurrency: true }, () => {
  for (const retryAfter of [undefined, "1", "3"]) {
    const kind = retryAfter === undefined ? "without a time" : `with ${retryAfter} s`;
    test(`one refusal in fifty, ${kind}: nobody is refused but by chance`, async (context) => {
      const made = await stage(context);
      made.retryAfter = retryAfter;
      made.refuses = (call) => call % 50 === 20;
      const answers = await load(made, 150, 30);
      assert.equal(refused(answers).length, 0, refused(answers)[0]?.body.toString());
      assert.equal(made.calls, 153);
    });
  }

  test("one refusal in fifty with a time that is too long to wait for: only those it is about are refused", async (context) => {
    const made = await stage(context);
    made.retryAfter = "30";
    made.refuses = (call) => call % 50 === 20;
    const answers = await load(made, 150, 30);
    assert.deepEqual(
      refused(answers).map(({ status, headers }) => [status, headers["retry-after"]]),
      [
        [429, "30"],
        [429, "30"],
        [429, "30"],
      ],
    );
  });
});

test("the first call of all that is refused says so at once; the others wait for the second it is left alone", async (context) => {
  const made = await stage(context);
  made.refuses = (call) => call === 1;
  const first = await made.ask();
  assert.deepEqual([first.status, first.headers["retry-after"], made.calls], [429, "1", 1]);
  const others = await Promise.all([made.ask(), made.ask()]);
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 200],
  );
  assert.ok(others.every(({ sentAt, endedAt }) => endedAt - sentAt > 500));
});

test("an upstream that begins to refuse everything is left alone soon, and called no more than a tenth too often", async (context) => {
  const made = await stage(context);
  await load(made, 40, 400);
  const before = made.calls;
  made.refuses = () => true;
  const answers = await load(made, 150, 60);
  assert.equal(refused(answers).length, 150);
  assert.ok(answers.every(({ status, headers }) => status === 429 && Number(headers["retry-after"]) >= 1));
  assert.ok(made.calls - before <= 165, `${made.calls - before} calls`);
  assert.ok(made.calls - before < 60, `${made.calls - before} calls: it rests`);
});

test("a time that is too long to wait for is told at once; one that refuses all is soon left alone for it", async (context) => {
  const made = await stage(context);
  await load(made, 20, 400);
  made.retryAfter = "7";
  made.refuses = () => true;
  const answers: Seen[] = [];
  for (let call = 0; call < 12; call += 1) answers.push(await made.ask());
  for (const { status, headers } of answers) {
    assert.equal(status, 429);
    assert.match(headers["retry-after"] ?? "", /^[67]$/);
  }
  assert.ok(made.calls <= 20 + 6, `${made.calls} calls`);
});
