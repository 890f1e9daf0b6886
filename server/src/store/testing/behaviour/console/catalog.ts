/**
 * What every store must do with catalog changes from the console, next to those of a file. A part of
 * `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Catalog, Model, Upstream } from "@plaza/contract/catalog.ts";
import type { EditOutcome } from "../../../catalog/edit.ts";
import type { Store } from "../../../store.ts";
import { base, cheap, full, load, model, nothing, on, soon, upstream } from "../../catalog-samples.ts";
import type { NewFixture } from "../../fixture.ts";

const empty: Catalog = { upstreams: [], models: [], limits: {} };
const ofFile: Catalog = {
  upstreams: [upstream("main")],
  models: [model("x"), model("y")],
  limits: {},
};
const mine = upstream("mine", { credentials: ["sk-mine"] });
const served = (id: string, changes: Partial<Model> = {}): Model =>
  model(id, { deployments: [on("mine")], ...changes });

async function done(outcome: Promise<EditOutcome>): Promise<number> {
  const ended = await outcome;
  assert.equal(ended.kind, "done", JSON.stringify(ended));
  return ended.kind === "done" ? ended.revision : Number.NaN;
}

const find = async (store: Store, id: string): Promise<Model | undefined> =>
  (await store.showCatalog()).models.find((one) => one.id === id);

const withoutCredentials = ({ credentials: _, ...rest }: Upstream): Omit<Upstream, "credentials"> => rest;

/** Asserts a refusal that changed neither the catalog nor the feed. */
async function refused(
  store: Store,
  outcome: Promise<EditOutcome>,
  kind: EditOutcome["kind"],
): Promise<EditOutcome> {
  const before = [await store.loadCatalog(), await store.lastChangeId()];
  const ended = await outcome;
  assert.equal(ended.kind, kind);
  assert.deepEqual([await store.loadCatalog(), await store.lastChangeId()], before);
  return ended;
}

