/** Calls made by Python's SDKs, and what they raise: the TypeScript side of `python/call_errors.py`. */
import { startProcess } from "../rigs/harness/processes/processes.ts";
import { pythonFolder, pythonWith } from "./python.ts";

export type PythonSdk = "openai" | "litellm" | "langchain";

export interface PythonCase {
  readonly sdk: PythonSdk;
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  readonly isStream: boolean;
  /** Text of the one message; default a greeting. */
  readonly prompt?: string;
}

/** What a call raised; `class` is null when it raised nothing. */
export interface PythonOutcome {
  readonly class: string | null;
  readonly status: number | null;
  readonly message: string;
}

/**
 * Makes all the calls, several at once, in one process with the packages of this
 * file; outcomes in the order of the cases.
 */
export async function callFromPython(
  requirements: string,
  cases: readonly PythonCase[],
): Promise<PythonOutcome[]> {
  const python = await pythonWith(requirements);
  const running = startProcess(python, [`${pythonFolder}call_errors.py`]);
  running.child.stdin?.end(JSON.stringify(cases));
  const code = await running.ended;
  if (code !== 0) throw new Error(`python ended with ${code}: ${running.stderr().slice(-2_000)}`);
  return JSON.parse(running.stdout()) as PythonOutcome[];
}
