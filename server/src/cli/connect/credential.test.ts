import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../lib/time/clock.ts";
import { type Target, targets } from "../../providers/presets/targets.ts";
import type { Terminal } from "../command-io.ts";
import { readCredentials } from "./credential.ts";

const secret = "sk-very-secret-0123456789";
const openai = targets.find(({ id }) => id === "openai") as Target;
const ollama = targets.find(({ id }) => id === "ollama") as Target;

function given(
  options: { credential?: string[]; credentialEnv?: string[] },
  more: {
    env?: Record<string, string>;
    target?: Target;
    isHosted?: boolean;
    kept?: string[];
    typed?: string;
    input?: string;
  } = {},
) {
  let err = "";
  const io = {
    out: () => assert.fail("nothing is an answer here"),
    err: (text: string) => {
      err += text;
    },
    env: more.env ?? {},
    clock: systemClock,
  };
  const terminal: Terminal = {
    isInteractive: more.typed !== undefined,
    showsProgress: false,
    ask: () => Promise.reject(new Error("not asked for")),
    askSecret: async () => more.typed ?? "",
    readAll: async () => more.input ?? "",
  };
  const place = { target: more.target ?? openai, isHosted: more.isHosted ?? true, kept: more.kept ?? [] };
  return readCredentials(options, place, io, terminal).then(
    (all) => ({ all, err, message: "" }),
    (error: Error) => ({ all: undefined, err, message: error.message }),
  );
}

test("where a credential comes from", async () => {
  const env = { OPENAI_API_KEY: secret, MY_KEY: ` ${secret}\n` };
  const variable = { text: secret, variable: "MY_KEY", from: "environment" };
  const input = { text: secret, variable: undefined, from: "input" };
  assert.deepEqual((await given({ credentialEnv: ["MY_KEY"] }, { env })).all, [variable]);
  assert.deepEqual((await given({ credential: ["MY_KEY"] }, { env })).all, [variable]);
  assert.deepEqual((await given({ credential: ["-"] }, { input: `${secret}\n` })).all, [input]);
  assert.deepEqual((await given({}, { typed: secret })).all, [input]);
  assert.deepEqual((await given({}, { kept: [secret] })).all, [
    { text: secret, variable: undefined, from: "file" },
  ]);
  assert.deepEqual((await given({}, { target: ollama })).all, []);
  const usual = await given({}, { env });
  assert.equal(usual.all?.[0]?.variable, "OPENAI_API_KEY");
  assert.match(usual.err, /OPENAI_API_KEY/);
});

test("a service's key is shown to nobody at another address", async () => {
  const { all, message } = await given({}, { env: { OPENAI_API_KEY: secret }, isHosted: false });
  assert.equal(all, undefined);
  assert.match(message, /requires a credential/);
});

test("what is wrong is said without the secret, and a literal one is warned about", async () => {
  const wrong = await Promise.all([
    given({ credentialEnv: [secret] }),
    given({ credentialEnv: ["NOT_SET"] }),
    given({ credential: ["NOT_SET"] }),
    given({ credentialEnv: ["EMPTY"] }, { env: { EMPTY: " " } }),
    given({ credential: ["-"] }),
    given({ credential: ["-", "-"] }, { input: secret }),
    given({}),
  ]);
  for (const { all, message } of wrong) {
    assert.equal(all, undefined);
    assert.notEqual(message, "");
    assert.ok(!message.includes(secret));
  }
  const literal = await given({ credential: [secret] });
  assert.deepEqual(literal.all, [{ text: secret, variable: undefined, from: "command line" }]);
  assert.match(literal.err, /^warning: /);
  assert.ok(!literal.err.includes(secret));
});
