/**
 * Pure: the spellings of one model's name in different places. Every rule only removes something that does
 * not distinguish models; none adds, abbreviates or searches for similar names. In doubt a rule does not
 * apply.
 */

/**
 * `case`: letters differ only in case. `prefix`: a vendor or path before the name. `region`: a region before
 * the name, whose price may differ. `version`: `-v1:0` or similar after it. `tag`: a tag that names no other
 * model. `date`: the date of a snapshot without its own row. `spelling`: the date in another form. `latest`:
 * `-latest` after it. `stated`: a source states that it is another name of the model.
 */
export type NameRule =
  | "case"
  | "prefix"
  | "region"
  | "version"
  | "tag"
  | "date"
  | "spelling"
  | "latest"
  | "stated";

/** A name and the rules applied to it. */
export interface Spelling {
  readonly name: string;
  readonly rules: readonly NameRule[];
}

/** Longer names match nothing. */
export const nameLengthMax = 256;

/** A rule: what it removes at one end of the name, and what it keeps. */
interface Step {
  readonly rule: NameRule;
  readonly form: RegExp;
  readonly to: string;
}

const step = (rule: NameRule, form: RegExp, to = ""): Step => ({ rule, form, to });

const [year, month, day] = ["(20\\d\\d)", "(0[1-9]|1[0-2])", "(0[1-9]|[12]\\d|3[01])"];
const anyDate = `${year}-?${month}-?${day}`;

/** @20241022 and -20241022 become -2024-10-22. */
const dateSpelling: readonly Step[] = [
  step("spelling", new RegExp(`[-@]${anyDate}$`), "-$1-$2-$3"),
  step("spelling", new RegExp(`[-@]${anyDate}(?=-v\\d)`), "-$1-$2-$3"),
];

/**
 * By file of catalog/models/ (not by provider: Vertex AI has one, and every vendor behind a preset): prefixes
 * there that are not part of a model's name. Prefixes of other vendors are part of it.
 */
const prefixes: { readonly [provider: string]: readonly Step[] } = {
  openai: [step("prefix", /^openai\//)],
  azure: [step("prefix", /^(?:azure|openai)\//)],
  anthropic: [step("prefix", /^anthropic\//)],
  google: [step("prefix", /^(?:google|gemini)\//), step("prefix", /^models\//)],
  vertex: [
    step("prefix", /^projects\/[^/]+\/locations\/[^/]+\//),
    step("prefix", /^publishers\/[^/]+\/models\//),
    step("version", /@default$/),
  ],
  bedrock: [
    step("prefix", /^arn:aws[a-z-]*:bedrock:[^/]*:(?:foundation-model|inference-profile)\//),
    step("version", /(?:-v1)?:0$/),
    step("version", /-v1$/),
  ],
  deepseek: [step("prefix", /^deepseek(?:-ai)?\//)],
  mistral: [step("prefix", /^mistral(?:ai)?\//)],
  xai: [step("prefix", /^x-?ai\//)],
  qwen: [step("prefix", /^qwen\//)],
  moonshot: [step("prefix", /^moonshot(?:ai)?\//)],
  zhipu: [step("prefix", /^(?:z-?ai|zai-org|zhipu(?:ai)?)\//)],
  "zhipu-cn": [step("prefix", /^zhipu(?:ai)?\//)],
  fireworks: [step("prefix", /^(?:accounts\/)?fireworks\/models\//)],
  cohere: [step("prefix", /^cohere\//)],
  perplexity: [step("prefix", /^perplexity\//)],
  minimax: [step("prefix", /^minimax(?:ai)?\//)],
  ollama: [step("prefix", /^library\//), step("tag", /:latest$/)],
};

/** What may be removed from a name at a provider when the whole name matches nothing. */
const looserSteps: { readonly [provider: string]: readonly Step[] } = {
  bedrock: [step("region", /^(?:us|eu|apac|au|ca|in|jp|us-gov|global)\.(?=[a-z0-9-]+\.)/)],
  ollama: [step("tag", /-(?:q[2-8]_(?:0|1|k|k_s|k_m|k_l)|fp16|bf16)$/)],
};

/** A snapshot without its own row has the price of its family; a family never has the price of a snapshot. */
const generalSteps: readonly Step[] = [
  step("latest", /-latest$/),
  step("date", new RegExp(`-${year}-${month}-${day}(?=$|-v\\d)`)),
];

function take(spelling: Spelling, { rule, form, to }: Step): Spelling {
  const name = spelling.name.replace(form, to);
  if (name === spelling.name || name === "") return spelling;
  return { name, rules: spelling.rules.includes(rule) ? spelling.rules : [...spelling.rules, rule] };
}

const isAscii = (name: string): boolean => /^[\x20-\x7e]*$/.test(name);

function lowered(name: string): Spelling {
  // Letters of other scripts may become Latin when their case changes, so such a name is not changed.
  if (!isAscii(name)) return { name, rules: [] };
  const lower = name.toLowerCase();
  return { name: lower, rules: lower === name ? [] : ["case"] };
}

const own = <T>(table: { readonly [provider: string]: T }, provider: string): T | undefined =>
  Object.hasOwn(table, provider) ? table[provider] : undefined;

/**
 * The common spelling of all names of a model at a provider; removes only what does not distinguish models.
 */
export function canonicalName(provider: string, name: string): Spelling {
  const steps = [...(own(prefixes, provider) ?? []), ...dateSpelling];
  return steps.reduce(take, lowered(name));
}

/** The spelling, then the result of each step that applies, each made from the result before it. */
function chain(spelling: Spelling, steps: readonly Step[]): Spelling[] {
  const readings = [spelling];
  for (const one of steps) {
    const last = readings.at(-1) ?? spelling;
    const looser = take(last, one);
    if (looser !== last) readings.push(looser);
  }
  return readings;
}

/** The possible readings of a name at a provider, strictest first; at most a handful. */
export function readingsOf(provider: string, name: string): readonly Spelling[] {
  const readings = chain(canonicalName(provider, name), own(looserSteps, provider) ?? []);
  return readings.flatMap((reading) => chain(reading, generalSteps));
}
