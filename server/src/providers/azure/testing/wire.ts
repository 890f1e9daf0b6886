/** Writes answers as Azure's upstream does: OpenAI's format on another path. */
import { openaiWire } from "../../openai/testing/wire.ts";
import type { Wire } from "../../testing/wire.ts";

export const azureWire: Wire = {
  ...openaiWire,
  id: "azure",
  basePath: "/openai/v1",
  credential: "0123456789abcdef0123456789abcdef",
};
