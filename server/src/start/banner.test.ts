import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../config/config.ts";
import { banner } from "./banner.ts";
import type { FirstRun } from "./first-run.ts";

const config = { host: "127.0.0.1", publicUrl: undefined, dataDir: "/data" } as Config;
const first: FirstRun = { secret: "sk-x", accountId: "acc_1", modelId: "m", models: 1, isDemoOnly: true };
const show = (changes: Partial<FirstRun>) =>
  banner({ config, ports: { endpoint: 8080, console: 8080 }, first: { ...first, ...changes } });

test("how to connect a real upstream is told on a first start that has none", () => {
  const hint = /To connect a real upstream.*\n\n {2}npx plaza connect .*\n\n$/;
  assert.match(show({}), hint);
  assert.doesNotMatch(show({ isDemoOnly: false }), /real upstream|plaza connect/);
  assert.match(show({ isDemoOnly: false }), /sk-x[\s\S]*curl [\s\S]*-d '\{"model":"m"/);
  assert.doesNotMatch(show({ secret: undefined }), /real upstream|curl/);
});

test("what was found is offered as commands to copy", () => {
  const offers = [
    { command: "npx plaza connect openai --credential-env OPENAI_API_KEY", note: "OpenAI" },
    { command: "npx plaza connect ollama --price 0/0", note: "Ollama on this machine" },
  ];
  const shown = banner({ config, ports: { endpoint: 8080, console: 8080 }, first, offers });
  assert.match(shown, /\n {2}npx plaza connect openai --credential-env OPENAI_API_KEY {2}# OpenAI\n/);
  assert.match(shown, /\n {2}npx plaza connect ollama --price 0\/0 +# Ollama on this machine\n\n$/);
  const later = banner({
    config,
    ports: { endpoint: 8080, console: 8080 },
    first: { ...first, secret: undefined },
    offers,
  });
  assert.doesNotMatch(later, /plaza connect/);
});

test("one model, and several", () => {
  assert.match(show({}), /serving 1 model\./);
  assert.match(show({ models: 2 }), /serving 2 models\./);
});

test("the console's address is told, with the set-up link while there is no operator", () => {
  const ports = { endpoint: 8080, console: 9090 };
  assert.match(
    banner({ config, ports, first, setupToken: "abc" }),
    /console +http:\/\/127\.0\.0\.1:9090\/link\/abc\n/,
  );
  assert.match(banner({ config, ports, first }), /console +http:\/\/127\.0\.0\.1:9090\n/);
  const apart = { ...config, consoleListen: { host: "::", port: 9090 } };
  assert.match(banner({ config: apart, ports, first }), /console +http:\/\/127\.0\.0\.1:9090\n/);
  const secure = { ...apart, tlsCert: "tls.crt" };
  assert.match(
    banner({ config: secure, ports, first }),
    /base_url +https:\/\/127\.0\.0\.1:8080\/v1\n +console +https:\/\/127\.0\.0\.1:9090\n/,
  );
});
