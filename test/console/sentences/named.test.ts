/**
 * Texts of the console that correspond to server values: kinds of faults, actions of the audit log, and
 * validation errors of schemas.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { apiRoutes, type RouteSpec } from "../../../contract/api/index.ts";
import { textOf } from "../../../contract/messages/message.ts";
import { faultRules } from "../../../server/src/domain/routing/fault.ts";
import { badValues, faultsOf } from "./bad-values.ts";
import { propertyOf, sentencesIn } from "./collect.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Keys of one kind in an area's texts, such as `act.` or `fault.`. */
function namesIn(area: string, kind: string): Set<string> {
  const source = readFileSync(`${root}web/src/i18n/en/pages/${area}.ts`, "utf8");
  const keys = [...source.matchAll(/^ {2}"(\w+)\.([^"]+)":/gm)].filter(([, begun]) => begun === kind);
  return new Set(keys.map(([, , name]) => name as string));
}

test("every kind of fault has words", () => {
  const kinds = Object.keys(faultRules);
  assert.ok(kinds.length > 10);
  for (const area of ["requests", "operator-health"]) {
    const said = namesIn(area, "fault");
    assert.deepEqual(
      kinds.filter((kind) => !said.has(kind)),
      [],
      area,
    );
  }
});

test("every act the audit log can name has words", () => {
  const [all, ofAccount] = [namesIn("operator-audit", "act"), namesIn("members", "act")];
  const acts = Object.entries(apiRoutes as Record<string, RouteSpec>).filter(
    ([, { method, access, isAudited }]) => method !== "get" && access !== "anyone" && isAudited !== false,
  );
  assert.ok(acts.length > 20);
  assert.deepEqual(
    acts.flatMap(([name]) => (all.has(name) ? [] : [name])),
    [],
  );
  // Operator acts can concern any account; acts about one account also appear in its own log.
  assert.deepEqual(
    acts.flatMap(([name, { access }]) => (access === "operator" || ofAccount.has(name) ? [] : [name])),
    [],
  );
  const written = globSync("server/src/cli/**/*.ts", { cwd: root }).flatMap((file) =>
    sentencesIn(file, readFileSync(root + file, "utf8"), { within: propertyOf("action") }),
  );
  // What happens to an offered model is also called an action, but of another kind.
  const others = new Set(["add", "deploy", "present", "leave"]);
  assert.ok(written.length > 5);
  assert.deepEqual(
    written.flatMap(({ text }) => (text.includes("{n}") || others.has(text) || all.has(text) ? [] : [text])),
    [],
  );
});

test("everything the schemas of the API say of bad input is a message of ours", () => {
  const texts = new Set<string>();
  const others = new Set<string>();
  for (const { params, query, body } of Object.values(apiRoutes as Record<string, RouteSpec>))
    for (const schema of [params, query, body])
      for (const made of schema === undefined ? [] : faultsOf(schema, badValues(schema))) {
        texts.add(textOf(made));
        if (made.id === "form.other") others.add(textOf(made));
      }
  assert.ok(texts.size > 100, `only ${texts.size}`);
  assert.deepEqual([...others], []);
});
