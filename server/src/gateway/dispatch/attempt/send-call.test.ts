/** What is sent for an attempt, and that whatever goes wrong before ends it with a fault. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnswerHandler, HttpCall } from "../../../lib/net/http-client.ts";
import { turns } from "../../../lib/time/slices.ts";
import type { Fault, ProviderRequest, UpstreamCall } from "../../../protocols/protocol.ts";
import type { HttpCodec, Provider, ScriptWriter } from "../../../providers/provider.ts";
import { readyEcho } from "../../request/testing/fake-endpoint.ts";
import { CallRefused } from "../fault-error.ts";
import type { DispatchState, Running } from "../state.ts";
import { settled } from "../testing/dispatch-rig.ts";
import { sendCall } from "./send-call.ts";
import type { BoundTranslation } from "./translated-call.ts";
import type { Way } from "./way.ts";

const call: UpstreamCall = { path: "/x", headers: [], body: Buffer.from("call"), dropped: ["style"] };
const fault: Fault = { kind: "bad_request", param: "which" };
const asked = { body: Buffer.from("asked") } as ProviderRequest;

interface Options {
  readonly way?: Partial<Way>;
  readonly provider?: Partial<Provider>;
  readonly apart?: readonly string[];
  readonly options?: Readonly<Record<string, string>>;
  readonly translation?: Partial<BoundTranslation>;
  readonly token?: string | Fault | Promise<string | Fault>;
}

/** Sends a call, and tells what was posted, refused and logged. */
function send({ way, provider, apart = [], options, translation, token = "t" }: Options) {
  const posted: HttpCall[] = [];
  const refused: Fault[] = [];
  const logged: object[] = [];
  const attempt = {
    ended: new Promise(() => {}),
    refuse: (told: Fault) => void refused.push(told),
  };
  const client = { post: (sent: HttpCall, _handler: AnswerHandler) => void posted.push(sent) };
  const upstream = { id: "up", options };
  const live = { provider: { transport: "http", ...provider }, upstream, client };
  const state = {
    context: {
      clock: { wallMs: () => 2_500 },
      tokens: { get: () => token },
      log: { error: (event: string, fields: object) => void logged.push({ event, ...fields }) },
    },
    request: { endpoint: readyEcho, apart, reply: { requestId: "req_1" } },
  } as unknown as DispatchState;
  const running = {
    attempt,
    choice: { credential: "c", live: { deployment: { model: "theirs" }, live } },
  } as unknown as Running;
  const whole = { script: undefined, single: undefined, batch: undefined, isPlain: true, ...way } as Way;
  sendCall(state, running, {
    way: whole,
    asked,
    memory: undefined,
    translation: translation as BoundTranslation | undefined,
  });
  return { posted, refused, logged, running };
}

const codec = (encode: HttpCodec["encode"] = () => call): HttpCodec => ({ encode });

test("the caller's own bytes are posted at once, and what the call lacks is noted", () => {
  let given: unknown[] = [];
  const single = codec((...all) => {
    given = all;
    return call;
  });
  const { posted, refused, running } = send({ way: { single } });
  assert.deepEqual([posted, refused, running.dropped], [[call], [], ["style"]]);
  assert.deepEqual(given, [asked, { id: "up", options: undefined }, "c", "theirs"]);
});

test("what is billed apart from tokens is not sent, unless the operator lets it through", () => {
  const apart = ["extra.plugins"];
  const barred = send({ way: { single: codec() }, apart });
  assert.deepEqual(barred.posted, []);
  const [told] = barred.refused;
  assert.deepEqual(
    [told?.kind, told?.param, told?.messageRef?.id],
    ["unsupported", apart[0], "call.chargedApart"],
  );
  const allowed = { allowUnpriced: "plugins" };
  const open = send({ way: { single: codec() }, apart, options: allowed });
  assert.deepEqual([open.posted, open.refused], [[call], []]);
  const other = send({ way: { single: codec() }, apart: [...apart, "extra.speed"], options: allowed });
  assert.equal(other.refused[0]?.param, "extra.speed");
});

test("a refusal keeps its fault; a bug is a fault of the server, and its text is logged nowhere", () => {
  const refusing = codec(() => {
    throw new CallRefused(fault);
  });
  const told = send({ way: { single: refusing } });
  assert.deepEqual([told.refused, told.logged], [[fault], []]);
  const broken = codec(() => {
    throw new TypeError("a prompt is quoted here");
  });
  const { posted, refused, logged } = send({ way: { single: broken } });
  assert.deepEqual([posted, refused], [[], [{ kind: "server", note: "the call could not be built" }]]);
  const names = { request: "req_1", upstream: "up", error: "TypeError" };
  assert.deepEqual(logged, [{ event: "attempt_not_started", ...names }]);
});

test("an operation that the provider does not serve is a bug, with and without a network", () => {
  for (const transport of ["http", "local"] as const) {
    // An upstream's codec is no use without a network.
    const way = transport === "local" ? { single: codec() } : {};
    const { posted, refused, logged } = send({ way, provider: { transport } });
    assert.deepEqual([posted, refused[0]?.kind], [[], "server"]);
    assert.equal((logged[0] as { error?: string }).error, "UnservedOperation");
  }
});

test("a call that waits for its token is posted after it, and refused without one", async () => {
  const tokens = {} as never;
  const way = { single: codec((_asked, _upstream, token) => ({ ...call, path: token })), isPlain: false };
  const waiting = send({ way, provider: { tokens }, token: Promise.resolve("fresh") });
  assert.equal(waiting.posted.length, 0);
  await settled();
  assert.deepEqual([waiting.posted[0]?.path, waiting.running.dropped], ["fresh", ["style"]]);
  const none = send({ way, provider: { tokens }, token: Promise.resolve(fault) });
  await settled();
  assert.deepEqual([none.posted, none.refused], [[], [fault]]);
  const broken = send({ way, provider: { tokens }, token: Promise.reject(new Error("no")) });
  await settled();
  assert.equal(broken.refused[0]?.kind, "server");
});

test("a script that cannot read a translated conversation refuses it; its clock counts seconds", () => {
  const seen: unknown[] = [];
  const script: ScriptWriter = (_asked, model, createdSeconds) => {
    seen.push(model, createdSeconds);
    throw new CallRefused(fault);
  };
  const { refused } = send({ provider: { transport: "local" }, way: { script } });
  assert.deepEqual([seen, refused], [["theirs", 2], [fault]]);
});

test("a batch for an attempt that takes no whole answer is a bug, also when its token comes late", async () => {
  const encodeBatch = () => ({ calls: [call] });
  const batch = { encodeBatch } as unknown as Way["batch"];
  for (const provider of [{}, { tokens: {} as never }]) {
    const { posted, refused, logged } = send({ way: { batch }, provider, token: Promise.resolve("t") });
    await settled();
    await turns.next();
    assert.deepEqual([posted, refused.map(({ kind }) => kind)], [[], ["server"]]);
    assert.equal((logged[0] as { error?: string }).error, "UnservedOperation");
  }
});
