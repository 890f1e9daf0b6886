/**
 * A scripted model that speaks Anthropic's Messages, as strict as Anthropic: signed thinking comes back
 * whole and first, results come first in the next user message, `cache_control` stands on at most four
 * blocks and never on an empty one, fields of a beta need its header.
 */
import { isDeepStrictEqual } from "node:util";
import {
  blockDelta,
  blockStart,
  blockStop,
  inputUsage,
  type MessagesEvent,
  messageDelta,
  messageStart,
  messageStop,
  messagesError,
  messageWith,
  outputUsage,
  ping,
} from "../../wire/messages.ts";
import { onlyKnown, unknownPath, type Wire, type WireAnswer, type WireCall } from "./server.ts";
import { Refusal, type Result, type Session } from "./session.ts";
import { asideText, type Step, task } from "./task.ts";
import { anyValue, canWork, type Offer } from "./tools.ts";
import { type Fields, fieldsOf, isFields, piecesOf, rowsOf, textOf } from "./values.ts";

const requestFields = new Set(
  `model max_tokens messages system stop_sequences stream temperature top_p top_k tools tool_choice thinking
  output_config metadata service_tier speed cache_control container inference_geo context_management
  diagnostics mcp_servers`.split(/\s+/),
);
const toolFields = new Set(
  "name description input_schema strict cache_control type defer_loading eager_input_streaming".split(" "),
);
/** Fields that are refused without the beta of this name in `anthropic-beta`. */
const betaFor: Readonly<Record<string, string>> = {
  context_management: "context-management-2025-06-27",
  mcp_servers: "mcp-client",
};
const blockFields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(["type", "text", "cache_control", "citations"]),
  image: new Set(["type", "source", "cache_control"]),
  document: new Set(["type", "source", "title", "context", "citations", "cache_control"]),
  tool_use: new Set(["type", "id", "name", "input", "cache_control", "caller"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]),
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"]),
  tool_reference: new Set(["type", "tool_name", "cache_control"]),
};
const cacheMarksMax = 4;

export const messagesWire: Wire = {
  name: "messages",
  basePath: "/v1",
  answer(call, session) {
    if (call.method === "HEAD" && call.path === "/") return { body: {} };
    if (call.method === "GET" && call.path === "/v1/models") return { body: { data: [], has_more: false } };
    if (call.method !== "POST" || !call.path.startsWith("/v1/messages")) throw unknownPath(call);
    const { headers, body } = call;
    if (headers["x-api-key"] === undefined && !/^Bearer \S+$/.test(headers.authorization ?? ""))
      throw new Refusal("x-api-key header is required", 401);
    if (headers["anthropic-version"] === undefined) throw new Refusal("anthropic-version is required");
    if (call.path === "/v1/messages/count_tokens")
      return { body: { input_tokens: JSON.stringify(body).length >> 2 } };
    if (call.path !== "/v1/messages") throw unknownPath(call);
    return message(call, session);
  },
  error: (status, text) =>
    messagesError(
      status === 404 ? "not_found_error" : status < 500 ? "invalid_request_error" : "api_error",
      text,
      "req_scripted",
    ),
};

function message({ body, headers }: WireCall, session: Session): WireAnswer {
  onlyKnown("request", body, requestFields);
  const betas = String(headers["anthropic-beta"] ?? "");
  for (const [field, beta] of Object.entries(betaFor))
    if (field in body && !betas.includes(beta)) throw new Refusal(`${field}: Extra inputs are not permitted`);
  if (!Number.isInteger(body["max_tokens"])) throw new Refusal("max_tokens: Field required");
  checkThinkingSetting(body, betas);
  const offers = offersIn(body["tools"]);
  const messages = rowsOf(body["messages"]);
  checkCacheMarks(body);
  const results = checkMessages(messages, session, isThinking(body));
  if (!canWork(offers)) return write(body, 0, { thought: "", text: aside(body), works: [] }, [], session);
  const { index, step } = session.next(results);
  return write(body, index, step, offers, session);
}

function aside(body: Fields): string {
  const schema = fieldsOf(fieldsOf(body["output_config"])["format"])["schema"];
  return schema === undefined ? asideText : JSON.stringify(anyValue(fieldsOf(schema)));
}

const isThinking = (body: Fields): boolean =>
  ["enabled", "adaptive"].includes(textOf(fieldsOf(body["thinking"])["type"]));

