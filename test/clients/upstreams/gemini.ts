/**
 * A scripted model that speaks Gemini's API, as strict as Google: no unknown field anywhere, roles take
 * turns, every result matches a call of the turn before, and the first call of a step carries the thought
 * signature it came with.
 */
import { isDeepStrictEqual } from "node:util";
import { contentWith, geminiError, usageMetadata } from "../../wire/gemini.ts";
import { onlyKnown, unknownPath, type Wire, type WireAnswer, type WireCall } from "./server.ts";
import { type IssuedCall, Refusal, type Result, type Session } from "./session.ts";
import { asideText, type Step } from "./task.ts";
import { anyValue, canWork, type Offer } from "./tools.ts";
import { type Fields, fieldsOf, piecesOf, rowsOf, textOf } from "./values.ts";

/** Google's names of fields, each in both spellings that proto3 takes; its SDK for Python mixes them. */
const words = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/).flatMap((name) => [name, snakeOf(name)]));

const snakeOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A field by its name, in either spelling. */
const read = (fields: Fields, name: string): unknown => fields[name] ?? fields[snakeOf(name)];

const requestFields = words(
  "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent serviceTier",
);
const generationFields = words(
  `temperature topP topK candidateCount maxOutputTokens stopSequences seed presencePenalty frequencyPenalty
  responseMimeType responseSchema responseJsonSchema responseModalities responseLogprobs logprobs
  mediaResolution speechConfig imageConfig thinkingConfig`,
);
const partFields = words(
  `text thought thoughtSignature inlineData fileData functionCall functionResponse executableCode
  codeExecutionResult videoMetadata`,
);
const toolFields = words("functionDeclarations googleSearch urlContext codeExecution");
const declarationFields = words("name description parameters parametersJsonSchema response behavior");
/** What Google documents for a call whose signature was lost. */
const dummySignature = "skip_thought_signature_validator";

export const geminiWire: Wire = {
  name: "gemini",
  basePath: "/v1beta",
  answer(call, session) {
    if (call.headers["x-goog-api-key"] === undefined) throw new Refusal("no x-goog-api-key", 403);
    if (call.method === "GET" && call.path === "/v1beta/models") return { body: { models: [] } };
    const [, verb] = /^\/v1(?:beta)?\/models\/[^/:]+:(\w+)$/.exec(call.path) ?? [];
    if (call.method !== "POST" || verb === undefined) throw unknownPath(call);
    if (verb === "countTokens") return { body: { totalTokens: JSON.stringify(call.body).length >> 2 } };
    if (verb !== "generateContent" && verb !== "streamGenerateContent") throw unknownPath(call);
    return content(call, verb === "streamGenerateContent", session);
  },
  error: (status, message) => geminiError(status, status === 404 ? "NOT_FOUND" : "INVALID_ARGUMENT", message),
};

