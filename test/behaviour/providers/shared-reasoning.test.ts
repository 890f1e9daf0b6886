/**
 * Turns of a tool loop at different processes: the upstream gets the previous turn's reasoning, although most
 * clients drop it, and no database file contains it in plain text. Real processes on one database.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { testedProviders } from "../../../server/src/providers/testing/all.ts";
import {
  type KeptReasoning,
  signature,
  thought,
} from "../../../server/src/providers/testing/kept-reasoning.ts";
import type { Reply, Wire } from "../../../server/src/providers/testing/wire.ts";
import { sharedPostgres } from "../../postgres/shared.ts";
import { post } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { type CatalogFile, model } from "../harness/catalogs.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { type Mock, startMock } from "./provider-mock.ts";

const json = (value: unknown): string => JSON.stringify(value);

interface Vendor extends KeptReasoning {
  readonly id: string;
  readonly wire: Wire;
}

const vendors: readonly Vendor[] = testedProviders.flatMap(({ id, wire, keptReasoning }) =>
  keptReasoning.map((kept) => ({ ...kept, id: kept.preset ?? id, wire })),
);

const wireAt = (place: string): Wire | undefined => vendors.find(({ id }) => id === place)?.wire;

const catalogAt = (origin: string): CatalogFile => ({
  upstreams: vendors.map(({ id, preset, wire }) => ({
    id,
    ...(preset === undefined ? { provider: wire.id } : { preset }),
    baseUrl: `${origin}/${id}${wire.basePath}`,
    credentials: [wire.credential],
    ...(wire.options === undefined ? {} : { options: wire.options }),
  })),
  models: vendors.map(({ id, model: name }) => model(id, [id, name])),
});

const tools = [
  { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } },
];
const question = { role: "user", content: "How many herons?" };

async function chatAt(product: Product, key: string, body: object): Promise<string> {
  const seen = await post({
    url: product.chatUrl,
    key,
    body: json({ tools, reasoning_effort: "high", ...body }),
  });
  const text = seen.body.toString("utf8");
  assert.equal(seen.status, 200, text);
  return text;
}

/** The id of the tool call in an answer, whole or streamed; most clients send back only this. */
const callIdIn = (answer: string): string => /"id":"((?:toolu|call)_?[^"]+)"/.exec(answer)?.[1] ?? "";

/** The next turn, from a client that drops reasoning. */
const turnAfter = (id: string): object[] => [
  question,
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "look", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: id, content: "seven" },
];

/** Files below the folder that contain a text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

const countRows = "select count(*) as n from reasoning";

/** Number of tool calls with stored reasoning in a SQLite file. */
function rowsIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare(countRows).get()?.["n"]);
  } finally {
    database.close();
  }
}

for (const database of ["sqlite", "postgres"] as const) {
  describe(`turns at two processes on one database (${database})`, () => {
    let mock: Mock;
    let first: Product;
    let second: Product;
    let key = "";
    /** Every tool call has a unique id. */
    let calls = 0;
    /**
     * The number of stored ones: they are written in the background, and a test is faster than any client.
     */
    let storedCalls: () => Promise<number>;

    before(async () => {
      mock = await startMock((place, isStream): Reply | undefined => {
        const vendor = vendors.find(({ id }) => id === place);
        if (vendor === undefined) return undefined;
        calls += 1;
        const body = vendor.reply(isStream, 1000 + calls);
        return { headers: { "content-type": isStream ? vendor.wire.streamType : "application/json" }, body };
      }, wireAt);
      const catalog = catalogAt(mock.origin);
      const server = database === "sqlite" ? undefined : await sharedPostgres();
      const url = await server?.newDatabase();
      const env = url === undefined ? {} : { PLAZA_DATABASE: url };
      first = await startProduct({ catalog, env });
      storedCalls = async () => {
        if (server === undefined || url === undefined) return rowsIn(join(first.folder, "plaza.sqlite"));
        const [found] = await server.query(countRows, new URL(url).pathname.slice(1));
        return Number(found?.["n"]);
      };
      second = await startProduct({ catalog, env, folder: first.folder });
      key = (await first.createKey(await first.createAccount())).key;
    });
    after(async () => {
      await second?.stop();
      await first?.stop();
      await mock?.stop();
    });

    /**
     * Calls the first process; resolves with the tool call's id once other processes can read the reasoning.
     */
    async function firstTurn(asked: object): Promise<string> {
      const id = callIdIn(await chatAt(first, key, { ...asked, messages: [question] }));
      assert.notEqual(id, "");
      assert.ok(await eventually(async () => (await storedCalls()) >= calls, 10_000, 5), "it was not stored");
      return id;
    }

    for (const vendor of vendors) {
      for (const stream of [false, true]) {
        test(`${vendor.id}, ${stream ? "streamed" : "whole"}: the upstream gets the thoughts back`, async () => {
          const asked = { model: vendor.id, stream };
          const id = await firstTurn(asked);
          await chatAt(second, key, { ...asked, messages: turnAfter(id) });
          for (const text of vendor.wanted) assert.ok(mock.lastCall(vendor.id).includes(text), text);
        });
      }
    }

    test("another account that names the call gets nothing of it", async () => {
      const signed = vendors.find(({ wanted }) => wanted.includes(signature)) ?? assert.fail();
      const asked = { model: signed.id, stream: false };
      const id = await firstTurn(asked);
      const other = await first.createKey(await first.createAccount());
      await chatAt(second, other.key, { ...asked, messages: turnAfter(id) });
      assert.ok(!mock.lastCall(signed.id).includes(signature));
    });

    test("neither thoughts nor signatures stand in a file of the data folder", () => {
      for (const text of [thought, signature]) assert.deepEqual(filesWith(first.folder, text), []);
    });
  });
}
