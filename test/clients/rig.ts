/**
 * What the tests of client programs stand on: the four scripted models, Plaza as a process before them, and a
 * key. Every model of a client's naming is there once for each wire upstream.
 */
import { type CatalogFile, model, openaiUpstream } from "../behaviour/harness/catalogs.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { type WireName, wireNames } from "./program.ts";
import { wires } from "./upstreams/index.ts";
import { type ScriptedModel, startScriptedModel } from "./upstreams/server.ts";

/** Clients look at a model's name for what it can do; these promise them nothing odd. */
const prefixes: Readonly<Record<WireName, string>> = {
  chat: "scripted",
  messages: "claude-scripted",
  gemini: "gemini-3-scripted",
  responses: "gpt-scripted",
};

/** What the tests' models cost: $0.25, $0.025 and $2.00 for a million tokens. */
export const nanosPerToken = { input: 250, cachedInput: 25, output: 2_000 };

const dollars = (nanos: number): string => String(nanos / 1_000);

/** The model a client of one wire asks for, to be served by an upstream of another. */
export const modelFor = (client: WireName, upstream: WireName): string => `${prefixes[client]}-${upstream}`;

export type Models = Readonly<Record<WireName, ScriptedModel>>;

export interface ClientRig {
  readonly product: Product;
  readonly models: Models;
  readonly key: string;
  stop(): Promise<void>;
}

/** Starts the four scripted models alone. */
export async function startModels(): Promise<Models & { stop(): Promise<void> }> {
  const [chat, messages, gemini, responses] = await Promise.all([
    startScriptedModel(wires.chat),
    startScriptedModel(wires.messages),
    startScriptedModel(wires.gemini),
    startScriptedModel(wires.responses),
  ]);
  const all = { chat, messages, gemini, responses };
  return {
    ...all,
    async stop() {
      for (const one of Object.values(all)) await one.stop();
    },
  };
}

/** The upstreams as an operator would list them. */
function catalog(models: Models): CatalogFile {
  const other = (id: WireName, provider: string) => ({
    ...openaiUpstream(id, models[id].baseUrl),
    provider,
  });
  const names: Readonly<Record<WireName, string>> = {
    chat: "scripted-large",
    messages: "claude-opus-4-8",
    gemini: "gemini-3-pro",
    responses: "scripted-large",
  };
  // A server at an address of its own: what it speaks has to be said.
  const price = {
    input: dollars(nanosPerToken.input),
    cachedInput: dollars(nanosPerToken.cachedInput),
    output: dollars(nanosPerToken.output),
  };
  const formats: Partial<Record<WireName, readonly string[]>> = { responses: ["openai-responses"] };
  return {
    upstreams: [
      openaiUpstream("chat", models.chat.baseUrl),
      other("messages", "anthropic"),
      other("gemini", "google"),
      openaiUpstream("responses", models.responses.baseUrl),
    ],
    models: wireNames.flatMap((client) =>
      wireNames.map((upstream) => {
        const entry = model(modelFor(client, upstream), [upstream, names[upstream]]);
        const spoken = formats[upstream];
        const deployments = entry.deployments.map((one) =>
          spoken === undefined ? one : { ...one, formats: spoken },
        );
        return { ...entry, deployments, price, context: 400_000, maxOutput: 64_000 };
      }),
    ),
  };
}

/** Starts everything; call `stop` in `after`. */
export async function startClientRig(): Promise<ClientRig> {
  const models = await startModels();
  try {
    const product = await startProduct({ catalog: catalog(models) });
    const { key } = await product.createKey(await product.createAccount());
    return {
      product,
      models,
      key,
      async stop() {
        await product.stop();
        await models.stop();
      },
    };
  } catch (error) {
    await models.stop();
    throw error;
  }
}
