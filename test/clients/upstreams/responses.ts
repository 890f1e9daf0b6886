/**
 * A scripted model that speaks OpenAI's Responses, as strict as OpenAI: sealed reasoning comes back whole
 * and before the item it led to, outputs follow their calls, what was not stored cannot be referred to.
 */
import { isDeepStrictEqual } from "node:util";
import { callItem, responseUsage, responseWith, textItem } from "../../wire/responses.ts";
import { responseEvents } from "./responses-events.ts";
import { onlyKnown, unknownPath, type Wire, type WireAnswer, type WireCall } from "./server.ts";
import { Refusal, type Result, type Session } from "./session.ts";
import { asideText, type Step } from "./task.ts";
import { anyValue, canWork, type Offer } from "./tools.ts";
import { type Fields, fieldsOf, rowsOf, textOf } from "./values.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const requestFields = words(
  `model input instructions tools tool_choice parallel_tool_calls stream stream_options store include
  reasoning text temperature top_p top_logprobs max_output_tokens max_tool_calls truncation
  previous_response_id conversation background prompt metadata service_tier prompt_cache_key
  prompt_cache_retention safety_identifier user client_metadata context_management`,
);
const itemFields: Readonly<Record<string, ReadonlySet<string>>> = {
  message: words("type id role content status phase"),
  function_call: words("type id call_id name arguments status namespace"),
  function_call_output: words("type id call_id output status"),
  custom_tool_call: words("type id call_id name input status"),
  custom_tool_call_output: words("type id call_id output status"),
  reasoning: words("type id summary content encrypted_content status"),
  item_reference: words("type id"),
};
const hostedTools = words("web_search file_search code_interpreter image_generation mcp local_shell");

/** Items of stored answers by their ids, per session, and what each stored answer was about. */
interface Stored {
  readonly items: Map<string, Fields>;
  readonly answers: Map<string, readonly Fields[]>;
}
const storedOf = new WeakMap<Session, Stored>();

export const responsesWire: Wire = {
  name: "responses",
  basePath: "/v1",
  answer(call, session) {
    if (!/^Bearer \S+$/.test(call.headers.authorization ?? "")) throw new Refusal("no bearer token", 401);
    if (call.method === "GET" && call.path === "/v1/models")
      return {
        body: { object: "list", data: [{ id: "scripted", object: "model", created: 1, owned_by: "x" }] },
      };
    if (call.method !== "POST" || call.path !== "/v1/responses") throw unknownPath(call);
    return response(call, session);
  },
  error: (_status, message) => ({
    error: { message, type: "invalid_request_error", param: null, code: null },
  }),
};

function response({ body }: WireCall, session: Session): WireAnswer {
  onlyKnown("request", body, requestFields);
  if (textOf(body["model"]) === "") throw new Refusal("Missing required parameter: 'model'");
  const stored = storedOf.get(session) ?? { items: new Map(), answers: new Map() };
  storedOf.set(session, stored);
  const offers = offersIn(body["tools"]);
  const items = checkItems(inputOf(body, stored), session);
  const isAside = !canWork(offers);
  const { index, step } = isAside
    ? { index: 0, step: { thought: "", text: aside(body), works: [] } }
    : session.next(items);
  const output = outputOf(body, index, step, isAside ? [] : offers, session);
  const id = `resp_scripted_${index}`;
  if (body["store"] !== false && !isAside) {
    for (const item of output) stored.items.set(textOf(item["id"]), item);
    stored.answers.set(id, [...inputOf(body, stored), ...output]);
  }
  const tokens = session.tokens(index);
  const whole = responseWith(id, body, output, responseUsage(tokens));
  return body["stream"] === true ? { stream: responseEvents(whole), tokens } : { body: whole, tokens };
}

function aside(body: Fields): string {
  const schema = fieldsOf(fieldsOf(body["text"])["format"])["schema"];
  return schema === undefined ? asideText : JSON.stringify(anyValue(fieldsOf(schema)));
}

function offersIn(tools: unknown): Offer[] {
  return rowsOf(tools).flatMap((tool, at): Offer[] => {
    const name = textOf(tool["name"]);
    if (tool["type"] === "custom") return [{ name }];
    if (tool["type"] === "namespace") {
      offersIn(tool["tools"]);
      return [];
    }
    if (tool["type"] !== "function") {
      if (!hostedTools.has(textOf(tool["type"]))) throw new Refusal(`tools[${at}].type: "${tool["type"]}"`);
      return [];
    }
    onlyKnown(`tools[${at}]`, tool, words("type name description parameters strict defer_loading"));
    if (!/^[\w-]{1,64}$/.test(name)) throw new Refusal(`tools[${at}].name: "${name}"`);
    return [{ name, schema: fieldsOf(tool["parameters"]) }];
  });
}

/** The input as full items: what was stored stands in place of references and before what is new. */
function inputOf(body: Fields, { items, answers }: Stored): readonly Fields[] {
  const { input, previous_response_id: previous } = body;
  if (typeof previous === "string" && !answers.has(previous))
    throw new Refusal(`Previous response with id '${previous}' not found.`);
  const before = typeof previous === "string" ? (answers.get(previous) ?? []) : [];
  if (typeof input === "string") return [...before, { role: "user", content: input }];
  const now = rowsOf(input).map((item) => {
    if (item["type"] !== "item_reference") return item;
    const found = items.get(textOf(item["id"]));
    if (found === undefined) throw new Refusal(`Item with id '${item["id"]}' not found.`, 404);
    return found;
  });
  return [...before, ...now];
}

