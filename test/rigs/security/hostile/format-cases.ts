/**
 * P26, bodies of each endpoint's own format that are hostile where a translation looks into them: deep, many,
 * long, or the same by another road. Each is asked at upstreams of all formats. They may be served or
 * refused; none may fail, nor make other callers wait.
 */
import { spokenName } from "../../harness/catalog.ts";
import { type EndpointName, endpointNames, pathOf } from "../../harness/endpoints.ts";
import { type HostileCase, posted } from "../p26-case.ts";

const mebibyte = 1024 * 1024;
/** Served, or refused by name. */
const handled = { statuses: [200, 400, 413] };
const accepted = { statuses: [200] };

/** What is said in any format, as JSON texts where it may be large. */
interface Words {
  /** Texts of the user, as parts of one message. */
  readonly texts?: readonly string[];
  /** As many messages as these. */
  readonly messages?: readonly string[];
  /** JSON of an image's address: base64 of a data URL. */
  readonly image?: string;
  /** JSON text of the arguments of a call that was made, and its result. */
  readonly args?: string;
  /** JSON of the schema of a function. */
  readonly schema?: string;
  /** Names of functions. */
  readonly tools?: readonly string[];
  /** JSON of a schema for the answer. */
  readonly answer?: string;
}

const json = JSON.stringify;

/** How a format writes each of them, as JSON. */
interface Writer {
  text(text: string): string;
  /** `data`: base64. */
  image(data: string): string;
  /** A message of the user with these parts. */
  message(parts: string): string;
  /** A call of the function `f`, and its result. */
  called(args: string): string;
  tool(name: string, schema: string): string;
  /** The members of the body. */
  body(conversation: string, tools: string, answer: string | undefined): readonly string[];
}

/** Arguments where they are an object: JSON in JSON, or a text where they cannot stand in a body. */
const asObject = (args: string): string =>
  args.startsWith('{"') && args.length < 4_000_000 ? args : `{"a":${json(args)}}`;

const writers: Readonly<Record<EndpointName, Writer>> = {
  chat: {
    text: (text) => `{"type":"text","text":${json(text)}}`,
    image: (data) => `{"type":"image_url","image_url":{"url":"data:image/png;base64,${data}"}}`,
    message: (parts) => `{"role":"user","content":[${parts}]}`,
    called: (args) =>
      `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${json(args)}}}]},` +
      `{"role":"tool","tool_call_id":"c","content":${json(args)}}`,
    tool: (name, schema) => `{"type":"function","function":{"name":${json(name)},"parameters":${schema}}}`,
    body: (messages, tools, answer) => [
      `"messages":[${messages}],"max_tokens":5`,
      ...(tools === "" ? [] : [`"tools":[${tools}]`]),
      ...(answer === undefined
        ? []
        : [`"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":${answer}}}`]),
    ],
  },
  responses: {
    text: (text) => `{"type":"input_text","text":${json(text)}}`,
    image: (data) => `{"type":"input_image","image_url":"data:image/png;base64,${data}"}`,
    message: (parts) => `{"role":"user","content":[${parts}]}`,
    called: (args) =>
      `{"type":"function_call","call_id":"c","name":"f","arguments":${json(args)}},` +
      `{"type":"function_call_output","call_id":"c","output":${json(args)}}`,
    tool: (name, schema) => `{"type":"function","name":${json(name)},"strict":false,"parameters":${schema}}`,
    body: (input, tools, answer) => [
      `"input":[${input}],"max_output_tokens":16,"store":false`,
      ...(tools === "" ? [] : [`"tools":[${tools}]`]),
      ...(answer === undefined
        ? []
        : [`"text":{"format":{"type":"json_schema","name":"a","schema":${answer}}}`]),
    ],
  },
  messages: {
    text: (text) => `{"type":"text","text":${json(text)}}`,
    image: (data) => `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${data}"}}`,
    message: (parts) => `{"role":"user","content":[${parts}]}`,
    called: (args) =>
      `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":${asObject(args)}}]},` +
      `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":${json(args)}}]}`,
    tool: (name, schema) => `{"name":${json(name)},"input_schema":${schema}}`,
    body: (messages, tools, answer) => [
      `"messages":[${messages}],"max_tokens":5`,
      ...(tools === "" ? [] : [`"tools":[${tools}]`]),
      ...(answer === undefined
        ? []
        : [`"output_config":{"format":{"type":"json_schema","schema":${answer}}}`]),
    ],
  },
  gemini: {
    text: (text) => `{"text":${json(text)}}`,
    image: (data) => `{"inlineData":{"mimeType":"image/png","data":"${data}"}}`,
    message: (parts) => `{"role":"user","parts":[${parts}]}`,
    called: (args) =>
      `{"role":"model","parts":[{"functionCall":{"name":"f","args":${asObject(args)}}}]},` +
      `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":${json(args)}}}}]}`,
    tool: (name, schema) => `{"name":${json(name)},"parametersJsonSchema":${schema}}`,
    body: (contents, tools, answer) => [
      `"contents":[${contents}]`,
      ...(tools === "" ? [] : [`"tools":[{"functionDeclarations":[${tools}]}]`]),
      ...(answer === undefined
        ? []
        : [`"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":${answer}}`]),
    ],
  },
};

