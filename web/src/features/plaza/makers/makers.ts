/**
 * Who made a model: the vendor that the catalog names, or the one known for the series that the family or the
 * id names. A table of common series, so that "gpt" and "OpenAI" are one maker. Knows no React.
 */
import { folded, wordsOf } from "../search/words.ts";

/** A maker of models. */
export interface Maker {
  /** The name, as its logo's file is looked up and as filters of the URL have it. */
  readonly name: string;
  /** Other names, among them Chinese ones: what people search by. */
  readonly also: string;
}

interface KnownMaker extends Maker {
  /** Words that only its families and ids have. */
  readonly series: readonly string[];
}

function maker(name: string, also: string, series: string): KnownMaker {
  return { name, also, series: series.split(" ") };
}

/** Makers known by the names of their series. Where two match, the earlier one. */
const known: readonly KnownMaker[] = [
  maker("OpenAI", "ChatGPT", "openai gpt chatgpt o-series gpt-oss codex davinci whisper dall sora o1 o3 o4"),
  maker("Nous Research", "", "nousresearch nous hermes"),
  maker("NVIDIA", "英伟达", "nvidia nemotron nemoretriever"),
  maker("DeepSeek", "深度求索", "deepseek"),
  maker("Anthropic", "", "anthropic claude"),
  maker("Google", "谷歌", "google gemini gemma palm imagen veo learnlm"),
  maker("Mistral AI", "", "mistral mistralai mixtral codestral ministral magistral devstral pixtral voxtral"),
  maker("Qwen", "Alibaba 阿里 通义 千问 通义千问", "qwen qwq qvq tongyi alibaba"),
  maker("Z.ai", "Zhipu 智谱", "glm chatglm zhipu z-ai zai"),
  maker("Moonshot AI", "月之暗面", "kimi moonshot moonshotai"),
  maker("MiniMax", "稀宇", "minimax abab"),
  maker("xAI", "", "grok xai x-ai"),
  maker("Amazon", "亚马逊", "amazon nova titan"),
  maker("Cohere", "", "cohere command aya"),
  maker("Microsoft", "微软", "microsoft phi wizardlm"),
  maker("Perplexity", "", "perplexity sonar"),
  maker("AI21", "", "ai21 jamba"),
  maker("Xiaomi", "小米", "xiaomi mimo"),
  maker("ByteDance", "字节 豆包", "bytedance doubao seed seedream"),
  maker("Baidu", "百度 文心 文心一言", "baidu ernie"),
  maker("Tencent", "腾讯 混元", "tencent hunyuan"),
  maker("StepFun", "阶跃星辰", "stepfun step"),
  maker("Meituan", "美团", "meituan longcat"),
  maker("IBM", "", "ibm granite"),
  maker("Stability AI", "", "stability stable-diffusion"),
  maker("Black Forest Labs", "", "flux"),
  maker("ElevenLabs", "", "elevenlabs"),
  maker("Voyage AI", "", "voyage"),
  maker("Jina AI", "", "jina"),
  maker("BAAI", "智源", "baai bge"),
  maker("Databricks", "", "databricks dbrx"),
  // Last: names of other makers' models often begin with it.
  maker("Meta", "", "meta llama muse codellama"),
];

const bySeries = new Map<string, KnownMaker>();
for (const one of known)
  for (const series of [...one.series, folded(one.name)])
    if (!bySeries.has(series)) bySeries.set(series, one);

/** What tells of a model's maker. */
export interface Made {
  readonly id: string;
  readonly family: string | null;
}

function inId(id: string): Maker | undefined {
  const words = new Set(wordsOf(folded(id)));
  return known.find(({ series }) => series.some((one) => words.has(one)));
}

const found = new Map<string, Maker | null>();
/** Answers that are kept; a catalog has some thousand models at most. */
const foundMax = 20_000;

/**
 * The maker, or null when nothing tells. A family that is no known series is taken for the maker's name: an
 * operator may name it freely.
 */
export function makerOf({ id, family }: Made): Maker | null {
  const key = `${family ?? ""}\n${id}`;
  let maker = found.get(key);
  if (maker === undefined) {
    maker =
      family === null ? (inId(id) ?? null) : (bySeries.get(folded(family)) ?? { name: family, also: "" });
    if (found.size >= foundMax) found.clear();
    found.set(key, maker);
  }
  return maker;
}

/** Up to two letters: the first of its first two words, or one Chinese character. */
export function lettersOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = "?", second = ""] = words;
  const letter = (word: string) => [...word][0]?.toUpperCase() ?? "";
  if (/^\p{Script=Han}/u.test(first)) return letter(first);
  return `${letter(first)}${letter(second)}`;
}

/** One of eight colours, always the same for a name. */
export function colourOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return (sum % 8) + 1;
}
