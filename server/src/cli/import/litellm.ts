/** Reads a LiteLLM proxy's config.yaml, or the models that a running proxy lists, into a draft. Pure. */
import { parseDocument } from "yaml";
import { suggestId } from "../../connect/aim.ts";
import { isRecord } from "../../lib/record.ts";
import { formatDuration } from "../../lib/units.ts";
import { anyServer, type Target, targetAt } from "../../providers/presets/targets.ts";
import { perMillion } from "./amounts.ts";
import { Draft, type DraftModel, type DraftSecret, targetNamed } from "./draft.ts";
import { litellmModes, litellmProviders, litellmSettings } from "./litellm-providers.ts";

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

const variableOf = (text: string): string | undefined => /^os\.environ\/([A-Za-z_]\w*)$/.exec(text)?.[1];

/** A text as the catalog file has it: a variable, or the text itself. */
function fileText(value: unknown): string | undefined {
  const text = textOf(value);
  const variable = text === undefined ? undefined : variableOf(text);
  return variable === undefined ? text?.replaceAll("$", () => "$$") : `\${${variable}}`;
}

const inVariable = (name: string): DraftSecret => ({ variables: `\${${name}}` });

function secretOf(value: unknown): DraftSecret | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const variable = variableOf(text);
  return variable === undefined ? { text } : inVariable(variable);
}

/** Parameters of a deployment that are read below; what else is there is told. */
const read = new Set([
  ...[
    "model",
    "api_key",
    "api_base",
    "base_url",
    "api_version",
    "weight",
    "order",
    "timeout",
    "stream_timeout",
  ],
  ...["input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost"],
  ...["cache_creation_input_token_cost", "custom_llm_provider", "aws_region_name", "aws_access_key_id"],
  ...[
    "aws_secret_access_key",
    "aws_session_token",
    "vertex_project",
    "vertex_location",
    "vertex_credentials",
  ],
]);

/** Parameters of LiteLLM's own that say nothing about a call. */
const silent = new Set([
  "use_in_pass_through",
  "use_litellm_proxy",
  "merge_reasoning_content_in_choices",
  "tags",
]);

interface Place {
  readonly draft: Draft;
  readonly params: Fields;
  readonly where: string;
}