/** The members of a body that says this, without its model. */
function bodyOf(endpoint: EndpointName, words: Words): readonly string[] {
  const { texts, messages = [], image, args, schema, answer } = words;
  const writer = writers[endpoint];
  const said = texts ?? (messages.length > 0 ? [] : ["x"]);
  const parts = [...said.map(writer.text), ...(image === undefined ? [] : [writer.image(image)])];
  const conversation = [
    ...messages.map((text) => writer.message(writer.text(text))),
    ...(parts.length > 0 ? [writer.message(parts.join())] : []),
    ...(args === undefined ? [] : [writer.called(args)]),
  ];
  const tools = words.tools ?? (schema === undefined ? [] : ["f"]);
  const written = tools.map((name) => writer.tool(name, schema ?? '{"type":"object"}'));
  return writer.body(conversation.join(), written.join(), answer);
}

const times = (count: number, make: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => make(index));
const nested = (open: string, count: number, inner: string, close: string): string =>
  open.repeat(count) + inner + close.repeat(count);

/** Definitions each of which refers twice to the next: written out they would have no end. */
const doubling = (count: number): string => {
  const definitions = times(count, (index) => {
    const next = index + 1 === count ? '{"type":"string"}' : `{"$ref":"#/$defs/d${index + 1}"}`;
    return `"d${index}":{"type":"object","properties":{"a":${next},"b":${next}}}`;
  });
  return `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{${definitions.join()}}}`;
};
const selfish =
  '{"type":"object","properties":{"a":{"$ref":"#"}},"allOf":[{"$ref":"#"}],"anyOf":[{"$ref":"#/anyOf/0"}]}';
const properties = (count: number): string =>
  `{"type":"object","properties":{${times(count, (index) => `"k${index}":{"type":"string"}`).join()}}}`;

