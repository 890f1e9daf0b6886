/**
 * Price vectors of Gemini's usageMetadata (docs/wire/gemini.md). `testing/price-vectors/prices.ts` has format
 * and rules.
 */
import { readUsage } from "../../../protocols/gemini/usage.ts";
import type { PriceSuite, PriceVector } from "../../../testing/price-vectors/prices.ts";

const vectors: readonly PriceVector[] = [
  {
    name: "plain",
    price: "flash",
    usage: '{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":11}',
    working: "9 × 0.3 + 2 × 2.5",
    charge: 7_700n,
  },
  {
    name: "thoughts are outside",
    price: "flash",
    usage:
      '{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":30,"cachedContentTokenCount":0,"totalTokenCount":41}',
    working: "9 × 0.3 + 32 × 2.5",
    charge: 82_700n,
  },
  {
    name: "thoughts apart",
    price: "deep",
    usage: '{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":30,"totalTokenCount":41}',
    working: "9 × 20 + 2 × 80 + 30 × 60",
    charge: 2_140_000n,
  },
  {
    name: "only thoughts",
    price: "flash",
    usage: '{"promptTokenCount":9,"thoughtsTokenCount":30,"totalTokenCount":39}',
    working: "9 × 0.3 + 30 × 2.5",
    charge: 77_700n,
  },
  {
    name: "blocked prompt",
    price: "flash",
    usage: '{"promptTokenCount":9,"totalTokenCount":9}',
    working: "9 × 0.3",
    charge: 2_700n,
  },
  {
    name: "zeros",
    price: "flash",
    usage: '{"promptTokenCount":0,"candidatesTokenCount":0}',
    working: "",
    charge: 0n,
  },
  {
    name: "cached is inside",
    price: "flash",
    usage: '{"promptTokenCount":1000,"candidatesTokenCount":10,"cachedContentTokenCount":400}',
    working: "600 × 0.3 + 400 × 0.075 + 10 × 2.5",
    charge: 235_000n,
  },
  {
    name: "all cached",
    price: "flash",
    usage: '{"promptTokenCount":1000,"candidatesTokenCount":10,"cachedContentTokenCount":1000}',
    working: "1000 × 0.075 + 10 × 2.5",
    charge: 100_000n,
  },
  {
    name: "tool results are outside",
    price: "flash",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":10,"toolUsePromptTokenCount":50,"totalTokenCount":160}',
    working: "150 × 0.3 + 10 × 2.5",
    charge: 70_000n,
  },
  {
    name: "tool results, cached, thoughts",
    price: "flash",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":10,"thoughtsTokenCount":5,"toolUsePromptTokenCount":50,"cachedContentTokenCount":40,"totalTokenCount":165}',
    working: "110 × 0.3 + 40 × 0.075 + 15 × 2.5",
    charge: 73_500n,
  },
  {
    name: "audio",
    price: "flash",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":10,"promptTokensDetails":[{"modality":"TEXT","tokenCount":20},{"modality":"AUDIO","tokenCount":80}]}',
    working: "20 × 0.3 + 80 × 1 + 10 × 2.5",
    charge: 111_000n,
  },
  {
    name: "audio only",
    price: "flash",
    usage:
      '{"promptTokenCount":80,"candidatesTokenCount":10,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":80}]}',
    working: "80 × 1 + 10 × 2.5",
    charge: 105_000n,
  },
  {
    name: "audio, cached told apart",
    price: "flash",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":10,"cachedContentTokenCount":50,"promptTokensDetails":[{"modality":"TEXT","tokenCount":20},{"modality":"AUDIO","tokenCount":80}],"cacheTokensDetails":[{"modality":"TEXT","tokenCount":10},{"modality":"AUDIO","tokenCount":40}]}',
    working: "10 × 0.3 + 40 × 1 + 50 × 0.075 + 10 × 2.5",
    charge: 71_750n,
  },
  {
    name: "audio, cached text only",
    price: "flash",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":10,"cachedContentTokenCount":20,"promptTokensDetails":[{"modality":"TEXT","tokenCount":20},{"modality":"AUDIO","tokenCount":80}],"cacheTokensDetails":[{"modality":"TEXT","tokenCount":20}]}',
    working: "80 × 1 + 20 × 0.075 + 10 × 2.5",
    charge: 106_500n,
  },
  {
    name: "audio, all of it cached",
    price: "flash",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":10,"cachedContentTokenCount":80,"promptTokensDetails":[{"modality":"TEXT","tokenCount":20},{"modality":"AUDIO","tokenCount":80}],"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":80}]}',
    working: "20 × 0.3 + 80 × 0.075 + 10 × 2.5",
    charge: 37_000n,
  },
  {
    name: "audio, cached not told apart",
    price: "flash",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":10,"cachedContentTokenCount":50,"promptTokensDetails":[{"modality":"TEXT","tokenCount":20},{"modality":"AUDIO","tokenCount":80}]}',
    working: "50 × 1 + 50 × 0.075 + 10 × 2.5",
    charge: 78_750n,
  },
  {
    name: "audio in a tool result",
    price: "flash",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":10,"toolUsePromptTokenCount":60,"toolUsePromptTokensDetails":[{"modality":"AUDIO","tokenCount":45},{"modality":"TEXT","tokenCount":15}]}',
    working: "115 × 0.3 + 45 × 1 + 10 × 2.5",
    charge: 104_500n,
  },
  {
    name: "audio in both",
    price: "flash",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":10,"toolUsePromptTokenCount":60,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":30},{"modality":"TEXT","tokenCount":70}],"toolUsePromptTokensDetails":[{"modality":"AUDIO","tokenCount":45},{"modality":"TEXT","tokenCount":15}]}',
    working: "85 × 0.3 + 75 × 1 + 10 × 2.5",
    charge: 125_500n,
  },
  {
    name: "image in, no rate of its own",
    price: "flash",
    usage:
      '{"promptTokenCount":1300,"candidatesTokenCount":10,"promptTokensDetails":[{"modality":"TEXT","tokenCount":10},{"modality":"IMAGE","tokenCount":1290}]}',
    working: "1300 × 0.3 + 10 × 2.5",
    charge: 415_000n,
  },
  {
    name: "video and documents are input",
    price: "flash",
    usage:
      '{"promptTokenCount":1300,"candidatesTokenCount":10,"promptTokensDetails":[{"modality":"TEXT","tokenCount":10},{"modality":"VIDEO","tokenCount":1000},{"modality":"DOCUMENT","tokenCount":290}]}',
    working: "1300 × 0.3 + 10 × 2.5",
    charge: 415_000n,
  },
  {
    name: "image out",
    price: "banana",
    usage:
      '{"promptTokenCount":20,"candidatesTokenCount":1290,"totalTokenCount":1310,"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":1290}]}',
    working: "20 × 0.3 + 1290 × 30",
    charge: 38_706_000n,
  },
  {
    name: "image and text out",
    price: "banana",
    usage:
      '{"promptTokenCount":20,"candidatesTokenCount":1340,"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":1290},{"modality":"TEXT","tokenCount":50}]}',
    working: "20 × 0.3 + 1290 × 30 + 50 × 2.5",
    charge: 38_831_000n,
  },
  {
    name: "image out beside thoughts",
    price: "banana",
    usage:
      '{"promptTokenCount":20,"candidatesTokenCount":1340,"thoughtsTokenCount":60,"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":1290},{"modality":"TEXT","tokenCount":50}]}',
    working: "20 × 0.3 + 1290 × 30 + 110 × 2.5",
    charge: 38_981_000n,
  },
  {
    name: "two images in two details",
    price: "banana",
    usage:
      '{"promptTokenCount":20,"candidatesTokenCount":2580,"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":1290},{"modality":"IMAGE","tokenCount":1290}]}',
    working: "20 × 0.3 + 2580 × 30",
    charge: 77_406_000n,
  },
  {
    name: "speech out",
    price: "speech",
    usage:
      '{"promptTokenCount":12,"candidatesTokenCount":340,"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":340}]}',
    working: "12 × 0.5 + 340 × 10",
    charge: 3_406_000n,
  },
  {
    name: "speech and text out",
    price: "speech",
    usage:
      '{"promptTokenCount":12,"candidatesTokenCount":340,"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":300},{"modality":"TEXT","tokenCount":40}]}',
    working: "12 × 0.5 + 300 × 10 + 40 × 2",
    charge: 3_086_000n,
  },
  {
    name: "every class",
    price: "every",
    usage:
      '{"promptTokenCount":100,"candidatesTokenCount":60,"thoughtsTokenCount":15,"toolUsePromptTokenCount":10,"cachedContentTokenCount":20,"promptTokensDetails":[{"modality":"TEXT","tokenCount":50},{"modality":"AUDIO","tokenCount":30},{"modality":"IMAGE","tokenCount":20}],"cacheTokensDetails":[{"modality":"TEXT","tokenCount":5},{"modality":"AUDIO","tokenCount":10},{"modality":"IMAGE","tokenCount":5}],"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":12},{"modality":"IMAGE","tokenCount":8},{"modality":"TEXT","tokenCount":40}]}',
    working: "55 × 1 + 20 × 7 + 15 × 9 + 20 × 3 + 40 × 2 + 15 × 6 + 12 × 8 + 8 × 10",
    charge: 736_000n,
  },
  {
    name: "pro at the edge of its tier",
    price: "pro",
    usage: '{"promptTokenCount":200000,"candidatesTokenCount":1000,"thoughtsTokenCount":500}',
    working: "200000 × 1.25 + 1500 × 10",
    charge: 265_000_000n,
  },
  {
    name: "pro above its tier",
    price: "pro",
    usage: '{"promptTokenCount":200001,"candidatesTokenCount":1000,"thoughtsTokenCount":500}',
    working: "200001 × 2.5 + 1500 × 15",
    charge: 522_502_500n,
  },
  {
    name: "pro above its tier by tool results",
    price: "pro",
    usage: '{"promptTokenCount":199999,"candidatesTokenCount":10,"toolUsePromptTokenCount":2}',
    working: "200001 × 2.5 + 10 × 15",
    charge: 500_152_500n,
  },
  {
    name: "pro above its tier, cached",
    price: "pro",
    usage: '{"promptTokenCount":300000,"candidatesTokenCount":10,"cachedContentTokenCount":250000}',
    working: "50000 × 2.5 + 250000 × 0.25 + 10 × 15",
    charge: 187_650_000n,
  },
  {
    name: "pro below its tier, thoughts do not count",
    price: "pro",
    usage: '{"promptTokenCount":199000,"candidatesTokenCount":10,"thoughtsTokenCount":60000}',
    working: "199000 × 1.25 + 60010 × 10",
    charge: 848_850_000n,
  },
  {
    name: "the largest counts",
    price: "pro",
    usage: '{"promptTokenCount":1000000000,"candidatesTokenCount":1000000000}',
    working: "1000000000 × 2.5 + 1000000000 × 15",
    charge: 17_500_000_000_000n,
  },
  {
    name: "a price per request",
    price: "call",
    usage: '{"promptTokenCount":10,"candidatesTokenCount":10,"thoughtsTokenCount":10}',
    working: "10 × 1 + 20 × 1 + 0.005",
    charge: 5_030_000n,
  },
  {
    name: "rounding: one cached token",
    price: "flash",
    usage: '{"promptTokenCount":1,"candidatesTokenCount":0,"cachedContentTokenCount":1}',
    working: "1 × 0.075",
    charge: 75n,
  },
  {
    name: "rounding: thirds",
    price: "tiny",
    usage: '{"promptTokenCount":1,"candidatesTokenCount":1,"thoughtsTokenCount":1}',
    working: "1 × 0.000000001 + 2 × 0.000000003",
    charge: 1n,
  },
  {
    name: "Vertex: traffic type beside it",
    price: "flash",
    usage: '{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":11,"trafficType":"ON_DEMAND"}',
    working: "9 × 0.3 + 2 × 2.5",
    charge: 7_700n,
  },
  {
    name: "free",
    price: "free",
    usage: '{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":4}',
    working: "",
    charge: 0n,
  },
];

export const googlePrices: PriceSuite = { name: "google", read: readUsage, vectors };
