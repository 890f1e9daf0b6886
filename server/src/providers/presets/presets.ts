/**
 * Finds presets, the services known by name. The rows are in `preset-rows.ts`; `openai/deviations.ts` says
 * how each service deviates from OpenAI's protocol.
 */
import type { Preset } from "./preset.ts";
import { presets } from "./preset-rows.ts";

export { presets };

const byId = new Map(presets.map((preset) => [preset.id, preset]));

/** Returns undefined when there is no preset with this id. */
export function findPreset(id: string | undefined): Preset | undefined {
  return id === undefined ? undefined : byId.get(id);
}
