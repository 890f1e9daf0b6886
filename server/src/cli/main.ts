// temporary
import { parseArgs } from "node:util";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { mkdirSync } from "node:fs";
import { readConfig } from "../config.ts";
import { openStoreInProcess } from "../store/open.ts";
import { loadOrCreateKeyFile } from "../lib/secret.ts";
import { createIdFactory } from "../lib/id.ts";
import { systemClock } from "../lib/clock.ts";
import { createApiKey, digestApiKey } from "../domain/api-key.ts";
import { parseUsd, formatUsd } from "@plaza/contract/money.ts";
import { readCatalogFile } from "../domain/catalog-file.ts";
import { providers } from "../providers/index.ts";
import { readFileSync } from "node:fs";
const S = { type: "string" } as const;
const { values: v, positionals: p } = parseArgs({ allowPositionals: true, options: { host: S, port: S, data: S, database: S, catalog: S, workers: S, json: { type: "boolean" }, balance: S, account: S, name: S, models: S, rpm: S, tpm: S, concurrency: S, budget: S, expires: S, limit: S } });
const r = readConfig({ env: process.env, flags: { host: v.host, port: v.port, dataDir: v.data, database: v.database, catalog: v.catalog, workers: v.workers } });
if (!r.ok) { console.error(r.faults.join("\n")); process.exit(2); }
const config = r.config;
if (p[0] === "serve") { const { startServer } = await import("../main.ts"); await startServer(config); }
else {
  mkdirSync(config.dataDir, { recursive: true });
  const store = await openStoreInProcess({ file: config.database.file, secretKey: config.secretKey ?? loadOrCreateKeyFile(join(config.dataDir, "secret.key")) });
  await store.migrate(); const id = createIdFactory(systemClock);
  const out = (x: unknown) => console.log(JSON.stringify(x));
  if (p[0] === "account") { const a = await store.createAccount({ id: id("acc"), name: p[2]!, balance: parseUsd(v.balance ?? "0") }); out({ ...a, balance: formatUsd(a.balance) }); }
  else if (p[0] === "key" && p[1] === "create") { const { secret, visiblePrefix } = createApiKey(randomBytes); const k = await store.createKey({ id: id("key"), accountId: v.account!, name: v.name ?? "", visiblePrefix, digest: digestApiKey(secret), models: v.models?.split(",") ?? null, requestsPerMinute: v.rpm ? +v.rpm : null, tokensPerMinute: v.tpm ? +v.tpm : null, concurrency: null, budget: null, expiresAt: v.expires ? Date.parse(v.expires) : null }); out({ ...k, key: secret }); }
  else if (p[0] === "key") { out(await store.setKeyStatus(p[2]!, ({ revoke: "revoked", disable: "disabled", enable: "active" } as const)[p[1] as "revoke"])); }
  else if (p[0] === "requests") out(await store.listRequests({ accountId: v.account, limit: +(v.limit ?? 50) }));
  else if (p[0] === "apply") { const c = readCatalogFile(readFileSync(p[1]!, "utf8"), { env: process.env, fileName: p[1]!, providers }); if (!c.ok) { console.error(c.faults.join("\n")); process.exit(1); } out(await store.applyCatalog(c.catalog)); }
  await store.close();
}
