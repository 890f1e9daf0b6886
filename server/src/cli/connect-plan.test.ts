/** What a proposal becomes in the file, read back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Proposal } from "../connect/propose.ts";
import { readCatalogFile } from "../domain/catalog-file.ts";
import { planFile } from "./connect-plan.ts";

const proposal: Proposal = {
  upstreamModel: "vendor/m",
  id: "m",
  name: "M",
  action: "add",
  family: "Z.ai",
  context: 5,
  modalities: { input: ["text", "image"], output: ["text"] },
  capabilities: ["tools", "vision"],
  price: { input: "1", output: "2" },
  priceSource: { source: "a@1", date: "2026-01-01" },
  isPriced: true,
};

test("the facts of a model are written with it", async () => {
  const file = { name: "plaza.yaml", text: undefined, catalog: { upstreams: [], models: [], limits: {} } };
  const upstream = { fields: { id: "up", provider: "demo" } };
  const providers = [{ id: "demo", needs: { baseUrl: false, credentials: false } }];
  const read = async (text: string) => {
    const result = readCatalogFile(text, { env: {}, fileName: "", providers });
    assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
    return result;
  };
  const { catalog } = await planFile(file, { upstreamId: "up", upstream, chosen: [proposal] }, read);
  const [model] = catalog.models;
  assert.deepEqual(
    [model?.family, model?.context, model?.modalities, model?.capabilities],
    ["Z.ai", 5, proposal.modalities, ["tools", "vision"]],
  );
});
