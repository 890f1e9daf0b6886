/** How far a migration is, told while it runs. */
import type { MigrationStatus } from "../store/operation/migration-shapes.ts";
import type { Store } from "../store/store.ts";

export type MigrationProgress = NonNullable<MigrationStatus["progress"]>;

/** For a command's output. */
export const progressLine = ({ version, name, rows }: MigrationProgress): string =>
  `${version}  ${name}: ${rows} rows so far\n`;

/**
 * Tells at each look how far a back-fill is, whichever process runs it, unless nothing has moved. Returns the
 * function that ends it. What goes wrong shows in the migration itself.
 */
export function watchMigration(
  store: Pick<Store, "readMigrations">,
  tell: (progress: MigrationProgress) => void,
  everyMs: number,
): () => void {
  let told = "";
  const look = async () => {
    const { progress } = await store.readMigrations();
    const place = progress === null ? "" : `${progress.version} ${progress.rows}`;
    if (progress !== null && place !== told) tell(progress);
    told = place;
  };
  const timer = setInterval(() => void look().catch(() => {}), everyMs);
  return () => clearInterval(timer);
}
