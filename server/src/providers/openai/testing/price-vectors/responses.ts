/**
 * Price vectors of OpenAI's Responses (docs/wire/openai-responses.md section 2).
 * `testing/price-vectors/prices.ts` has format and rules.
 */
import { readUsage } from "../../../../protocols/openai-responses/usage.ts";
import type { PriceSuite, PriceVector } from "../../../../testing/price-vectors/prices.ts";

const vectors: readonly PriceVector[] = [
  {
    name: "plain",
    price: "mini",
    usage:
      '{"input_tokens":1000,"input_tokens_details":{"cached_tokens":0},"output_tokens":500,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":1500}',
    working: "1000 × 0.25 + 500 × 2",
    charge: 1_250_000n,
  },
  {
    name: "no details",
    price: "mini",
    usage: '{"input_tokens":123,"output_tokens":45,"total_tokens":168}',
    working: "123 × 0.25 + 45 × 2",
    charge: 120_750n,
  },
  {
    name: "no total",
    price: "mini",
    usage: '{"input_tokens":123,"output_tokens":45}',
    working: "123 × 0.25 + 45 × 2",
    charge: 120_750n,
  },
  {
    name: "details of null",
    price: "mini",
    usage:
      '{"input_tokens":7,"input_tokens_details":null,"output_tokens":3,"output_tokens_details":null,"total_tokens":10}',
    working: "7 × 0.25 + 3 × 2",
    charge: 7_750n,
  },
  {
    name: "nothing",
    price: "mini",
    usage:
      '{"input_tokens":0,"input_tokens_details":{"cached_tokens":0},"output_tokens":0,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":0}',
    working: "",
    charge: 0n,
  },
  {
    name: "cached",
    price: "mini",
    usage:
      '{"input_tokens":2006,"input_tokens_details":{"cached_tokens":1920},"output_tokens":300,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":2306}',
    working: "86 × 0.25 + 1920 × 0.025 + 300 × 2",
    charge: 669_500n,
  },
  {
    name: "all cached",
    price: "mini",
    usage:
      '{"input_tokens":1024,"input_tokens_details":{"cached_tokens":1024},"output_tokens":1,"total_tokens":1025}',
    working: "1024 × 0.025 + 1 × 2",
    charge: 27_600n,
  },
  {
    name: "more cached than there is",
    price: "mini",
    usage:
      '{"input_tokens":100,"input_tokens_details":{"cached_tokens":130},"output_tokens":5,"total_tokens":105}',
    working: "100 × 0.025 + 5 × 2",
    charge: 12_500n,
  },
  {
    name: "reasoning without a rate of its own",
    price: "mini",
    usage:
      '{"input_tokens":75,"input_tokens_details":{"cached_tokens":0},"output_tokens":1186,"output_tokens_details":{"reasoning_tokens":1024},"total_tokens":1261}',
    working: "75 × 0.25 + 1186 × 2",
    charge: 2_390_750n,
  },
  {
    name: "reasoning apart",
    price: "deep",
    usage:
      '{"input_tokens":5000,"input_tokens_details":{"cached_tokens":0},"output_tokens":2048,"output_tokens_details":{"reasoning_tokens":1984},"total_tokens":7048}',
    working: "5000 × 20 + 64 × 80 + 1984 × 60",
    charge: 224_160_000n,
  },
  {
    name: "nothing but reasoning",
    price: "deep",
    usage:
      '{"input_tokens":12,"output_tokens":4096,"output_tokens_details":{"reasoning_tokens":4096},"total_tokens":4108}',
    working: "12 × 20 + 4096 × 60",
    charge: 246_000_000n,
  },
  {
    name: "reasoning outside, as the total says",
    price: "deep",
    usage:
      '{"input_tokens":10,"output_tokens":20,"output_tokens_details":{"reasoning_tokens":30},"total_tokens":60}',
    working: "10 × 20 + 20 × 80 + 30 × 60",
    charge: 3_600_000n,
  },
  {
    name: "written for half an hour",
    price: "terra",
    usage:
      '{"input_tokens":3000,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":2048,"cache_write_tokens_details":{"ttl_30m_tokens":2048,"ttl_12h_tokens":0}},"output_tokens":10,"total_tokens":3010}',
    working: "952 × 1 + 2048 × 1.25 + 10 × 5",
    charge: 3_562_000n,
  },
  {
    name: "written for twelve hours",
    price: "terra",
    usage:
      '{"input_tokens":3000,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":2048,"cache_write_tokens_details":{"ttl_30m_tokens":0,"ttl_12h_tokens":2048}},"output_tokens":10,"total_tokens":3010}',
    working: "952 × 1 + 2048 × 2.5 + 10 × 5",
    charge: 6_122_000n,
  },
  {
    name: "written for both, and read",
    price: "terra",
    usage:
      '{"input_tokens":9000,"input_tokens_details":{"cached_tokens":4096,"cache_write_tokens":3000,"cache_write_tokens_details":{"ttl_30m_tokens":1000,"ttl_12h_tokens":2000}},"output_tokens":40,"output_tokens_details":{"reasoning_tokens":12},"total_tokens":9040}',
    working: "1904 × 1 + 4096 × 0.05 + 1000 × 1.25 + 2000 × 2.5 + 40 × 5",
    charge: 8_558_800n,
  },
  {
    name: "written, age not told",
    price: "terra",
    usage:
      '{"input_tokens":3000,"input_tokens_details":{"cache_write_tokens":2048},"output_tokens":10,"total_tokens":3010}',
    working: "952 × 1 + 2048 × 1.25 + 10 × 5",
    charge: 3_562_000n,
  },
  {
    name: "written for a time nobody knows",
    price: "terra",
    usage:
      '{"input_tokens":3000,"input_tokens_details":{"cache_write_tokens":2048,"cache_write_tokens_details":{"ttl_7d_tokens":2048}},"output_tokens":10,"total_tokens":3010}',
    working: "952 × 1 + 2048 × 2.5 + 10 × 5",
    charge: 6_122_000n,
  },
  {
    name: "at the edge of the tier",
    price: "terra",
    usage:
      '{"input_tokens":272000,"input_tokens_details":{"cached_tokens":100000},"output_tokens":100,"total_tokens":272100}',
    working: "172000 × 1 + 100000 × 0.05 + 100 × 5",
    charge: 177_500_000n,
  },
  {
    name: "beyond the tier, by what is cached",
    price: "terra",
    usage:
      '{"input_tokens":272001,"input_tokens_details":{"cached_tokens":100000,"cache_write_tokens":72001,"cache_write_tokens_details":{"ttl_30m_tokens":72000,"ttl_12h_tokens":1}},"output_tokens":100,"total_tokens":272101}',
    working: "100000 × 2 + 100000 × 0.1 + 72000 × 2.5 + 1 × 5 + 100 × 7.5",
    charge: 390_755_000n,
  },
  {
    name: "sound in and out",
    price: "audio",
    usage:
      '{"input_tokens":500,"input_tokens_details":{"audio_tokens":200},"output_tokens":100,"output_tokens_details":{"audio_tokens":60},"total_tokens":600}',
    working: "300 × 2.5 + 200 × 40 + 40 × 10 + 60 × 80",
    charge: 13_950_000n,
  },
  {
    name: "images in and out",
    price: "image",
    usage:
      '{"input_tokens":900,"input_tokens_details":{"image_tokens":765},"output_tokens":1300,"output_tokens_details":{"image_tokens":1290},"total_tokens":2200}',
    working: "135 × 5 + 765 × 10 + 10 × 10 + 1290 × 40",
    charge: 60_025_000n,
  },
  {
    name: "every class",
    price: "every",
    usage:
      '{"input_tokens":60,"input_tokens_details":{"cached_tokens":10,"cache_write_tokens":20,"cache_write_tokens_details":{"ttl_30m_tokens":5,"ttl_12h_tokens":15}},"output_tokens":60,"output_tokens_details":{"reasoning_tokens":10,"audio_tokens":20,"image_tokens":5},"total_tokens":120}',
    working: "30 × 1 + 10 × 3 + 5 × 4 + 15 × 5 + 25 × 2 + 10 × 6 + 20 × 8 + 5 × 10",
    charge: 475_000n,
  },
  {
    name: "sound and images beside words",
    price: "every",
    usage:
      '{"input_tokens":60,"input_tokens_details":{"audio_tokens":20,"image_tokens":30},"output_tokens":9,"total_tokens":69}',
    working: "10 × 1 + 20 × 7 + 30 × 9 + 9 × 2",
    charge: 438_000n,
  },
  {
    name: "a price for the call",
    price: "call",
    usage: '{"input_tokens":1,"output_tokens":1,"total_tokens":2}',
    working: "1 × 1 + 1 × 1 + 0.005",
    charge: 5_002_000n,
  },
  {
    name: "rounded up once",
    price: "tiny",
    usage: '{"input_tokens":1,"output_tokens":1,"total_tokens":2}',
    working: "1 × 0.000000001 + 1 × 0.000000003",
    charge: 1n,
  },
  {
    name: "a field nobody knows",
    price: "mini",
    usage:
      '{"input_tokens":20,"output_tokens":2,"total_tokens":22,"tool_usage":{"image_gen":{"input_tokens":0}},"attributes":null}',
    working: "20 × 0.25 + 2 × 2",
    charge: 9_000n,
  },
];

export const responsesPrices: PriceSuite = { name: "responses", read: readUsage, vectors };
