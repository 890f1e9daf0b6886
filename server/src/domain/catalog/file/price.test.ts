// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the file format has variables of this form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogFile } from "../file.ts";

const read = (text: string) =>
  readCatalogFile(text, {
    env: { PRICE: "1.5" },
    fileName: "plaza.yaml",
    providers: [{ id: "demo", needs: { baseUrl: false, credentials: false } }],
  });

function accepted(text: string) {
  const result = read(text);
  assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
  return result;
}

function faults(text: string): readonly string[] {
  const result = read(text);
  assert.ok(!result.ok, "expected faults");
  return result.faults;
}

/** A file with one model made of these lines. */
const model = (...lines: string[]): string =>
  [
    "upstreams:",
    "  - { id: main, provider: demo }",
    "models:",
    "  - id: m",
    ...lines.map((line) => `    ${line}`),
  ].join("\n");
const deployments = "deployments: [{ upstream: main, model: x }]";

test("prices: anything but a quoted decimal in range is refused with the reason", () => {
  const form =
    'US dollars per million tokens in quotes, from "0" to "1000000" with at most nine decimals, for example "0.25"';
  const reasons: Record<string, string> = {
    "0.25": 'write the price in quotes to keep all digits: "0.25"',
    "0": 'write the price in quotes to keep all digits: "0"',
    "1e-3": `write the price in quotes to keep all digits; enter ${form}`,
    '"-1"': `"-1" is negative; enter ${form}`,
    '"0.0000000001"': `"0.0000000001" has more than nine decimals; enter ${form}`,
    '"1000000.01"': `"1000000.01" is more than 1000000; enter ${form}`,
    '"99999999999"': `"99999999999" is more than 1000000; enter ${form}`,
    '"1e3"': `"1e3" has an exponent; enter ${form}`,
    '"+1"': `"+1" has a sign; enter ${form}`,
    '"NaN"': `"NaN" is not a number; enter ${form}`,
    '"Infinity"': `"Infinity" is not a number; enter ${form}`,
    '"0x10"': `"0x10" is not a decimal number; enter ${form}`,
    '"$1"': `"$1" contains a currency or a word; enter ${form}`,
    '"1 EUR"': `"1 EUR" contains a currency or a word; enter ${form}`,
    '"free"': `"free" contains a currency or a word; enter ${form}`,
    '"1,5"': `"1,5" has a comma instead of a point; enter ${form}`,
    ".inf": `write the price in quotes to keep all digits; enter ${form}`,
    '" 1"': `" 1" is not a price; enter ${form}`,
    '""': `is empty; enter ${form}`,
    true: 'must be text; put it in quotes: "true"',
    "[1]": `must be text: ${form}`,
  };
  for (const [written, reason] of Object.entries(reasons)) {
    assert.deepEqual(
      faults(model(deployments, `price: { output: "1", input: ${written} }`)),
      [`plaza.yaml:6:34 models[0].price.input: ${reason}`],
      written,
    );
  }
  assert.deepEqual(faults(model(deployments, "price: {}")), [
    `plaza.yaml:6:12 models[0].price.input: is missing; enter ${form}`,
    `plaza.yaml:6:12 models[0].price.output: is missing; enter ${form}`,
  ]);
  assert.deepEqual(faults(model(deployments, "price:")), [
    "plaza.yaml:6:11 models[0].price: must be a mapping with the keys input, output, cachedInput, cacheWrite, longCacheWrite, reasoning, audioInput, audioOutput, imageInput, imageOutput, perRequest, tiers",
  ]);
});

test("prices: the bounds are prices, and so is an explicit zero", () => {
  const { catalog, warnings } = accepted(
    model(
      deployments,
      'price: { input: "0", output: "1000000", cachedInput: "0.000000001", cacheWrite: "${PRICE}" }',
    ),
  );
  assert.deepEqual(catalog.models[0]?.price, {
    input: 0n,
    output: 1_000_000_000_000_000n,
    cachedInput: 1n,
    cacheWrite: 1_500_000_000n,
  });
  assert.deepEqual(warnings, []);
});

test("prices: every class, a price per request and tiers", () => {
  const classes = ["cachedInput", "cacheWrite", "longCacheWrite", "reasoning", "audioInput", "audioOutput"];
  const rates = [...classes, "imageInput", "imageOutput"].map((name, index) => `${name}: "${index + 3}"`);
  const tier = (above: number) =>
    `{ abovePromptTokens: ${above}, input: "9", ${rates.join(", ")}, output: "8" }`;
  const { catalog } = accepted(
    model(
      deployments,
      `price: { input: "1", output: "2", ${rates.join(", ")}, perRequest: "0.001", tiers: [${tier(1)}, ${tier(200_000)}] }`,
    ),
  );
  const expected = {
    cachedInput: 3_000_000_000n,
    cacheWrite: 4_000_000_000n,
    longCacheWrite: 5_000_000_000n,
    reasoning: 6_000_000_000n,
    audioInput: 7_000_000_000n,
    audioOutput: 8_000_000_000n,
    imageInput: 9_000_000_000n,
    imageOutput: 10_000_000_000n,
  };
  const upper = { ...expected, input: 9_000_000_000n, output: 8_000_000_000n };
  assert.deepEqual(catalog.models[0]?.price, {
    ...expected,
    input: 1_000_000_000n,
    output: 2_000_000_000n,
    perRequest: 1_000_000n,
    tiers: [
      { ...upper, abovePromptTokens: 1 },
      { ...upper, abovePromptTokens: 200_000 },
    ],
  });
});

