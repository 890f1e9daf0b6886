/**
 * Price vectors of services that speak OpenAI's protocol with deviations (docs/wire/openai-compatible.md
 * section 1). `testing/price-vectors/prices.ts` has format and rules.
 */
import { readUsage } from "../../../../protocols/openai-chat/usage.ts";
import type { PriceSuite, PriceVector } from "../../../../testing/price-vectors/prices.ts";

const vectors: readonly PriceVector[] = [
  {
    name: "DeepSeek: hits and misses",
    price: "seek",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":200,"total_tokens":1200,"prompt_cache_hit_tokens":640,"prompt_cache_miss_tokens":360}',
    working: "360 × 0.27 + 640 × 0.07 + 200 × 1.1",
    charge: 362_000n,
  },
  {
    name: "DeepSeek: nothing hit",
    price: "seek",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":200,"total_tokens":1200,"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":1000}',
    working: "1000 × 0.27 + 200 × 1.1",
    charge: 490_000n,
  },
  {
    name: "DeepSeek: all hit",
    price: "seek",
    usage:
      '{"prompt_tokens":64,"completion_tokens":1,"total_tokens":65,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":0}',
    working: "64 × 0.07 + 1 × 1.1",
    charge: 5_580n,
  },
  {
    name: "DeepSeek: both names for the same",
    price: "seek",
    usage:
      '{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110,"prompt_tokens_details":{"cached_tokens":64},"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}',
    working: "36 × 0.27 + 64 × 0.07 + 10 × 1.1",
    charge: 25_200n,
  },
  {
    name: "DeepSeek: reasoner",
    price: "seek",
    usage:
      '{"prompt_tokens":100,"completion_tokens":3000,"total_tokens":3100,"completion_tokens_details":{"reasoning_tokens":2900},"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":100}',
    working: "100 × 0.27 + 3000 × 1.1",
    charge: 3_327_000n,
  },
  {
    name: "Moonshot: cached at the top",
    price: "seek",
    usage: '{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"cached_tokens":768}',
    working: "232 × 0.27 + 768 × 0.07 + 100 × 1.1",
    charge: 226_400n,
  },
  {
    name: "Moonshot: nothing cached",
    price: "seek",
    usage: '{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"cached_tokens":0}',
    working: "1000 × 0.27 + 100 × 1.1",
    charge: 380_000n,
  },
  {
    name: "Moonshot: cached at the top, 0 in the details",
    price: "seek",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"cached_tokens":0},"cached_tokens":768}',
    working: "232 × 0.27 + 768 × 0.07 + 100 × 1.1",
    charge: 226_400n,
  },
  {
    name: "DashScope: creation in the details",
    price: "sonnet",
    usage:
      '{"prompt_tokens":4000,"completion_tokens":100,"total_tokens":4100,"prompt_tokens_details":{"cached_tokens":1000,"cache_creation_input_tokens":2000}}',
    working: "1000 × 3 + 1000 × 0.3 + 2000 × 3.75 + 100 × 15",
    charge: 12_300_000n,
  },
  {
    name: "DashScope: creation only",
    price: "sonnet",
    usage:
      '{"prompt_tokens":4000,"completion_tokens":100,"total_tokens":4100,"prompt_tokens_details":{"cached_tokens":0,"cache_creation_input_tokens":4000}}',
    working: "4000 × 3.75 + 100 × 15",
    charge: 16_500_000n,
  },
  {
    name: "DashScope: first tier",
    price: "steps",
    usage: '{"prompt_tokens":32000,"completion_tokens":100,"total_tokens":32100}',
    working: "32000 × 0.5 + 100 × 2",
    charge: 16_200_000n,
  },
  {
    name: "DashScope: second tier",
    price: "steps",
    usage: '{"prompt_tokens":32001,"completion_tokens":100,"total_tokens":32101}',
    working: "32001 × 1 + 100 × 4",
    charge: 32_401_000n,
  },
  {
    name: "DashScope: end of the second tier",
    price: "steps",
    usage: '{"prompt_tokens":128000,"completion_tokens":100,"total_tokens":128100}',
    working: "128000 × 1 + 100 × 4",
    charge: 128_400_000n,
  },
  {
    name: "DashScope: third tier",
    price: "steps",
    usage: '{"prompt_tokens":128001,"completion_tokens":100,"total_tokens":128101}',
    working: "128001 × 2 + 100 × 8",
    charge: 256_802_000n,
  },
  {
    name: "DashScope: third tier, all cached, no rate for it",
    price: "steps",
    usage:
      '{"prompt_tokens":200000,"completion_tokens":0,"total_tokens":200000,"prompt_tokens_details":{"cached_tokens":200000}}',
    working: "200000 × 2",
    charge: 400_000_000n,
  },
  {
    name: "LiteLLM: creation under its own name",
    price: "sonnet",
    usage:
      '{"prompt_tokens":900,"completion_tokens":10,"total_tokens":910,"prompt_tokens_details":{"cache_creation_tokens":300,"cached_tokens":300}}',
    working: "300 × 3 + 300 × 0.3 + 300 × 3.75 + 10 × 15",
    charge: 2_265_000n,
  },
  {
    name: "LiteLLM: creation at the top",
    price: "sonnet",
    usage:
      '{"prompt_tokens":900,"completion_tokens":10,"total_tokens":910,"cache_creation_input_tokens":600}',
    working: "300 × 3 + 600 × 3.75 + 10 × 15",
    charge: 3_300_000n,
  },
  {
    name: "OpenRouter: cost beside it is not ours",
    price: "sonnet",
    usage:
      '{"prompt_tokens":900,"completion_tokens":10,"total_tokens":910,"prompt_tokens_details":{"cached_tokens":100,"cache_write_tokens":200},"cost":0.0123,"is_byok":false}',
    working: "600 × 3 + 100 × 0.3 + 200 × 3.75 + 10 × 15",
    charge: 2_730_000n,
  },
  {
    name: "OpenRouter: cost details",
    price: "sonnet",
    usage:
      '{"prompt_tokens":50,"completion_tokens":5,"total_tokens":55,"cost":0.1,"cost_details":{"upstream_inference_cost":null}}',
    working: "50 × 3 + 5 × 15",
    charge: 225_000n,
  },
  {
    name: "xAI: reasoning outside",
    price: "grok",
    usage:
      '{"prompt_tokens":100,"completion_tokens":20,"total_tokens":420,"completion_tokens_details":{"reasoning_tokens":300}}',
    working: "100 × 3 + 320 × 15",
    charge: 5_100_000n,
  },
  {
    name: "xAI: reasoning outside, images in",
    price: "grok",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":20,"total_tokens":1320,"prompt_tokens_details":{"cached_tokens":64,"image_tokens":900},"completion_tokens_details":{"reasoning_tokens":300}}',
    working: "936 × 3 + 64 × 0.75 + 320 × 15",
    charge: 7_656_000n,
  },
  {
    name: "xAI: no reasoning",
    price: "grok",
    usage:
      '{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"completion_tokens_details":{"reasoning_tokens":0}}',
    working: "100 × 3 + 20 × 15",
    charge: 600_000n,
  },
  {
    name: "xAI: reasoning inside, as the total says",
    price: "grok",
    usage:
      '{"prompt_tokens":100,"completion_tokens":320,"total_tokens":420,"completion_tokens_details":{"reasoning_tokens":300}}',
    working: "100 × 3 + 320 × 15",
    charge: 5_100_000n,
  },
  {
    name: "reasoning outside, priced apart",
    price: "deep",
    usage:
      '{"prompt_tokens":100,"completion_tokens":20,"total_tokens":420,"completion_tokens_details":{"reasoning_tokens":300}}',
    working: "100 × 20 + 300 × 60 + 20 × 80",
    charge: 21_600_000n,
  },
  {
    name: "more reasoning than output, no total for it",
    price: "deep",
    usage:
      '{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"completion_tokens_details":{"reasoning_tokens":300}}',
    working: "100 × 20 + 20 × 60",
    charge: 3_200_000n,
  },
  {
    name: "Groq: timings beside it",
    price: "seek",
    usage:
      '{"prompt_tokens":25,"completion_tokens":50,"total_tokens":75,"queue_time":0.02,"prompt_time":0.001,"completion_time":0.1,"total_time":0.12}',
    working: "25 × 0.27 + 50 × 1.1",
    charge: 61_750n,
  },
  {
    name: "Mistral: plain",
    price: "seek",
    usage: '{"prompt_tokens":25,"completion_tokens":50,"total_tokens":75}',
    working: "25 × 0.27 + 50 × 1.1",
    charge: 61_750n,
  },
  {
    name: "Mistral: audio in",
    price: "audio",
    usage: '{"prompt_tokens":500,"completion_tokens":50,"total_tokens":550,"prompt_audio_seconds":20}',
    working: "500 × 2.5 + 50 × 10",
    charge: 1_750_000n,
  },
  {
    name: "Ollama: no details",
    price: "free",
    usage: '{"prompt_tokens":26,"completion_tokens":298,"total_tokens":324}',
    working: "",
    charge: 0n,
  },
  {
    name: "vLLM: details are null",
    price: "seek",
    usage:
      '{"prompt_tokens":26,"completion_tokens":298,"total_tokens":324,"prompt_tokens_details":null,"completion_tokens_details":null}',
    working: "26 × 0.27 + 298 × 1.1",
    charge: 334_820n,
  },
  {
    name: "vLLM: cached in details",
    price: "seek",
    usage:
      '{"prompt_tokens":2600,"completion_tokens":298,"total_tokens":2898,"prompt_tokens_details":{"cached_tokens":2592}}',
    working: "8 × 0.27 + 2592 × 0.07 + 298 × 1.1",
    charge: 511_400n,
  },
  {
    name: "Together: cached at the top",
    price: "seek",
    usage: '{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20,"cached_tokens":0}',
    working: "10 × 0.27 + 10 × 1.1",
    charge: 13_700n,
  },
  {
    name: "Fireworks: cached in details",
    price: "seek",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,"prompt_tokens_details":{"cached_tokens":999}}',
    working: "1 × 0.27 + 999 × 0.07 + 10 × 1.1",
    charge: 81_200n,
  },
  {
    name: "Perplexity: a price per request",
    price: "call",
    usage:
      '{"prompt_tokens":14,"completion_tokens":300,"total_tokens":314,"search_context_size":"low","citation_tokens":5}',
    working: "14 × 1 + 300 × 1 + 0.005",
    charge: 5_314_000n,
  },
  {
    name: "Cerebras: extra fields",
    price: "seek",
    usage: '{"prompt_tokens":14,"completion_tokens":300,"total_tokens":314,"time_info":{"total_time":0.1}}',
    working: "14 × 0.27 + 300 × 1.1",
    charge: 333_780n,
  },
  {
    name: "Zhipu: cached in details",
    price: "seek",
    usage:
      '{"prompt_tokens":14,"completion_tokens":300,"total_tokens":314,"prompt_tokens_details":{"cached_tokens":2}}',
    working: "12 × 0.27 + 2 × 0.07 + 300 × 1.1",
    charge: 333_380n,
  },
  {
    name: "SiliconFlow: reasoning inside",
    price: "seek",
    usage:
      '{"prompt_tokens":14,"completion_tokens":300,"total_tokens":314,"completion_tokens_details":{"reasoning_tokens":250}}',
    working: "14 × 0.27 + 300 × 1.1",
    charge: 333_780n,
  },
  {
    name: "Cohere compatible: plain",
    price: "seek",
    usage: '{"prompt_tokens":14,"completion_tokens":300,"total_tokens":314}',
    working: "14 × 0.27 + 300 × 1.1",
    charge: 333_780n,
  },
];

export const compatiblePrices: PriceSuite = { name: "compatible", read: readUsage, vectors };
