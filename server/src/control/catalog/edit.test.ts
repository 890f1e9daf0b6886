/** An upstream sent by a client of an older version: read, stored and shown under the current names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogRoutes } from "@plaza/contract/api/catalog.ts";
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Call, ControlContext } from "../context.ts";
import { editHandlers } from "./edit.ts";

/** Handlers for one stored upstream, with what they write and log. */
function stage() {
  let stored: Upstream | undefined;
  const warnings: unknown[] = [];
  const write = async (upstream: Upstream) => {
    stored = { ...upstream, revision: (stored?.revision ?? 0) + 1, source: "console" };
    return { kind: "done", revision: stored.revision };
  };
  const store = {
    createUpstream: write,
    changeUpstream: write,
    showCatalog: async () => ({
      upstreams:
        stored === undefined ? [] : [{ ...stored, credentials: 0, headers: [], credentialsFault: null }],
      models: [],
      limits: {},
      keptLimits: {},
    }),
  };
  const log = { warn: (event: string, fields: object) => void warnings.push([event, fields]) };
  const context = { store, log, clock: { wallMs: () => 0 } } as unknown as ControlContext;
  const call = (parts: object) => ({ note() {}, unchanged() {}, ...parts }) as unknown as Call as never;
  return {
    warnings,
    create: (form: object) =>
      editHandlers.createUpstream(context, call({ body: catalogRoutes.createUpstream.body.parse(form) })),
    change: (form: object) =>
      editHandlers.changeUpstream(
        context,
        call({ params: { id: "a" }, body: catalogRoutes.changeUpstream.body.parse(form) }),
      ),
    shown: async () =>
      catalogRoutes.listCatalog.answer.parse(await editHandlers.listCatalog(context, call({}))).upstreams[0],
  };
}

test("an upstream sent by a field's old name is shown by the new one, and the log says so", async () => {
  const { create, change, shown, warnings } = stage();
  await create({ id: "a", provider: "demo", whenCallerLeaves: "finish" });
  const first = await shown();
  assert.equal(first?.onDisconnect, "finish");
  assert.ok(!Object.hasOwn(first ?? {}, "whenCallerLeaves"));
  const told = [
    "api_field_renamed",
    { field: "whenCallerLeaves", newName: "onDisconnect", subject: "upstream a" },
  ];
  assert.deepEqual(warnings, [told]);
  await change({ provider: "demo", whenCallerLeaves: "stop", revision: 1 });
  assert.equal((await shown())?.onDisconnect, "stop");
  assert.deepEqual(warnings, [told, told]);
  // What is shown can be sent back unchanged.
  await change({ provider: "demo", onDisconnect: first?.onDisconnect, revision: 2 });
  assert.equal((await shown())?.onDisconnect, "finish");
  assert.equal(warnings.length, 2);
});

test("both names at once are refused beside the old one, whatever they say", async () => {
  const { create, shown } = stage();
  await assert.rejects(
    async () => create({ id: "a", provider: "demo", whenCallerLeaves: "stop", onDisconnect: "stop" }),
    /whenCallerLeaves: Is the old name of onDisconnect/,
  );
  assert.equal(await shown(), undefined);
});
