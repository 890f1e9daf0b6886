/**
 * Price vectors of OpenAI's chat completions (docs/wire/openai-chat.md).
 * `testing/price-vectors/prices.ts` has format and rules.
 */
import { readUsage } from "../../../../protocols/openai-chat/usage.ts";
import type { PriceSuite, PriceVector } from "../../../../testing/price-vectors/prices.ts";

const vectors: readonly PriceVector[] = [
  {
    name: "plain",
    price: "mini",
    usage: '{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}',
    working: "1000 × 0.25 + 500 × 2",
    charge: 1_250_000n,
  },
  {
    name: "one token in, none out",
    price: "mini",
    usage: '{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}',
    working: "1 × 0.25",
    charge: 250n,
  },
  {
    name: "one token out",
    price: "mini",
    usage: '{"prompt_tokens":0,"completion_tokens":1,"total_tokens":1}',
    working: "1 × 2",
    charge: 2_000n,
  },
  {
    name: "nothing used",
    price: "mini",
    usage: '{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}',
    working: "",
    charge: 0n,
  },
  {
    name: "no details at all, no total",
    price: "mini",
    usage: '{"prompt_tokens":123,"completion_tokens":45}',
    working: "123 × 0.25 + 45 × 2",
    charge: 120_750n,
  },
  {
    name: "zero details",
    price: "mini",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}',
    working: "1000 × 0.25 + 500 × 2",
    charge: 1_250_000n,
  },
  {
    name: "half cached",
    price: "mini",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":500}}',
    working: "500 × 0.25 + 500 × 0.025 + 500 × 2",
    charge: 1_137_500n,
  },
  {
    name: "all cached",
    price: "mini",
    usage:
      '{"prompt_tokens":1024,"completion_tokens":1,"total_tokens":1025,"prompt_tokens_details":{"cached_tokens":1024}}',
    working: "1024 × 0.025 + 1 × 2",
    charge: 27_600n,
  },
  {
    name: "one token fresh",
    price: "mini",
    usage:
      '{"prompt_tokens":1025,"completion_tokens":7,"total_tokens":1032,"prompt_tokens_details":{"cached_tokens":1024}}',
    working: "1 × 0.25 + 1024 × 0.025 + 7 × 2",
    charge: 39_850n,
  },
  {
    name: "reasoning costs what output does",
    price: "mini",
    usage:
      '{"prompt_tokens":200,"completion_tokens":900,"total_tokens":1100,"completion_tokens_details":{"reasoning_tokens":850}}',
    working: "200 × 0.25 + 900 × 2",
    charge: 1_850_000n,
  },
  {
    name: "all output is reasoning",
    price: "mini",
    usage:
      '{"prompt_tokens":200,"completion_tokens":900,"total_tokens":1100,"completion_tokens_details":{"reasoning_tokens":900}}',
    working: "200 × 0.25 + 900 × 2",
    charge: 1_850_000n,
  },
  {
    name: "cached and reasoning",
    price: "mini",
    usage:
      '{"prompt_tokens":5000,"completion_tokens":900,"total_tokens":5900,"prompt_tokens_details":{"cached_tokens":4096},"completion_tokens_details":{"reasoning_tokens":640}}',
    working: "904 × 0.25 + 4096 × 0.025 + 900 × 2",
    charge: 2_128_400n,
  },
  {
    name: "written without a rate costs input",
    price: "mini",
    usage:
      '{"prompt_tokens":5000,"completion_tokens":10,"total_tokens":5010,"prompt_tokens_details":{"cache_write_tokens":3000}}',
    working: "5000 × 0.25 + 10 × 2",
    charge: 1_270_000n,
  },
  {
    name: "read, written and fresh",
    price: "mini",
    usage:
      '{"prompt_tokens":5000,"completion_tokens":10,"total_tokens":5010,"prompt_tokens_details":{"cached_tokens":1500,"cache_write_tokens":3000}}',
    working: "3500 × 0.25 + 1500 × 0.025 + 10 × 2",
    charge: 932_500n,
  },
  {
    name: "predictions are in the output",
    price: "mini",
    usage:
      '{"prompt_tokens":60,"completion_tokens":40,"total_tokens":100,"completion_tokens_details":{"accepted_prediction_tokens":10,"rejected_prediction_tokens":20}}',
    working: "60 × 0.25 + 40 × 2",
    charge: 95_000n,
  },
  {
    name: "rounded up: one token at the cached rate",
    price: "mini",
    usage:
      '{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1,"prompt_tokens_details":{"cached_tokens":1}}',
    working: "1 × 0.025",
    charge: 25n,
  },
  {
    name: "a whole million",
    price: "mini",
    usage: '{"prompt_tokens":1000000,"completion_tokens":1000000,"total_tokens":2000000}',
    working: "1000000 × 0.25 + 1000000 × 2",
    charge: 2_250_000_000n,
  },
  {
    name: "the largest counts",
    price: "mini",
    usage: '{"prompt_tokens":1000000000,"completion_tokens":1000000000,"total_tokens":2000000000}',
    working: "1000000000 × 0.25 + 1000000000 × 2",
    charge: 2_250_000_000_000n,
  },
  {
    name: "reasoning apart",
    price: "deep",
    usage:
      '{"prompt_tokens":300,"completion_tokens":1000,"total_tokens":1300,"completion_tokens_details":{"reasoning_tokens":700}}',
    working: "300 × 20 + 700 × 60 + 300 × 80",
    charge: 72_000_000n,
  },
  {
    name: "reasoning apart, none used",
    price: "deep",
    usage:
      '{"prompt_tokens":300,"completion_tokens":1000,"total_tokens":1300,"completion_tokens_details":{"reasoning_tokens":0}}',
    working: "300 × 20 + 1000 × 80",
    charge: 86_000_000n,
  },
  {
    name: "reasoning apart, nothing else",
    price: "deep",
    usage:
      '{"prompt_tokens":300,"completion_tokens":1000,"total_tokens":1300,"completion_tokens_details":{"reasoning_tokens":1000}}',
    working: "300 × 20 + 1000 × 60",
    charge: 66_000_000n,
  },
  {
    name: "reasoning apart and cached",
    price: "deep",
    usage:
      '{"prompt_tokens":300,"completion_tokens":10,"total_tokens":310,"prompt_tokens_details":{"cached_tokens":100},"completion_tokens_details":{"reasoning_tokens":4}}',
    working: "200 × 20 + 100 × 20 + 6 × 80 + 4 × 60",
    charge: 6_720_000n,
  },
  {
    name: "audio in",
    price: "audio",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"audio_tokens":800}}',
    working: "200 × 2.5 + 800 × 40 + 100 × 10",
    charge: 33_500_000n,
  },
  {
    name: "audio out",
    price: "audio",
    usage:
      '{"prompt_tokens":100,"completion_tokens":1000,"total_tokens":1100,"completion_tokens_details":{"audio_tokens":900}}',
    working: "100 × 2.5 + 900 × 80 + 100 × 10",
    charge: 73_250_000n,
  },
  {
    name: "audio both ways",
    price: "audio",
    usage:
      '{"prompt_tokens":640,"completion_tokens":480,"total_tokens":1120,"prompt_tokens_details":{"audio_tokens":600},"completion_tokens_details":{"audio_tokens":400}}',
    working: "40 × 2.5 + 600 × 40 + 400 × 80 + 80 × 10",
    charge: 56_900_000n,
  },
  {
    name: "audio only",
    price: "audio",
    usage:
      '{"prompt_tokens":600,"completion_tokens":400,"total_tokens":1000,"prompt_tokens_details":{"audio_tokens":600},"completion_tokens_details":{"audio_tokens":400}}',
    working: "600 × 40 + 400 × 80",
    charge: 56_000_000n,
  },
  {
    name: "audio, and the text before it cached",
    price: "audio",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,"prompt_tokens_details":{"cached_tokens":700,"audio_tokens":300}}',
    working: "300 × 40 + 700 × 2.5 + 10 × 10",
    charge: 13_850_000n,
  },
  {
    name: "audio partly cached",
    price: "audio",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,"prompt_tokens_details":{"cached_tokens":700,"audio_tokens":600}}',
    working: "300 × 40 + 700 × 2.5 + 10 × 10",
    charge: 13_850_000n,
  },
  {
    name: "audio beside reasoning",
    price: "audio",
    usage:
      '{"prompt_tokens":10,"completion_tokens":100,"total_tokens":110,"completion_tokens_details":{"reasoning_tokens":40,"audio_tokens":60}}',
    working: "10 × 2.5 + 60 × 80 + 40 × 10",
    charge: 5_225_000n,
  },
  {
    name: "audio without a rate costs input",
    price: "mini",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"audio_tokens":800},"completion_tokens_details":{"audio_tokens":50}}',
    working: "1000 × 0.25 + 100 × 2",
    charge: 450_000n,
  },
  {
    name: "images in",
    price: "image",
    usage:
      '{"prompt_tokens":1500,"completion_tokens":10,"total_tokens":1510,"prompt_tokens_details":{"image_tokens":1000}}',
    working: "500 × 5 + 1000 × 10 + 10 × 10",
    charge: 12_600_000n,
  },
  {
    name: "images out",
    price: "image",
    usage:
      '{"prompt_tokens":50,"completion_tokens":4200,"total_tokens":4250,"completion_tokens_details":{"image_tokens":4160}}',
    working: "50 × 5 + 4160 × 40 + 40 × 10",
    charge: 167_050_000n,
  },
  {
    name: "images both ways, text cached",
    price: "image",
    usage:
      '{"prompt_tokens":1500,"completion_tokens":4160,"total_tokens":5660,"prompt_tokens_details":{"cached_tokens":400,"image_tokens":1000},"completion_tokens_details":{"image_tokens":4160}}',
    working: "100 × 5 + 1000 × 10 + 400 × 1.25 + 4160 × 40",
    charge: 177_400_000n,
  },
  {
    name: "images and audio together",
    price: "every",
    usage:
      '{"prompt_tokens":100,"completion_tokens":100,"total_tokens":200,"prompt_tokens_details":{"audio_tokens":20,"image_tokens":30},"completion_tokens_details":{"reasoning_tokens":10,"audio_tokens":25,"image_tokens":15}}',
    working: "50 × 1 + 20 × 7 + 30 × 9 + 10 × 6 + 25 × 8 + 15 × 10 + 50 × 2",
    charge: 970_000n,
  },
  {
    name: "every class at once",
    price: "every",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"cached_tokens":250,"cache_write_tokens":150,"audio_tokens":200,"image_tokens":300},"completion_tokens_details":{"reasoning_tokens":10,"audio_tokens":25,"image_tokens":15}}',
    working: "100 × 1 + 200 × 7 + 300 × 9 + 250 × 3 + 150 × 4 + 10 × 6 + 25 × 8 + 15 × 10 + 50 × 2",
    charge: 6_060_000n,
  },
  {
    name: "per request",
    price: "call",
    usage: '{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}',
    working: "1000 × 1 + 500 × 1 + 0.005",
    charge: 6_500_000n,
  },
  {
    name: "per request with no tokens",
    price: "call",
    usage: '{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}',
    working: "0.005",
    charge: 5_000_000n,
  },
  {
    name: "per request and rounding",
    price: "callTiny",
    usage: '{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}',
    working: "1 × 0.000000001 + 0.000000001",
    charge: 2n,
  },
  {
    name: "free",
    price: "free",
    usage:
      '{"prompt_tokens":1000000,"completion_tokens":1000000,"total_tokens":2000000,"prompt_tokens_details":{"cached_tokens":5}}',
    working: "",
    charge: 0n,
  },
  {
    name: "free input, paid output",
    price: "freeInput",
    usage: '{"prompt_tokens":1000000,"completion_tokens":3,"total_tokens":1000003}',
    working: "3 × 15",
    charge: 45_000n,
  },
  {
    name: "free cache, an explicit 0",
    price: "freeCache",
    usage:
      '{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,"prompt_tokens_details":{"cached_tokens":900}}',
    working: "100 × 1 + 900 × 0 + 10 × 2",
    charge: 120_000n,
  },
  {
    name: "rounding: a billionth per million, one token",
    price: "tiny",
    usage: '{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}',
    working: "1 × 0.000000001",
    charge: 1n,
  },
  {
    name: "rounding: sums before it rounds",
    price: "tiny",
    usage: '{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}',
    working: "1 × 0.000000001 + 1 × 0.000000003",
    charge: 1n,
  },
  {
    name: "rounding: exactly one nano-dollar",
    price: "tiny",
    usage: '{"prompt_tokens":1000000,"completion_tokens":0,"total_tokens":1000000}',
    working: "1000000 × 0.000000001",
    charge: 1n,
  },
  {
    name: "rounding: one token above a nano-dollar",
    price: "tiny",
    usage: '{"prompt_tokens":1000001,"completion_tokens":0,"total_tokens":1000001}',
    working: "1000001 × 0.000000001",
    charge: 2n,
  },
  {
    name: "rounding: thirds of classes together",
    price: "tiny",
    usage: '{"prompt_tokens":500000,"completion_tokens":166667,"total_tokens":666667}',
    working: "500000 × 0.000000001 + 166667 × 0.000000003",
    charge: 2n,
  },
  {
    name: "the highest price",
    price: "most",
    usage: '{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}',
    working: "1 × 1000000 + 1 × 1000000",
    charge: 2_000_000_000n,
  },
  {
    name: "the highest price, the largest counts",
    price: "most",
    usage: '{"prompt_tokens":1000000000,"completion_tokens":1000000000,"total_tokens":2000000000}',
    working: "1000000000 × 1000000 + 1000000000 × 1000000",
    charge: 2_000_000_000_000_000_000n,
  },
  {
    name: "cache: written for thirty minutes and for twelve hours",
    price: "terra",
    usage:
      '{"prompt_tokens":10000,"completion_tokens":100,"total_tokens":10100,"prompt_tokens_details":{"cached_tokens":4000,"cache_write_tokens":5000,"cache_write_tokens_details":{"ttl_30m_tokens":3000,"ttl_12h_tokens":2000}}}',
    working: "1000 × 1 + 4000 × 0.05 + 3000 × 1.25 + 2000 × 2.5 + 100 × 5",
    charge: 10_450_000n,
  },
  {
    name: "cache: written for twelve hours above the tier",
    price: "terra",
    usage:
      '{"prompt_tokens":300000,"completion_tokens":1000,"total_tokens":301000,"prompt_tokens_details":{"cached_tokens":100000,"cache_write_tokens":50000,"cache_write_tokens_details":{"ttl_30m_tokens":10000,"ttl_12h_tokens":40000}}}',
    working: "150000 × 2 + 100000 × 0.1 + 10000 × 2.5 + 40000 × 5 + 1000 × 7.5",
    charge: 542_500_000n,
  },
];

export const chatPrices: PriceSuite = { name: "openai", read: readUsage, vectors };
