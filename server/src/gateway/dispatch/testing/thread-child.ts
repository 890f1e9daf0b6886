/**
 * For tests: a process that translates one call in a thread, prints its body and ends by itself. Arguments: a
 * task and a body, as JSON.
 */
import type { TranslationTask } from "../threads/messages.ts";
import { TranslationThreads } from "../threads/translation-threads.ts";

const [task, body] = process.argv.slice(2) as [string, string];
const session = new TranslationThreads().open(JSON.parse(task) as TranslationTask, Buffer.from(body));
// In place of the caller's connection, which keeps a process alive.
const connection = setInterval(() => {}, 1_000);
const call = await session.run("encode", { credential: "k", remembered: [], media: undefined });
clearInterval(connection);
process.stdout.write(call.body);
