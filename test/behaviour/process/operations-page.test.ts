/** docs/operate/operations.md lists every event the server logs and every metric it exports. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { rootFolder } from "../../rigs/harness/processes/processes.ts";

const page = readFileSync(`${rootFolder}docs/operate/operations.md`, "utf8");
const sources = readdirSync(`${rootFolder}server/src`, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => readFileSync(`${rootFolder}server/src/${file}`, "utf8"));

/** True when the page has this name, in full or through a `*`. */
function isTold(name: string): boolean {
  if (page.includes(`\`${name}\``)) return true;
  const patterns = [...page.matchAll(/`([a-z_]+_\*[a-z_]*)`/g)].map(([, pattern = ""]) => pattern);
  return patterns.some((pattern) => new RegExp(`^${pattern.replace("*", ".*")}$`).test(name));
}

test("every event of the log is explained", () => {
  const events = sources.flatMap((text) =>
    [...text.matchAll(/[lL]og\.(?:info|warn|error)\(\s*"([a-z_]+)"/g)].map(([, event = ""]) => event),
  );
  assert.ok(events.length > 30);
  assert.deepEqual(
    events.filter((event) => !isTold(event)),
    [],
  );
});

test("every metric is explained", () => {
  const names = sources.flatMap((text) =>
    [...text.matchAll(/name: "((?:plaza|gen_ai|process)_[a-z_]+)",\s*help:/g)].map(([, name = ""]) => name),
  );
  assert.ok(names.length > 30);
  assert.deepEqual(
    names.filter((name) => !isTold(name)),
    [],
  );
});
