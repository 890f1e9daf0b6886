/**
 * `node tools/complete-lock.mjs`, after any `npm install` that changed package-lock.json: adds the optional packages for other
 * platforms that npm leaves out of the lock when the registry in use does not serve them. Without them `npm ci` calls the
 * lock and package.json out of step, on every machine. Added entries carry no integrity; npm skips them on this platform.
 */
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
const systems = /android|darwin|win32|freebsd|openharmony|linux/;
const processors = /arm64|x64|ia32|arm(?=-)|ppc64|riscv64|s390x|wasm32/;

/** What an entry of the lock says about where a package runs, read from the package's name. */
function platformOf(name) {
  const os = systems.exec(name)?.[0];
  const cpu = processors.exec(name.replace(new RegExp(`^.*?(${systems.source})`), ""))?.[0];
  const isGlibc = os === "linux" && /gnu|linux-(arm64|x64)$/.test(name);
  const libc = name.includes("musl") ? "musl" : isGlibc ? "glibc" : undefined;
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) };
}

let added = 0;
for (const [path, entry] of Object.entries({ ...lock.packages })) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (`node_modules/${name}` in lock.packages || `${path}/node_modules/${name}` in lock.packages) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(entry.dev && { dev: true }),
      ...platformOf(name),
      optional: true,
    };
    added += 1;
  }
}
const { "": root, ...rest } = lock.packages;
const sorted = Object.entries(rest).sort(([a], [b]) => a.localeCompare(b, "en"));
lock.packages = { "": root, ...Object.fromEntries(sorted) };
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`package-lock.json: ${added} entries added\n`);
