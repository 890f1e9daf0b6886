/** What a model's name tells when no source does: its family, and that it is not a chat model. */

/** The first that fits the name from the beginning of one of its words. */
const families: readonly (readonly [string, RegExp])[] = [
  ["claude", /^claude/],
  ["gpt-oss", /^gpt-oss/],
  ["gpt", /^(gpt|chatgpt|chat-latest|codex)/],
  ["o-series", /^o[134](-|$)/],
  ["gemini", /^gemini/],
  ["gemma", /^gemma/],
  ["llama", /^(llama|codellama|meta-llama-)/],
  ["mistral", /^(mistral|mixtral|ministral|codestral|devstral|magistral|pixtral|voxtral|open-mi[sx]tral)/],
  ["qwen", /^(qwen|qwq)/],
  ["deepseek", /^deepseek/],
  ["kimi", /^(kimi|moonshot-v)/],
  ["glm", /^glm/],
  ["grok", /^grok/],
  ["command", /^(command|c4ai-aya)/],
  ["nova", /^nova/],
  ["titan", /^titan/],
  ["phi", /^phi/],
  ["minimax", /^minimax/],
  ["nemotron", /^nemotron/],
  ["sonar", /^sonar/],
  ["jamba", /^jamba/],
  ["muse", /^muse/],
  ["hermes", /^hermes/],
  ["ernie", /^ernie/],
  ["mimo", /^mimo/],
  ["step", /^step-/],
  ["seed", /^seed-/],
];

/** "claude" of "us.anthropic.claude-opus-5-5"; undefined for names that say no family. */
export function familyOf(id: string): string | undefined {
  const lower = id.toLowerCase();
  // The model's own name comes last, after vendors, regions and paths.
  const starts = [...lower.matchAll(/(?:^|[/.~-])(?=[a-z])/g)].map(
    ({ index, 0: sign }) => index + sign.length,
  );
  const afterPath = starts.filter((at) => at === 0 || lower[at - 1] !== "-").reverse();
  for (const at of [...afterPath, ...starts]) {
    const found = families.find(([, form]) => form.test(lower.slice(at)));
    if (found !== undefined) return found[0];
  }
  return undefined;
}

const kinds: readonly (readonly [string, RegExp])[] = [
  ["embedding", /embed|(^|\/)bge-/],
  ["rerank", /rerank/],
  ["stt", /whisper|transcribe/],
  ["tts", /(^|-)tts(-|$)/],
  ["realtime", /realtime|(^|-)live(-|$)|native-audio|sonic|grok-voice/],
  ["image", /(^|-)image(-|$)|imagine|dall-e|(^|\/)flux|stable-diffusion/],
  ["video", /omni-flash/],
  ["moderation", /^moderation$|llama-guard/],
  ["ocr", /(^|-)ocr(-|$)/],
  ["completion", /^(ada|babbage|curie|davinci|text-davinci.*|gpt-3\.5-turbo-instruct.*)$/],
];

/** "embedding", "image", … for names that say they are no chat model; else "chat". */
export function kindOf(id: string): string {
  const lower = id.toLowerCase();
  return kinds.find(([, form]) => form.test(lower))?.[0] ?? "chat";
}
