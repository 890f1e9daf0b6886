import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../lib/testing/any-character.ts";
import { StoreError } from "../error.ts";
import { at, pushRequestValues, type RequestValue, valuesPerRequest } from "../requests/row.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { decodeLine, encodeLine, openJournalFile } from "./file.ts";
import { openJournalFolder, rejectedLine } from "./folder.ts";

function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "plaza-journal-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The values of requests with these numbers, with a stored answer of the given size. */
function valuesOf(numbers: readonly number[], answerBytes = 0): RequestValue[] {
  const values: RequestValue[] = [];
  for (const number of numbers) {
    const body = Buffer.alloc(answerBytes, number % 256);
    const answer = { status: 200, headers: ["a", "b"], body };
    pushRequestValues(
      requestRow(number),
      answerBytes === 0 ? undefined : { holderId: "h", idempotency: { key: "k", answer } },
      values,
    );
  }
  return values;
}

const idsOf = (values: readonly RequestValue[]): string[] =>
  values.filter((_, index) => index % valuesPerRequest === at.id).map(String);

const ids = (numbers: readonly number[]): string[] => numbers.map((number) => requestRow(number).id);

const plain = (values: readonly RequestValue[]) =>
  values.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value));

test("every kind of value comes back as it went", () => {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.uint8Array(),
    fc.constant(null),
  );
  const list = fc.array(value, { minLength: valuesPerRequest, maxLength: valuesPerRequest });
  fc.assert(
    fc.property(list, (values) => {
      const line = encodeLine(values, 0);
      assert.equal(line.indexOf("\n"), line.length - 1);
      assert.deepEqual(plain(decodeLine(line) ?? []), plain(values));
    }),
  );
});

/** A line in the previous version's format: 26 columns and 10 settlement values, without the operation. */
const lineBefore =
  '["req_a",1,"acc_a","key_a","model_a","upstream_a","upstream_model_a",1,202,"aborted","error_a",3,4,5,6,7,8,' +
  '"estimated",9,11,"{\\"audioInput\\":11}",null,13,{"n":"14"},{"n":"15"},{"n":"0"},"hld_a",{"n":"16"},{"n":"17"},' +
  '"bud_a",{"n":"18"},{"n":"19"},"idem_a",200,"[\\"a\\",\\"b\\"]",{"b":"AQI="}]';

test("a line of the version before, without an operation, is read as a chat", () => {
  const values = decodeLine(lineBefore);
  assert.ok(values !== undefined, "the line is not taken for a damaged one");
  assert.equal(values.length, valuesPerRequest);
  assert.deepEqual(
    (["id", "charge", "loss", "operation", "holderId", "budgetRelease", "answerStatus"] as const).map(
      (name) => values[at[name]],
    ),
    ["req_a", 15n, 0n, "chat", "hld_a", 19n, 200],
  );
  assert.deepEqual([...(values[at.answerBody] as Uint8Array)], [1, 2]);
  // Rewritten lines have the current format.
  assert.deepEqual(plain(decodeLine(encodeLine(values, 0)) ?? []), plain(values));
});

test("a file may have lines of both versions", async (context) => {
  const path = join(temporaryFolder(context), "j");
  writeFileSync(path, `${lineBefore}\n${encodeLine(valuesOf([1]), 0)}${lineBefore}\n`);
  const file = await openJournalFile(path);
  context.after(() => file.close());
  const { values, strange } = await file.read(0, 9);
  assert.deepEqual([idsOf(values), strange], [["req_a", ...ids([1]), "req_a"], []]);
});

test("bytes that are a part of a larger buffer are written alone", () => {
  const values: RequestValue[] = [...valuesOf([1])];
  values[at.answerBody] = Buffer.from("xxinsidexx").subarray(2, 8);
  const back = decodeLine(encodeLine(values, 0))?.[at.answerBody];
  assert.equal(Buffer.from(back as Uint8Array).toString(), "inside");
});

test("no part of a line passes for a request", () => {
  const line = encodeLine(valuesOf([1], 40), 0).trimEnd();
  for (let length = 0; length < line.length; length++)
    assert.equal(decodeLine(line.slice(0, length)), undefined);
  assert.equal(decodeLine("[1,2]"), undefined);
  assert.notEqual(decodeLine(line), undefined);
});

test("what was appended is read in order, in parts, and cleared only when nothing came since", async (context) => {
  const file = await openJournalFile(join(temporaryFolder(context), "j"));
  await Promise.all([file.append(valuesOf([1, 2])), file.append(valuesOf([3]))]);
  const first = await file.read(0, 2);
  assert.deepEqual([idsOf(first.values), first.isEnd], [ids([1, 2]), false]);
  const second = await file.read(first.next, 2);
  assert.deepEqual([idsOf(second.values), second.isEnd, second.next], [ids([3]), true, file.bytes]);
  await file.append(valuesOf([4]));
  assert.equal(await file.clear(second.next), false);
  const third = await file.read(second.next, 2);
  assert.deepEqual(idsOf(third.values), ids([4]));
  assert.equal(await file.clear(third.next), true);
  assert.equal(file.bytes, 0);
  assert.deepEqual(await file.read(0, 2), { values: [], strange: [], next: 0, isEnd: true });
  await file.append(valuesOf([5]));
  assert.deepEqual(idsOf((await file.read(0, 2)).values), ids([5]));
  await file.close();
});