function editing(newFixture: NewFixture): void {
  test("what the console adds is loaded like what a file says, and is marked", async (context) => {
    const { store, reopen } = await newFixture(context);
    assert.deepEqual(await store.showCatalog(), {
      ...empty,
      installation: {},
      keptLimits: { source: "console", revision: 0 },
    });
    await done(store.createUpstream(mine));
    const [zeta] = full.models;
    assert.ok(zeta);
    const { fallbacks: _, ...alone } = zeta;
    const whole: Model = { ...alone, deployments: [on("mine"), { ...on("mine"), model: "b", cost: base }] };
    await done(store.createModel(whole));
    assert.deepEqual(await load(await reopen()), { ...empty, upstreams: [mine], models: [whole] });
    const shown = await store.showCatalog();
    assert.deepEqual(
      shown.upstreams.map(({ id, source, revision, credentials }) => [id, source, revision, credentials]),
      [["mine", "console", 0, 1]],
    );
    const [model] = shown.models;
    assert.deepEqual([model?.source, model?.revision], ["console", 0]);
    assert.ok(Date.now() - (model?.createdAt ?? 0) < 600_000);
    assert.equal((await store.listChanges(0)).filter(({ kind }) => kind === "catalog").length, 2);
  });

  test("a change needs the revision it was made to; of two tabs the second is told", async (context) => {
    const { store } = await newFixture(context);
    await done(store.createUpstream(mine));
    await done(store.createModel(served("m")));
    assert.equal(await done(store.changeModel(served("m", { name: "One" }), 0)), 1);
    await refused(store, store.changeModel(served("m", { name: "Two" }), 0), "stale");
    assert.equal((await find(store, "m"))?.name, "One");
    const revisions = await Promise.all(
      ["Three", "Four"].map((name) => store.changeModel(served("m", { name }), 1)),
    );
    assert.deepEqual(revisions.map(({ kind }) => kind).sort(), ["done", "stale"]);
    const next = { ...withoutCredentials(mine), baseUrl: "http://127.0.0.1:9/v1" };
    assert.equal(await done(store.changeUpstream({ ...next, credentials: undefined }, 0)), 1);
    await refused(store, store.changeUpstream({ ...next, credentials: undefined }, 0), "stale");
    await refused(store, store.removeUpstream("mine", 0), "stale");
    await refused(store, store.removeModel("m", 1), "stale");
    assert.equal(await done(store.changeLimits({ limits: { concurrency: 3 } }, 0)), 1);
    await refused(store, store.changeLimits({ limits: {} }, 0), "stale");
    assert.deepEqual((await store.loadCatalog())?.limits, { concurrency: 3 });
  });

  test("credentials stay, are replaced, or cannot be opened any more; then new ones mend it", async (context) => {
    const { store, reopen } = await newFixture(context);
    await done(store.createUpstream(mine));
    const rest = withoutCredentials(mine);
    await done(store.changeUpstream({ ...rest, credentials: undefined }, 0));
    assert.deepEqual((await store.openUpstream("mine"))?.credentials, ["sk-mine"]);
    await done(store.changeUpstream({ ...rest, credentials: ["sk-2", "sk-1"] }, 1));
    assert.deepEqual((await store.openUpstream("mine"))?.credentials, ["sk-2", "sk-1"]);
    assert.equal(await store.openUpstream("nobody"), undefined);
    const other = await reopen(randomBytes(32));
    const [shown] = (await other.showCatalog()).upstreams;
    assert.equal(shown?.credentials, 2);
    assert.equal(typeof shown?.credentialsFault, "string");
    await assert.rejects(other.openUpstream("mine"), { code: "unreadable_credentials" });
    const anew = { ...rest, credentials: ["sk-3"] };
    await assert.rejects(other.changeUpstream(anew, 2), { code: "another_secret_key" });
    await other.resetSealingKey();
    await done(other.changeUpstream(anew, 2));
    assert.equal((await other.showCatalog()).upstreams[0]?.credentialsFault, null);
    assert.deepEqual((await other.openUpstream("mine"))?.credentials, ["sk-3"]);
  });

  test("headers stay, are replaced one by one, go, and are sealed anew with the credentials", async (context) => {
    const { reopen } = await newFixture(context);
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const store = await reopen(old);
    await done(store.createUpstream({ ...mine, headers: { "x-a": "1", "x-b": "2" } }));
    const headersOf = async (from: Store) => (await from.openUpstream("mine"))?.headers;
    const rest = { ...withoutCredentials(mine), credentials: undefined };
    await done(store.changeUpstream(rest, 0));
    assert.deepEqual(await headersOf(store), { "x-a": "1", "x-b": "2" });
    await done(store.changeUpstream({ ...rest, headers: { "x-b": null, "x-c": "3" } }, 1));
    assert.deepEqual(await headersOf(store), { "x-b": "2", "x-c": "3" });
    const [shown] = (await store.showCatalog()).upstreams;
    assert.deepEqual(shown?.headers, ["x-b", "x-c"]);
    const other = await reopen(randomBytes(32));
    assert.deepEqual((await other.showCatalog()).upstreams[0]?.headers, ["x-b", "x-c"]);
    await assert.rejects(other.openUpstream("mine"), { code: "unreadable_credentials" });
    const between = await reopen(Buffer.concat([fresh, old]));
    assert.equal(await between.resealCredentials(Buffer.concat([fresh, old])), 3);
    assert.deepEqual(await headersOf(await reopen(fresh)), { "x-b": "2", "x-c": "3" });
    await done(between.changeUpstream({ ...rest, headers: {} }, 2));
    assert.equal(await headersOf(between), undefined);
    await done(between.removeUpstream("mine", 3));
  });
}

