/** Keys of other services that clients send when they are pointed at Plaza and keep the key they had. */
import { targets } from "../../../providers/presets/targets.ts";

/** Whose key it is, and which settings of its clients hold it. */
export interface ForeignKey {
  readonly service: string;
  readonly settings: string;
}

/** What SDKs call the option that holds a key. */
const options = "apiKey, api_key";

/** By how keys begin, the longer beginnings first. */
const beginnings: readonly (readonly [beginning: string, key: ForeignKey])[] = [
  ...targets.flatMap(({ name, keyVariables, clientKeys }) => {
    if (clientKeys === undefined) return [];
    const { owner: service = name, variables = keyVariables } = clientKeys;
    const key = { service, settings: `${variables.join(", ")} (${options})` };
    return clientKeys.beginnings.map((beginning) => [beginning, key] as const);
  }),
  // The token of a sign-in at ChatGPT, which Codex sends where its provider names no key.
  ["eyJ", { service: "OAuth", settings: `env_key (~/.codex/config.toml), ${options}` }] as const,
].sort(([one], [other]) => other.length - one.length);

/** The service that this secret begins like a key of; undefined where that cannot be told. */
export function foreignKey(secret: string): ForeignKey | undefined {
  return beginnings.find(([beginning]) => secret.startsWith(beginning))?.[1];
}
