/** Stored responses are their account's, and their model's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { StoredResponse } from "../../../store/responses/shapes.ts";
import type { Caller } from "../../request/authenticate.ts";
import {
  deleteResponse,
  eventsAskedFor,
  getResponse,
  getResponseEvents,
  listInputItems,
  type StoredResponsesContext,
} from "./read-stored.ts";
import { writeKept } from "./stored-response.ts";

const response = '{"id":"resp_1", "output":[]}';
const input = [
  '{"role":"user","content":"a"}',
  '{"id":"msg_b","role":"user","content":"b"}',
  '{"role":"user"}',
];

function setUp(failing = false) {
  const rows = new Map<string, StoredResponse>();
  for (const id of ["resp_1", "other"])
    rows.set(`acc ${id}`, {
      modelId: id === "other" ? "secret" : "m",
      deployment: "u m",
      payload: writeKept({ input, response }),
      createdAt: 1,
      expiresAt: 2,
    });
  const context = {
    store: {
      findResponse: async (account: string, id: string) => {
        if (failing) throw new Error("away");
        return rows.get(`${account} ${id}`);
      },
      deleteResponse: async (account: string, id: string) => rows.delete(`${account} ${id}`),
    },
    log: { warn: () => {} },
  } as unknown as StoredResponsesContext;
  const caller = (accountId = "acc") => ({ key: { accountId }, models: new Set(["m"]) }) as unknown as Caller;
  return { context, caller };
}

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "none",
    (error: unknown) => (error instanceof GatewayError ? error.code : String(error)),
  );

test("a response is given as it was, and is gone once deleted", async () => {
  const { context, caller } = setUp();
  assert.equal((await getResponse(context, caller(), "resp_1")).toString(), response);
  assert.deepEqual(await deleteResponse(context, caller(), "resp_1"), {
    id: "resp_1",
    object: "response",
    deleted: true,
  });
  assert.equal(await codeOf(getResponse(context, caller(), "resp_1")), "not_found");
  assert.equal(await codeOf(deleteResponse(context, caller(), "resp_1")), "not_found");
});

test("a stream is what says so in words, from any number of an event on", async () => {
  for (const [query, after] of [
    ["", undefined],
    ["stream=false&starting_after=x", undefined],
    ["stream=true", -1],
    ["stream=true&starting_after=0", 0],
    ["include=a&stream=true&starting_after=17", 17],
  ] as const)
    assert.equal(eventsAskedFor(query), after, query);
  for (const query of ["stream=1", "stream=", "starting_after=-1", "starting_after=", "starting_after=1e3"])
    assert.throws(
      () => eventsAskedFor(query.startsWith("stream") ? query : `stream=true&${query}`),
      GatewayError,
    );
  const { context, caller } = setUp();
  const events = await getResponseEvents(context, caller(), "resp_1", 1);
  assert.match(events.toString(), /^event: response\.completed\n.*"sequence_number":2,/);
  assert.equal(await codeOf(getResponseEvents(context, caller("acc_2"), "resp_1", -1)), "not_found");
});

test("another account's response, and one of a model the key may not use, do not exist", async () => {
  const { context, caller } = setUp();
  for (const ask of [getResponse, deleteResponse]) {
    assert.equal(await codeOf(ask(context, caller("acc_2"), "resp_1")), "not_found");
    assert.equal(await codeOf(ask(context, caller(), "other")), "not_found");
  }
  assert.equal(await codeOf(listInputItems(context, caller("acc_2"), "resp_1", "")), "not_found");
  assert.equal(await codeOf(getResponse(setUp(true).context, caller(), "resp_1")), "ledger_unavailable");
});

test("the input is listed in pages, newest first unless asked otherwise", async () => {
  const { context, caller } = setUp();
  const page = async (query: string) => {
    const list = (await listInputItems(context, caller(), "resp_1", query)) as {
      data: { id: string }[];
      has_more: boolean;
    };
    return [list.data.map(({ id }) => id), list.has_more];
  };
  const [first, last] = ["msg_resp_1_0", "msg_resp_1_2"];
  assert.deepEqual(await page(""), [[last, "msg_b", first], false]);
  assert.deepEqual(await page("order=asc&limit=2"), [[first, "msg_b"], true]);
  assert.deepEqual(await page("order=asc&limit=2&after=msg_b"), [[last], false]);
  for (const query of ["limit=0", "limit=101", "limit=x", "order=up"])
    assert.equal(await codeOf(listInputItems(context, caller(), "resp_1", query)), "invalid_request", query);
  assert.equal(await codeOf(listInputItems(context, caller(), "resp_1", "after=nope")), "not_found");
});
