/** The keys of this installation: of the setting, else of the key file, which is made at first use. */
import { type Config, secretKeyFile } from "../config/config.ts";
import { createKeyRing, loadOrCreateKeyFile } from "../lib/secret.ts";

function keyRing(config: Config): () => Uint8Array {
  if (config.secretKey !== undefined) return createKeyRing(config.secretKey, undefined);
  const file = secretKeyFile(config);
  return createKeyRing(loadOrCreateKeyFile(file), file);
}

/** Reads them again at each call, because another process may exchange them. */
export function installationKeys(config: Config): () => Uint8Array {
  let ring: (() => Uint8Array) | undefined;
  return () => {
    ring ??= keyRing(config);
    return ring();
  };
}