/** The provider's word and the model's name at it. */
function splitModel({ params }: Place): { word: string; model: string } {
  const name = textOf(params["model"]) ?? "";
  const given = textOf(params["custom_llm_provider"]);
  if (given !== undefined)
    return { word: given, model: name.startsWith(`${given}/`) ? name.slice(given.length + 1) : name };
  const slash = name.indexOf("/");
  const word = slash < 0 ? "" : name.slice(0, slash);
  if (word === "bedrock")
    return { word, model: name.slice(slash + 1).replace(/^(?:converse|invoke|converse_like)\//, "") };
  if (word !== "" && (word in litellmProviders || word === "vertex_ai"))
    return { word, model: name.slice(slash + 1) };
  // LiteLLM knows some names without a word before them.
  if (/^claude-/.test(name)) return { word: "anthropic", model: name };
  if (/^(?:gpt-|o\d|chatgpt-|text-embedding-)/.test(name)) return { word: "openai", model: name };
  return { word, model: slash < 0 ? name : name.slice(slash + 1) };
}

const serviceAccount = inVariable("GOOGLE_SERVICE_ACCOUNT");

/** An upstream of Vertex AI, whose address has project and location in it. */
function vertexUpstream({ draft, params, where }: Place, model: string): string | undefined {
  const [project, location] = [
    fileText(params["vertex_project"]),
    fileText(params["vertex_location"]) ?? "global",
  ];
  if (project === undefined) {
    draft.leave(
      where,
      "its vertex_project is not in the file: add it there, or connect it with plaza connect",
    );
    return undefined;
  }
  const isClaude = model.startsWith("claude");
  const host = location === "global" ? "aiplatform.googleapis.com" : `${location}-aiplatform.googleapis.com`;
  const secret = secretOf(params["vertex_credentials"]) ?? serviceAccount;
  const isPath = "text" in secret && !secret.text.trim().startsWith("{");
  if (isPath)
    draft.leave(
      `${where}: vertex_credentials`,
      "it is a file: put its content, on one line, into GOOGLE_SERVICE_ACCOUNT",
    );
  return draft.upstream(
    {
      target: targetNamed(isClaude ? "vertex-anthropic" : "google"),
      baseUrl: `https://${host}/v1/projects/${project}/locations/${location}/publishers/${isClaude ? "anthropic" : "google"}`,
      options: {},
      credentials: [isPath ? serviceAccount : secret],
    },
    isClaude ? "vertex-anthropic" : "vertex",
  );
}

/** `ID:SECRET:SESSION` in variables, or in texts; a mixture is told. */
function bedrockCredential({ draft, params, where }: Place): DraftSecret {
  const direct = secretOf(params["api_key"]);
  if (direct !== undefined) return direct;
  const names = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"];
  const parts = names.map((name) => secretOf(params[name])).filter((part) => part !== undefined);
  const variables = parts.flatMap((part) => ("variables" in part ? [part.variables] : []));
  const texts = parts.flatMap((part) => ("text" in part ? [part.text] : []));
  if (variables.length >= 2 && texts.length === 0) return { variables: variables.join(":") };
  if (texts.length >= 2 && variables.length === 0) return { text: texts.join(":") };
  draft.leave(
    `${where}: its AWS credentials`,
    "put a Bedrock API key, or ID:SECRET, into AWS_BEARER_TOKEN_BEDROCK",
  );
  return inVariable("AWS_BEARER_TOKEN_BEDROCK");
}

/** What Plaza calls the service: at an address that is not OpenAI's own, another service, or any server. */
function serviceAt(id: string, address: string | undefined): Target {
  if (id !== "openai" || address === undefined) return targetNamed(id);
  return (URL.canParse(address) ? targetAt(address) : undefined) ?? anyServer("openai") ?? targetNamed(id);
}

/** The id of the deployment's upstream; undefined: it is left out, and told. */
function upstreamOf(place: Place, word: string, model: string): string | undefined {
  const { draft, params, where } = place;
  if (word === "vertex_ai" || word === "vertex_ai_beta") return vertexUpstream(place, model);
  const known = litellmProviders[word];
  const address = fileText(params["api_base"] ?? params["base_url"])?.replace(/\/+$/, "");
  if (known === undefined && address === undefined) {
    const name = word === "" ? model : word;
    draft.leave(
      where,
      `Plaza knows no provider ${name}: connect it by its address, if it speaks OpenAI's format`,
    );
    return undefined;
  }
  if (known?.address === "required" && address === undefined) {
    draft.leave(where, "its api_base is not in the file: add it there, or connect it with plaza connect");
    return undefined;
  }
  const target = serviceAt(known?.target ?? "openai", address);
  if (target.ended !== undefined) {
    draft.leave(where, `${target.name} ended on ${target.ended.on}`);
    return undefined;
  }
  const [variable = "UPSTREAM_API_KEY"] = target.keyVariables;
  if (target.id === "bedrock") {
    const region = fileText(params["aws_region_name"]) ?? "us-east-1";
    const baseUrl = `https://bedrock-runtime.${region}.amazonaws.com`;
    return draft.upstream({ target, baseUrl, options: { region }, credentials: [bedrockCredential(place)] });
  }
  const version = fileText(params["api_version"]);
  const options: Record<string, string> =
    target.id === "azure" && version !== undefined ? { apiVersion: version } : {};
  const secret = secretOf(params["api_key"]) ?? (target.needsKey ? inVariable(variable) : undefined);
  // Ollama's own protocol is at the root; what Plaza speaks is one level below.
  const baseUrl =
    target.id === "ollama" && address !== undefined && !/\/v\d+$/.test(address) ? `${address}/v1` : address;
  const name =
    baseUrl !== undefined && URL.canParse(baseUrl) ? suggestId({ target, baseUrl }, []) : target.id;
  return draft.upstream(
    { target, baseUrl, options, credentials: secret === undefined ? [] : [secret] },
    name,
  );
}

const seconds = (value: unknown): string | undefined => {
  const number = Number(value);
  return Number.isFinite(number) && number > 0
    ? formatDuration(Math.max(1, Math.round(number * 1_000)))
    : undefined;
};

function addPrice(model: DraftModel, costs: Fields): void {
  const [input, output] = [
    perMillion(costs["input_cost_per_token"]),
    perMillion(costs["output_cost_per_token"]),
  ];
  if (model.price !== undefined || input === undefined) return;
  const cachedInput = perMillion(costs["cache_read_input_token_cost"]);
  const cacheWrite = perMillion(costs["cache_creation_input_token_cost"]);
  model.price = {
    input,
    output: output ?? "0",
    ...(cachedInput === undefined ? {} : { cachedInput }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

/** One entry of `model_list`. */
function addDeployment(draft: Draft, entry: Fields, index: number): void {
  const [params, info] = [fieldsOf(entry["litellm_params"]), fieldsOf(entry["model_info"])];
  const name = textOf(entry["model_name"]);
  const where = `model_list[${index}]${name === undefined ? "" : ` (${name})`}`;
  const place: Place = { draft, params, where };
  if (name === undefined || textOf(params["model"]) === undefined) {
    draft.leave(where, "it has no model_name or no litellm_params.model");
    return;
  }
  const { word, model: upstreamModel } = splitModel(place);
  if (name.includes("*") || upstreamModel.includes("*")) {
    const target = litellmProviders[word]?.target ?? "SERVICE";
    draft.leave(
      where,
      `Plaza has no patterns: plaza connect ${target} --models all adds every model of the service`,
    );
    return;
  }
  const mode = textOf(info["mode"]) ?? "chat";
  const operation = litellmProviders[word]?.operation ?? litellmModes[mode];
  if (operation === undefined) {
    draft.leave(where, `its mode ${mode} is not served yet`);
    return;
  }
  const upstream = upstreamOf(place, word, upstreamModel);
  if (upstream === undefined) return;
  const model = draft.model(name);
  if (!model.operations.includes(operation)) model.operations.push(operation);
  const [total, firstToken] = [seconds(params["timeout"]), seconds(params["stream_timeout"])];
  const order = Number(params["order"]);
  const weight = Number(params["weight"]);
  model.deployments.push({
    upstream,
    model: upstreamModel,
    priority: Number.isInteger(order) && order > 0 ? order : undefined,
    weight: Number.isInteger(weight) && weight > 0 ? weight : undefined,
    timeouts:
      total === undefined && firstToken === undefined
        ? undefined
        : { ...(total === undefined ? {} : { total }), ...(firstToken === undefined ? {} : { firstToken }) },
  });
  addPrice(model, { ...info, ...params });
  model.knownAs ??= textOf(info["base_model"])?.replace(/^[a-z_]+\//, "");
  for (const key of [...Object.keys(params), ...Object.keys(entry).filter((one) => /^[rt]pm$/.test(one))]) {
    if (read.has(key) || silent.has(key)) continue;
    draft.leave(`${where}: ${key}`, litellmSettings[key] ?? "Plaza has no such setting of a deployment");
  }
}

/** `[{ "a": ["b", "c"] }]`, in whichever section. */
function addFallbacks(draft: Draft, value: unknown, where: string): void {
  for (const one of listOf(value)) {
    for (const [name, others] of Object.entries(fieldsOf(one))) {
      const model = draft.models.get(name);
      for (const other of listOf(others).map(String)) {
        const isThere = model !== undefined && draft.models.has(other) && other !== name;
        if (!isThere) draft.leave(`${where}: ${name} → ${other}`, "a model of it did not come along");
        else if (!model.fallbacks.includes(other)) model.fallbacks.push(other);
      }
    }
  }
}

/** Further names of models: `{ alias: name }`. Fallbacks must be there already. */
function addAliases(draft: Draft, value: unknown): void {
  for (const [alias, meant] of Object.entries(fieldsOf(value))) {
    const name = textOf(meant) ?? textOf(fieldsOf(meant)["model"]);
    const model = name === undefined ? undefined : draft.models.get(name);
    if (model === undefined) {
      draft.leave(`router_settings.model_group_alias.${alias}`, "its model did not come along");
      continue;
    }
    const same = draft.model(alias);
    Object.assign(same, structuredClone(model), { id: same.id });
  }
}

const sections = ["litellm_settings", "router_settings", "general_settings"] as const;

/** The draft of a config's text. Throws an Error when it is no YAML or has no `model_list`. */
export function readLitellm(text: string): Draft {
  const document = parseDocument(text, { merge: true });
  const [fault] = document.errors;
  if (fault !== undefined) throw new Error(fault.message.split("\n")[0] ?? "it is no YAML");
  return draftOf(fieldsOf(document.toJS({ maxAliasCount: 1_000 }) as unknown));
}

/** The draft of what a proxy answers at `/model/info`. */
export const readLitellmModels = (answer: unknown): Draft =>
  draftOf({ model_list: fieldsOf(answer)["data"] });

function draftOf(config: Fields): Draft {
  const draft = new Draft();
  if (!Array.isArray(config["model_list"]))
    throw new Error("it has no model_list: is it the config of a LiteLLM proxy?");
  for (const [index, entry] of config["model_list"].entries()) addDeployment(draft, fieldsOf(entry), index);
  for (const section of sections) {
    const settings = fieldsOf(config[section]);
    addFallbacks(draft, settings["fallbacks"], `${section}.fallbacks`);
    for (const key of Object.keys(settings)) {
      if (key === "fallbacks" || key === "model_group_alias") continue;
      const why = litellmSettings[key];
      draft.leave(`${section}.${key}`, why ?? "Plaza has no such setting");
    }
  }
  addAliases(draft, fieldsOf(config["router_settings"])["model_group_alias"]);
  for (const key of Object.keys(config)) {
    if (key === "model_list" || (sections as readonly string[]).includes(key)) continue;
    draft.leave(
      key,
      key === "environment_variables"
        ? "set them in the environment of Plaza"
        : "Plaza has nothing of this kind",
    );
  }
  return draft;
}
