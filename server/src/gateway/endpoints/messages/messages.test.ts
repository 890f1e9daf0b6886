/** What the endpoint reads of a Messages request, what it refuses, and the most such a call may cost. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultTimeouts, type Model, type Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { ForwardedHeaders } from "../../../protocols/protocol.ts";
import type { Provider } from "../../../providers/provider.ts";
import type { WorstCase } from "../../money/worst-case.ts";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import type { LiveModel } from "../../snapshot.ts";
import { messages } from "./messages.ts";
import { type MessagesFields, readMessages } from "./messages-fields.ts";

const scanners = createBodyScanners(messages.scanned, { jsonDepthMax: 12, jsonValuesMax: 50_000 });
const price: Price = { input: nanoUsd(250_000_000n), output: nanoUsd(2_000_000_000n) };

/** A model at an upstream of this provider. */
function modelAt(provider: string, known: Partial<Model> = {}, preset?: string): LiveModel {
  const upstream = { id: "u", provider, baseUrl: "", credentials: [], timeouts: defaultTimeouts };
  const live = {
    upstream: preset === undefined ? upstream : { ...upstream, preset },
    provider: {} as Provider,
    client: undefined,
  };
  const deployment = { upstream: "u", model: "m", priority: 1, weight: 1 };
  return { model: { id: "m", name: "m", deployments: [], ...known }, deployments: [{ deployment, live }] };
}

interface Read {
  readonly body: Buffer;
  readonly fields: MessagesFields;
}

function readText(text: string, headers: ForwardedHeaders = {}, isCount = false): Read {
  const body = Buffer.from(text);
  const scanner = scanners.create();
  const refused = scanner.push(body);
  if (refused !== undefined) throw refused;
  return { body, fields: readMessages(scanner.end(body), body, headers, isCount) };
}

const talk = [{ role: "user", content: "hi" }];
const plain = { model: "m", max_tokens: 9, messages: talk };
const read = (members: object, headers?: ForwardedHeaders): Read =>
  readText(JSON.stringify({ ...plain, ...members }), headers);
const said = (...content: object[]): object => ({ messages: [{ role: "user", content }] });

function worst(members: object, model = modelAt("anthropic"), at = price): WorstCase {
  const { body, fields } = read(members);
  return messages.worstCase(model, at, fields, body);
}

/** code and param of the refusal. */
function refusal(run: () => unknown): [code: string, param: string | undefined] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return [error.code, error.detail.param];
  }
  return assert.fail("accepted");
}

describe("the fields", () => {
  test("and spans of a plain request", () => {
    const { body, fields } = read({ stream: true, metadata: { x: 1, user_id: "user_1_session_2" } });
    const at = (span: { start: number; end: number } | undefined): string =>
      span === undefined ? "" : body.toString("utf8", span.start, span.end);
    assert.deepEqual([fields.model, fields.isStream, fields.showsUsage], ["m", true, true]);
    assert.deepEqual([at(fields.spans.model), at(fields.spans.max_tokens)], ['"m"', "9"]);
    assert.equal(at(fields.spans.user), '"user_1_session_2"');
    assert.deepEqual(fields.spans.outputs?.map(at), ["9"]);
    assert.deepEqual([fields.apart, fields.otherModels, fields.addressedTokens], [[], undefined, 0]);
    assert.deepEqual(messages.sessionFields, ["user"]);
  });

  test("nulls count as absent, and fields nobody knows are no matter", () => {
    const odd = { system: null, tools: null, stream: null, metadata: null, speed: null, made_up: { n: "x" } };
    const { fields } = read({ ...odd, n: "many", max_new_tokens: {}, options: [[[[]]]] });
    assert.deepEqual([fields.isStream, fields.apart, fields.spans.user], [false, [], undefined]);
  });

  test("a list of models is the gateway's", () => {
    const { fields } = read({ model: undefined, models: ["a", "b"] });
    assert.deepEqual([fields.model, fields.otherModels], ["a", ["b"]]);
    assert.ok(fields.spans.models !== undefined);
  });

  test("the prompt is system, tools and messages; metadata never is", () => {
    const of = (members: object): number => read(members).fields.promptBytes;
    const least = of({});
    assert.equal(least, JSON.stringify(talk).length);
    assert.equal(of({ system: "Be brief." }), least + 11);
    assert.equal(of({ metadata: { user_id: "x".repeat(5_000) } }), least);
    assert.ok(of({ made_up: "x".repeat(5_000) }) > 5_000);
  });

  test("a request to count tokens says nothing of the answer", () => {
    const { fields } = readText(JSON.stringify({ model: "m", messages: talk }), {}, true);
    assert.deepEqual(
      [fields.isStream, fields.spans.max_tokens, fields.spending.tokens],
      [false, undefined, []],
    );
  });
});