test("a last line that a crash cut off is gone, whatever its length, and spoils nothing that follows", async (context) => {
  const folder = temporaryFolder(context);
  const whole = encodeLine(valuesOf([1], 3_000_000), 0);
  for (const cut of [1, 1_000, 2_500_000, whole.length - 1]) {
    const path = join(folder, `cut-${cut}`);
    writeFileSync(path, whole + whole.slice(0, cut));
    const file = await openJournalFile(path);
    assert.equal(file.bytes, whole.length);
    const part = await file.read(0, 10);
    assert.deepEqual([idsOf(part.values), part.isEnd], [ids([1]), true]);
    await file.append(valuesOf([2]));
    assert.deepEqual(idsOf((await file.read(part.next, 10)).values), ids([2]));
    await file.close();
  }
  writeFileSync(join(folder, "torn"), whole.slice(0, 2_000_000));
  const torn = await openJournalFile(join(folder, "torn"));
  assert.equal(torn.bytes, 0);
  await torn.close();
  assert.equal(readdirSync(folder).includes("torn"), false);
});

test("a line that is no request is named, and those around it are read", async (context) => {
  const path = join(temporaryFolder(context), "j");
  writeFileSync(path, `${encodeLine(valuesOf([1]), 0)}{"older":true}\n${encodeLine(valuesOf([2]), 0)}`);
  const file = await openJournalFile(path);
  const part = await file.read(0, 10);
  assert.deepEqual([idsOf(part.values), part.strange, part.isEnd], [ids([1, 2]), ['{"older":true}'], true]);
  await file.close();
});

test("stored answers of 8 MiB come back whole, a few megabytes at a time", async (context) => {
  const file = await openJournalFile(join(temporaryFolder(context), "j"));
  const bytes = 8 * 1024 * 1024;
  await file.append(valuesOf([1, 2, 3], bytes));
  for (let number = 1, offset = 0; number <= 3; number++) {
    const part = await file.read(offset, 500);
    assert.deepEqual(idsOf(part.values), ids([number]));
    const body = part.values[at.answerBody] as Buffer;
    assert.equal(body.length, bytes);
    assert.ok(body.equals(Buffer.alloc(bytes, number)));
    offset = part.next;
  }
  await file.close();
});

test("a disk that is full refuses in the store's words", async (context) => {
  const file = await openJournalFile("/dev/full").catch(() => undefined);
  if (file === undefined) return context.skip("no device that is always full");
  const isRefusal = (error: unknown) =>
    error instanceof StoreError && error.code === "disk_full" && /free some space/.test(error.message);
  await assert.rejects(file.append(valuesOf([1])), isRefusal);
  assert.equal(file.bytes, 0);
});

