/**
 * What every SDK test file stands on: one product, the counting upstream and a scripted one behind it, the demo model
 * beside them, and a key. Started once per file.
 */
import {
  type CatalogFile,
  demoUpstream,
  model,
  openaiUpstream,
  shortTimeouts,
} from "../behaviour/catalogs.ts";
import { type Product, startProduct } from "../behaviour/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../behaviour/scripted-upstream.ts";
import { startUpstream, type Upstream } from "../rigs/upstream/server.ts";

/** Ids with the characters real catalogs have in them. */
export const slashed = "vendor/model-x";
export const coloned = "vendor/model-x:free";

export interface SdkRig {
  readonly product: Product;
  readonly counting: Upstream;
  readonly scripted: ScriptedUpstream;
  readonly accountId: string;
  readonly key: string;
  stop(): Promise<void>;
}

function catalog(counting: Upstream, scripted: ScriptedUpstream): CatalogFile {
  return {
    upstreams: [
      demoUpstream,
      openaiUpstream("counting", counting.baseUrl),
      openaiUpstream("scripted", scripted.baseUrl),
      openaiUpstream("hasty", scripted.baseUrl, shortTimeouts),
      openaiUpstream("patient", counting.baseUrl, { firstToken: "2500ms" }),
    ],
    models: [
      model("demo", ["demo", "demo"]),
      model("counting", ["counting", "upstream-model"]),
      model("scripted", ["scripted", "upstream-model"]),
      model("hasty", ["hasty", "upstream-model"]),
      model("patient", ["patient", "upstream-model"]),
      model("twice", ["scripted", "first-model"], ["scripted", "second-model"]),
      model(slashed, ["scripted", "upstream-model"]),
      model(coloned, ["scripted", "upstream-model"]),
    ],
  };
}

/** Starts everything; call `stop` in `after`. */
export async function startSdkRig(env: Readonly<Record<string, string>> = {}): Promise<SdkRig> {
  const counting = await startUpstream();
  const scripted = await startScriptedUpstream();
  const stopUpstreams = async (): Promise<void> => {
    await counting.stop();
    await scripted.stop();
  };
  try {
    const product = await startProduct({ catalog: catalog(counting, scripted), env });
    const accountId = await product.createAccount();
    const { key } = await product.createKey(accountId);
    const stop = async (): Promise<void> => {
      await product.stop();
      await stopUpstreams();
    };
    return { product, counting, scripted, accountId, key, stop };
  } catch (error) {
    await stopUpstreams();
    throw error;
  }
}