describe("what is wrong is refused by name", () => {
  const rows: [members: object, param: string][] = [
    [{ max_tokens: undefined }, "max_tokens"],
    [{ max_tokens: null }, "max_tokens"],
    [{ max_tokens: "9" }, "max_tokens"],
    [{ max_tokens: -1 }, "max_tokens"],
    [{ max_tokens: 1.5 }, "max_tokens"],
    [{ messages: undefined }, "messages"],
    [{ messages: "hi" }, "messages"],
    [{ messages: [] }, "messages"],
    [{ model: undefined }, "model"],
    [{ model: "" }, "model"],
    [{ model: 7 }, "model"],
    [{ stream: "yes" }, "stream"],
    [{ tools: {} }, "tools"],
    [{ tools: "web_search" }, "tools"],
  ];
  for (const [members, param] of rows) {
    test(JSON.stringify(members), () =>
      assert.deepEqual(
        refusal(() => read(members)),
        ["invalid_request", param],
      ),
    );
  }

  const texts: [text: string, param: string][] = [
    ['{"model":"m","max_tokens":9,"max_tokens":900000,"messages":[1]}', "max_tokens"],
    ['{"model":"m","Max_Tokens":900000,"max_tokens":9,"messages":[1]}', "max_tokens"],
    ['{"model":"m","max_tokens":9,"max_to\\u006bens":900000,"messages":[1]}', "max_tokens"],
    ['{"model":"m","max_tokens":1e400,"messages":[1]}', "max_tokens"],
    ['{"model":"m","max_tokens":9,"messages":[1],"\\u0073peed":"fast"}', "speed"],
    ['{"model":"m","max_tokens":9,"messages":[1],"Tools":[]}', "tools"],
  ];
  for (const [text, param] of texts) {
    test(text, () =>
      assert.deepEqual(
        refusal(() => readText(text)),
        ["invalid_request", param],
      ),
    );
  }
});