/** Holds the order and identity of items; gives the results in them. */
function checkItems(items: readonly Fields[], session: Session): Result[] {
  const results: Result[] = [];
  const open = new Set<string>();
  if (items.length === 0) throw new Refusal("input is empty");
  for (const [at, item] of items.entries()) {
    const where = `input[${at}]`;
    const type = textOf(item["type"]) || "message";
    const known = itemFields[type];
    if (known === undefined) throw new Refusal(`${where}: invalid value '${type}'`);
    onlyKnown(where, item, known);
    if (type === "message") checkMessage(where, item);
    if (type === "reasoning") checkReasoning(where, item, items.slice(at + 1), session);
    if (type === "function_call" || type === "custom_tool_call") {
      checkCall(where, item, items.slice(0, at), session);
      open.add(textOf(item["call_id"]));
    }
    if (type === "function_call_output" || type === "custom_tool_call_output") {
      const id = textOf(item["call_id"]);
      if (!open.delete(id))
        throw new Refusal(`No tool call found for function call output with call_id ${id}.`);
      results.push({ id, content: item["output"] });
    }
  }
  if (open.size > 0) throw new Refusal(`No tool output found for function call ${[...open].join(", ")}.`);
  return results;
}

function checkMessage(where: string, { role, content }: Fields): void {
  if (!["user", "assistant", "system", "developer"].includes(textOf(role)))
    throw new Refusal(`${where}.role: invalid value '${role}'`);
  if (typeof content === "string") return;
  const allowed =
    role === "assistant" ? words("output_text refusal") : words("input_text input_image input_file");
  for (const part of rowsOf(content))
    if (!allowed.has(textOf(part["type"])))
      throw new Refusal(`${where}.content: invalid value '${part["type"]}' for role ${role}`);
}

/** `after`: the items behind it, the first of which it led to. */
function checkReasoning(where: string, item: Fields, after: readonly Fields[], session: Session): void {
  const sealed = item["encrypted_content"];
  const step = typeof sealed === "string" ? session.unseal(sealed) : undefined;
  const call = after.find(({ call_id: id }) => id !== undefined);
  const args = call?.["type"] === "custom_tool_call" ? call["input"] : parsed(call?.["arguments"] ?? "null");
  const led = call && session.find(textOf(call["call_id"]), { name: call["name"], args });
  if (step !== undefined && led !== undefined && led.step !== step)
    throw new Refusal(`${where}: encrypted_content of step ${step} before a call of step ${led.step}`);
  const [next] = after;
  if (!Array.isArray(item["summary"])) throw new Refusal(`${where}: Missing required parameter: 'summary'`);
  const type = textOf(next?.["type"]) || textOf(next?.["role"]);
  if (!/^(message|assistant|function_call|custom_tool_call|reasoning)$/.test(type))
    throw new Refusal(
      `Item '${item["id"]}' of type 'reasoning' was provided without its required following item.`,
    );
}

function checkCall(where: string, item: Fields, before: readonly Fields[], session: Session): void {
  const args = item["type"] === "custom_tool_call" ? item["input"] : parsed(item["arguments"]);
  const issued = session.find(textOf(item["call_id"]), { name: item["name"], args });
  if (item["name"] !== issued.name || !isDeepStrictEqual(args, issued.args))
    throw new Refusal(`${where}: call ${issued.id} was altered`);
  const { id } = item;
  if (id === undefined || id === null) return;
  // An item with the id it was given belongs to the reasoning before it; without the id it stands alone.
  const reasoning = `rs_scripted_${issued.step}`;
  if (textOf(id) === itemId(issued.id) && !before.some((one) => one["id"] === reasoning))
    throw new Refusal(
      `Item '${id}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoning}'.`,
    );
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(textOf(text));
  } catch {
    throw new Refusal("arguments are no JSON");
  }
}

const itemId = (callId: string): string => callId.replace(/^call_/, "fc_");

function outputOf(
  body: Fields,
  index: number,
  step: Step,
  offers: readonly Offer[],
  session: Session,
): Fields[] {
  const include = body["include"];
  const isSealed = Array.isArray(include) && include.includes("reasoning.encrypted_content");
  const isShown = textOf(fieldsOf(body["reasoning"])["summary"]) !== "";
  const calls = session.issue(index, offers);
  const reasoning = {
    id: `rs_scripted_${index}`,
    type: "reasoning",
    summary: isShown ? [{ type: "summary_text", text: step.thought }] : [],
    ...(isSealed ? { encrypted_content: session.seal(index) } : {}),
  };
  const text = textItem(`msg_scripted_${index}`, step.text);
  return [
    ...(offers.length === 0 ? [] : [reasoning]),
    ...(step.text === "" ? [] : [text]),
    ...calls.map(({ id, name, args }) =>
      typeof args === "string"
        ? { id: itemId(id), call_id: id, name, status: "completed", type: "custom_tool_call", input: args }
        : callItem(id, name, JSON.stringify(args)),
    ),
  ];
}
