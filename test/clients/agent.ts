/** Runs one client program on the task, at a target, and holds what came of it to the script. */
import assert from "node:assert/strict";
import type { Installed } from "./install.ts";
import { filled, type Program, type Target } from "./program.ts";
import { type Outcome, runErrand } from "./run.ts";
import type { ScriptedModel } from "./upstreams/server.ts";
import { filesAfter, finalText, task } from "./upstreams/task.ts";

type Texts = Readonly<Record<string, string>>;

/** Runs the program in a new folder; the scripted model behind the target begins the task for it. */
export function runAgent(
  program: Program,
  { folder }: Extract<Installed, { folder: string }>,
  target: Target,
  model: ScriptedModel,
): Promise<Outcome> {
  const { settings, test } = program;
  const fill = (texts: Texts = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text, target)]));
  const file = settings.file === undefined ? {} : { [settings.file.path]: settings.file.text };
  const words = (args: readonly string[]): string[] => [
    ...test.start(folder),
    ...args.map((word) => filled(word, target)),
  ];
  return runErrand({
    ...(test.setup === undefined ? {} : { setup: words(test.setup) }),
    command: words(test.args),
    env: fill({ ...settings.env, ...test.env }),
    files: fill({ ...test.files, ...file }),
    begin: (work) => model.begin(work, { dropsCallIds: program.dropsCallIds }),
  });
}

/** Steps with tool calls, whose thoughts an upstream wants back with their results. */
const isToolStep = (step: number): boolean => (task[step]?.works.length ?? 0) > 0;

/** Fails unless some call, the last at the latest, brought back every sealed thought of a tool call. */
export function holdToThoughts(model: ScriptedModel): void {
  const given = new Set(model.calls.flatMap(({ sealed }) => sealed).filter(isToolStep));
  const back = model.calls.map(({ unsealed }) => [...new Set(unsealed)].filter(isToolStep).sort());
  const most = back.toSorted((a, b) => b.length - a.length)[0] ?? [];
  assert.deepEqual(most, [...given].sort(), `thoughts that came back, by call: ${JSON.stringify(back)}`);
}

/** Fails unless the task is done, nothing was refused on the way, and nothing is left running. */
export function holdToScript(outcome: Outcome, model: ScriptedModel): void {
  const told = model.calls.map(
    ({ method, path, text, refused }) => `${method} ${path} ${text.length} B ${refused ?? "ok"}`,
  );
  const story = [...told, outcome.stdout.slice(-1_500), outcome.stderr.slice(-1_500)].join("\n");
  const refused = model.calls.filter((call) => call.refused !== undefined);
  assert.deepEqual(
    refused.map((call) => call.refused),
    [],
    story,
  );
  assert.equal(outcome.code, 0, story);
  assert.deepEqual(outcome.files, filesAfter, story);
  assert.ok(outcome.stdout.includes(finalText), story);
  assert.ok(model.calls.length >= task.length, story);
  assert.deepEqual(outcome.left, []);
}