describe("what costs more than its tokens is told by its path", () => {
  const schema = { name: "f", input_schema: { type: "object", properties: { url: { type: "string" } } } };
  const rows: [members: object, apart: string[]][] = [
    [{ speed: "standard", service_tier: "auto", inference_geo: "global" }, []],
    [{ service_tier: "standard_only", mcp_servers: [], fallbacks: [], container: null }, []],
    [{ speed: "fast" }, ["speed"]],
    [{ inference_geo: "us" }, ["inference_geo"]],
    [{ service_tier: "priority" }, ["service_tier"]],
    [{ mcp_servers: [{ url: "https://a.test", name: "a" }] }, ["mcp_servers"]],
    [{ container: { skills: [] } }, ["container"]],
    [{ fallbacks: [{ model: "dear" }] }, ["fallbacks"]],
    [{ user_profile_id: "p" }, ["user_profile_id"]],
    [{ plugins: [{ id: "web" }] }, ["plugins"]],
    [{ billing_policy: { type: "billing_policy", bill_to: "self" }, fallback_credit_token: null }, []],
    [{ billing_policy: { type: "billing_policy", bill_to: "user_profile" } }, ["billing_policy"]],
    [{ fallback_credit_token: "fct_1" }, ["fallback_credit_token"]],
    [{ tools: [schema, { ...schema, type: "custom" }, { ...schema, type: null }] }, []],
    [{ tools: [{ type: "bash_20250124", name: "bash" }] }, []],
    [{ tools: [{ type: "memory_20250818", name: "memory" }] }, []],
    [{ tools: [{ type: "computer_toolset_20260801", configs: { zoom: { enabled: false } } }] }, []],
    [{ tools: [{ type: "browser_toolset_20260801" }] }, []],
    [{ tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] }, ["tools[0]"]],
    [{ tools: [{ type: "code_execution_20250825", name: "code_execution" }] }, ["tools[0]"]],
    [{ tools: [{ type: "mcp_toolset", mcp_server_name: "a" }] }, ["tools[0]"]],
    [{ tools: [{ type: "made_up_20300101", name: "f" }] }, ["tools[0]"]],
    [{ tools: [{ ...schema, type: 7 }] }, ["tools[0]"]],
    [{ tools: [{ ...schema, Type: "web_search_20250305" }] }, ["tools[0]"]],
    [{ tools: ["web_search"] }, ["tools[0]"]],
  ];
  for (const [members, apart] of rows) {
    test(JSON.stringify(members), () => assert.deepEqual(read(members).fields.apart, apart));
  }

  test("what is only offered beside the caller's own tools is told as that, each with one comma", () => {
    const search = { type: "web_search_20250305", name: "web_search" };
    const code = { type: "code_execution_20250825", name: "code_execution" };
    const own = { ...schema, name: "g" };
    const shown = (members: object): unknown[] => {
      const { body, fields } = read(members);
      const text = body.toString();
      const without = fields.offers?.reduceRight(
        (left, { cut }) => left.slice(0, cut.start) + left.slice(cut.end),
        text,
      );
      const left = without === undefined ? undefined : JSON.parse(without).tools.map(nameOf);
      return [fields.apart, fields.offers?.map(({ path }) => path), left];
    };
    const nameOf = ({ name }: { name: string }): string => name;
    assert.deepEqual(shown({ tools: [schema, search] }), [[], ["tools[1]"], ["f"]]);
    assert.deepEqual(shown({ tools: [search, code, schema] }), [[], ["tools[0]", "tools[1]"], ["f"]]);
    assert.deepEqual(shown({ tools: [search, schema, code, own] }), [
      [],
      ["tools[0]", "tools[2]"],
      ["f", "g"],
    ]);
    const choices: [tool_choice: object | null, apart: string[]][] = [
      [null, []],
      [{ type: "auto", disable_parallel_tool_use: true }, []],
      [{ type: "any" }, []],
      [{ type: "none" }, []],
      [{ type: "tool", name: "f" }, []],
      [{ type: "tool", name: "web_search" }, ["tools[1]"]],
      [{ type: "tool", name: "web_search", more: "x".repeat(5_000) }, ["tools[1]", "tools[2]"]],
    ];
    for (const [tool_choice, apart] of choices)
      assert.deepEqual(shown({ tools: [schema, search, code], tool_choice })[0], apart);
  });

  test("a tool that is defined among the messages is judged like one of the list", () => {
    const adding = (definition: object) => ({
      role: "system",
      content: [
        { type: "text", text: "Now:" },
        { type: "tool_addition", tool: { type: "tool_definition", definition } },
      ],
    });
    const apart = (...definitions: object[]) =>
      read({ messages: [...talk, ...definitions.map(adding)] }).fields.apart;
    const search = { type: "web_search_20250305", name: "web_search" };
    assert.deepEqual(apart(schema, { type: "bash_20250124", name: "bash" }), []);
    assert.deepEqual(apart(schema, search), ["messages[2].content[1].tool.definition"]);
    const reference = { type: "tool_addition", tool: { type: "tool_reference", name: "f" } };
    const used = { type: "tool_use", id: "t", name: "f", input: { tool: "x", definition: search } };
    const messages = [
      ...talk,
      { role: "system", content: [reference] },
      { role: "assistant", content: [used] },
    ];
    assert.deepEqual(read({ messages }).fields.apart, []);
  });

  test("a type that is said twice is not believed", () => {
    const twice = '{"name":"f","type":"custom","type":"web_search_20250305"}';
    const text = `{"model":"m","max_tokens":9,"messages":[1],"tools":[${twice}]}`;
    assert.deepEqual(readText(text).fields.apart, ["tools[0]"]);
    const escaped = text.replace('"type":"custom"', '"ty\\u0070e":"custom"');
    assert.deepEqual(readText(escaped).fields.apart, ["tools[0]"]);
  });

  test("of betas only those that no field decides", () => {
    const apart = (value: string) => read({}, { "anthropic-beta": value }).fields.apart;
    assert.deepEqual(apart("claude-code-20250219,interleaved-thinking-2025-05-14"), []);
    assert.deepEqual(apart("fast-mode-2026-02-01,context-1m-2025-08-07,code-execution-2025-08-25"), []);
    assert.deepEqual(apart("claude-code-20250219, User-Profiles-Billing-2026-09-01"), ["anthropic-beta"]);
  });
});

