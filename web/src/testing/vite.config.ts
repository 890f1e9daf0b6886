/** Builds the scenes as the console is built, with the classes of all its sources; run at the root. */
import { mergeConfig } from "vite";
import consoleConfig from "../../vite.config.ts";

// biome-ignore lint/style/noDefaultExport: Vite reads the default export of this file.
export default mergeConfig(consoleConfig, {
  build: { rolldownOptions: { input: "web/src/testing/index.html" } },
});
