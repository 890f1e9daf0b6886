/**
 * A process for `journal.test.ts`: takes a lease, loses its database to another connection's lock, journals
 * three settlements and waits to be killed. Arguments: the SQLite file, the journal's folder.
 */
import { DatabaseSync } from "node:sqlite";
import { nanoUsd } from "@plaza/contract/money.ts";
import { openStoreInProcess } from "../open.ts";
import { requestRow } from "./behaviour/requests.ts";

const [file = "", directory = ""] = process.argv.slice(2);
const silent = () => {};
const store = await openStoreInProcess({
  database: { kind: "sqlite", file },
  secretKey: Buffer.alloc(32),
  journal: { directory, log: { debug: silent, info: silent, warn: silent, error: silent } },
});
await store.openHolder("killed");
const subject = { kind: "account", id: "acc_0", ownerId: "acc_0" } as const;
await store.takeLease("killed", subject, { atLeast: 100n, need: 100n, want: 100n, unit: 100n });
const locker = new DatabaseSync(file);
locker.exec("begin immediate");
for (let number = 0; number < 3; number++) {
  const row = requestRow(number, { accountId: "acc_0", charge: nanoUsd(10n) });
  const account = { fromLease: nanoUsd(10n), release: nanoUsd(0n) };
  await store.recordRequest(row, { holderId: "killed", account });
}
process.stdout.write("journalled\n");
setInterval(() => locker.isOpen, 1_000);
