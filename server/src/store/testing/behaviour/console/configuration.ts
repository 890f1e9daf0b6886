/**
 * What every store must do with a configuration file: settings, accounts, keys and users as one document. A
 * part of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Configuration, KeyConfiguration } from "../../../../domain/configuration/shapes.ts";
import type { Store } from "../../../store.ts";
import type { NewFixture } from "../../fixture.ts";
import { newAccount } from "../money.ts";
import { digestOf, inAccount, newUser } from "./people.ts";

const key = (id: string, more: Partial<KeyConfiguration> = {}): KeyConfiguration => ({
  id,
  name: id,
  digest: digestOf(id),
  visiblePrefix: "sk-plaza-abcd",
  status: "active",
  ...more,
});

const wanted: Configuration = {
  settings: { name: "Acme", lowBalance: nanoUsd(5n) },
  accounts: [
    {
      id: "acc_a",
      name: "A",
      status: "suspended",
      limits: { requestsPerMinute: 5, concurrency: 0 },
      responsesKeptMs: 1_000,
      lowBalance: nanoUsd(7n),
      keys: [
        key("key_1", {
          status: "disabled",
          models: ["m"],
          ips: ["10.0.0.0/8"],
          limits: { tokensPerMinute: 9 },
          budget: { amount: nanoUsd(11n), period: "day" },
          expiresAt: 4_000_000_000_000,
        }),
        key("key_2"),
      ],
    },
    { id: "acc_b", name: "B", status: "active" },
  ],
};

const apply = (store: Store, configuration: Configuration, prunes = false) =>
  store.applyConfiguration(configuration, { prunes });

const signsOf = async (made: ReturnType<typeof apply>): Promise<string[]> =>
  (await made).changes.map(({ sign, kind, id }) => `${sign} ${kind} ${id}`.trim());

function matchingBehaviour(newFixture: NewFixture): void {
  test("a configuration is made as given, and applying it again changes nothing", async (context) => {
    const { store } = await newFixture(context);
    assert.deepEqual(await signsOf(store.compareConfiguration(wanted, { prunes: false })), [
      "~ settings",
      "+ account acc_a",
      "+ key key_1",
      "+ key key_2",
      "+ account acc_b",
    ]);
    assert.deepEqual(await store.listAccounts(), [], "comparing writes nothing");
    await apply(store, wanted);
    assert.deepEqual(await signsOf(apply(store, wanted)), []);
    const { settings, accounts, keys } = await store.readConfiguration();
    assert.deepEqual([settings.name, settings.plazaIsPublic, settings.lowBalance], ["Acme", false, 5n]);
    const { revision: _, ...account } = accounts[0] ?? { revision: 0 };
    const { keys: wantedKeys = [], ...wantedAccount } = wanted.accounts?.[0] ?? {};
    assert.deepEqual(account, wantedAccount);
    assert.deepEqual(
      keys.map(({ revision: __, accountId, ...one }) => [accountId, JSON.stringify(one, bigints)]),
      wantedKeys.map((one) => ["acc_a", JSON.stringify({ ...bare, ...one }, bigints)]),
    );
    const found = await store.findKeyByDigest(digestOf("key_2"));
    assert.deepEqual([found?.key.id, found?.accountStatus], ["key_2", "suspended"]);
    assert.equal((await store.findAccount("acc_a"))?.balance, 0n);
  });

  test("what a listed item leaves out returns to its default; other items and sections stay", async (context) => {
    const { store } = await newFixture(context);
    await apply(store, wanted);
    const change = apply(store, {
      accounts: [{ id: "acc_a", name: "A", status: "active", keys: [key("key_1")] }],
    });
    assert.deepEqual(
      (await change).changes.map(({ kind, fields }) => [kind, fields.map(({ name }) => name)]),
      [
        ["account", ["status", "limits", "responsesKept", "lowBalance"]],
        ["key", ["status", "models", "ips", "limits", "budget", "expires"]],
      ],
    );
    const stored = await store.readConfiguration();
    assert.equal(stored.settings.name, "Acme");
    assert.deepEqual(
      stored.accounts.map(({ id, status, limits }) => [id, status, limits]),
      [
        ["acc_a", "active", undefined],
        ["acc_b", "active", undefined],
      ],
    );
    assert.deepEqual(
      stored.keys.map(({ id, status, budget }) => [id, status, budget]),
      [
        ["key_1", "active", undefined],
        ["key_2", "active", undefined],
      ],
    );
  });

  test("pruning suspends and disables what is not listed, and never deletes", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_closed", 0n);
    await store.setAccountStatus("acc_closed", "closed");
    await newAccount(store, "acc_rich", 100n);
    await apply(store, wanted);
    const pruned = apply(store, { accounts: [{ id: "acc_a", name: "A", status: "active", keys: [] }] }, true);
    assert.deepEqual(await signsOf(pruned), [
      "~ account acc_a",
      "- key key_2",
      "- account acc_b",
      "- account acc_rich",
    ]);
    const accounts = await store.listAccounts();
    assert.deepEqual(accounts.map(({ id, status, balance }) => [id, status, balance]).toSorted(), [
      ["acc_a", "active", 0n],
      ["acc_b", "suspended", 0n],
      ["acc_closed", "closed", 0n],
      ["acc_rich", "suspended", 100n],
    ]);
    assert.deepEqual(
      (await store.listKeys()).map(({ status }) => status),
      ["disabled", "disabled"],
    );
    assert.deepEqual(await signsOf(apply(store, {}, true)), [], "without the section nothing is pruned");
  });
}

/** The order of a key's fields as the store returns them. */
const bare = {
  id: "",
  name: "",
  digest: "",
  visiblePrefix: "",
  status: "",
  models: undefined,
  ips: undefined,
  limits: undefined,
  budget: undefined,
};