function checkThinkingSetting(body: Fields, betas: string): void {
  const { type, budget_tokens: budget } = fieldsOf(body["thinking"]);
  // Interleaved thinking may think more than one answer is long.
  const budgetMax = betas.includes("interleaved-thinking") ? Infinity : Number(body["max_tokens"]);
  if (type === "enabled" && !(Number(budget) >= 1_024 && Number(budget) < budgetMax))
    throw new Refusal("thinking.budget_tokens must be at least 1024 and less than max_tokens");
  if (isThinking(body) && body["temperature"] !== undefined && body["temperature"] !== 1)
    throw new Refusal("temperature may only be set to 1 when thinking is enabled");
  const choice = textOf(fieldsOf(body["tool_choice"])["type"]);
  if (isThinking(body) && (choice === "any" || choice === "tool"))
    throw new Refusal("Thinking may not be enabled when tool_choice forces tool use");
}

function offersIn(tools: unknown): Offer[] {
  return rowsOf(tools).flatMap((tool, at) => {
    if (tool["type"] !== undefined && tool["type"] !== "custom") return [];
    onlyKnown(`tools.${at}.custom`, tool, toolFields);
    const name = textOf(tool["name"]);
    if (!/^[\w-]{1,128}$/.test(name)) throw new Refusal(`tools.${at}.custom.name: "${name}"`);
    const schema = fieldsOf(tool["input_schema"]);
    if (schema["type"] !== "object")
      throw new Refusal(`tools.${at}.custom.input_schema.type: Field required`);
    return [{ name, schema }];
  });
}

/** All blocks that may carry a mark, in any depth the wire has. */
function checkCacheMarks(body: Fields): void {
  const blocks = [
    ...rowsOf(body["tools"]),
    ...rowsOf(body["system"]),
    ...rowsOf(body["messages"]).flatMap(({ content }) =>
      rowsOf(content).flatMap((block) => [block, ...rowsOf(block["content"])]),
    ),
  ].filter(({ cache_control: mark }) => mark !== undefined && mark !== null);
  if (blocks.length > cacheMarksMax)
    throw new Refusal(`a maximum of 4 blocks with cache_control may be provided, found ${blocks.length}`);
  if (blocks.some(({ type, text }) => type === "text" && text === ""))
    throw new Refusal("cache_control cannot be set for empty text blocks");
}

/** Holds roles, blocks and the pairing of calls and results; gives the results. */
function checkMessages(messages: readonly Fields[], session: Session, isThinkingOn: boolean): Result[] {
  const results: Result[] = [];
  let open: string[] = [];
  if (messages[0]?.["role"] !== "user") throw new Refusal("messages: first message must use the user role");
  for (const [at, { role, content, ...rest }] of messages.entries()) {
    const where = `messages.${at}`;
    onlyKnown(where, rest, new Set());
    if (role !== "user" && role !== "assistant" && role !== "system")
      throw new Refusal(`${where}.role: "${role}"`);
    const blocks = blocksOf(where, content);
    if (role === "system") continue;
    if (role === "user") {
      const answered = blocks.filter(({ type }) => type === "tool_result");
      if (blocks.slice(0, answered.length).some(({ type }) => type !== "tool_result"))
        throw new Refusal(`${where}: tool_result blocks must come first`);
      const ids = answered.map(({ tool_use_id: id }) => textOf(id));
      const missing = open.find((id) => !ids.includes(id));
      if (missing !== undefined)
        throw new Refusal(`${where}: tool_use ids were found without tool_result blocks: ${missing}`);
      const stray = ids.find((id, index) => !open.includes(id) || ids.indexOf(id) !== index);
      if (stray !== undefined) throw new Refusal(`${where}: unexpected tool_use_id ${stray}`);
      results.push(
        ...answered.map((block) => ({ id: textOf(block["tool_use_id"]), content: block["content"] })),
      );
      open = [];
    } else {
      if (open.length > 0) throw new Refusal(`${where}: no results for ${open.join(", ")}`);
      open = checkAssistant(where, blocks, session, isThinkingOn);
    }
  }
  if (open.length > 0) throw new Refusal(`no results for ${open.join(", ")}`);
  return results;
}

function blocksOf(where: string, content: unknown): readonly Fields[] {
  if (typeof content === "string") {
    if (content === "") throw new Refusal(`${where}: content must be non-empty`);
    return [{ type: "text", text: content }];
  }
  if (!Array.isArray(content) || content.length === 0) throw new Refusal(`${where}: content is empty`);
  for (const [at, block] of content.entries()) {
    const type = textOf(fieldsOf(block)["type"]);
    const known = blockFields[type];
    if (!isFields(block) || known === undefined) throw new Refusal(`${where}.content.${at}: type "${type}"`);
    onlyKnown(`${where}.content.${at}.${type}`, block, known);
    if (type === "text" && textOf(block["text"]).trim() === "")
      throw new Refusal(`${where}.content.${at}: text content blocks must contain non-whitespace text`);
  }
  return rowsOf(content);
}

