/**
 * A process that keeps charging an account, for tests of commands that run at the same time. Arguments: data
 * directory, account.
 */
import { join } from "node:path";
import { loadOrCreateKeyFile } from "../../lib/secret.ts";
import { openStore } from "../../store/open.ts";
import { chargedRow, priceOneNano } from "../../store/testing/behaviour/money.ts";

const [dataDir = "", accountId = ""] = process.argv.slice(2);
const store = await openStore({
  database: { kind: "sqlite", file: join(dataDir, "plaza.sqlite") },
  secretKey: loadOrCreateKeyFile(join(dataDir, "secret.key")),
});
const priceId = await priceOneNano(store);
let isEnded = false;
process.stdin.on("end", () => {
  isEnded = true;
});
process.stdin.resume();

for (let number = 0; !isEnded; number += 4) {
  const rows = [0, 1, 2, 3].map((step) => chargedRow(number + step, accountId, 10n, priceId));
  await Promise.all(rows.map((row) => store.recordRequest(row)));
  if (number === 0) process.stdout.write("ready\n");
}
await store.close();
