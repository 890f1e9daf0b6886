/** Guesses from a model's name, for missing data: its family, and whether it is a chat model. */

/** The first pattern that matches at the start of a word of the name. */
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

/** "claude" of "us.anthropic.claude-opus-5-5"; undefined for unknown families. */
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

/** "embedding", "image", … for names of other models than chat; otherwise "chat". */
export function kindOf(id: string): string {
  const lower = id.toLowerCase();
  return kinds.find(([, form]) => form.test(lower))?.[0] ?? "chat";
}
