/** An account with a key of its own, and tighter limits for the key: `node example.ts`. */
import { createPlazaClient, dataOf } from "./index.ts";

const plaza = createPlazaClient({
  baseUrl: process.env["PLAZA_URL"] ?? "http://127.0.0.1:8080",
  token: process.env["PLAZA_TOKEN"] ?? "",
});

const account = dataOf(
  await plaza.POST("/api/operator/accounts", { body: { name: "Team Blue", balance: "25.00" } }),
);
const { key, secret } = dataOf(
  await plaza.POST("/api/operator/accounts/{id}/keys", {
    params: { path: { id: account.id } },
    body: { name: "ci", budget: { amount: "5.00", period: "day" } },
  }),
);
const limited = dataOf(
  await plaza.PATCH("/api/operator/accounts/{id}/keys/{keyId}", {
    params: { path: { id: account.id, keyId: key.id } },
    body: { revision: key.revision, limits: { requestsPerMinute: 60 } },
  }),
);
process.stdout.write(
  `${JSON.stringify({ account: account.id, balance: account.balance, secret, limits: limited.limits })}\n`,
);