test("a conversation that an upstream held is nobody's; one that is to be held is read like any other", () => {
  const thread = { type: "continue", previous_message_id: "msg_1" };
  assert.deepEqual(
    refusal(() => read({ thread })),
    ["not_found", "thread.previous_message_id"],
  );
  assert.deepEqual(
    refusal(() => read({ thread: "msg_1" })),
    ["invalid_request", "thread"],
  );
  const escaped = JSON.stringify({ ...plain, thread }).replace("previous_", "previous\\u005f");
  assert.equal(refusal(() => readText(escaped))[0], "not_found");
  const { body, fields } = read({
    thread: { type: "create" },
    diagnostics: { previous_message_id: "msg_1" },
  });
  const { thread: held, diagnostics } = fields.spans;
  assert.ok(held !== undefined && diagnostics !== undefined);
  assert.equal(body.toString("utf8", held.start, held.end), '{"type":"create"}');
  assert.equal(read({ thread: null }).fields.apart.length, 0);
});

describe("files that are not in the request", () => {
  const link = (type: "image" | "document") => ({ type, source: { type: "url", url: "https://a.test/1" } });
  const tokens = (members: object): number => read(members).fields.addressedTokens;

  test("count as many tokens as they may have, in results and documents too", () => {
    assert.equal(tokens(said(link("image"))), 1_600);
    assert.equal(tokens(said(link("document"), link("image"))), 67_136);
    assert.equal(tokens(said({ type: "tool_result", tool_use_id: "t", content: [link("image")] })), 1_600);
    const inner = { type: "document", source: { type: "content", content: [link("image")] } };
    assert.equal(tokens(said(inner)), 1_600);
  });

  test("a member called url is no file: tools that fetch pages have one", () => {
    const call = { type: "tool_use", id: "t", name: "fetch", input: { url: "https://a.test", kind: "url" } };
    const tools = [{ name: "fetch", input_schema: { properties: { url: {} }, required: ["url"] } }];
    assert.equal(tokens({ tools, messages: [{ role: "assistant", content: [call] }] }), 0);
    assert.equal(tokens(said({ type: "text", text: '{"type":"url","url":"x"}' })), 0);
  });

  test("a type in escapes is read", () => {
    const text = JSON.stringify({ ...plain, ...said(link("image")) }).replace('"url",', '"\\u0075rl",');
    assert.equal(readText(text).fields.addressedTokens, 1_600);
  });

  test("that lie at an upstream are of nobody here, and told by their place", () => {
    const stored = (type: string) => ({ type, source: { type: "file", file_id: "file_1" } });
    const rows: [object, string][] = [
      [said(stored("image")), "messages[0].content[0].source.file_id"],
      [said({ type: "text", text: "a" }, stored("document")), "messages[0].content[1].source.file_id"],
      [said({ type: "container_upload", file_id: "file_1" }), "messages[0].content[0].file_id"],
      [
        said({ type: "tool_result", tool_use_id: "t", content: [stored("image")] }),
        "messages[0].content[0].content[0].source.file_id",
      ],
    ];
    for (const [members, param] of rows)
      assert.deepEqual(
        refusal(() => read(members)),
        ["not_found", param],
        JSON.stringify(members),
      );
    const anthropics = { type: "anthropic", skill_id: "pptx", version: "latest" };
    const containers: [object, string][] = [
      [{ container: "container_1" }, "container"],
      [{ container: { id: "container_1" } }, "container.id"],
      [
        { container: { skills: [anthropics, { type: "custom", skill_id: "s" }] } },
        "container.skills[1].skill_id",
      ],
    ];
    for (const [members, param] of containers)
      assert.deepEqual(
        refusal(() => read(members)),
        ["not_found", param],
        JSON.stringify(members),
      );
    assert.deepEqual(read({ container: { id: null, skills: [anthropics] } }).fields.apart, ["container"]);
    const list = (name: string, ...parts: string[]) => `{"role":"user","${name}":[${parts.join(",")}]}`;
    const image = '{"type":"image","source":{"type":"file","file_id":"file_1"}}';
    const texts: [string, string][] = [
      [
        list("content", '{"type":"container_upload","type":"text","text":"a","file_id":"file_1"}'),
        "messages[0].content[0].file_id",
      ],
      [
        list("content", `{"type":"image","source":{"type":"file","file_id":"f"},"source":{"type":"base64"}}`),
        "messages[0].content[0].source.file_id",
      ],
      [`{"role":"user","content":[${image}],"content":"a"}`, "messages[0].content[0].source.file_id"],
      [
        list("content", '{"type":"text","text":"[{"}', `{"type":"search_result","content":[${image}]}`),
        "messages[0].content[1].content[0].source.file_id",
      ],
      [
        list("content", `{"type":"mcp_tool_result","content":[{"type":"text"},${image}]}`),
        "messages[0].content[0].content[1].source.file_id",
      ],
      [
        list("content", '{"type":"image","source":{"file_id":null,"\\u0066ile_id":"f"}}'),
        "messages[0].content[0].source.file_id",
      ],
      [
        list("content", '{"file_id":"f","type":"bash_code_execution_output","type":"container_upload"}'),
        "messages[0].content[0].file_id",
      ],
    ];
    for (const [text, param] of texts)
      assert.deepEqual(
        refusal(() => readText(`{"model":"m","max_tokens":9,"messages":[${text}]}`)),
        ["not_found", param],
        text,
      );
    const output = { type: "bash_code_execution_output", file_id: "file_1" };
    const run = { type: "bash_code_execution_result", stdout: "", content: [output] };
    read(said({ type: "bash_code_execution_tool_result", tool_use_id: "t", content: run }));
    // A tool of the caller's may have an argument of that name.
    const call = { type: "tool_use", id: "t", name: "open", input: { file_id: "file_1" } };
    assert.equal(read({ messages: [{ role: "assistant", content: [call] }] }).fields.addressedTokens, 0);
  });
});