test("prices: a price per request and tiers are refused with line, path and what is allowed", () => {
  const form =
    'US dollars per million tokens in quotes, from "0" to "1000000" with at most nine decimals, for example "0.25"';
  const perRequest =
    'US dollars per request in quotes, from "0" to "1000" with at most nine decimals, for example "0.001"';
  const whole = "must be a whole number from 1 to 1000000000";
  const price = (rest: string) => faults(model(deployments, `price: { input: "1", output: "1", ${rest} }`));
  const at = (column: number, path: string) => `plaza.yaml:6:${column} models[0].price.${path}: `;
  const cases: [string, string[]][] = [
    ["perRequest: 0.001", [`${at(51, "perRequest")}write the price in quotes to keep all digits: "0.001"`]],
    ['perRequest: "1000.01"', [`${at(51, "perRequest")}"1000.01" is more than 1000; enter ${perRequest}`]],
    ['perRequest: "-1"', [`${at(51, "perRequest")}"-1" is negative; enter ${perRequest}`]],
    ["tiers: []", [`${at(46, "tiers")}is empty; add at least 1`]],
    ["tiers: {}", [`${at(46, "tiers")}must be a list of tiers`]],
    [
      "tiers: [{}]",
      [
        `${at(47, "tiers[0].abovePromptTokens")}is missing; enter the prompt size above which the tier applies`,
        `${at(47, "tiers[0].input")}is missing; enter ${form}`,
        `${at(47, "tiers[0].output")}is missing; enter ${form}`,
      ],
    ],
    [
      'tiers: [{ abovePromptTokens: 0, input: "1", output: 1.5 }]',
      [
        `${at(68, "tiers[0].abovePromptTokens")}"0" is not allowed; ${whole}`,
        `${at(91, "tiers[0].output")}write the price in quotes to keep all digits: "1.5"`,
      ],
    ],
    [
      'tiers: [{ abovePromptTokens: "5", input: "1", output: "1", perRequest: "1" }]',
      [
        `${at(68, "tiers[0].abovePromptTokens")}${whole}, without quotes`,
        `${at(98, "tiers[0]")}unknown key "perRequest" (keys: abovePromptTokens, input, output, cachedInput, cacheWrite, longCacheWrite, reasoning, audioInput, audioOutput, imageInput, imageOutput)`,
      ],
    ],
  ];
  for (const [written, expected] of cases) assert.deepEqual(price(written), expected, written);
  const tier = (above: number) => `{ abovePromptTokens: ${above}, input: "1", output: "1" }`;
  for (const second of [7, 6]) {
    assert.deepEqual(price(`tiers: [${tier(7)}, ${tier(second)}]`), [
      `${at(119, "tiers[1].abovePromptTokens")}must be more than 7, the size of an earlier tier; list the smallest tier first`,
    ]);
  }
  const many = Array.from({ length: 17 }, (_, index) => tier(index + 1)).join(", ");
  assert.deepEqual(price(`tiers: [${many}]`), [`${at(46, "tiers")}has 17 tiers; at most 16 are allowed`]);
});

test("prices over time: in any order, dates and times, quoted or plain, past or to come", () => {
  const { catalog, warnings } = accepted(
    model(
      deployments,
      "prices:",
      '  - { validFrom: "2026-12-01T08:30:00.250Z", input: "3", output: "3" }',
      '  - { input: "1", output: "1", tiers: [{ abovePromptTokens: 5, input: "2", output: "2" }] }',
      '  - { validFrom: 2024-02-29, input: "2", output: "2", perRequest: "0.5" }',
      '  - { validFrom: 2099-12-31T23:59Z, input: "4", output: "4" }',
    ),
  );
  const same = (dollars: bigint) => ({ input: dollars * 10n ** 9n, output: dollars * 10n ** 9n });
  const { price, scheduledPrices } = catalog.models[0] ?? {};
  assert.deepEqual(price, { ...same(1n), tiers: [{ abovePromptTokens: 5, ...same(2n) }] });
  assert.deepEqual(scheduledPrices, [
    { validFrom: Date.UTC(2024, 1, 29), price: { ...same(2n), perRequest: 500_000_000n } },
    { validFrom: Date.UTC(2026, 11, 1, 8, 30, 0, 250), price: same(3n) },
    { validFrom: Date.UTC(2099, 11, 31, 23, 59), price: same(4n) },
  ]);
  assert.deepEqual(warnings, []);
  const single = accepted(model(deployments, 'prices: [{ input: "1", output: "1" }]')).catalog.models[0];
  assert.deepEqual(single?.price, same(1n));
  assert.ok(single !== undefined && !("scheduledPrices" in single));
});

