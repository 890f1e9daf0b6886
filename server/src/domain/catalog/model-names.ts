/**
 * Pure: how the same model is spelled in different places. Every rule takes something off a
 * name that does not tell models apart; none adds, abbreviates or looks for the nearest. What a
 * rule cannot be sure of it leaves alone.
 */

/**
 * `case`: letters differ in case only. `prefix`: a vendor or a path stands before it. `region`: a
 * region stands before it, whose price may differ. `version`: `-v1:0` and the like behind it. `tag`:
 * a tag that names no other model. `date`: the date of a snapshot, for which there is no row of its
 * own. `spelling`: that date written otherwise. `latest`: `-latest` behind it. `stated`: a source
 * says it is another name of the model.
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

/** A name and what was done to it. */
export interface Spelling {
  readonly name: string;
  readonly rules: readonly NameRule[];
}

/** Longer names mean nothing. */
export const nameLengthMax = 256;

/** A rule: what it takes off, at either end of the name, and what stays. */
interface Step {
  readonly rule: NameRule;
  readonly form: RegExp;
  readonly to: string;
}

const step = (rule: NameRule, form: RegExp, to = ""): Step => ({ rule, form, to });

const [year, month, day] = ["(20\\d\\d)", "(0[1-9]|1[0-2])", "(0[1-9]|[12]\\d|3[01])"];
const anyDate = `${year}-?${month}-?${day}`;

/** @20241022 and -20241022 are -2024-10-22. */
const dateSpelling: readonly Step[] = [
  step("spelling", new RegExp(`[-@]${anyDate}$`), "-$1-$2-$3"),
  step("spelling", new RegExp(`[-@]${anyDate}(?=-v\\d)`), "-$1-$2-$3"),
];

/**
 * What may stand before a model's name at a provider without being part of it.
 * Other vendors' prefixes are part of it.
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

/** What may be taken off a name of a provider when nothing goes by the whole of it. */
const looserSteps: { readonly [provider: string]: readonly Step[] } = {
  bedrock: [step("region", /^(?:us|eu|apac|au|ca|in|jp|us-gov|global)\.(?=[a-z0-9-]+\.)/)],
  ollama: [step("tag", /-(?:q[2-8]_(?:0|1|k|k_s|k_m|k_l)|fp16|bf16)$/)],
};

/**
 * A snapshot without a row of its own is priced as its family; a family is
 * never priced as one of its snapshots.
 */
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
  // Letters of other scripts can turn into a Latin one when their case changes; such a name stays what it is.
  if (!isAscii(name)) return { name, rules: [] };
  const lower = name.toLowerCase();
  return { name: lower, rules: lower === name ? [] : ["case"] };
}

const own = <T>(table: { readonly [provider: string]: T }, provider: string): T | undefined =>
  Object.hasOwn(table, provider) ? table[provider] : undefined;

/**
 * The one spelling all names of a model at a provider have in common; nothing is
 * taken off that could tell models apart.
 */
export function canonicalName(provider: string, name: string): Spelling {
  const steps = [...(own(prefixes, provider) ?? []), ...dateSpelling];
  return steps.reduce(take, lowered(name));
}

/**
 * The spelling, and the one with one thing less for each step that applies, each time after the one before.
 */
function chain(spelling: Spelling, steps: readonly Step[]): Spelling[] {
  const readings = [spelling];
  for (const one of steps) {
    const last = readings.at(-1) ?? spelling;
    const looser = take(last, one);
    if (looser !== last) readings.push(looser);
  }
  return readings;
}

/** What a name may mean at a provider, the strictest reading first; at most a handful. */
export function readingsOf(provider: string, name: string): readonly Spelling[] {
  const readings = chain(canonicalName(provider, name), own(looserSteps, provider) ?? []);
  return readings.flatMap((reading) => chain(reading, generalSteps));
}
