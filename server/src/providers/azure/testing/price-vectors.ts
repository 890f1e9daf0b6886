/**
 * Price vectors of Azure OpenAI, whose usage has OpenAI's form with every detail (docs/wire/azure-openai.md).
 * `testing/price-vectors/prices.ts` has format and rules.
 */
import { readUsage } from "../../../protocols/openai-chat/usage.ts";
import type { PriceSuite, PriceVector } from "../../../testing/price-vectors/prices.ts";

const vectors: readonly PriceVector[] = [
  {
    name: "classic deployment",
    price: "mini",
    usage:
      '{"prompt_tokens":12,"completion_tokens":34,"total_tokens":46,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "12 × 0.25 + 34 × 2",
    charge: 71_000n,
  },
  {
    name: "o-series",
    price: "deep",
    usage:
      '{"prompt_tokens":5000,"completion_tokens":2048,"total_tokens":7048,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":1984,"audio_tokens":0}}',
    working: "5000 × 20 + 64 × 80 + 1984 × 60",
    charge: 224_160_000n,
  },
  {
    name: "cached",
    price: "mini",
    usage:
      '{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "86 × 0.25 + 1920 × 0.025 + 300 × 2",
    charge: 669_500n,
  },
  {
    name: "cached, a multiple of 128 over 1024",
    price: "mini",
    usage:
      '{"prompt_tokens":1408,"completion_tokens":9,"total_tokens":1417,"prompt_tokens_details":{"cached_tokens":1152,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "256 × 0.25 + 1152 × 0.025 + 9 × 2",
    charge: 110_800n,
  },
  {
    name: "content filtered before a token",
    price: "mini",
    usage:
      '{"prompt_tokens":87,"completion_tokens":0,"total_tokens":87,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "87 × 0.25",
    charge: 21_750n,
  },
  {
    name: "predictions rejected",
    price: "mini",
    usage:
      '{"prompt_tokens":87,"completion_tokens":20,"total_tokens":107,"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":11}}',
    working: "87 × 0.25 + 20 × 2",
    charge: 61_750n,
  },
  {
    name: "gpt-audio",
    price: "audio",
    usage:
      '{"prompt_tokens":59,"completion_tokens":230,"total_tokens":289,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":40},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":190}}',
    working: "19 × 2.5 + 40 × 40 + 190 × 80 + 40 × 10",
    charge: 17_247_500n,
  },
  {
    name: "gpt-audio with text only",
    price: "audio",
    usage:
      '{"prompt_tokens":59,"completion_tokens":230,"total_tokens":289,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "59 × 2.5 + 230 × 10",
    charge: 2_447_500n,
  },
  {
    name: "images",
    price: "image",
    usage:
      '{"prompt_tokens":1105,"completion_tokens":80,"total_tokens":1185,"prompt_tokens_details":{"image_tokens":1105}}',
    working: "1105 × 10 + 80 × 10",
    charge: 11_850_000n,
  },
  {
    name: "images, prompt cached",
    price: "image",
    usage:
      '{"prompt_tokens":1105,"completion_tokens":80,"total_tokens":1185,"prompt_tokens_details":{"cached_tokens":256,"image_tokens":765}}',
    working: "84 × 5 + 765 × 10 + 256 × 1.25 + 80 × 10",
    charge: 9_190_000n,
  },
  {
    name: "a tier, at its edge",
    price: "pro",
    usage:
      '{"prompt_tokens":200000,"completion_tokens":1,"total_tokens":200001,"prompt_tokens_details":{"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "200000 × 1.25 + 1 × 10",
    charge: 250_010_000n,
  },
  {
    name: "a tier, one above",
    price: "pro",
    usage:
      '{"prompt_tokens":200001,"completion_tokens":1,"total_tokens":200002,"prompt_tokens_details":{"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "200001 × 2.5 + 1 × 15",
    charge: 500_017_500n,
  },
  {
    name: "a tier reached with cached tokens",
    price: "pro",
    usage:
      '{"prompt_tokens":250000,"completion_tokens":1000,"total_tokens":251000,"prompt_tokens_details":{"cached_tokens":240000},"completion_tokens_details":{"reasoning_tokens":600}}',
    working: "10000 × 2.5 + 240000 × 0.25 + 1000 × 15",
    charge: 100_000_000n,
  },
  {
    name: "provisioned, a price per request",
    price: "call",
    usage:
      '{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20,"prompt_tokens_details":{"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "10 × 1 + 10 × 1 + 0.005",
    charge: 5_020_000n,
  },
  {
    name: "every detail is 0",
    price: "every",
    usage:
      '{"prompt_tokens":7,"completion_tokens":11,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0,"audio_tokens":0,"image_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"image_tokens":0}}',
    working: "7 × 1 + 11 × 2",
    charge: 29_000n,
  },
  {
    name: "free",
    price: "free",
    usage:
      '{"prompt_tokens":7,"completion_tokens":11,"total_tokens":18,"prompt_tokens_details":{"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "",
    charge: 0n,
  },
];

export const azurePrices: PriceSuite = { name: "azure", read: readUsage, vectors };