function content({ body, query }: WireCall, isStream: boolean, session: Session): WireAnswer {
  onlyKnown("request", body, requestFields);
  const config = fieldsOf(read(body, "generationConfig"));
  onlyKnown("generationConfig", config, generationFields);
  const thinking = fieldsOf(read(config, "thinkingConfig"));
  onlyKnown("thinkingConfig", thinking, words("includeThoughts thinkingBudget thinkingLevel"));
  if (read(thinking, "thinkingBudget") !== undefined && read(thinking, "thinkingLevel") !== undefined)
    throw new Refusal("thinkingBudget and thinkingLevel cannot both be set");
  onlyKnown("systemInstruction", fieldsOf(read(body, "systemInstruction")), words("role parts"));
  const offers = offersIn(body["tools"]);
  const results = checkContents(rowsOf(body["contents"]), session);
  const isAside = !canWork(offers);
  const { index, step } = isAside
    ? { index: 0, step: { thought: "", text: aside(config), works: [] } }
    : session.next(results);
  const tokens = session.tokens(index);
  const calls = session.issue(index, isAside ? [] : offers);
  const parts = partsOf(step, calls, read(thinking, "includeThoughts") === true, session.seal(index));
  const more = { usage: usageMetadata(tokens), version: "scripted-001", id: `response-${index}` };
  const answer = (some: readonly Fields[], reason?: string): Fields => contentWith(some, { ...more, reason });
  if (!isStream) return { body: answer(parts, "STOP"), tokens };
  const pieces = parts.flatMap(streamedPart).map((part) => answer([part]));
  pieces.push(answer([{ text: "" }], "STOP"));
  if (query.get("alt") !== "sse") return { body: pieces, tokens };
  return { stream: pieces.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`), tokens };
}

function aside(config: Fields): string {
  const schema = read(config, "responseJsonSchema") ?? read(config, "responseSchema");
  return schema === undefined ? asideText : JSON.stringify(anyValue(fieldsOf(schema)));
}

function offersIn(tools: unknown): Offer[] {
  return rowsOf(tools).flatMap((tool) => {
    onlyKnown("tools", tool, toolFields);
    return rowsOf(read(tool, "functionDeclarations")).map((one) => {
      const name = textOf(one["name"]);
      onlyKnown(`functionDeclarations "${name}"`, one, declarationFields);
      if (!/^[A-Za-z_][\w.:-]{0,127}$/.test(name)) throw new Refusal(`invalid function name "${name}"`);
      checkSubset(`${name}.parameters`, one["parameters"]);
      return { name, schema: fieldsOf(read(one, "parametersJsonSchema") ?? one["parameters"]) };
    });
  });
}

const schemaFields = words(
  `type format title description nullable enum items minItems maxItems properties required propertyOrdering
  minProperties maxProperties minLength maxLength pattern minimum maximum anyOf default example`,
);

/** `parameters` is a subset of OpenAPI's schema; JSON Schema proper goes into `parametersJsonSchema`. */
function checkSubset(where: string, schema: unknown): void {
  const fields = fieldsOf(schema);
  onlyKnown(where, fields, schemaFields);
  for (const [name, one] of Object.entries(fieldsOf(fields["properties"])))
    checkSubset(`${where}.${name}`, one);
  if (fields["items"] !== undefined) checkSubset(`${where}.items`, fields["items"]);
  for (const one of rowsOf(read(fields, "anyOf"))) checkSubset(`${where}.anyOf`, one);
}

interface Turn {
  readonly where: string;
  readonly role: string;
  readonly parts: Fields[];
}

/** Contents of one role in a row are one turn: Google's SDK keeps a content for every chunk of a stream. */
function turnsOf(contents: readonly Fields[]): Turn[] {
  const turns: Turn[] = [];
  for (const [at, content] of contents.entries()) {
    const where = `contents[${at}]`;
    onlyKnown(where, content, words("role parts"));
    const role = textOf(content["role"]);
    if (role !== "model" && role !== "user") throw new Refusal(`${where}.role: "${role}"`);
    const parts = rowsOf(content["parts"]);
    if (parts.length === 0) throw new Refusal(`${where}.parts must not be empty`);
    for (const part of parts) onlyKnown(`${where}.parts`, part, partFields);
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ where, role, parts: [...parts] });
  }
  return turns;
}

/** Holds turns, parts and the pairing of calls and results; gives the results. */
function checkContents(contents: readonly Fields[], session: Session): Result[] {
  const results: Result[] = [];
  let open: IssuedCall[] = [];
  if (contents.length === 0) throw new Refusal("contents is not specified");
  for (const { where, role, parts } of turnsOf(contents)) {
    const answers = parts.flatMap((part) =>
      read(part, "functionResponse") === undefined ? [] : [fieldsOf(read(part, "functionResponse"))],
    );
    if (answers.length !== open.length)
      throw new Refusal(`${where}: ${answers.length} function responses for ${open.length} function calls`);
    for (const [place, answer] of answers.entries())
      results.push(checkAnswer(where, answer, open[place] as IssuedCall));
    open = role === "model" ? checkModelParts(where, parts, session) : [];
  }
  if (open.length > 0) throw new Refusal("the conversation ends with a function call");
  return results;
}

function checkAnswer(where: string, answer: Fields, call: IssuedCall): Result {
  onlyKnown(`${where}.functionResponse`, answer, words("id name response parts willContinue scheduling"));
  if (answer["name"] !== call.name)
    throw new Refusal(`${where}: a response of "${answer["name"]}" for "${call.name}"`);
  if (answer["id"] !== undefined && answer["id"] !== call.id)
    throw new Refusal(`${where}: response id "${answer["id"]}" is not "${call.id}"`);
  const { response } = answer;
  if (Object.keys(fieldsOf(response)).length === 0) throw new Refusal(`${where}: response is no object`);
  return { id: call.id, content: response };
}

/**
 * The issued calls of a model's turn. A client may keep ids or leave them out, so place and content decide.
 */
function checkModelParts(where: string, parts: readonly Fields[], session: Session): IssuedCall[] {
  const calls: IssuedCall[] = [];
  for (const part of parts) {
    const signature = read(part, "thoughtSignature");
    const step =
      signature === undefined || signature === dummySignature ? -1 : session.unseal(textOf(signature));
    if (read(part, "functionCall") === undefined) continue;
    const call = fieldsOf(read(part, "functionCall"));
    onlyKnown(`${where}.functionCall`, call, words("id name args"));
    const issued =
      call["id"] === undefined ? session.match(call["name"], call["args"]) : session.find(textOf(call["id"]));
    if (call["name"] !== issued.name || !isDeepStrictEqual(call["args"] ?? {}, issued.args))
      throw new Refusal(`${where}: function call "${issued.id}" was altered`);
    if (calls.length === 0 && step !== issued.step && signature !== dummySignature)
      throw new Refusal(`Function call is missing a thought_signature: ${where}, ${issued.name}`);
    if (calls.length > 0 && signature !== undefined)
      throw new Refusal(`${where}: the signature stands on a call that had none`);
    calls.push(issued);
  }
  return calls;
}

/** A signature stands on the first call, or on the last text where there is none. */
function partsOf(step: Step, calls: readonly IssuedCall[], isShown: boolean, seal: string): Fields[] {
  const signed = { thoughtSignature: seal };
  return [
    ...(isShown && step.thought !== "" ? [{ text: step.thought, thought: true }] : []),
    ...(step.text === "" ? [] : [{ text: step.text, ...(calls.length === 0 ? signed : {}) }]),
    ...calls.map(({ id, name, args }, at) => ({
      functionCall: { id, name, args },
      ...(at === 0 ? signed : {}),
    })),
  ];
}

/** Text comes in pieces, the signature with the last; a call comes whole. */
function streamedPart(part: Fields): Fields[] {
  if (read(part, "functionCall") !== undefined) return [part];
  const { text, thoughtSignature, ...rest } = part;
  const pieces: Fields[] = piecesOf(textOf(text), 8).map((piece) => ({ text: piece, ...rest }));
  return thoughtSignature === undefined ? pieces : [...pieces, { text: "", thoughtSignature, ...rest }];
}