describe("the most a call may use", () => {
  test("is the bound every request names, at most the model's", () => {
    const rows: [bound: number, known: Partial<Model>, output: number, outputLimit: number | undefined][] = [
      [100, {}, 100, undefined],
      [100, { maxOutput: 50 }, 50, 50],
      [100, { maxOutput: 5_000, context: 60 }, 60, 60],
      [0, { maxOutput: 50 }, 0, undefined],
      [1e15, { maxOutput: 64_000 }, 64_000, 64_000],
    ];
    for (const [max_tokens, known, outputTokens, outputLimit] of rows) {
      const most = worst({ max_tokens }, modelAt("anthropic", known));
      assert.deepEqual(
        [most.outputTokens, most.outputLimit],
        [outputTokens, outputLimit],
        String(max_tokens),
      );
      assert.deepEqual([most.isAsked, most.answers], [true, 1]);
    }
  });

  test("other names bound nothing, whoever serves it", () => {
    const others = { max_completion_tokens: 900, n_predict: 900, n: 20, options: { num_predict: 900 } };
    for (const model of [modelAt("anthropic"), modelAt("openai"), modelAt("openai", {}, "llamacpp")]) {
      const most = worst(others, model);
      assert.deepEqual([most.outputTokens, most.answers], [9, 1]);
    }
  });

  test("thinking is within the bound, but for services that bill it beside", () => {
    const thinking = { type: "enabled", budget_tokens: 5_000 };
    assert.equal(worst({ thinking }).furtherTokens, 0);
    assert.equal(worst({ thinking }, modelAt("openai", {}, "qwen")).furtherTokens, 81_920);
  });

  test("counts files at an address against money, not against limits of tokens", () => {
    const link = { type: "document", source: { type: "url", url: "https://a.test/1.pdf" } };
    const { inputTokens, sentTokens } = worst(said(link));
    assert.equal(inputTokens - sentTokens, 65_536);
  });

  test("an image in a tool's result is counted as an image where no usage came", () => {
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ".padEnd(40_000, "A");
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    const { body, fields } = read(said({ type: "tool_result", tool_use_id: "t", content: [image] }));
    assert.ok(messages.promptTokens(fields, body, "anthropic", undefined) < 200);
  });
});
