/** Reads `@earendil-works/pi-ai` and `@oh-my-pi/pi-catalog`, which share one format. */
import type { Capabilities } from "../../server/src/domain/catalog/model-catalog.ts";
import { wholeNumber } from "./decimal.ts";
import { kindOf } from "./kinds.ts";
import { type Figures, isFree, type Listed, otherPriceOf, pricedKinds, priceOf } from "./listed.ts";
import { digitsOf, fieldsOf, itemsOf, type Literal, textOf } from "./literal.ts";

function figuresOf(cost: Literal | undefined): Figures {
  const fields = fieldsOf(cost);
  return {
    input: digitsOf(fields["input"]),
    output: digitsOf(fields["output"]),
    cachedInput: digitsOf(fields["cacheRead"]),
    cacheWrite: digitsOf(fields["cacheWrite"]),
  };
}

const sizeOf = (value: Literal | undefined): number | undefined => wholeNumber(digitsOf(value) ?? "");

function textsOf(value: Literal | undefined): readonly string[] | undefined {
  const texts = itemsOf(value).flatMap((item) => textOf(item) ?? []);
  return texts.length === 0 ? undefined : texts;
}

/** A `maxOutput` above the context is an error of the source. */
function sizes(model: Literal, faults: string[]): Pick<Listed, "context" | "maxOutput"> {
  const context = sizeOf(fieldsOf(model)["contextWindow"]);
  const maxOutput = sizeOf(fieldsOf(model)["maxTokens"]);
  if (context === undefined || maxOutput === undefined || maxOutput <= context) return { context, maxOutput };
  faults.push(`maxOutput ${maxOutput} is more than context ${context}`);
  return { context };
}

/** Facts of a model that is not for chat but paid per token. */
function otherFacts(kind: string, model: Literal, faults: string[]): Pick<Listed, "context" | "price"> {
  if (!pricedKinds.has(kind)) return {};
  const fields = fieldsOf(model);
  return {
    context: sizeOf(fields["contextWindow"]),
    price: otherPriceOf(kind, figuresOf(fields["cost"]), faults),
  };
}

/**
 * The models of one provider's file in pi-ai: by API, then by type and id. All its chat models support tools,
 * according to its README.
 */
export function readPiAi(file: Literal): Listed[] {
  const models = Object.values(fieldsOf(file)).flatMap((byApi) => Object.values(fieldsOf(byApi)));
  return models.map((model) => {
    const fields = fieldsOf(model);
    const faults: string[] = [];
    const id = textOf(fields["id"]) ?? "";
    const kind = textOf(fields["type"]) ?? "chat";
    const name = textOf(fields["name"]);
    if (kind !== "chat")
      return { source: "pi-ai", id, name, kind, ...otherFacts(kind, model, faults), faults };
    const tiers = itemsOf(fieldsOf(fields["cost"])["tiers"]).map((tier) => ({
      above: sizeOf(fieldsOf(tier)["inputTokensAbove"]) ?? 0,
      figures: figuresOf(tier),
    }));
    const price = priceOf(figuresOf(fields["cost"]), tiers, faults);
    const input = textsOf(fields["input"]);
    const capabilities: Capabilities = {
      tools: true,
      ...(typeof fields["reasoning"] === "boolean" ? { reasoning: fields["reasoning"] } : {}),
      ...(input === undefined ? {} : { vision: input.includes("image") }),
    };
    return {
      source: "pi-ai",
      id,
      name,
      kind,
      input,
      output: ["text"],
      ...sizes(model, faults),
      capabilities,
      price,
      isZero: price !== undefined && isFree(price),
      faults,
    };
  });
}

/** pi-catalog also writes `false` for unchecked features; only `true` counts. */
function catalogCapabilities(
  fields: { readonly [name: string]: Literal },
  input: readonly string[] | undefined,
) {
  const capabilities: Capabilities = {
    ...(typeof fields["supportsTools"] === "boolean" ? { tools: fields["supportsTools"] } : {}),
    ...(fields["reasoning"] === true ? { reasoning: true } : {}),
    ...(input?.includes("image") === true ? { vision: true } : {}),
  };
  return Object.keys(capabilities).length === 0 ? undefined : capabilities;
}

/** The models of one provider in pi-catalog. Entries derived from another model are left out. */
export function readPiCatalog(provider: Literal): Listed[] {
  return Object.values(fieldsOf(provider)).flatMap((model): Listed[] => {
    const fields = fieldsOf(model);
    const faults: string[] = [];
    const id = textOf(fields["id"]) ?? "";
    const asked = textOf(fields["requestModelId"]);
    if (asked !== undefined && asked !== id) return [];
    const name = textOf(fields["name"]);
    const kind = textOf(fields["kind"]) ?? kindOf(id);
    if (kind !== "chat") {
      const facts = otherFacts(kind, model, faults);
      return [{ source: "pi-catalog", id, name, kind, ...facts, faults }];
    }
    const cost = fieldsOf(fields["cost"]);
    const long = fieldsOf(cost["longContext"]);
    const threshold = sizeOf(long["inputThreshold"]);
    // The catalog's tiers begin above their size; a source's tier that begins at n begins above n - 1.
    const above =
      threshold === undefined ? 0 : threshold - (long["inputThresholdInclusive"] === true ? 1 : 0);
    if (cost["timeBased"] !== undefined)
      faults.push("costs less at some times of day; the price is that of the dear ones");
    const tiers = threshold === undefined ? [] : [{ above, figures: figuresOf(long) }];
    const price = priceOf(figuresOf(cost), tiers, faults);
    const input = textsOf(fields["input"]);
    return [
      {
        source: "pi-catalog",
        id,
        name,
        kind,
        input,
        output: ["text"],
        ...sizes(model, faults),
        capabilities: catalogCapabilities(fields, input),
        price,
        isZero: price !== undefined && isFree(price),
        faults,
      },
    ];
  });
}
