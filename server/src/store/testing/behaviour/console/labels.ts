/**
 * What every store must do with projects and tags of keys, beside what the explorer shows of them. A part of
 * `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LabelFilter } from "../../../accounts/key-labels.ts";
import type { Store } from "../../../store.ts";
import type { NewFixture } from "../../fixture.ts";
import { rollUpAll } from "../../usage-samples.ts";
import { newAccount } from "../money.ts";
import { requestRow } from "../requests.ts";
import { newUser, plainKey } from "./keys.ts";

const scope = { accountId: "acc_1" };

/** Six keys; tags that hold each other's marks. */
async function fill(store: Store): Promise<void> {
  await newAccount(store, "acc_1", 0n);
  await newAccount(store, "acc_2", 0n);
  await newUser(store, "usr_1", "acc_1");
  const own = { createdBy: "usr_1" };
  await store.createKey(plainKey("key_1", "acc_1", { project: "search", tags: ["batch", "team a"], ...own }));
  await store.createKey(plainKey("key_2", "acc_1", { project: "Search", tags: ['team a","b'] }));
  await store.createKey(plainKey("key_3", "acc_1", { tags: ["b", "batch"], ...own }));
  await store.createKey(plainKey("key_4", "acc_1", { project: "50%_'\\" }));
  await store.createKey(plainKey("key_5", "acc_1"));
  await store.createKey(plainKey("key_6", "acc_2", { project: "search", tags: ["other"] }));
}

const cases: readonly (readonly [filter: LabelFilter, keys: readonly number[]])[] = [
  [{ projects: ["search"] }, [1]],
  [{ projects: ["search", "Search"] }, [1, 2]],
  [{ projects: ["50%_'\\"] }, [4]],
  [{ projects: [""] }, [3, 5]],
  [{ projects: ["", "search"] }, [1, 3, 5]],
  [{ projects: [] }, []],
  [{ projects: ["none"] }, []],
  [{ tags: ["batch"] }, [1, 3]],
  [{ tags: ["b"] }, [3]],
  [{ tags: ["team a"] }, [1]],
  [{ tags: ["team"] }, []],
  [{ tags: ['team a","b'] }, [2]],
  [{ tags: [""] }, [4, 5]],
  [{ tags: ["", "b"] }, [3, 4, 5]],
  [{ tags: [] }, []],
  [{ projects: [""], tags: ["batch"] }, [3]],
];

export function labelsBehaviour(newFixture: NewFixture): void {
  test("a key keeps its labels as they were given, and a change takes them away", async (context) => {
    const { store } = await newFixture(context);
    await fill(store);
    const labelsOf = async (id: string) => {
      const key = await store.findConsoleKey(id, scope);
      return [key?.project, key?.tags];
    };
    assert.deepEqual(await labelsOf("key_1"), ["search", ["batch", "team a"]]);
    assert.deepEqual(await labelsOf("key_5"), [null, []]);
    await store.changeKey("key_1", scope, 0, { name: "n" });
    assert.deepEqual(await labelsOf("key_1"), ["search", ["batch", "team a"]]);
    await store.changeKey("key_1", scope, 1, { project: null, tags: ["x"] });
    assert.deepEqual(await labelsOf("key_1"), [null, ["x"]]);
    await store.changeKey("key_1", scope, 2, { tags: [] });
    assert.deepEqual(await labelsOf("key_1"), [null, []]);
    assert.deepEqual((await store.findKeyByDigest(plainKey("key_3", "").digest))?.key.tags, ["b", "batch"]);
  });

  test("keys and requests are found by the labels of keys, whatever those hold, summed or not", async (context) => {
    const { store } = await newFixture(context);
    await fill(store);
    await store.setKeyStatus("key_3", "disabled");
    await store.revokeKey("key_1", scope);
    // The last is of a key that is not there any more.
    const rows = [1, 2, 3, 4, 5, 6, 7].map((number) =>
      requestRow(number, {
        ...{ accountId: number === 6 ? "acc_2" : "acc_1", keyId: `key_${number}`, modelId: "m" },
        ...{ state: "failed", errorCode: "overloaded", status: 503 },
      }),
    );
    const numbersOf = (ids: readonly string[]) => ids.map((id) => Number(id.slice(-1))).toSorted();
    for (const isSummed of [false, true]) {
      if (isSummed) await rollUpAll(store);
      else for (const row of rows) await store.recordRequest(row);
      for (const [filter, keys] of cases) {
        const note = JSON.stringify({ ...filter, isSummed });
        const found = await store.pageKeys({ scope, ...filter, limit: 10 });
        assert.deepEqual(numbersOf(found.map(({ id }) => id)), keys, note);
        const hasNone = (filter.projects ?? [""]).includes("") && (filter.tags ?? [""]).includes("");
        const wanted = hasNone ? [...keys, 7] : keys;
        for (const more of [{}, { errorCode: "overloaded" }, { models: ["m"] }]) {
          const asked = { accounts: ["acc_1"], ...filter, ...more };
          const page = await store.pageRequests(asked, { limit: 10 });
          assert.deepEqual(numbersOf(page.map(({ request }) => request.keyId)), wanted, note);
        }
      }
      const all = await store.pageRequests({ projects: ["search"] }, { limit: 10 });
      assert.deepEqual(numbersOf(all.map(({ request }) => request.keyId)), [1, 6]);
    }
    const counts = [1, 2, 6].map((number) => ({
      ...{ accountId: number === 6 ? "acc_2" : "acc_1", keyId: `key_${number}` },
      ...{ errorCode: "overloaded", minute: 0, count: number },
    }));
    await store.addRefusals(counts);
    const refused = await store.sumRefusals({ projects: ["search"] });
    assert.deepEqual(
      refused.map(({ count }) => count),
      [6, 1],
    );
  });

  test("the labels in use are those of the keys one may see, in order", async (context) => {
    const { store } = await newFixture(context);
    await fill(store);
    assert.deepEqual(await store.listKeyLabels(scope), {
      projects: ["50%_'\\", "Search", "search"],
      tags: ["b", "batch", "team a", 'team a","b'],
    });
    assert.deepEqual(await store.listKeyLabels({ ...scope, createdBy: "usr_1" }), {
      projects: ["search"],
      tags: ["b", "batch", "team a"],
    });
    assert.deepEqual(await store.listKeyLabels({ accountId: "acc_3" }), { projects: [], tags: [] });
  });

  manyKeysBehaviour(newFixture);
  allLabelsBehaviour(newFixture);
}

