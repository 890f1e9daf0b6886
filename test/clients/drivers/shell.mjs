/**
 * What the short programs of this folder share: where to call, and the one tool they offer, a shell. They are
 * given the folder their packages are installed in, and do the task as an application of that SDK would.
 */
import { exec } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";

const [, , packages, variant = ""] = process.argv;

/** Loads a package from the folder it was installed in. */
export const load = createRequire(`${packages}/node_modules/`);
export { variant };
export const { BASE_URL: baseUrl, API_KEY: apiKey, MODEL: model, PROMPT: prompt } = process.env;

export const description = "Runs a command with bash and gives what it prints.";
export const schema = {
  type: "object",
  properties: { command: { type: "string", description: "The command." } },
  required: ["command"],
  additionalProperties: false,
};

/** Runs a command in the working folder. */
export async function bash({ command }) {
  return (await promisify(exec)(command, { shell: "/bin/bash" })).stdout || "(no output)";
}

/** More turns than the task has: a model that never ends is an error. */
export const turnsMax = 8;
