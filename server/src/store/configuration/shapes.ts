/**
 * Store methods for a configuration file: settings, accounts, keys and users as one document. The serving
 * thread loads this file, so it has no SQL. The catalog has its own methods (`catalog/shapes.ts`).
 */
import type { ConfigurationDifference } from "../../domain/configuration/difference.ts";
import type { Configuration, StoredConfiguration } from "../../domain/configuration/shapes.ts";

/** `prunes`: accounts and keys that are not listed are suspended and disabled. */
export interface ConfigurationOptions {
  readonly prunes: boolean;
}

export interface ConfigurationStore {
  /** Everything a file could say, in one snapshot. */
  readConfiguration(): Promise<StoredConfiguration>;
  /** What `applyConfiguration` would change, and what it would refuse. */
  compareConfiguration(
    wanted: Configuration,
    options: ConfigurationOptions,
  ): Promise<ConfigurationDifference>;
  /**
   * Makes settings, accounts, keys and users match, in one transaction; deletes nothing. Resolves with what
   * it changed. Throws `invalid` with the first fault.
   */
  applyConfiguration(wanted: Configuration, options: ConfigurationOptions): Promise<ConfigurationDifference>;
}

/** Every method of `ConfigurationStore`; `create-store.ts` forwards them to the storage thread unchanged. */
export const configurationMethods = {
  readConfiguration: true,
  compareConfiguration: true,
  applyConfiguration: true,
} as const satisfies Record<keyof ConfigurationStore, true>;
