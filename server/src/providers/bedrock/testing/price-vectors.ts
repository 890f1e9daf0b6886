/**
 * Price vectors of Bedrock's Converse (docs/wire/bedrock-converse.md section 2).
 * `testing/price-vectors/prices.ts` has format and rules.
 */
import { readUsage } from "../../../protocols/bedrock-converse/usage.ts";
import type { PriceSuite, PriceVector } from "../../../testing/price-vectors/prices.ts";

const vectors: readonly PriceVector[] = [
  {
    name: "plain",
    price: "sonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":11,"cacheReadInputTokens":0,"cacheWriteInputTokens":0}',
    working: "9 × 3 + 2 × 15",
    charge: 57_000n,
  },
  {
    name: "no cache fields",
    price: "sonnet",
    usage: '{"inputTokens":9,"outputTokens":2,"totalTokens":11}',
    working: "9 × 3 + 2 × 15",
    charge: 57_000n,
  },
  {
    name: "nothing",
    price: "sonnet",
    usage: '{"inputTokens":0,"outputTokens":0,"totalTokens":0}',
    working: "",
    charge: 0n,
  },
  {
    name: "read",
    price: "sonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":1511,"cacheReadInputTokens":1500,"cacheWriteInputTokens":0}',
    working: "9 × 3 + 1500 × 0.3 + 2 × 15",
    charge: 507_000n,
  },
  {
    name: "written",
    price: "sonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":1511,"cacheReadInputTokens":0,"cacheWriteInputTokens":1500}',
    working: "9 × 3 + 1500 × 3.75 + 2 × 15",
    charge: 5_682_000n,
  },
  {
    name: "written for five minutes",
    price: "sonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":1511,"cacheWriteInputTokens":1500,"cacheDetails":[{"ttl":"5m","inputTokens":1500}]}',
    working: "9 × 3 + 1500 × 3.75 + 2 × 15",
    charge: 5_682_000n,
  },
  {
    name: "written for an hour",
    price: "sonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":1511,"cacheWriteInputTokens":1500,"cacheDetails":[{"ttl":"1h","inputTokens":1500}]}',
    working: "9 × 3 + 1500 × 6 + 2 × 15",
    charge: 9_057_000n,
  },
  {
    name: "written for both",
    price: "sonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":1511,"cacheWriteInputTokens":1500,"cacheDetails":[{"ttl":"1h","inputTokens":1000},{"ttl":"5m","inputTokens":500}]}',
    working: "9 × 3 + 1000 × 6 + 500 × 3.75 + 2 × 15",
    charge: 7_932_000n,
  },
  {
    name: "two hours of details",
    price: "sonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":1511,"cacheWriteInputTokens":1500,"cacheDetails":[{"ttl":"1h","inputTokens":700},{"ttl":"1h","inputTokens":300}]}',
    working: "9 × 3 + 1000 × 6 + 500 × 3.75 + 2 × 15",
    charge: 7_932_000n,
  },
  {
    name: "read and written for both",
    price: "sonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":9511,"cacheReadInputTokens":8000,"cacheWriteInputTokens":1500,"cacheDetails":[{"ttl":"1h","inputTokens":1000},{"ttl":"5m","inputTokens":500}]}',
    working: "9 × 3 + 8000 × 0.3 + 1000 × 6 + 500 × 3.75 + 2 × 15",
    charge: 10_332_000n,
  },
  {
    name: "an age nobody knows",
    price: "sonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":1511,"cacheWriteInputTokens":1500,"cacheDetails":[{"ttl":"24h","inputTokens":1500}]}',
    working: "9 × 3 + 1500 × 6 + 2 × 15, the dearest class",
    charge: 9_057_000n,
  },
  {
    name: "no fresh token",
    price: "sonnet",
    usage: '{"inputTokens":0,"outputTokens":700,"totalTokens":8700,"cacheReadInputTokens":8000}',
    working: "8000 × 0.3 + 700 × 15",
    charge: 12_900_000n,
  },
  {
    name: "an hour without a rate",
    price: "shortWrites",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":1511,"cacheWriteInputTokens":1500,"cacheDetails":[{"ttl":"1h","inputTokens":1500}]}',
    working: "9 × 3 + 1500 × 3.75 + 2 × 15",
    charge: 5_682_000n,
  },
  {
    name: "no cache rates at all",
    price: "plainSonnet",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":1611,"cacheReadInputTokens":100,"cacheWriteInputTokens":1500}',
    working: "9 × 3 + 1600 × 3 + 2 × 15",
    charge: 4_857_000n,
  },
  {
    name: "Nova: writes are free, said so",
    price: "nova",
    usage:
      '{"inputTokens":100,"outputTokens":50,"totalTokens":3150,"cacheReadInputTokens":2000,"cacheWriteInputTokens":1000}',
    working: "100 × 0.8 + 2000 × 0.2 + 1000 × 0 + 50 × 3.2",
    charge: 640_000n,
  },
  {
    name: "Nova: plain",
    price: "nova",
    usage: '{"inputTokens":100,"outputTokens":50,"totalTokens":150}',
    working: "100 × 0.8 + 50 × 3.2",
    charge: 240_000n,
  },
  {
    name: "Nova: rounding",
    price: "nova",
    usage:
      '{"inputTokens":1,"outputTokens":1,"totalTokens":4,"cacheReadInputTokens":1,"cacheWriteInputTokens":1}',
    working: "1 × 0.8 + 1 × 0.2 + 1 × 0 + 1 × 3.2",
    charge: 4_200n,
  },
  {
    name: "at the edge of the tier",
    price: "long",
    usage: '{"inputTokens":150000,"outputTokens":10,"totalTokens":200010,"cacheReadInputTokens":50000}',
    working: "150000 × 3 + 50000 × 0.3 + 10 × 15",
    charge: 465_150_000n,
  },
  {
    name: "above the tier",
    price: "long",
    usage: '{"inputTokens":150001,"outputTokens":10,"totalTokens":200011,"cacheReadInputTokens":50000}',
    working: "150001 × 6 + 50000 × 0.6 + 10 × 22.5",
    charge: 930_231_000n,
  },
  {
    name: "above the tier, an hour",
    price: "long",
    usage:
      '{"inputTokens":1,"outputTokens":10,"totalTokens":200011,"cacheReadInputTokens":150000,"cacheWriteInputTokens":50000,"cacheDetails":[{"ttl":"1h","inputTokens":50000}]}',
    working: "1 × 6 + 150000 × 0.6 + 50000 × 12 + 10 × 22.5",
    charge: 690_231_000n,
  },
  {
    name: "a price per request",
    price: "call",
    usage: '{"inputTokens":9,"outputTokens":2,"totalTokens":11}',
    working: "9 × 1 + 2 × 1 + 0.005",
    charge: 5_011_000n,
  },
  {
    name: "gpt-oss: reasoning is not told apart",
    price: "deep",
    usage: '{"inputTokens":9,"outputTokens":2000,"totalTokens":2009}',
    working: "9 × 20 + 2000 × 80",
    charge: 160_180_000n,
  },
  {
    name: "rounding: one token read",
    price: "sonnet",
    usage: '{"inputTokens":0,"outputTokens":0,"totalTokens":1,"cacheReadInputTokens":1}',
    working: "1 × 0.3",
    charge: 300n,
  },
  {
    name: "rounding: thirds",
    price: "tiny",
    usage: '{"inputTokens":1,"outputTokens":1,"totalTokens":3,"cacheReadInputTokens":1}',
    working: "2 × 0.000000001 + 1 × 0.000000003",
    charge: 1n,
  },
  {
    name: "the largest counts",
    price: "sonnet",
    usage: '{"inputTokens":1000000000,"outputTokens":1000000000,"totalTokens":2000000000}',
    working: "1000000000 × 3 + 1000000000 × 15",
    charge: 18_000_000_000_000n,
  },
  {
    name: "free",
    price: "free",
    usage:
      '{"inputTokens":9,"outputTokens":2,"totalTokens":18,"cacheReadInputTokens":3,"cacheWriteInputTokens":4}',
    working: "",
    charge: 0n,
  },
  {
    name: "every class it tells",
    price: "every",
    usage:
      '{"inputTokens":100,"outputTokens":60,"totalTokens":210,"cacheReadInputTokens":20,"cacheWriteInputTokens":30,"cacheDetails":[{"ttl":"1h","inputTokens":20},{"ttl":"5m","inputTokens":10}]}',
    working: "100 × 1 + 20 × 3 + 10 × 4 + 20 × 5 + 60 × 2",
    charge: 420_000n,
  },
];

export const bedrockPrices: PriceSuite = { name: "bedrock", read: readUsage, vectors };
