/** Proposals written to the file, then read back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Proposal } from "../../connect/propose.ts";
import { readCatalogFile } from "../../domain/catalog/file.ts";
import { priceOf } from "../../domain/catalog/model-catalog.ts";
import { planFile } from "./plan.ts";

const proposal: Proposal = {
  upstreamModel: "vendor/m",
  id: "m",
  name: "M",
  action: "add",
  family: "Z.ai",
  context: 5,
  modalities: { input: ["text", "image"], output: ["text"] },
  capabilities: ["tools", "vision"],
  operations: ["embeddings"],
  price: { input: "1", output: "2" },
  priceSource: { source: "a@1", date: "2026-01-01" },
  isPriced: true,
};

/** The file with this model added, parsed again. */
async function planned(chosen: Proposal) {
  const file = { name: "plaza.yaml", text: undefined, catalog: { upstreams: [], models: [], limits: {} } };
  const upstream = { fields: { id: "up", provider: "demo" } };
  const providers = [{ id: "demo", needs: { baseUrl: false, credentials: false } }];
  const read = async (text: string) => {
    const result = readCatalogFile(text, { env: {}, fileName: "", providers });
    assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
    return result;
  };
  const { text, catalog } = await planFile(file, { upstreamId: "up", upstream, chosen: [chosen] }, read);
  return { text, model: catalog.models[0] };
}

test("the facts of a model are written with it", async () => {
  const { model } = await planned(proposal);
  assert.deepEqual(
    [model?.family, model?.context, model?.modalities, model?.capabilities, model?.operations],
    ["Z.ai", 5, proposal.modalities, ["tools", "vision"], ["embeddings"]],
  );
});

test("prices announced for later are written as dated prices, with the price until then and its source", async () => {
  const tiers = [{ abovePromptTokens: 5, input: "6", output: "12" }];
  const laterPrices = [{ validFrom: "2026-12-01", input: "3", output: "6", tiers }];
  const priceSource = { source: "a@1", date: "2026-01-01", isOld: true } as const;
  const { text, model } = await planned({ ...proposal, priceSource, laterPrices });
  assert.match(
    text,
    /^ +prices: # a@1, 2026-01-01: older than 60 days\n +- \{ input: "?1"?, output: "?2"? \}\n/m,
  );
  assert.deepEqual(model?.price, priceOf({ input: "1", output: "2" }));
  assert.deepEqual(model?.scheduledPrices, [
    { validFrom: Date.parse("2026-12-01T00:00:00Z"), price: priceOf({ input: "3", output: "6", tiers }) },
  ]);
});
