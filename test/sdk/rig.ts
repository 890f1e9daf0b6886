/**
 * What every SDK test file stands on: one product, the counting upstream and a scripted one behind it, the
 * demo model beside them, and a key. Started once per file.
 */
import {
  type CatalogFile,
  demoUpstream,
  model,
  openaiUpstream,
  shortTimeouts,
} from "../behaviour/harness/catalogs.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../behaviour/harness/scripted-upstream.ts";
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
  /**
   * A model on the scripted upstream that was not called yet, with one deployment or two (`first-model`,
   * `second-model`): what an upstream did to one call is remembered for the next ones.
   */
  fresh(deployments?: "one" | "two"): string;
  stop(): Promise<void>;
}

function catalog(counting: Upstream, scripted: ScriptedUpstream, freshMax: number): CatalogFile {
  return {
    upstreams: [
      ...Array.from({ length: freshMax }, (_, index) => openaiUpstream(`fresh-${index}`, scripted.baseUrl)),
      demoUpstream,
      openaiUpstream("counting", counting.baseUrl),
      openaiUpstream("scripted", scripted.baseUrl),
      openaiUpstream("hasty", scripted.baseUrl, shortTimeouts),
      openaiUpstream("patient", counting.baseUrl, { firstToken: "2500ms" }),
    ],
    models: [
      ...Array.from({ length: freshMax }, (_, index) => [
        model(`one-${index}`, [`fresh-${index}`, "upstream-model"]),
        model(`two-${index}`, [`fresh-${index}`, "first-model"], [`fresh-${index}`, "second-model"]),
      ]).flat(),
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

/** Starts everything; call `stop` in `after`. `freshMax`: how many fresh models may be asked for. */
export async function startSdkRig(env: Readonly<Record<string, string>> = {}, freshMax = 0): Promise<SdkRig> {
  const counting = await startUpstream();
  const scripted = await startScriptedUpstream();
  const stopUpstreams = async (): Promise<void> => {
    await counting.stop();
    await scripted.stop();
  };
  try {
    const product = await startProduct({ catalog: catalog(counting, scripted, freshMax), env });
    const accountId = await product.createAccount();
    const { key } = await product.createKey(accountId);
    const stop = async (): Promise<void> => {
      await product.stop();
      await stopUpstreams();
    };
    let next = 0;
    const fresh = (deployments = "one"): string => {
      if (next >= freshMax) throw new Error("no fresh models left");
      return `${deployments}-${next++}`;
    };
    return { product, counting, scripted, accountId, key, fresh, stop };
  } catch (error) {
    await stopUpstreams();
    throw error;
  }
}
