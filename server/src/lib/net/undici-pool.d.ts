/**
 * Types for the one file of undici that `open-pool.ts` loads; the
 * package publishes types for its index only.
 */
declare module "undici/lib/dispatcher/pool.js" {
  import type { Pool } from "undici";

  const PoolClass: typeof Pool;
  // biome-ignore lint/style/noDefaultExport: this is how the file exports.
  export default PoolClass;
}