test("what was written of requests that found no room is taken back, and smaller ones still find some", async (context) => {
  if (process.platform === "win32") return context.skip("no limit to the size of files");
  const path = join(temporaryFolder(context), "j");
  const script = `
    const { openJournalFile } = await import(${JSON.stringify(import.meta.resolve("./file.ts"))});
    const file = await openJournalFile(process.argv[1]);
    const row = (id, size) => [id, "x".repeat(size), ...Array(${valuesPerRequest - 2}).fill(null)];
    const outcomes = [];
    for (const values of [row("a", 10), row("b", 500_000), row("c", 10)]) {
      outcomes.push(await file.append(values).then(() => "kept", ({ code }) => code));
    }
    const { values, strange, isEnd } = await file.read(0, 10);
    console.log(JSON.stringify({ outcomes, ids: [values[0], values[${valuesPerRequest}]], strange, isEnd }));`;
  const shell = 'ulimit -f 100; exec "$0" --input-type=module -e "$1" "$2"';
  const child = spawn("sh", ["-c", shell, process.execPath, script, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  assert.deepEqual(JSON.parse(text.toString()), {
    outcomes: ["kept", "io", "kept"],
    ids: ["a", "c"],
    strange: [],
    isEnd: true,
  });
});

test("an empty journal leaves nothing behind, one with requests stays, readable by its owner only", async (context) => {
  const folder = join(temporaryFolder(context), "deep", "journal");
  await (await openJournalFolder(folder)).own.close();
  assert.deepEqual(readdirSync(folder), []);
  const { own } = await openJournalFolder(folder);
  await own.append(valuesOf([1]));
  await own.close();
  const [name = ""] = readdirSync(folder);
  assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
});

test("the journal of a process that is gone is taken over, that of a living one left alone", async (context) => {
  if (!existsSync("/proc/self/stat")) return context.skip("no way to tell when a process began");
  const folder = temporaryFolder(context);
  const line = encodeLine(valuesOf([1]), 0);
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "exit");
  writeFileSync(join(folder, `journal-${gone.pid}-12345-0.jsonl`), line);
  // The process id is in use again, by a process with another start time.
  writeFileSync(join(folder, `journal-${process.ppid}-1-7.jsonl`), encodeLine(valuesOf([2]), 0));
  const living = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  context.after(() => living.kill("SIGKILL"));
  await once(living, "spawn");
  const stat = readFileSync(`/proc/${living.pid}/stat`, "utf8");
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  const others = [`journal-${living.pid}-${ticks}-0.jsonl`, "rejected-1-1.jsonl", "notes.txt"];
  for (const name of others) appendFileSync(join(folder, name), line);
  const first = await openJournalFolder(folder);
  const parts = await Promise.all(first.left.map((file) => file.read(0, 10)));
  assert.deepEqual(parts.flatMap(({ values }) => idsOf(values)).sort(), ids([1, 2]));
  // Taken over already: another store of this live process does not take them again.
  const second = await openJournalFolder(folder);
  assert.equal(second.left.length, 0);
  for (const name of others) assert.equal(readFileSync(join(folder, name), "utf8"), line);
  for (const file of [first.own, second.own, ...first.left]) await file.close();
  const third = await openJournalFolder(folder);
  assert.equal(third.left.length, 2);
  for (const file of [third.own, ...third.left]) await file.close();
});

test("a running process takes over what the dead of its own space of processes leave, and of no other", async (context) => {
  if (!existsSync("/proc/self/ns/pid"))
    return context.skip("no way to tell one space of processes from another");
  const folder = temporaryFolder(context);
  const { own, left, takeLeft } = await openJournalFolder(folder);
  assert.equal(left.length, 0);
  const space = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "exit");
  const line = encodeLine(valuesOf([1]), 0);
  writeFileSync(join(folder, `journal-${gone.pid}-12345-0-${space}.jsonl`), line);
  const others = [`journal-${gone.pid}-12345-1-1.jsonl`, `journal-${gone.pid}-12345-2.jsonl`];
  for (const name of others) writeFileSync(join(folder, name), line);
  const taken = await takeLeft();
  assert.deepEqual(await Promise.all(taken.map(async (file) => idsOf((await file.read(0, 10)).values))), [
    ids([1]),
  ]);
  assert.deepEqual(await takeLeft(), []);
  for (const name of others) assert.equal(readFileSync(join(folder, name), "utf8"), line);
  for (const file of [own, ...taken]) await file.close();
  // At a start all files are taken, because a replaced container has its own process namespace.
  const next = await openJournalFolder(folder);
  assert.equal(next.left.length, 3);
  for (const file of [next.own, ...next.left]) await file.close();
});

test("of processes that start at once, one has each journal left behind", async (context) => {
  if (!existsSync("/proc/self/stat")) return context.skip("no way to tell when a process began");
  const folder = temporaryFolder(context);
  const left = 40;
  for (let number = 0; number < left; number++) {
    const line = encodeLine(valuesOf([number]), 0);
    writeFileSync(join(folder, `journal-${process.ppid}-1-${number}.jsonl`), line);
  }
  const script = `
    const { openJournalFolder } = await import(${JSON.stringify(import.meta.resolve("./folder.ts"))});
    const { left } = await openJournalFolder(process.argv[1]);
    const parts = await Promise.all(left.map((file) => file.read(0, 10)));
    console.log(JSON.stringify(parts.map(({ values }) => values[0])));
    // Lives until all are done: the files of a dead process may be taken over.
    process.stdin.resume();`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script, folder], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  context.after(() => children.map((child) => child.kill("SIGKILL")));
  const taken = await Promise.all(
    children.map(async (child) => JSON.parse(String((await once(child.stdout, "data"))[0])) as string[]),
  );
  assert.deepEqual(taken.flat().sort(), ids(Array.from({ length: left }, (_, number) => number)));
});

test("what is refused is kept beside, line by line with its reason", async (context) => {
  const { own, reject } = await openJournalFolder(temporaryFolder(context));
  const values = valuesOf([1, 2]);
  const path = await reject([rejectedLine(values, valuesPerRequest, "no such account")]);
  assert.equal(await reject([{ line: "strange", reason: "unreadable" }]), path);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const [first, second] = lines.map((line) => JSON.parse(line) as { line: string; reason: string });
  assert.deepEqual(idsOf(decodeLine(first?.line ?? "") ?? []), ids([2]));
  assert.equal(first?.reason, "no such account");
  assert.deepEqual(second, { line: "strange", reason: "unreadable" });
  await own.close();
  assert.match(path, /rejected-\d+-\d+\.jsonl$/);
});