/** The step of a thought, whose words the signature covers. They may have been left out as they went out. */
function signedThought(where: string, block: Fields, session: Session): number {
  const step = session.unseal(textOf(block["signature"]));
  const said = textOf(block["thinking"]);
  if (said !== "" && said !== task[step]?.thought)
    throw new Refusal(`${where}: Invalid \`signature\` in \`thinking\` block: "${said}"`);
  return step;
}

/** The calls of an assistant message, in order; refuses what is not as it was issued. */
function checkAssistant(
  where: string,
  blocks: readonly Fields[],
  session: Session,
  isThinkingOn: boolean,
): string[] {
  const sealed = blocks.map((block) => {
    if (block["type"] === "thinking") return signedThought(where, block, session);
    return block["type"] === "redacted_thinking" ? session.unseal(textOf(block["data"])) : -1;
  });
  const calls = blocks.filter(({ type }) => type === "tool_use");
  for (const call of calls) {
    const id = textOf(call["id"]);
    const issued = session.find(id, { name: call["name"], args: call["input"] });
    if (call["name"] !== issued.name) throw new Refusal(`${where}: "${id}" was "${issued.name}"`);
    if (!isDeepStrictEqual(call["input"], issued.args))
      throw new Refusal(`${where}: input of "${id}" altered`);
    if (isThinkingOn && sealed[0] !== issued.step)
      throw new Refusal(
        `${where}.content.0.type: Expected \`thinking\` of this turn, but found \`${blocks[0]?.["type"]}\``,
      );
  }
  return calls.map(({ id }) => textOf(id));
}

function write(
  body: Fields,
  index: number,
  step: Step,
  offers: readonly Offer[],
  session: Session,
): WireAnswer {
  const tokens = session.tokens(index);
  const calls = session.issue(index, offers);
  const isHidden = fieldsOf(body["thinking"])["display"] === "omitted";
  const hasThought = isThinking(body) && step.thought !== "" && offers.length > 0;
  const thinking = (): Fields => ({
    type: "thinking",
    thinking: isHidden ? "" : step.thought,
    signature: session.seal(index),
  });
  const content: Fields[] = [
    ...(hasThought ? [thinking()] : []),
    ...(step.text === "" ? [] : [{ type: "text", text: step.text }]),
    ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
  ];
  const reason = calls.length > 0 ? "tool_use" : "end_turn";
  const head = { id: `msg_scripted_${index}`, model: body["model"] };
  const usage = { ...inputUsage(tokens), ...outputUsage(tokens) };
  if (body["stream"] !== true) return { body: { ...messageWith(head, content, reason), usage }, tokens };
  const begun = { ...messageWith(head, [], null), usage: { ...inputUsage(tokens), output_tokens: 1 } };
  const stream = [
    messageStart(begun),
    ping,
    ...content.flatMap((block, at) => blockEvents(at, block)),
    messageDelta(reason, outputUsage(tokens)),
    messageStop,
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return { stream, tokens };
}

function blockEvents(index: number, block: Fields): MessagesEvent[] {
  const delta = (fields: Fields): MessagesEvent => blockDelta(index, fields);
  const around = (empty: Fields, deltas: readonly MessagesEvent[]): MessagesEvent[] => [
    blockStart(index, empty),
    ...deltas,
    blockStop(index),
  ];
  if (block["type"] === "thinking") {
    const pieces = piecesOf(textOf(block["thinking"]), 12);
    return around({ type: "thinking", thinking: "", signature: "" }, [
      ...pieces.map((thinking) => delta({ type: "thinking_delta", thinking })),
      delta({ type: "signature_delta", signature: block["signature"] }),
    ]);
  }
  if (block["type"] === "text")
    return around(
      { type: "text", text: "" },
      piecesOf(textOf(block["text"]), 5).map((text) => delta({ type: "text_delta", text })),
    );
  const { id, name, input } = block;
  return around({ type: "tool_use", id, name, input: {} }, [
    delta({ type: "input_json_delta", partial_json: "" }),
    ...piecesOf(JSON.stringify(input), 9).map((partial_json) =>
      delta({ type: "input_json_delta", partial_json }),
    ),
  ]);
}
