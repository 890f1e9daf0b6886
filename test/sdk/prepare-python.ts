/**
 * Creates the Python environments of the tests (`python.ts`) in advance; `tools/ready.ts` runs it beside its
 * first checks.
 */
import { readdirSync } from "node:fs";
import { pythonFolder, pythonWith, whyNoPython } from "./python.ts";

if (whyNoPython === false) {
  const files = readdirSync(pythonFolder).filter((name) => name.startsWith("requirements-"));
  await Promise.all(files.map(pythonWith));
}
