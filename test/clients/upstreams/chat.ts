/**
 * A scripted model that speaks chat completions, as strict as OpenAI: results follow their calls, calls come
 * back as they went out, no field is unknown. Reasons in `reasoning_content`, as many compatible servers do.
 */
import { isDeepStrictEqual } from "node:util";
import { onlyKnown, unknownPath, type Wire, type WireAnswer, type WireCall } from "./server.ts";
import { Refusal, type Result, type Session } from "./session.ts";
import { asideText, type Step } from "./task.ts";
import { anyValue, canWork, type Offer } from "./tools.ts";
import { type Fields, fieldsOf, piecesOf, rowsOf, textOf } from "./values.ts";

const requestFields = new Set(
  `model messages tools tool_choice parallel_tool_calls stream stream_options max_tokens max_completion_tokens
  temperature top_p n stop seed presence_penalty frequency_penalty logprobs top_logprobs logit_bias
  response_format reasoning_effort verbosity metadata store user safety_identifier prompt_cache_key
  service_tier`.split(/\s+/),
);
const messageFields: Readonly<Record<string, ReadonlySet<string>>> = {
  system: new Set(["role", "content", "name"]),
  developer: new Set(["role", "content", "name"]),
  user: new Set(["role", "content", "name"]),
  // OpenAI's own SDK sends `parsed` back, and whole messages are pushed back as they came.
  assistant: new Set(
    "role content name refusal tool_calls audio function_call annotations reasoning_content parsed".split(
      " ",
    ),
  ),
  tool: new Set(["role", "content", "tool_call_id"]),
};
const partTypes = new Set(["text", "image_url", "input_audio", "file", "refusal"]);

export const chatWire: Wire = {
  name: "chat",
  basePath: "/v1",
  answer(call, session) {
    if (call.method === "GET" && call.path === "/v1/models")
      return {
        body: { object: "list", data: [{ id: "scripted", object: "model", created: 1, owned_by: "x" }] },
      };
    if (call.method !== "POST" || call.path !== "/v1/chat/completions") throw unknownPath(call);
    if (!/^Bearer \S+$/.test(call.headers.authorization ?? "")) throw new Refusal("no bearer token", 401);
    return completion(call, session);
  },
  error: (status, message) => ({
    error: {
      message,
      type: status < 500 ? "invalid_request_error" : "server_error",
      param: null,
      code: null,
    },
  }),
};

function completion({ body }: WireCall, session: Session): WireAnswer {
  onlyKnown("request", body, requestFields);
  if (textOf(body["model"]) === "") throw new Refusal("model is missing");
  if (body["stream_options"] !== undefined && body["stream"] !== true)
    throw new Refusal("stream_options is only allowed when stream is enabled");
  const offers = offersIn(body["tools"]);
  const results = checkMessages(rowsOf(body["messages"]), session);
  if (!canWork(offers)) return write(body, 0, { thought: "", text: aside(body), works: [] }, [], session);
  const { index, step } = session.next(results);
  return write(body, index, step, offers, session);
}

function aside(body: Fields): string {
  const format = fieldsOf(body["response_format"]);
  const schema = fieldsOf(format["json_schema"])["schema"];
  return schema === undefined ? asideText : JSON.stringify(anyValue(fieldsOf(schema)));
}

function offersIn(tools: unknown): Offer[] {
  const names = new Set<string>();
  return rowsOf(tools).map((tool, at) => {
    const definition = fieldsOf(tool["function"]);
    const name = textOf(definition["name"]);
    if (tool["type"] !== "function" || !/^[\w-]{1,64}$/.test(name))
      throw new Refusal(`tools[${at}] is no function with a valid name: "${name}"`);
    if (names.has(name)) throw new Refusal(`tools[${at}]: "${name}" is declared twice`);
    names.add(name);
    onlyKnown(`tools[${at}]`, tool, new Set(["type", "function"]));
    onlyKnown(`tools[${at}].function`, definition, new Set(["name", "description", "parameters", "strict"]));
    return { name, schema: fieldsOf(definition["parameters"]) };
  });
}