function disabling(newFixture: NewFixture): void {
  test("a model is disabled and enabled, and keeps everything else", async (context) => {
    const { store, reopen } = await newFixture(context);
    await done(store.createUpstream(mine));
    const [zeta] = full.models;
    assert.ok(zeta);
    const { fallbacks: _, isDisabled: ___, ...alone } = zeta;
    await done(store.createModel({ ...alone, deployments: [on("mine"), { ...on("mine"), model: "b" }] }));
    const { revision: __, ...whole } = (await find(store, zeta.id)) ?? assert.fail();
    const prices = await store.listPrices(zeta.id, 10);
    const changes = await store.lastChangeId();
    assert.equal(await done(store.changeModelState(zeta.id, true, 0)), 1);
    assert.equal(await store.lastChangeId(), changes + 1);
    assert.deepEqual(await find(await reopen(), zeta.id), { ...whole, isDisabled: true, revision: 1 });
    await refused(store, store.changeModelState(zeta.id, false, 0), "stale");
    await refused(store, store.changeModelState("gone", true, 0), "not_found");
    const renamed = { ...whole, name: "Renamed", isDisabled: true } as const;
    assert.equal(await done(store.changeModel(renamed, 1)), 2);
    assert.deepEqual(await find(store, zeta.id), { ...renamed, revision: 2 });
    assert.equal(await done(store.changeModelState(zeta.id, false, 2)), 3);
    assert.deepEqual(await find(store, zeta.id), { ...whole, name: "Renamed", revision: 3 });
    assert.deepEqual(await store.listPrices(zeta.id, 10), prices);
  });
}

function keeping(newFixture: NewFixture): void {
  test("nothing is removed that is referred to, and nothing refers to what is not there", async (context) => {
    const { store } = await newFixture(context);
    await done(store.createUpstream(mine));
    await done(store.createModel(served("a")));
    await done(store.createModel(served("b", { fallbacks: ["a"] })));
    assert.deepEqual(await refused(store, store.removeUpstream("mine", 0), "used"), {
      kind: "used",
      by: ["a", "b"],
    });
    assert.deepEqual(await refused(store, store.removeModel("a", 0), "used"), { kind: "used", by: ["b"] });
    await refused(store, store.changeModel(served("a", { fallbacks: ["b"] }), 0), "loop");
    await refused(store, store.changeModel(served("a", { fallbacks: ["a"] }), 0), "loop");
    await refused(store, store.changeModel(served("a", { fallbacks: ["gone"] }), 0), "lost");
    await refused(store, store.createModel(model("c", { deployments: [on("gone")] })), "lost");
    await refused(store, store.createModel(served("a")), "exists");
    await refused(store, store.createUpstream(mine), "exists");
    await refused(store, store.changeModel(served("gone"), 0), "not_found");
    await done(store.removeModel("b", 0));
    await done(store.removeModel("a", 0));
    await done(store.removeUpstream("mine", 0));
    assert.deepEqual(await load(store), empty);
  });

  test("prices are history: a change adds a row, and nothing is ever taken back", async (context) => {
    const { store } = await newFixture(context);
    await done(store.createUpstream(mine));
    await done(store.createModel(served("m")));
    await done(store.changeModel(served("m", { name: "Another name" }), 0));
    assert.equal((await store.listPrices("m", 10)).length, 1);
    const scheduled = { price: cheap, scheduledPrices: [{ validFrom: soon, price: base }] };
    await done(store.changeModel(served("m", scheduled), 1));
    const { price: _, ...unpriced } = served("m");
    await done(store.changeModel(unpriced, 2));
    const rows = await store.listPrices("m", 10);
    assert.deepEqual(
      rows.map(({ price }) => price),
      [undefined, base, undefined, cheap, base].slice(0, rows.length),
    );
    assert.ok(rows.length >= 4);
    assert.equal((await find(store, "m"))?.price, undefined);
    assert.equal((await store.listPrices("m", 2)).length, 2);
    await done(store.removeModel("m", 3));
    assert.equal((await store.listPrices("m", 10)).length, rows.length);
    assert.deepEqual(await store.listPrices("nobody", 10), []);
  });
}

