/**
 * The services that are known by name: what a row says, and how one is found. The rows are in
 * `preset-rows.ts`; what of OpenAI's protocol each service does its own way is in `openai/deviations.ts`.
 */
import type { Preset } from "./preset.ts";
import { presets } from "./preset-rows.ts";

export { presets };

const byId = new Map(presets.map((preset) => [preset.id, preset]));

/** undefined where there is none of this id. */
export function findPreset(id: string | undefined): Preset | undefined {
  return id === undefined ? undefined : byId.get(id);
}
