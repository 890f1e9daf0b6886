/**
 * Installs the client programs that the next run of the tests takes, in advance and one after the other;
 * `tools/ready.ts` runs it beside its first checks. What fails is told by the tests.
 */
import { install } from "./install.ts";
import { chosenPrograms } from "./programs/index.ts";

for (const { package: name } of chosenPrograms()) await install(name).catch(() => undefined);