function besideAFile(newFixture: NewFixture): void {
  test("a file replaces what files said and leaves the console's alone", async (context) => {
    const { store } = await newFixture(context);
    await store.applyCatalog(ofFile);
    await done(store.createUpstream(mine));
    await done(store.createModel(served("m", { fallbacks: ["x"] })));
    await done(store.createModel(model("n", { deployments: [on("main")] })));
    assert.deepEqual(await store.applyCatalog(ofFile), nothing);
    await refused(store, store.changeModelState("x", true, 0), "file");
    const next: Catalog = { ...ofFile, models: [model("z"), model("x", { name: "Newer" })] };
    const difference = { added: ["model z"], changed: ["model x"], removed: ["model y"] };
    assert.deepEqual(await store.compareCatalog(next), difference);
    assert.deepEqual(await store.applyCatalog(next), difference);
    const { models, upstreams } = await store.showCatalog();
    assert.deepEqual(
      models.map(({ id, source, revision }) => [id, source, revision]),
      [
        ["z", "file", 0],
        ["x", "file", 1],
        ["m", "console", 0],
        ["n", "console", 0],
      ],
    );
    assert.deepEqual(
      upstreams.map(({ id, source, revision }) => [id, source, revision]),
      [
        ["main", "file", 0],
        ["mine", "console", 0],
      ],
    );
  });

  test("what the file manages is only shown", async (context) => {
    const { store } = await newFixture(context);
    await store.applyCatalog({ ...ofFile, limits: { concurrency: 1 } });
    await refused(store, store.changeModel(model("x", { name: "Mine" }), 0), "file");
    await refused(store, store.removeModel("x", 0), "file");
    await refused(store, store.removeUpstream("main", 0), "file");
    await refused(store, store.changeUpstream({ ...upstream("main"), credentials: undefined }, 0), "file");
    await refused(store, store.changeLimits({ limits: {} }, 0), "file");
    await refused(store, store.createModel(model("x")), "exists");
  });

  test("a file that says what the console says, or takes what it needs, is refused whole", async (context) => {
    const { store } = await newFixture(context);
    await store.applyCatalog(ofFile);
    await done(store.createUpstream(mine));
    await done(store.createModel(model("m", { deployments: [on("main")], fallbacks: ["x"] })));
    const cases: [Catalog, RegExp][] = [
      [
        { ...ofFile, upstreams: [upstream("main"), mine] },
        /^upstream mine of the file is already managed in the console/,
      ],
      [
        { ...ofFile, models: [...ofFile.models, model("m")] },
        /^model m of the file is already managed in the console/,
      ],
      [empty, /^upstream main is no longer in the file, but models in the console use it \(m\)/],
      [
        { ...ofFile, models: [model("y")] },
        /^model x is no longer in the file, but models in the console use it as a fallback \(m\)/,
      ],
    ];
    const before = [await store.loadCatalog(), await store.lastChangeId()];
    for (const [catalog, message] of cases) {
      await assert.rejects(store.applyCatalog(catalog), { code: "invalid", message });
      await assert.rejects(store.compareCatalog(catalog), { code: "invalid", message });
    }
    assert.deepEqual([await store.loadCatalog(), await store.lastChangeId()], before);
  });
}

