/** What a server of any age is used for, so that its database has something of everything it could have. */
import { setTimeout as pause } from "node:timers/promises";
import { post } from "../rigs/harness/http-client.ts";

type Cli = (words: readonly string[]) => Promise<Record<string, unknown>>;

/** A catalog that every version understands. */
export function catalogFor(baseUrl: string): string {
  const model = (id: string, input: string) => ({
    id,
    name: id,
    price: { input, cachedInput: "0.025", output: "2.00" },
    deployments: [{ upstream: "main", model: "upstream-model" }],
  });
  return JSON.stringify({
    upstreams: [{ id: "main", provider: "openai", baseUrl, credentials: ["sk-corpus-upstream"] }],
    models: [model("rig-model", "0.25"), model("other-model", "1.00")],
  });
}

/** Time in which a server settles and adds up what it served, in milliseconds. */
const settleMs = 3_000;

/** Commands that came with time; an older build knows them not. */
const tried = (account: string): readonly (readonly string[])[] => [
  ["topup", account, "2.50"],
  ["topup", account, "1.00", "--reference", "invoice-1"],
  ["topup", account, "3.00", "--expires", "2035-01-01"],
  ["ledger", "adjust", account, "-0.75", "--note", "corpus"],
  ["key", "create", "--account", account, "--name", "budget", "--budget", "1.00/month"],
];

export async function useServer(origin: string, cli: Cli): Promise<void> {
  const keys: string[] = [];
  for (const name of ["Blue", "Green"]) {
    const account = String((await cli(["account", "create", name, "--balance", "5.00"]))["id"]);
    keys.push(String((await cli(["key", "create", "--account", account, "--name", "laptop"]))["key"]));
    for (const words of tried(account)) await cli(words).catch(() => undefined);
  }
  const url = `${origin}/v1/chat/completions`;
  const call = async (key: string, round: number, model: string) => {
    const stream = round % 3 === 0;
    const messages = [{ role: "user", content: `question ${round}` }];
    const body = JSON.stringify({ model, stream, messages, x_rig: { tokens: 3 + round } });
    const headers = round % 4 === 0 ? { "idempotency-key": `corpus-${round}` } : {};
    return (await post({ url, key, body, headers })).status;
  };
  let served = 0;
  for (let round = 0; round < 12; round++) {
    for (const key of keys) {
      if ((await call(key, round, round % 2 === 0 ? "rig-model" : "other-model")) === 200) served += 1;
    }
  }
  if (served !== 24) throw new Error(`only ${served} of 24 calls were served`);
  await call(keys[0] ?? "", 1, "no-such-model");
  await call("sk-plaza-wrong", 1, "rig-model");
  await pause(settleMs);
}
