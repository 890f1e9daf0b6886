/**
 * Codex with its WebSocket switched on (`supports_websockets` of a provider): it asks Plaza once, gets status
 * 426 and does its task over HTTP, without further tries and without a wait.
 */
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { createServer, connect as dial, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { holdToScript, runAgent } from "./agent.ts";
import { install } from "./install.ts";
import type { Program } from "./program.ts";
import { codex } from "./programs/codex.ts";
import { type ClientRig, modelFor, startClientRig } from "./rig.ts";

/** Passes bytes on between a client and a port, and keeps both directions. */
interface Wire {
  readonly origin: string;
  readonly asked: () => string;
  readonly answered: () => string;
  stop(): Promise<void>;
}

async function startWire(port: number): Promise<Wire> {
  const asked: Buffer[] = [];
  const answered: Buffer[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const product = dial(port, "127.0.0.1");
    for (const [from, to, kept] of [
      [client, product, asked],
      [product, client, answered],
    ] as const) {
      open.add(from);
      from.on("data", (bytes: Buffer) => kept.push(bytes));
      from.on("error", () => to.destroy());
      from.on("close", () => open.delete(from));
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => Buffer.concat(asked).toString("latin1"),
    answered: () => Buffer.concat(answered).toString("latin1"),
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let rig: ClientRig;
let wire: Wire;
before(async () => {
  rig = await startClientRig();
  wire = await startWire(rig.product.port);
});
after(async () => {
  await wire?.stop();
  await rig?.stop();
});

const { file } = codex.settings;
assert.ok(file !== undefined);
const withWebSockets: Program = {
  ...codex,
  settings: {
    ...codex.settings,
    file: { ...file, text: file.text.replace(" }\n", ", supports_websockets = true }\n") },
  },
};

const countIn = (text: string, line: RegExp): number => text.match(line)?.length ?? 0;

test("Codex falls back from its WebSocket to HTTP at once", async (context) => {
  const installed = await install(codex.package);
  if ("why" in installed) return context.skip(installed.why);
  const model = rig.models.responses;
  const target = { origin: wire.origin, key: rig.key, model: modelFor("responses", "responses") };
  const outcome = await runAgent(withWebSockets, installed, target, model);
  holdToScript(outcome, model);
  assert.equal(countIn(wire.asked(), /^upgrade: websocket/gim), 1, "one try");
  assert.equal(countIn(wire.answered(), /HTTP\/1\.1 426 /g), 1);
  assert.equal(countIn(wire.asked(), /POST \/v1\/responses HTTP\/1\.1\r/g), model.calls.length);
  assert.doesNotMatch(outcome.stderr, /reconnecting/i);
  context.diagnostic(`codex with a WebSocket: ${Math.round(outcome.ms)} ms`);
});
