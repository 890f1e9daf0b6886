/**
 * Plants texts into everything that users, models, upstreams and other programs can write and the console
 * shows, through the product's store (P27). This skips validation in the API, on which pages must not rely.
 */
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Catalog, defaultTimeouts, type Model } from "@plaza/contract/catalog.ts";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { createLink } from "../../../server/src/control/auth/links.ts";
import { hashPassword } from "../../../server/src/control/auth/passwords.ts";
import { digestOf } from "../../../server/src/control/auth/secret-text.ts";
import { createIdFactory } from "../../../server/src/lib/id.ts";
import { loadOrCreateKeyFile } from "../../../server/src/lib/secret.ts";
import { systemClock } from "../../../server/src/lib/time/clock.ts";
import { openStoreInProcess } from "../../../server/src/store/open.ts";
import type { RequestRow } from "../../../server/src/store/requests/shapes.ts";
import type { Store } from "../../../server/src/store/store.ts";
import type { Payload } from "./p27-payloads.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const newId = createIdFactory(systemClock);

interface Ground {
  readonly store: Store;
  /** The account whose users open the pages. */
  readonly accountId: string;
  readonly operatorId: string;
}

const rates = { input: parseUsd("0.25"), output: parseUsd("2") };

async function plantCatalog({ store }: Ground, payloads: readonly Payload[]): Promise<void> {
  const planted: Model[] = payloads.map(({ text }, index) => ({
    id: `planted-${index}`,
    name: text,
    description: text,
    family: text,
    modalities: { input: ["text", text], output: [text] },
    price: rates,
    deployments: [{ upstream: "demo", model: text, priority: 1, weight: 1 }],
  }));
  const catalog = (await store.loadCatalog()) as Catalog;
  await store.applyCatalog({
    ...catalog,
    upstreams: [
      ...catalog.upstreams,
      ...payloads.slice(0, 5).map(({ text }, index) => ({
        id: `planted-${index}`,
        provider: "openai",
        baseUrl: `http://127.0.0.1:9/${encodeURIComponent(text)}/v1`,
        credentials: [text],
        options: { region: text },
        timeouts: defaultTimeouts,
      })),
    ],
    models: [...catalog.models, ...planted],
  });
}

function requestRow({ accountId }: Ground, keyId: string, text: string): RequestRow {
  return {
    id: newId("req"),
    createdAt: Date.now(),
    accountId,
    keyId,
    operation: "chat",
    modelId: text,
    upstreamId: "demo",
    upstreamModel: text,
    isStream: true,
    status: 502,
    state: "failed",
    errorCode: text,
    attempts: 2,
    inputTokens: 1,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 1,
    reasoningTokens: 0,
    usageSource: "estimated",
    usageParts: null,
    firstTokenMs: null,
    durationMs: 5,
    charge: nanoUsd(0n),
    cost: null,
    priceId: null,
    attemptLog: [
      {
        upstreamId: "demo",
        upstreamModel: text,
        model: text,
        askedModel: text,
        fault: text,
        status: 500,
        durationMs: 2,
      },
    ],
    queueMs: null,
  };
}

async function plantUse(ground: Ground, payloads: readonly Payload[]): Promise<void> {
  const { store, accountId } = ground;
  for (const { name, text } of payloads) {
    const keyId = newId("key");
    await store.createKey({
      id: keyId,
      accountId,
      name: text,
      visiblePrefix: "sk-plaza-abcd",
      digest: digest(`key ${name}`),
      models: [text],
      requestsPerMinute: null,
      tokensPerMinute: null,
      concurrency: null,
      budget: null,
      expiresAt: null,
    });
    await store.recordRequest(requestRow(ground, keyId, text));
    await store.addEntry({ accountId, kind: "topup", amount: parseUsd("1"), note: text, reference: text });
  }
}

async function plantPeople(
  { store, accountId, operatorId }: Ground,
  payloads: readonly Payload[],
): Promise<void> {
  const making = { store, clock: systemClock, randomBytes, newId };
  const password = await hashPassword("a password nobody uses");
  for (const [index, { name, text }] of payloads.entries()) {
    const email = `${text.toLowerCase()}@example.com`;
    const { token } = await createLink(making, "invitation", { email, accountId, role: "member" });
    if (index % 2 === 0) {
      const use = { digest: digestOf(token), userId: newId("usr"), name: text, password, nowMs: Date.now() };
      await store.useLink(use);
    }
    const nowMs = Date.now();
    await store.createSession({
      id: newId("ses"),
      digest: digest(`session ${name}`),
      userId: operatorId,
      csrf: "x",
      ip: text,
      userAgent: text,
      createdAt: nowMs,
      rotatedAt: nowMs,
      seenAt: nowMs,
      expiresAt: nowMs + 3_600_000,
      idleMs: 3_600_000,
    });
    await store.createOperatorToken({
      id: newId("tok"),
      name: text,
      visiblePrefix: text,
      digest: digest(`token ${name}`),
      scopes: ["health:read"],
      createdBy: operatorId,
      createdAt: nowMs,
      expiresAt: null,
    });
  }
}

async function plantOperation({ store, operatorId }: Ground, payloads: readonly Payload[]): Promise<void> {
  for (const { name, text } of payloads) {
    await store.createAccount({ id: newId("acc"), name: text, balance: nanoUsd(0n) });
    await store.createCodes({
      id: newId("cod"),
      note: text,
      amount: parseUsd("1"),
      expiresAt: null,
      createdBy: operatorId,
      codes: [{ digest: digest(`code ${name}`), visibleEnd: text.slice(0, 4) }],
    });
    await store.beginAudit({
      at: Date.now(),
      actorKind: "user",
      actorId: operatorId,
      actorName: text,
      accountId: null,
      action: text,
      subject: text,
      detail: JSON.stringify({ [text]: text }),
      ip: text,
      requestId: text,
      outcome: "done",
    });
  }
  const states = payloads.slice(0, 20).map(({ text }) => ({
    id: text,
    provider: text,
    inFlight: 0,
    concurrency: null,
    credentials: [
      {
        number: 1,
        state: "out" as const,
        untilAt: null,
        lastFault: { kind: text, status: 401, at: new Date().toISOString() },
      },
    ],
    deployments: [],
  }));
  const holder = newId("hld");
  await store.openHolder(holder);
  await store.publishUpstreamStates(holder, states);
  const settings = await store.getSettings();
  await store.changeSettings({ ...settings, name: payloads[0]?.text ?? "Plaza" });
}

/** Plants every payload everywhere in a seeded data folder (`test/console/seed/seed.ts`). */
export async function plant(
  folder: string,
  operatorEmail: string,
  payloads: readonly Payload[],
): Promise<void> {
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file: join(folder, "plaza.sqlite") },
    secretKey: loadOrCreateKeyFile(join(folder, "secret.key")),
  });
  try {
    const found = await store.findUserSecrets({ email: operatorEmail });
    if (found?.user.account == null) throw new Error(`${operatorEmail} has no account to plant into`);
    const ground = { store, accountId: found.user.account.id, operatorId: found.user.id };
    await plantCatalog(ground, payloads);
    await plantUse(ground, payloads);
    await plantPeople(ground, payloads);
    await plantOperation(ground, payloads);
  } finally {
    await store.close();
  }
}
