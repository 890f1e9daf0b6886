/** Addresses, the CSRF token, the one error shape, and a session that expires in the middle. */
import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { addressOf, callAny, callState } from "./call.ts";
import { ApiError } from "./error.ts";

type Answering = (address: string, init: RequestInit) => Response | Promise<Response>;

function answerWith(answering: Answering) {
  return mock.method(globalThis, "fetch", async (address: string, init: RequestInit) =>
    answering(address, init),
  );
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

const notSignedIn = () => json({ error: { code: "not_signed_in", message: "You are not signed in." } }, 401);

afterEach(() => {
  mock.restoreAll();
  callState.csrfToken = null;
  callState.signInAgain = null;
});

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof ApiError);
  return thrown;
}

test("an address has its parts filled in and encoded, lists repeated, and nothing for nothing", () => {
  assert.equal(
    addressOf("get /plaza/{model}", {
      params: { model: "meta/llama 3?" },
      query: { a: ["x", "y"], b: "", c: null },
    }),
    "/api/plaza/meta%2Fllama%203%3F?a=x&a=y",
  );
  assert.throws(() => addressOf("get /keys/{id}"));
});

test("the CSRF token goes with changes only", async () => {
  callState.csrfToken = "secret";
  const fetched = answerWith(() => json({}));
  await callAny("get /keys");
  await callAny("post /keys", { body: { name: "a" } });
  const [read, change] = fetched.mock.calls.map(
    (one) => new Headers((one.arguments[1] as RequestInit).headers),
  );
  assert.equal(read?.get("x-plaza-csrf"), null);
  assert.equal(change?.get("x-plaza-csrf"), "secret");
  assert.equal(change?.get("content-type"), "application/json");
});

test("an error keeps its code, fields, wait and request id", async () => {
  const fields = [{ path: "name", message: "Enter a name." }, { path: 3 }];
  answerWith(() =>
    json({ error: { code: "invalid_request", message: "No.", param: "name", fields } }, 400, {
      "x-request-id": "req_1",
      "retry-after": "3",
    }),
  );
  const error = await failureOf(callAny("post /keys"));
  assert.deepEqual(
    [error.code, error.message, error.param, error.status, error.requestId, error.retryAfterMs, error.fields],
    ["invalid_request", "No.", "name", 400, "req_1", 3000, [fields[0]]],
  );
});

test("an answer that is not ours, and no answer at all, are errors too", async () => {
  answerWith(() => new Response("<html>", { status: 502 }));
  assert.equal((await failureOf(callAny("get /keys"))).code, "unreadable_answer");
  mock.restoreAll();
  answerWith(() => {
    throw new TypeError("fetch failed");
  });
  assert.deepEqual(
    [(await failureOf(callAny("get /keys"))).code, (await failureOf(callAny("get /keys"))).status],
    ["network_lost", 0],
  );
});

test("an expired session is renewed, and the same call is sent again with the new token", async () => {
  callState.csrfToken = "old";
  callState.signInAgain = async () => {
    callState.csrfToken = "new";
    return true;
  };
  const fetched = answerWith((_, init) =>
    new Headers(init.headers).get("x-plaza-csrf") === "new" ? json({ ok: true }) : notSignedIn(),
  );
  assert.deepEqual(await callAny("post /keys", { body: { name: "kept" } }), { ok: true });
  const bodies = fetched.mock.calls.map((one) => (one.arguments[1] as RequestInit).body);
  assert.deepEqual(bodies, ['{"name":"kept"}', '{"name":"kept"}']);
});

test("a call refused for a session that was replaced meanwhile is sent again, and nobody is asked", async () => {
  callState.csrfToken = "old";
  const asked = mock.fn(async () => false);
  callState.signInAgain = asked;
  let sent = 0;
  answerWith(() => {
    sent += 1;
    if (sent > 1) return json({ ok: true });
    // A user signs in over the page while this request is in progress.
    callState.csrfToken = "new";
    return notSignedIn();
  });
  assert.deepEqual(await callAny("get /keys"), { ok: true });
  assert.equal(asked.mock.callCount(), 0);
});

test("who does not sign in again gets the refusal, and nobody is asked who never was signed in", async () => {
  const fetched = answerWith(notSignedIn);
  callState.signInAgain = async () => false;
  assert.equal((await failureOf(callAny("get /keys"))).code, "not_signed_in");
  callState.signInAgain = null;
  assert.equal((await failureOf(callAny("get /keys"))).code, "not_signed_in");
  assert.equal(fetched.mock.callCount(), 2);
});

test("an answer without a body is undefined", async () => {
  answerWith(() => new Response(null, { status: 204 }));
  assert.equal(await callAny("delete /sessions/{id}", { params: { id: "s" } }), undefined);
});
