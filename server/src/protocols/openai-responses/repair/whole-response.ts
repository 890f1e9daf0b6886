/**
 * Members that every response has at OpenAI and that servers of open models leave out: without them clients
 * fail, or read `undefined`. What a response has stays as it is written.
 */
import { setMembers } from "../../../lib/json/set-members.ts";
import type { ObjectView } from "./members.ts";

/** What is put in where a response lacks it. */
export interface ResponseHead {
  readonly id: string;
  readonly createdSeconds: number;
  readonly model: string;
}

export type ResponseStatus = "in_progress" | "completed" | "incomplete";

/** Members that say nothing where they are not said. `usage`: null, as no number would be true. */
const usual: Readonly<Record<string, string>> = {
  error: "null",
  incomplete_details: "null",
  output: "[]",
  parallel_tool_calls: "true",
  tool_choice: '"auto"',
  tools: "[]",
  usage: "null",
};

/** The members that a response lacks. `output`: in place of what it has; undefined: that stays. */
function lackingIn(
  response: ObjectView,
  head: ResponseHead,
  { status, output }: { readonly status: ResponseStatus; readonly output?: string | undefined },
): Record<string, string> {
  const values: Record<string, string> = {};
  // Clients refuse an event of another response than the one that was created.
  if (response.text("id") !== head.id) values["id"] = JSON.stringify(head.id);
  if (response.text("object") === undefined) values["object"] = '"response"';
  if (response.number("created_at") === undefined && response.raw("created_at") === undefined)
    values["created_at"] = String(head.createdSeconds);
  if (response.text("model") === undefined) values["model"] = JSON.stringify(head.model);
  if (response.text("status") === undefined) values["status"] = JSON.stringify(status);
  for (const [name, value] of Object.entries(usual))
    if (response.span(name) === undefined) values[name] = value;
  const usage = response.object("usage");
  const mended = usage && wholeUsage(usage);
  if (mended !== undefined) values["usage"] = mended;
  if (output !== undefined) values["output"] = output;
  return values;
}

/** The usage with the details that it lacks; undefined: it has them. */
function wholeUsage(usage: ObjectView): string | undefined {
  const values: Record<string, string> = {};
  const detail = (name: string, count: string): void => {
    const known = usage.object(name);
    if (known === undefined) values[name] = `{"${count}":0}`;
    else if (known.number(count) === undefined)
      values[name] = setMembers(known.bytes, 0, { [count]: "0" }).toString();
  };
  detail("input_tokens_details", "cached_tokens");
  detail("output_tokens_details", "reasoning_tokens");
  const [input, output] = [usage.number("input_tokens"), usage.number("output_tokens")];
  if (usage.number("total_tokens") === undefined && input !== undefined && output !== undefined)
    values["total_tokens"] = String(input + output);
  return Object.keys(values).length === 0 ? undefined : setMembers(usage.bytes, 0, values).toString();
}

/** The response with what it lacks; the same bytes where it lacks nothing. */
export const wholeResponse = (
  response: ObjectView,
  head: ResponseHead,
  how: Parameters<typeof lackingIn>[2],
): Buffer => setMembers(response.bytes, 0, lackingIn(response, head, how));