function manyKeysBehaviour(newFixture: NewFixture): void {
  test("requests are found by a label of more keys than a statement names", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await newAccount(store, "acc_2", 0n);
    const [most, more] = [500, 501];
    const numbers = Array.from({ length: more }, (_, at) => at + 1);
    const labels = { project: "p", tags: ["most", "more"] };
    await Promise.all(
      numbers.map((number) =>
        store.createKey(
          plainKey(`key_${number}`, number === 2 ? "acc_2" : "acc_1", {
            ...(number === more ? { tags: ["more"] } : labels),
          }),
        ),
      ),
    );
    await store.createKey(plainKey("key_other", "acc_1", { project: "p", tags: ["other"] }));
    const rows = [1, 2, most, more, "other"].map((key, at) =>
      requestRow(at + 1, { accountId: key === 2 ? "acc_2" : "acc_1", keyId: `key_${key}` }),
    );
    for (const row of rows) await store.recordRequest(row);
    for (const isSummed of [false, true]) {
      if (isSummed) await rollUpAll(store);
      for (const [filter, keys] of [
        [{ tags: ["most"] }, [1, 2, most]],
        [{ tags: ["more"] }, [1, 2, most, more]],
        [{ tags: ["more"], accounts: ["acc_1"] }, [1, most, more]],
        [{ tags: ["most"], accounts: ["acc_2"] }, [2]],
        [{ tags: ["most"], accounts: [] }, []],
        [{ tags: ["most"], keys: ["key_1", "key_other"] }, [1]],
        [{ tags: ["more"], keys: ["key_501", "key_other"] }, [more]],
        [{ tags: ["more", "other"], projects: ["p"] }, [1, 2, most, "other"]],
      ] as const) {
        const page = await store.pageRequests(filter, { limit: 10 });
        assert.deepEqual(
          page.map(({ request }) => request.keyId).toSorted(),
          keys.map((key) => `key_${key}`).toSorted(),
          JSON.stringify({ ...filter, isSummed }),
        );
      }
    }
  });
}

function allLabelsBehaviour(newFixture: NewFixture): void {
  test("labels of all accounts are listed in order, those of some, and those that a search finds", async (context) => {
    const { store } = await newFixture(context);
    await fill(store);
    await store.revokeKey("key_6", { accountId: "acc_2" });
    const all = {
      projects: ["50%_'\\", "Search", "search"],
      tags: ["b", "batch", "other", "team a", 'team a","b'],
    };
    assert.deepEqual(await store.findLabels({ max: 5 }), { ...all, isWhole: true });
    assert.deepEqual(await store.findLabels({ max: 2 }), {
      ...{ projects: all.projects.slice(0, 2), tags: all.tags.slice(0, 2), isWhole: false },
    });
    const of = async (accounts: string[]) => await store.findLabels({ accounts, max: 9 });
    assert.deepEqual(await of(["acc_2"]), { projects: ["search"], tags: ["other"], isWhole: true });
    assert.deepEqual(await of(["acc_2", "acc_1"]), { ...all, isWhole: true });
    for (const none of [[], ["acc_3"]])
      assert.deepEqual(await of(none), { projects: [], tags: [], isWhole: true });
    for (const [search, projects, tags] of [
      ["SEA", ["Search", "search"], []],
      ["BAT", [], ["batch"]],
      ['"', [], ['team a","b']],
      ["_'\\", ["50%_'\\"], []],
      ["%", ["50%_'\\"], []],
    ] as const)
      assert.deepEqual(await store.findLabels({ search, max: 9 }), { projects, tags, isWhole: true });
  });
}
