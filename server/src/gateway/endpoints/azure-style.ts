/**
 * Endpoints at the addresses that clients of Azure OpenAI have: below a deployment, which is the model,
 * whatever the body names. Their `api-version` means nothing here.
 */
import type { Endpoint } from "./endpoint.ts";

/** `endpoint`: one below `/v1/`. */
export const azureStyle = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  path: endpoint.path.replace("/v1/", "/openai/deployments/*/"),
  read: (scan, body, target) => endpoint.read(scan, body, { ...target, model: target.tail }),
});
