/**
 * Price vectors of Anthropic's Messages (docs/wire/anthropic-messages.md).
 * `testing/price-vectors/prices.ts` has format and rules.
 */
import { readUsage } from "../../../protocols/anthropic-messages/usage.ts";
import type { PriceSuite, PriceVector } from "../../../testing/price-vectors/prices.ts";

const vectors: readonly PriceVector[] = [
  {
    name: "plain",
    price: "sonnet",
    usage: '{"input_tokens":10,"output_tokens":5}',
    working: "10 × 3 + 5 × 15",
    charge: 105_000n,
  },
  {
    name: "zeros in full",
    price: "sonnet",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens_details":{"thinking_tokens":0},"service_tier":"standard"}',
    working: "10 × 3 + 5 × 15",
    charge: 105_000n,
  },
  {
    name: "nothing used",
    price: "sonnet",
    usage: '{"input_tokens":0,"output_tokens":0}',
    working: "",
    charge: 0n,
  },
  {
    name: "read",
    price: "sonnet",
    usage: '{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":2000}',
    working: "10 × 3 + 2000 × 0.3 + 5 × 15",
    charge: 705_000n,
  },
  {
    name: "written for five minutes",
    price: "sonnet",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":2000,"cache_creation":{"ephemeral_5m_input_tokens":2000,"ephemeral_1h_input_tokens":0}}',
    working: "10 × 3 + 2000 × 3.75 + 5 × 15",
    charge: 7_605_000n,
  },
  {
    name: "written, age not told",
    price: "sonnet",
    usage: '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":2000}',
    working: "10 × 3 + 2000 × 3.75 + 5 × 15",
    charge: 7_605_000n,
  },
  {
    name: "written for an hour",
    price: "sonnet",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":2000,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":2000}}',
    working: "10 × 3 + 2000 × 6 + 5 × 15",
    charge: 12_105_000n,
  },
  {
    name: "written for both",
    price: "sonnet",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":2000,"cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":1500}}',
    working: "10 × 3 + 500 × 3.75 + 1500 × 6 + 5 × 15",
    charge: 10_980_000n,
  },
  {
    name: "written for both, no total",
    price: "sonnet",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":1500}}',
    working: "10 × 3 + 500 × 3.75 + 1500 × 6 + 5 × 15",
    charge: 10_980_000n,
  },
  {
    name: "written for an hour, total null",
    price: "sonnet",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation":{"ephemeral_1h_input_tokens":7},"cache_creation_input_tokens":null}',
    working: "10 × 3 + 7 × 6 + 5 × 15",
    charge: 147_000n,
  },
  {
    name: "part of what was written has no age",
    price: "sonnet",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":2000,"cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":1000}}',
    working: "10 × 3 + 1000 × 3.75 + 1000 × 6 + 5 × 15",
    charge: 9_855_000n,
  },
  {
    name: "creation is null",
    price: "sonnet",
    usage: '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":2000,"cache_creation":null}',
    working: "10 × 3 + 2000 × 3.75 + 5 × 15",
    charge: 7_605_000n,
  },
  {
    name: "read and written",
    price: "sonnet",
    usage:
      '{"input_tokens":3,"output_tokens":800,"cache_creation_input_tokens":1200,"cache_read_input_tokens":10000,"cache_creation":{"ephemeral_5m_input_tokens":1200,"ephemeral_1h_input_tokens":0}}',
    working: "3 × 3 + 10000 × 0.3 + 1200 × 3.75 + 800 × 15",
    charge: 19_509_000n,
  },
  {
    name: "read and written for both",
    price: "sonnet",
    usage:
      '{"input_tokens":3,"output_tokens":800,"cache_creation_input_tokens":1200,"cache_read_input_tokens":10000,"cache_creation":{"ephemeral_5m_input_tokens":200,"ephemeral_1h_input_tokens":1000}}',
    working: "3 × 3 + 10000 × 0.3 + 200 × 3.75 + 1000 × 6 + 800 × 15",
    charge: 21_759_000n,
  },
  {
    name: "no fresh token",
    price: "sonnet",
    usage: '{"input_tokens":0,"output_tokens":800,"cache_read_input_tokens":10000}',
    working: "10000 × 0.3 + 800 × 15",
    charge: 15_000_000n,
  },
  {
    name: "a cache warmed up, no output",
    price: "sonnet",
    usage:
      '{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":4096,"cache_creation":{"ephemeral_5m_input_tokens":4096,"ephemeral_1h_input_tokens":0}}',
    working: "4096 × 3.75",
    charge: 15_360_000n,
  },
  {
    name: "thinking costs what output does",
    price: "sonnet",
    usage: '{"input_tokens":100,"output_tokens":3000,"output_tokens_details":{"thinking_tokens":2500}}',
    working: "100 × 3 + 3000 × 15",
    charge: 45_300_000n,
  },
  {
    name: "thinking apart",
    price: "deep",
    usage: '{"input_tokens":100,"output_tokens":3000,"output_tokens_details":{"thinking_tokens":2500}}',
    working: "100 × 20 + 500 × 80 + 2500 × 60",
    charge: 192_000_000n,
  },
  {
    name: "all thinking apart",
    price: "deep",
    usage: '{"input_tokens":100,"output_tokens":3000,"output_tokens_details":{"thinking_tokens":3000}}',
    working: "100 × 20 + 3000 × 60",
    charge: 182_000_000n,
  },
  {
    name: "an hour without a rate costs a write",
    price: "shortWrites",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":2000,"cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":1500}}',
    working: "10 × 3 + 2000 × 3.75 + 5 × 15",
    charge: 7_605_000n,
  },
  {
    name: "neither has a rate",
    price: "plainSonnet",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":2000,"cache_read_input_tokens":100,"cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":1500}}',
    working: "10 × 3 + 100 × 3 + 2000 × 3 + 5 × 15",
    charge: 6_405_000n,
  },
  {
    name: "an hour that costs nothing, said so",
    price: "freeHour",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":2000,"cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":1500}}',
    working: "10 × 3 + 500 × 3.75 + 5 × 15",
    charge: 1_980_000n,
  },
  {
    name: "at the edge of the tier",
    price: "long",
    usage: '{"input_tokens":200000,"output_tokens":100}',
    working: "200000 × 3 + 100 × 15",
    charge: 601_500_000n,
  },
  {
    name: "above the tier",
    price: "long",
    usage: '{"input_tokens":200001,"output_tokens":100}',
    working: "200001 × 6 + 100 × 22.5",
    charge: 1_202_256_000n,
  },
  {
    name: "above the tier by cached tokens",
    price: "long",
    usage: '{"input_tokens":1,"output_tokens":100,"cache_read_input_tokens":200000}',
    working: "1 × 6 + 200000 × 0.6 + 100 × 22.5",
    charge: 122_256_000n,
  },
  {
    name: "at the edge by cached tokens",
    price: "long",
    usage: '{"input_tokens":0,"output_tokens":100,"cache_read_input_tokens":200000}',
    working: "200000 × 0.3 + 100 × 15",
    charge: 61_500_000n,
  },
  {
    name: "above the tier by written tokens",
    price: "long",
    usage:
      '{"input_tokens":1,"output_tokens":100,"cache_creation_input_tokens":200000,"cache_creation":{"ephemeral_5m_input_tokens":100000,"ephemeral_1h_input_tokens":100000}}',
    working: "1 × 6 + 100000 × 7.5 + 100000 × 12 + 100 × 22.5",
    charge: 1_952_256_000n,
  },
  {
    name: "above the tier, everything",
    price: "long",
    usage:
      '{"input_tokens":50000,"output_tokens":4000,"cache_creation_input_tokens":50000,"cache_read_input_tokens":900000,"cache_creation":{"ephemeral_5m_input_tokens":20000,"ephemeral_1h_input_tokens":30000},"output_tokens_details":{"thinking_tokens":3000}}',
    working: "50000 × 6 + 900000 × 0.6 + 20000 × 7.5 + 30000 × 12 + 4000 × 22.5",
    charge: 1_440_000_000n,
  },
  {
    name: "output alone does not reach a tier",
    price: "long",
    usage: '{"input_tokens":10,"output_tokens":300000}',
    working: "10 × 3 + 300000 × 15",
    charge: 4_500_030_000n,
  },
  {
    name: "server tools beside it",
    price: "sonnet",
    usage: '{"input_tokens":10,"output_tokens":5,"server_tool_use":{"web_search_requests":3}}',
    working: "10 × 3 + 5 × 15",
    charge: 105_000n,
  },
  {
    name: "speed and place beside it",
    price: "sonnet",
    usage: '{"input_tokens":10,"output_tokens":5,"speed":"standard","inference_geo":"us"}',
    working: "10 × 3 + 5 × 15",
    charge: 105_000n,
  },
  {
    name: "two runs",
    price: "sonnet",
    usage:
      '{"input_tokens":20,"output_tokens":50,"iterations":[{"type":"compaction","input_tokens":180000,"output_tokens":3500},{"type":"message","input_tokens":23000,"output_tokens":1000}]}',
    working: "203000 × 3 + 4500 × 15",
    charge: 676_500_000n,
  },
  {
    name: "two runs with caches",
    price: "sonnet",
    usage:
      '{"input_tokens":20,"output_tokens":50,"iterations":[{"type":"message","input_tokens":10,"output_tokens":20,"cache_read_input_tokens":100},{"type":"message","input_tokens":30,"output_tokens":40,"cache_creation_input_tokens":50}]}',
    working: "40 × 3 + 100 × 0.3 + 50 × 3.75 + 60 × 15",
    charge: 1_237_500n,
  },
  {
    name: "runs of a fallback are in the total",
    price: "sonnet",
    usage:
      '{"input_tokens":20,"output_tokens":50,"iterations":[{"type":"message","input_tokens":10,"output_tokens":20},{"type":"fallback_message","input_tokens":20,"output_tokens":50}]}',
    working: "20 × 3 + 50 × 15",
    charge: 810_000n,
  },
  {
    name: "a price per request",
    price: "call",
    usage: '{"input_tokens":10,"output_tokens":5}',
    working: "10 × 1 + 5 × 1 + 0.005",
    charge: 5_015_000n,
  },
  {
    name: "rounding: one token read",
    price: "sonnet",
    usage: '{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":1}',
    working: "1 × 0.3",
    charge: 300n,
  },
  {
    name: "rounding: a fraction of a nano-dollar",
    price: "tiny",
    usage: '{"input_tokens":1,"output_tokens":1,"cache_creation_input_tokens":1,"cache_read_input_tokens":1}',
    working: "1 × 0.000000001 + 1 × 0.000000001 + 1 × 0.000000001 + 1 × 0.000000003",
    charge: 1n,
  },
  {
    name: "the largest counts",
    price: "long",
    usage:
      '{"input_tokens":1000000000,"output_tokens":1000000000,"cache_creation_input_tokens":1000000000,"cache_read_input_tokens":1000000000,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":1000000000}}',
    working: "1000000000 × 6 + 1000000000 × 0.6 + 1000000000 × 12 + 1000000000 × 22.5",
    charge: 41_100_000_000_000n,
  },
  {
    name: "free",
    price: "free",
    usage:
      '{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":1,"cache_read_input_tokens":1}',
    working: "",
    charge: 0n,
  },
  {
    name: "every class",
    price: "every",
    usage:
      '{"input_tokens":100,"output_tokens":60,"cache_creation_input_tokens":30,"cache_read_input_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20},"output_tokens_details":{"thinking_tokens":15}}',
    working: "100 × 1 + 20 × 3 + 10 × 4 + 20 × 5 + 45 × 2 + 15 × 6",
    charge: 480_000n,
  },
];

export const anthropicPrices: PriceSuite = { name: "anthropic", read: readUsage, vectors };