function handingOver(newFixture: NewFixture): void {
  test("limits are the file's while it has any, and the console's otherwise", async (context) => {
    const { store } = await newFixture(context);
    await store.applyCatalog(ofFile);
    assert.equal(
      await done(store.changeLimits({ limits: { concurrency: 3 }, installation: { tokensPerMinute: 0 } }, 0)),
      1,
    );
    assert.deepEqual(await store.applyCatalog(ofFile), nothing);
    await store.applyCatalog({ ...ofFile, models: [model("x")] });
    const shown = await store.showCatalog();
    assert.deepEqual(
      [shown.limits, shown.installation, shown.keptLimits],
      [{ concurrency: 3 }, { tokensPerMinute: 0 }, { source: "console", revision: 1 }],
    );
    const limited = { ...ofFile, limits: { concurrency: 4 } };
    assert.deepEqual((await store.applyCatalog(limited)).changed, ["limits"]);
    assert.deepEqual((await store.showCatalog()).installation, {});
    assert.equal((await store.showCatalog()).keptLimits.source, "file");
    assert.deepEqual((await store.applyCatalog(ofFile)).removed, ["limits"]);
    const after = await store.showCatalog();
    assert.deepEqual([after.limits, after.keptLimits.source], [{}, "console"]);
  });

  test("what came with the installation can be changed, and goes with the first file", async (context) => {
    const { store } = await newFixture(context);
    const demo: Catalog = {
      ...empty,
      upstreams: [upstream("demo", { provider: "demo", source: "demo" })],
      models: [model("demo", { deployments: [on("demo")], source: "demo" })],
    };
    await store.applyCatalog(demo);
    assert.deepEqual(await store.applyCatalog(demo), nothing);
    await done(store.changeModel(model("demo", { deployments: [on("demo")], name: "Try me" }), 0));
    assert.equal((await find(store, "demo"))?.source, "demo");
    assert.deepEqual((await store.applyCatalog(ofFile)).removed, ["upstream demo", "model demo"]);
    assert.deepEqual(await load(store), ofFile);
    await store.applyCatalog(demo);
    const asFile = { ...demo, upstreams: [upstream("demo", { provider: "demo" })] };
    assert.deepEqual((await store.applyCatalog(asFile)).changed, ["upstream demo"]);
    assert.equal((await store.showCatalog()).upstreams[0]?.source, "file");
    await done(store.removeModel("demo", 0));
  });

  test("a model keeps the day it was first listed, however often it is changed", async (context) => {
    const { store } = await newFixture(context);
    await store.applyCatalog(ofFile);
    const first = (await find(store, "x"))?.createdAt;
    assert.ok(first !== undefined && Math.abs(Date.now() - first) < 600_000);
    await store.applyCatalog({ ...ofFile, models: [model("x", { name: "Newer" })] });
    assert.equal((await find(store, "x"))?.createdAt, first);
    await done(store.createUpstream(mine));
    await done(store.createModel(served("m")));
    const mineFirst = (await find(store, "m"))?.createdAt;
    await done(store.changeModel(served("m", { name: "Newer" }), 0));
    assert.equal((await find(store, "m"))?.createdAt, mineFirst);
  });
}

function connecting(newFixture: NewFixture): void {
  test("an upstream and its models come together, or not at all", async (context) => {
    const { store } = await newFixture(context);
    await store.applyCatalog(ofFile);
    const models = Array.from({ length: 250 }, (_, number) => served(`m/${number}`));
    await done(store.connectUpstream({ upstream: mine, models, joins: [] }));
    const shown = await store.showCatalog();
    assert.deepEqual(
      shown.models.map(({ id }) => id),
      ["x", "y", ...models.map(({ id }) => id)],
    );
    assert.equal((await store.listChanges(0)).length, 2);
    const spare = upstream("spare");
    const more = model("more", { deployments: [on("spare")] });
    const join = (id: string) => ({ model: id, deployment: { ...on("spare"), model: "there" } });
    const bad: [Parameters<Store["connectUpstream"]>[0], EditOutcome["kind"]][] = [
      [{ upstream: mine, models: [more], joins: [] }, "exists"],
      [{ upstream: "gone", models: [more], joins: [] }, "lost"],
      [{ upstream: spare, models: [more, served("m/1")], joins: [] }, "exists"],
      [
        { upstream: spare, models: Array.from({ length: 20_000 }, (_, at) => served(`n/${at}`)), joins: [] },
        "full",
      ],
      [{ upstream: spare, models: [more], joins: [join("x")] }, "file"],
      [{ upstream: spare, models: [more], joins: [join("m/1"), join("nobody")] }, "lost"],
    ];
    for (const [connection, kind] of bad) await refused(store, store.connectUpstream(connection), kind);
    await done(store.connectUpstream({ upstream: spare, models: [more], joins: [join("m/1")] }));
    const joined = await find(store, "m/1");
    assert.deepEqual(joined?.deployments, [on("mine"), { ...on("spare"), model: "there", priority: 2 }]);
    assert.equal(joined?.revision, 1);
    await done(store.connectUpstream({ upstream: "spare", models: [], joins: [join("m/1")] }));
    assert.equal((await find(store, "m/1"))?.deployments.length, 2);
  });
}

export function consoleCatalogBehaviour(newFixture: NewFixture): void {
  editing(newFixture);
  disabling(newFixture);
  keeping(newFixture);
  besideAFile(newFixture);
  handingOver(newFixture);
  connecting(newFixture);
}