/** May be served or refused; small, or of a kind that must not reach far. */
const odd: Readonly<Record<string, () => Words>> = {
  "arguments 1,000,000 deep": () => ({ args: nested("[", 1_000_000, "", "]") }),
  "arguments of objects 500,000 deep": () => ({ args: nested('{"a":', 500_000, "1", "}") }),
  "arguments 5,000,000 deep, never closed": () => ({ args: "[".repeat(5_000_000) }),
  "arguments of 2,000,000 values": () => ({ args: `{"a":[${"0,".repeat(2_000_000)}0]}` }),
  "arguments that are no JSON": () => ({ args: "{'a':1}" }),
  "arguments of NUL and half letters": () => ({ args: '{"a":"\\u0000\\ud800"}' }),
  "arguments named __proto__": () => ({ args: '{"__proto__":{"a":1},"constructor":{"b":1}}' }),
  "numbers without end in arguments": () => ({ args: `{"a":1e999999,"b":${"9".repeat(100_000)}}` }),
  "a schema that doubles 60 times": () => ({ schema: doubling(60) }),
  "a schema of the answer that doubles 60 times": () => ({ answer: doubling(60) }),
  "a schema that refers to itself": () => ({ schema: selfish, answer: selfish }),
  "a schema of __proto__": () => ({
    schema: '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"$ref":"#"}}}',
  }),
  "1,000 functions of one name": () => ({ tools: times(1_000, () => "f") }),
  "10,000 functions": () => ({ tools: times(10_000, (index) => `f${index}`) }),
  "a function's name of 1 MiB": () => ({ tools: ["f".repeat(mebibyte)] }),
  "names that are cut to the same": () => ({
    tools: times(1_000, (index) => `${"long name, ".repeat(20)}${index}`),
  }),
  "half letters in a text": () => ({ texts: ["\ud800 \udfff \ufffe \u0000"] }),
  "1 MiB of starts of images": () => ({ texts: ["data:image/x;a=b;".repeat(65_000)] }),
  "1 MiB of a plan in ticks": () => ({ texts: ["`".repeat(mebibyte)], answer: '{"type":"object"}' }),
  "an image of no base64": () => ({ image: "%%%" }),
  "an image of 1 MiB of padding": () => ({ image: "=".repeat(mebibyte) }),
  "no text at all": () => ({ texts: [""] }),
};

/** Large, and served by every upstream. */
const large: Readonly<Record<string, () => Words>> = {
  "a text of 20 MiB": () => ({ texts: ["y".repeat(20 * mebibyte)] }),
  "20 MiB of escapes in a text": () => ({ texts: ["\u0001".repeat((20 * mebibyte) / 6)] }),
  "an image of 20 MiB": () => ({ image: "A".repeat(20 * mebibyte) }),
  "45,000 parts": () => ({ texts: times(45_000, (index) => `part ${index}`) }),
  "20,000 messages": () => ({ messages: times(20_000, (index) => `message ${index}`) }),
  "a schema of 60,000 properties": () => ({ schema: properties(60_000) }),
  "arguments of 10 MiB": () => ({ args: `{"a":"${"z".repeat(10 * mebibyte)}"}` }),
};

/**
 * Every kind at every endpoint from upstreams of every format. `turn`: of the endpoints and formats only a
 * fourth, each kind at each endpoint and each format once.
 */
function casesOf(
  kinds: Readonly<Record<string, () => Words>>,
  expected: Pick<HostileCase, "statuses">,
  turn: number | undefined,
): HostileCase[] {
  const cases: HostileCase[] = [];
  for (const [at, endpoint] of endpointNames.entries())
    for (const [place, spoken] of endpointNames.entries())
      for (const [index, [name, words]] of Object.entries(kinds).entries()) {
        if (turn !== undefined && (at + place + index + turn) % endpointNames.length !== 0) continue;
        const model = spokenName("rig-model", spoken);
        const path = pathOf(endpoint, { model, isStream: false });
        cases.push({
          name: `${endpoint} of ${spoken}: ${name}`,
          endpoint,
          ...expected,
          // Made when it is sent: together they would take gigabytes.
          pieces(key) {
            const own = endpoint === "gemini" ? [] : [`"model":${json(model)}`];
            return posted(`{${[...own, ...bodyOf(endpoint, words())].join()}}`, { path })(key);
          },
        });
      }
  return cases;
}

export const oddFormatCases = (turn?: number): HostileCase[] => casesOf(odd, handled, turn);
export const largeFormatCases = (turn?: number): HostileCase[] => casesOf(large, accepted, turn);
