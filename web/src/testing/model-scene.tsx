/**
 * The form of a model, for `test/console/components.test.ts`: its server is this file, and so is the other
 * user who edits the same model. No part of the product.
 */
import type { ModelDocument, ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient } from "../api/queries.ts";
import type { Answer } from "../api/routes.ts";
import { EditModel } from "../features/models/edit-model.tsx";
import { Button } from "../ui/button.tsx";
import { PageLink } from "../ui/navigation.tsx";

type Deployment = ShownModelDocument["deployments"][number];

const deployment = (model: string): Deployment => ({
  upstream: "main",
  model,
  priority: 1,
  weight: 1,
  cost: null,
  timeouts: null,
  formats: null,
});

let stored: ShownModelDocument = {
  id: "halo",
  name: "Halo",
  disabled: false,
  description: null,
  family: null,
  context: null,
  maxOutput: null,
  modalities: null,
  capabilities: null,
  operations: ["chat"],
  deprecated: null,
  price: { input: "1", output: "4" },
  scheduledPrices: [
    { validFrom: "2027-01-01", input: "1", output: "4" },
    { validFrom: "2027-02-01", input: "2", output: "8" },
  ],
  deployments: ["halo-a", "halo-b", "halo-c"].map(deployment),
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null },
  fallbacks: [],
  hedge: null,
  status: "available",
  createdAt: null,
  source: "console",
  revision: 1,
};

const catalogOf = (model: ShownModelDocument): Answer<"get /operator/catalog"> => ({
  upstreams: [],
  models: [model],
  limits: model.limits,
  installation: model.limits,
  limitsSource: "console",
  revision: 1,
});

/** What only the server refuses, as it names it. */
const faultsOf = ({ deployments }: ModelDocument) =>
  deployments.flatMap(({ model }, at) =>
    model === "halo-gone" ? [{ path: `deployments.${at}.model`, message: "This model is gone." }] : [],
  );

/** What the server answers when the model is asked for, or saved. */
export function answerForModel(body: string | undefined): Response {
  if (body === undefined) return Response.json(catalogOf(stored));
  const { revision, ...sent } = JSON.parse(body) as ModelDocument & { readonly revision: number };
  if (revision !== stored.revision)
    return Response.json({ error: { code: "changed_meanwhile", message: "" } }, { status: 409 });
  const fields = faultsOf(sent);
  if (fields.length > 0)
    return Response.json(
      { error: { code: "invalid_request", message: "Invalid.", fields } },
      { status: 400 },
    );
  const saved = { ...stored, ...sent, name: sent.name ?? stored.id, revision: revision + 1 };
  stored = saved as unknown as ShownModelDocument;
  return Response.json(stored);
}

/** See the file's comment. */
export function ModelScene() {
  const [model] = useState(stored);
  const [shown, setShown] = useState(stored);
  const others = (change: (one: Deployment) => Partial<Deployment>) => () => {
    const deployments = stored.deployments.map((one) => ({ ...one, ...change(one) }));
    stored = { ...stored, deployments, revision: stored.revision + 1 };
  };
  return (
    <QueryClientProvider client={queryClient}>
      <main>
        <Button onClick={others(({ model: name }) => (name === "halo-a" ? { weight: 3 } : {}))}>
          Another user weighs the first
        </Button>
        <Button onClick={() => setShown(stored)}>Read the model</Button>
        <output>
          {`revision ${shown.revision}: ${shown.deployments.map((one) => `${one.model} ${one.weight}`).join(", ")}`}
        </output>
        <EditModel model={model} catalog={catalogOf(model)} />
        <PageLink to="/elsewhere">Elsewhere</PageLink>
      </main>
    </QueryClientProvider>
  );
}
