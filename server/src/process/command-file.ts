/**
 * The `plaza` command. Processes that start again, and workers, go through its launcher: it enables the
 * compile cache, and chooses between the build and the sources as they are then.
 */
import { fileURLToPath } from "node:url";

export const commandFile = fileURLToPath(new URL("../../bin/plaza.mjs", import.meta.url));