const bigints = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

function refusingBehaviour(newFixture: NewFixture): void {
  test("users change roles and accounts; the last operator stays, strangers are faults", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await newUser(store, "boss", { isOperator: true });
    const ana = await newUser(store, "ana", inAccount("acc_1", "member"));
    const anaEmail = (await store.findUser(ana))?.email ?? "";
    const bossEmail = (await store.listOperators())[0]?.email ?? "";
    await apply(store, {
      accounts: [{ id: "acc_new", name: "New", status: "active" }],
      users: [{ email: anaEmail, account: "acc_new", role: "member" }],
    });
    const moved = await store.findUser(ana);
    assert.deepEqual(
      [moved?.account?.id, moved?.account?.role, moved?.isOperator],
      ["acc_new", "member", false],
    );
    const refused: Configuration[] = [
      { users: [{ email: bossEmail, isOperator: false }] },
      { users: [{ email: bossEmail, status: "disabled" }] },
      { users: [{ email: "nobody@example.com", role: "owner" }] },
      { users: [{ email: anaEmail, account: "acc_none" }] },
    ];
    for (const one of refused) {
      const settings = { name: "never" };
      await assert.rejects(apply(store, { settings, ...one }), { name: "StoreError", code: "invalid" });
      assert.equal((await store.compareConfiguration(one, { prunes: false })).faults.length, 1);
    }
    assert.equal((await store.getSettings()).name, "Plaza");
    await apply(store, { users: [{ email: anaEmail, isOperator: true }] });
    await apply(store, { users: [{ email: bossEmail, isOperator: false }] });
    assert.deepEqual(
      (await store.listOperators()).map(({ id }) => id),
      [ana],
    );
  });

  test("a configuration with a fault is refused whole", async (context) => {
    const { store } = await newFixture(context);
    await apply(store, wanted);
    await store.setKeyStatus("key_2", "revoked");
    const account = (keys: readonly KeyConfiguration[], id = "acc_b"): Configuration => ({
      settings: { name: "never" },
      accounts: [{ id, name: "B", status: "active", keys }],
    });
    const refused = [
      account([key("key_1")]),
      account([key("key_2")], "acc_a"),
      account([key("key_1", { digest: digestOf("other") })], "acc_a"),
      account([key("key_1", { visiblePrefix: "sk-plaza-zzzz" })], "acc_a"),
      account([key("key_new", { digest: digestOf("key_1") })]),
      account([key("key_x"), key("key_y", { digest: digestOf("key_x") })]),
    ];
    for (const [index, one] of refused.entries())
      await assert.rejects(apply(store, one), { name: "StoreError", code: "invalid" }, `${index}`);
    await store.setAccountStatus("acc_b", "closed");
    await assert.rejects(apply(store, account([])), { code: "invalid", message: /closed for good/ });
    const { settings, keys } = await store.readConfiguration();
    assert.deepEqual([settings.name, keys.length], ["Acme", 2]);
  });
}

/** Registers the tests. */
export function configurationBehaviour(newFixture: NewFixture): void {
  matchingBehaviour(newFixture);
  refusingBehaviour(newFixture);
}