test("prices over time: refused with line, path and what is allowed", () => {
  const form = "enter a UTC date or time, for example 2026-12-01 or 2026-12-01T08:30:00Z";
  const prices = (...entries: string[]) =>
    faults(model(deployments, "prices:", ...entries.map((entry) => `  - ${entry}`)));
  const base = '{ input: "1", output: "1" }';
  const from = (time: string) => `{ validFrom: ${time}, input: "1", output: "1" }`;
  const reasons: Record<string, string> = {
    "2026-12-01T00:00:00": "is not a time",
    "2026-12-01T00:00:00+01:00": "is not a time",
    "2026-12-01 00:00:00Z": "is not a time",
    "2026-02-29": "is not a time",
    "2026-13-01": "is not a time",
    "2026-12-01T24:00:00Z": "is not a time",
    "2026-12-01T12:60Z": "is not a time",
    tomorrow: "is not a time",
    "12026-01-01": "is not a time",
    "1999-12-31": "is not between 2000 and 2099",
    "2100-01-01": "is not between 2000 and 2099",
  };
  for (const [written, reason] of Object.entries(reasons)) {
    assert.deepEqual(
      prices(base, from(written)),
      [`plaza.yaml:8:22 models[0].prices[1].validFrom: "${written}" ${reason}; ${form}`],
      written,
    );
  }
  assert.deepEqual(prices(base, from("20261201")), [
    'plaza.yaml:8:22 models[0].prices[1].validFrom: must be text; put it in quotes: "20261201"',
  ]);
  assert.deepEqual(prices(base, from("2026-12-01"), from('"2026-12-01T00:00Z"')), [
    "plaza.yaml:9:22 models[0].prices[2].validFrom: is also the time of another price of this model",
  ]);
  assert.deepEqual(prices(from("2026-12-01"), from("2027-12-01")), [
    "plaza.yaml:7:7 models[0].prices: requires one price without validFrom, which applies until another price starts",
  ]);
  assert.deepEqual(prices(base, from("2026-12-01"), base), [
    "plaza.yaml:9:9 models[0].prices[2]: has no validFrom, and neither has models[0].prices[0]; only one price may omit it",
  ]);
  assert.deepEqual(faults(model(deployments, "prices: []")), [
    "plaza.yaml:6:13 models[0].prices: is empty; add at least 1",
  ]);
  assert.deepEqual(faults(model(deployments, `price: ${base}`, `prices: [${base}]`)), [
    "plaza.yaml:7:13 models[0].prices: set either price or prices, not both",
  ]);
  assert.deepEqual(
    faults(model(deployments, 'price: { input: "1", output: "1", validFrom: 2026-12-01 }')).length,
    1,
  );
  assert.deepEqual(prices('{ input: 1, output: "1" }'), [
    'plaza.yaml:7:18 models[0].prices[0].input: write the price in quotes to keep all digits: "1"',
  ]);
});

test("costs: a deployment's cost has the form of a price, without times, and its faults name their place", () => {
  const deployment = (...fields: string[]) =>
    model('price: { input: "1", output: "2" }', `deployments: [{ upstream: main, ${fields.join(", ")} }]`);
  const written = [
    'input: "0.20"',
    'output: "1.60"',
    'cachedInput: "0"',
    'perRequest: "0.001"',
    'tiers: [{ abovePromptTokens: 9, input: "${PRICE}", output: "3" }]',
  ];
  const { catalog, warnings } = accepted(deployment("model: x", `cost: { ${written.join(", ")} }`));
  assert.deepEqual(catalog.models[0]?.deployments, [
    {
      upstream: "main",
      model: "x",
      priority: 1,
      weight: 1,
      cost: {
        input: 200_000_000n,
        output: 1_600_000_000n,
        cachedInput: 0n,
        perRequest: 1_000_000n,
        tiers: [{ abovePromptTokens: 9, input: 1_500_000_000n, output: 3_000_000_000n }],
      },
    },
  ]);
  assert.deepEqual(warnings, []);
  const place = "models[0].deployments[0].cost";
  const refused = faults(deployment("model: x", 'cost: { input: 0.2, output: "-1", validFrom: 2027-01-01 }'));
  const startOf = (fault: string) => fault.split(/[;,(]/)[0];
  assert.deepEqual(refused.map(startOf), [
    `plaza.yaml:6:62 ${place}.input: write the price in quotes to keep all digits: "0.2"`,
    `plaza.yaml:6:75 ${place}.output: "-1" is negative`,
    `plaza.yaml:6:81 ${place}: unknown key "validFrom" `,
  ]);
  assert.match(
    faults(deployment("model: x", "cost:"))[0] ?? "",
    /deployments\[0\]\.cost: must be a mapping with the keys input/,
  );
});