/** Holds the order of messages and the identity of calls; gives the results in it. */
function checkMessages(messages: readonly Fields[], session: Session): Result[] {
  const results: Result[] = [];
  let open = new Set<string>();
  if (messages.length === 0) throw new Refusal("messages is empty");
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    const role = textOf(message["role"]);
    const known = messageFields[role];
    if (known === undefined) throw new Refusal(`${where}: unknown role "${role}"`);
    onlyKnown(where, message, known);
    checkContent(where, message);
    if (role === "tool") {
      const id = textOf(message["tool_call_id"]);
      if (!open.delete(id)) throw new Refusal(`${where}: no call before it awaits a result for "${id}"`);
      results.push({ id, content: message["content"] });
      continue;
    }
    if (open.size > 0) throw new Refusal(`${where}: no result for ${[...open].join(", ")} before it`);
    if (role === "assistant") open = new Set(checkCalls(where, message, session));
  }
  if (open.size > 0) throw new Refusal(`the conversation ends without results for ${[...open].join(", ")}`);
  return results;
}

function checkContent(where: string, message: Fields): void {
  const content = message["content"];
  const hasCalls = rowsOf(message["tool_calls"]).length > 0;
  if (content === null || content === undefined) {
    if (message["role"] !== "assistant" || !hasCalls) throw new Refusal(`${where}: content is missing`);
  } else if (Array.isArray(content)) {
    if (content.length === 0) throw new Refusal(`${where}: content is an empty list`);
    for (const part of rowsOf(content))
      if (!partTypes.has(textOf(part["type"]))) throw new Refusal(`${where}: part "${part["type"]}"`);
  } else if (typeof content !== "string") throw new Refusal(`${where}: content is no text`);
}

function checkCalls(where: string, message: Fields, session: Session): string[] {
  const calls = message["tool_calls"];
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls) || calls.length === 0) throw new Refusal(`${where}: tool_calls is empty`);
  return rowsOf(calls).map((call) => {
    const id = textOf(call["id"]);
    const { name, arguments: args } = fieldsOf(call["function"]);
    const issued = session.find(id, { name, args: JSON.parse(textOf(args)) });
    if (call["type"] !== "function" || name !== issued.name)
      throw new Refusal(`${where}: call "${id}" is not the "${issued.name}" it was`);
    if (typeof args !== "string" || !isDeepStrictEqual(JSON.parse(args), issued.args))
      throw new Refusal(`${where}: arguments of "${id}" were altered`);
    return id;
  });
}

function write(
  body: Fields,
  index: number,
  step: Step,
  offers: readonly Offer[],
  session: Session,
): WireAnswer {
  const tokens = session.tokens(index);
  const head = {
    id: `chatcmpl-${index}`,
    created: 1_790_000_000,
    model: body["model"],
    system_fingerprint: "fp_scripted",
  };
  const usage = {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    prompt_tokens_details: { cached_tokens: tokens.cached },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  };
  const calls = session.issue(index, offers);
  const toolCalls = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const finish = calls.length > 0 ? "tool_calls" : "stop";
  if (body["stream"] !== true) {
    const message = {
      role: "assistant",
      content: step.text,
      refusal: null,
      ...(step.thought === "" ? {} : { reasoning_content: step.thought }),
      ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
    };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
    return { body: { ...head, object: "chat.completion", choices, usage }, tokens };
  }
  const chunk = (delta: unknown, end: string | null = null): string =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`;
  const asked = fieldsOf(body["stream_options"])["include_usage"] === true;
  const stream = [
    chunk({ role: "assistant", content: "" }),
    ...piecesOf(step.thought, 12).map((piece) => chunk({ reasoning_content: piece })),
    ...piecesOf(step.text, 5).map((piece) => chunk({ content: piece })),
    ...toolCalls.flatMap(({ id, type, function: { name, arguments: args } }, at) => [
      chunk({ tool_calls: [{ index: at, id, type, function: { name, arguments: "" } }] }),
      ...piecesOf(args, 9).map((piece) =>
        chunk({ tool_calls: [{ index: at, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, finish),
    ...(asked
      ? [`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`]
      : []),
    "data: [DONE]\n\n",
  ];
  return { stream, tokens };
}
