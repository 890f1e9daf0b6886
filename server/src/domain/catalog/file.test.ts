// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the file format has variables of this form.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { type CatalogFileResult, readCatalogFile } from "./file.ts";

const providers = [
  { id: "openai", needs: { baseUrl: true, credentials: true } },
  { id: "demo", needs: { baseUrl: false, credentials: false } },
];

const env = {
  UPSTREAM_KEY: "sk-up-1",
  EMPTY: "",
  NEWLINE: "sk-leak\n",
  HOST: "127.0.0.1:9000",
  PRICE: "1.5",
};

function read(text: string): CatalogFileResult {
  return readCatalogFile(text, { env, fileName: "plaza.yaml", providers });
}

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

/** A file with one demo upstream and one model made of these lines. */
const model = (...lines: string[]): string =>
  [
    "upstreams:",
    "  - { id: main, provider: demo }",
    "models:",
    "  - id: m",
    ...lines.map((line) => `    ${line}`),
  ].join("\n");
const deployments = "deployments: [{ upstream: main, model: x }]";
/** A file with one upstream made of these lines and no model. */
const upstream = (...lines: string[]): string =>
  ["models: []", "upstreams:", "  - id: main", ...lines.map((line) => `    ${line}`)].join("\n");

test("the file of DESIGN.md", () => {
  const { catalog, warnings } = accepted(`# plaza.yaml: the catalog as a file
upstreams:
  - id: main
    provider: openai
    baseUrl: http://\${HOST}/v1/
    credentials: ["\${UPSTREAM_KEY}"]
    timeouts: { connect: 5s, firstToken: 500ms, idle: 60s, total: 15m }
models:
  - id: gpt-5-mini
    name: GPT-5 mini
    context: 400000
    maxOutput: 128000
    modalities: { input: [text, image], output: [text] }
    price: { input: "0.25", cachedInput: "0.025", output: "2.00" }
    deployments:
      - { upstream: main, model: gpt-5-mini, priority: 1, weight: 1 }
limits:
  requestsPerMinute: 600
  tokensPerMinute: 2000000
  concurrency: 100
`);
  assert.deepEqual(catalog, {
    upstreams: [
      {
        id: "main",
        provider: "openai",
        baseUrl: "http://127.0.0.1:9000/v1",
        credentials: ["sk-up-1"],
        timeouts: { connectMs: 5_000, firstTokenMs: 500, idleMs: 60_000, totalMs: 900_000 },
      },
    ],
    models: [
      {
        id: "gpt-5-mini",
        name: "GPT-5 mini",
        context: 400_000,
        maxOutput: 128_000,
        modalities: { input: ["text", "image"], output: ["text"] },
        price: { input: 250_000_000n, cachedInput: 25_000_000n, output: 2_000_000_000n },
        deployments: [{ upstream: "main", model: "gpt-5-mini", priority: 1, weight: 1 }],
      },
    ],
    limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000, concurrency: 100 },
  });
  assert.deepEqual(warnings, []);
});

test("what becomes of a call whose caller left: stop is what happens anyway", () => {
  const settingOf = (line: string) => {
    const { catalog } = accepted(`upstreams: [{ id: a, provider: demo${line} }]\nmodels: []`);
    const [found] = catalog.upstreams;
    assert.equal(found !== undefined && Object.hasOwn(found, "onDisconnect"), line.includes("finish"));
    return found?.onDisconnect;
  };
  assert.equal(settingOf(""), undefined);
  assert.equal(settingOf(", onDisconnect: stop"), undefined);
  assert.equal(settingOf(", onDisconnect: finish"), "finish");
});

test("a setting's old name is read with a warning that names the new one; both are refused", () => {
  const of = (lines: string) => `upstreams:\n  - { id: a, provider: demo, ${lines} }\nmodels: []`;
  const old = accepted(of("whenCallerLeaves: finish"));
  assert.deepEqual(old.catalog, accepted(of("onDisconnect: finish")).catalog);
  assert.deepEqual(old.warnings, [
    "plaza.yaml:2:30 upstreams[0].whenCallerLeaves: is now called onDisconnect; the next version no longer reads the old name",
  ]);
  for (const both of [
    "onDisconnect: stop, whenCallerLeaves: finish",
    "whenCallerLeaves: stop, onDisconnect: stop",
  ])
    assert.deepEqual(
      faults(of(both)).map((line) => line.replace(/^plaza\.yaml:2:\d+ /, "")),
      [
        "upstreams[0].whenCallerLeaves: is the old name of onDisconnect, which is set too; keep only onDisconnect",
      ],
    );
  assert.match(faults(of("whenCallerLeaves: drain"))[0] ?? "", /neither stop nor finish/);
});

test("the example of docs/operate/catalog.md", () => {
  const page = readFileSync(new URL("../../../../docs/operate/catalog.md", import.meta.url), "utf8");
  const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const result = readCatalogFile(example, {
    env: { OPENAI_API_KEY: "sk-x" },
    fileName: "plaza.yaml",
    providers,
  });
  assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
  assert.deepEqual(result.warnings, []);
  assert.deepEqual(
    result.catalog.models.map(({ id, deployments }) => [id, deployments.length]),
    [
      ["gpt-5-mini", 3],
      ["gemini-2.5-pro", 1],
      ["team/assistant", 1],
      ["demo", 1],
    ],
  );
  assert.equal(result.catalog.upstreams[1]?.baseUrl, "http://127.0.0.1:8000/v1");
});

test("what is left out: defaults for timeouts, name, priority and weight; absent facts stay absent", () => {
  const { catalog, warnings } = accepted(model(deployments));
  assert.deepEqual(catalog, {
    upstreams: [
      {
        id: "main",
        provider: "demo",
        baseUrl: "",
        credentials: [],
        timeouts: { connectMs: 5_000, firstTokenMs: 240_000, idleMs: 240_000, totalMs: 900_000 },
      },
    ],
    models: [{ id: "m", name: "m", deployments: [{ upstream: "main", model: "x", priority: 1, weight: 1 }] }],
    limits: {},
  });
  assert.deepEqual(warnings, [
    "plaza.yaml:4:5 models[0]: has no price: the model is visible but not callable",
  ]);
});

test("an empty catalog is a catalog; an empty file is not", () => {
  assert.deepEqual(accepted("upstreams: []\nmodels: []\n").catalog, {
    upstreams: [],
    models: [],
    limits: {},
  });
  for (const text of ["", "\n\n", "# nothing\n", "---\n"]) {
    assert.deepEqual(faults(text), [
      "plaza.yaml:1:1 the file is empty; it requires the keys upstreams and models",
    ]);
  }
});

/** One faulty file each, with exactly the faults it must give. */
const refusals: Record<string, [text: string, ...faults: string[]]> = {
  "not a mapping": [
    "- a",
    "plaza.yaml:1:1 must be a mapping with the keys upstreams, models, limits, installation, settings, accounts, users",
  ],
  "nothing required is there": [
    "limits: {}",
    "plaza.yaml:1:1 upstreams: is missing; list the upstreams; [] for none",
    "plaza.yaml:1:1 models: is missing; list the models that callers can request; [] for none",
  ],
  "lists that are none": [
    "upstreams:\nmodels: { id: x }",
    "plaza.yaml:1:11 upstreams: must be a list of upstreams",
    "plaza.yaml:2:9 models: must be a list of models",
  ],
  "an unknown key with a near one": [
    "upstreams: []\nmodels: []\nlimit: {}",
    'plaza.yaml:3:1 unknown key "limit"; did you mean "limits"? (keys: upstreams, models, limits, installation, settings, accounts, users)',
  ],
  "an unknown key with none near": [
    "upstreams: []\nmodels: []\nweather: {}",
    'plaza.yaml:3:1 unknown key "weather" (keys: upstreams, models, limits, installation, settings, accounts, users)',
  ],
  "an unknown upstream": [
    model("price: { input: '0', output: '0' }", "deployments:", "  - model: x", "    upstream: mian"),
    'plaza.yaml:8:19 models[0].deployments[0].upstream: unknown upstream "mian"; did you mean "main"? (upstreams: main)',
  ],
  "an unknown provider": [
    upstream("provider: opnai"),
    'plaza.yaml:4:15 upstreams[0].provider: unknown provider "opnai"; did you mean "openai"? (providers: demo, openai)',
  ],
  "what a provider needs is missing": [
    upstream("provider: openai"),
    'plaza.yaml:3:5 upstreams[0].baseUrl: is missing; provider "openai" requires the URL up to and including /v1',
    'plaza.yaml:3:5 upstreams[0].credentials: is missing; provider "openai" requires at least one, for example ["${UPSTREAM_KEY}"]',
  ],
  "an upstream without id and provider": [
    "models: []\nupstreams:\n  - baseUrl: http://x/v1",
    "plaza.yaml:3:5 upstreams[0].id: is missing; set an ID, so that deployments can refer to the upstream",
    "plaza.yaml:3:5 upstreams[0].provider: is missing; set the provider, one of demo, openai",
  ],
  "a model without id and deployments": [
    "upstreams: []\nmodels:\n  - name: x\n",
    "plaza.yaml:3:5 models[0].id: is missing; enter the ID that callers request",
    "plaza.yaml:3:5 models[0].deployments: is missing; list at least one, for example { upstream: main, model: upstream-model-id }",
  ],
  "no deployment, and an empty one": [
    `upstreams: []\nmodels:\n  - { id: a, deployments: [] }\n  - { id: b, deployments: [{}] }`,
    "plaza.yaml:3:27 models[0].deployments: is empty; add at least 1",
    "plaza.yaml:4:28 models[1].deployments[0].upstream: is missing; enter the ID of the upstream that serves it",
    "plaza.yaml:4:28 models[1].deployments[0].model: is missing; enter the upstream model ID",
  ],
  "a deployment twice": [
    model("deployments:", "  - { upstream: main, model: x }", "  - { upstream: main, model: x, weight: 2 }"),
    "plaza.yaml:7:9 models[0].deployments[1]: repeats an earlier deployment of this model; to send it more traffic, raise its weight",
  ],
  "ids used twice": [
    "upstreams: [{ id: a, provider: demo }, { id: a, provider: demo }]\nmodels:\n  - { id: m, deployments: [{ upstream: a, model: x }] }\n  - { id: m, deployments: [{ upstream: a, model: x }] }",
    'plaza.yaml:1:46 upstreams[1].id: "a" is already the ID of upstreams[0]',
    'plaza.yaml:4:11 models[1].id: "m" is already the ID of models[0]',
  ],
  "ids that are none": [
    `models: []\nupstreams:\n  - { id: "a b", provider: demo }\n  - { id: -a, provider: demo }\n  - { id: ${"x".repeat(129)}, provider: demo }\n  - { id: 7, provider: demo }\n  - { id: , provider: demo }`,
    'plaza.yaml:3:11 upstreams[0].id: "a b" is not a valid ID: start with a letter or digit, then at most 127 letters, digits or . _ : / @ -',
    'plaza.yaml:4:11 upstreams[1].id: "-a" is not a valid ID: start with a letter or digit, then at most 127 letters, digits or . _ : / @ -',
    `plaza.yaml:5:11 upstreams[2].id: "${"x".repeat(60)}…" is not a valid ID: start with a letter or digit, then at most 127 letters, digits or . _ : / @ -`,
    'plaza.yaml:6:11 upstreams[3].id: must be text; put it in quotes: "7"',
    "plaza.yaml:7:11 upstreams[4].id: must be text: an ID",
  ],
  "base URLs": [
    [
      "models: []",
      "upstreams:",
      ...[
        "ftp://x/v1",
        "api.example.com",
        "http://x/v1?a=1",
        "http://x/v1#a",
        "http://u:p@x/v1",
        "'http://x y/v1'",
        "'ftp://u:p@x'",
      ].map((url, index) => `  - { id: u${index}, provider: demo, baseUrl: ${url} }`),
    ].join("\n"),
    'plaza.yaml:3:40 upstreams[0].baseUrl: "ftp://x/v1" is not an http or https URL such as https://api.example.com/v1',
    'plaza.yaml:4:40 upstreams[1].baseUrl: "api.example.com" is not an http or https URL such as https://api.example.com/v1',
    "plaza.yaml:5:40 upstreams[2].baseUrl: must not contain a query (?…) or a fragment (#…)",
    "plaza.yaml:6:40 upstreams[3].baseUrl: must not contain a query (?…) or a fragment (#…)",
    "plaza.yaml:7:40 upstreams[4].baseUrl: must not contain a user name or password; put secrets into credentials",
    'plaza.yaml:8:40 upstreams[5].baseUrl: "http://x y/v1" is not an http or https URL such as https://api.example.com/v1',
    "plaza.yaml:9:40 upstreams[6].baseUrl: not an http or https URL such as https://api.example.com/v1",
  ],
  credentials: [
    upstream(
      "provider: openai",
      "baseUrl: http://x/v1",
      "credentials:",
      "  - ''",
      "  - ${EMPTY}",
      '  - "sk-leak\\r\\nX-Evil: 1"',
      "  - ${NEWLINE}",
      "  - sk-leäk",
      "  - 12345678",
      "  - [sk-leak]",
      "  - ${NOT_SET}",
    ),
    "plaza.yaml:7:9 upstreams[0].credentials[0]: is empty; enter a credential, preferably as ${VARIABLE}",
    "plaza.yaml:8:9 upstreams[0].credentials[1]: is empty because its variable is empty; enter a credential, preferably as ${VARIABLE}",
    "plaza.yaml:9:9 upstreams[0].credentials[2]: must be printable ASCII without line breaks and without leading or trailing spaces",
    "plaza.yaml:10:9 upstreams[0].credentials[3]: must be printable ASCII without line breaks and without leading or trailing spaces",
    "plaza.yaml:11:9 upstreams[0].credentials[4]: must be printable ASCII without line breaks and without leading or trailing spaces",
    "plaza.yaml:12:9 upstreams[0].credentials[5]: must be text: a credential, preferably as ${VARIABLE}",
    "plaza.yaml:13:9 upstreams[0].credentials[6]: must be text: a credential, preferably as ${VARIABLE}",
    "plaza.yaml:14:9 upstreams[0].credentials[7]: the environment variable NOT_SET is not set; set it, or write a default: ${NOT_SET:-default}",
  ],
  "credentials that are no list, or an empty one": [
    "models: []\nupstreams:\n  - { id: a, provider: openai, baseUrl: http://x, credentials: sk-leak }\n  - { id: b, provider: openai, baseUrl: http://x, credentials: [] }",
    "plaza.yaml:3:64 upstreams[0].credentials: must be a list of credentials",
    "plaza.yaml:4:64 upstreams[1].credentials: is empty; add at least 1",
  ],
  timeouts: [
    upstream("provider: demo", "timeouts: { connect: 5, idle: 5sec, total: 25h, firstToken: 0s, read: 1s }"),
    'plaza.yaml:5:26 upstreams[0].timeouts.connect: "5" has no unit; must be a duration from 1ms to 1d, for example 500ms, 5s or 15m',
    'plaza.yaml:5:35 upstreams[0].timeouts.idle: "5sec" is not allowed; must be a duration from 1ms to 1d, for example 500ms, 5s or 15m',
    'plaza.yaml:5:48 upstreams[0].timeouts.total: "25h" is not allowed; must be a duration from 1ms to 1d, for example 500ms, 5s or 15m',
    'plaza.yaml:5:65 upstreams[0].timeouts.firstToken: "0s" is not allowed; must be a duration from 1ms to 1d, for example 500ms, 5s or 15m',
    'plaza.yaml:5:69 upstreams[0].timeouts: unknown key "read" (keys: connect, firstByte, firstToken, idle, total)',
  ],
  "what becomes of a call whose caller left": [
    upstream("provider: demo", "onDisconnect: drain"),
    'plaza.yaml:5:19 upstreams[0].onDisconnect: "drain" is neither stop nor finish',
  ],
  "numbers of tokens": [
    model(deployments, "context: '1000'", "maxOutput: 0", "price: { input: '0', output: '0' }"),
    "plaza.yaml:6:14 models[0].context: must be a whole number from 1 to 1000000000, without quotes",
    'plaza.yaml:7:16 models[0].maxOutput: "0" is not allowed; must be a whole number from 1 to 1000000000',
  ],
  "priority and weight": [
    model("deployments:", "  - { upstream: main, model: x, priority: -1, weight: 0.5 }"),
    'plaza.yaml:6:47 models[0].deployments[0].priority: "-1" is not allowed; must be a whole number from 0 to 1000000',
    'plaza.yaml:6:59 models[0].deployments[0].weight: "0.5" is not allowed; must be a whole number from 0 to 1000000',
  ],
  modalities: [
    model(deployments, "modalities: { input: [text, imgae], ouput: [text] }"),
    "plaza.yaml:6:17 models[0].modalities.output: is missing; list the model's input and output modalities, for example [text]",
    'plaza.yaml:6:33 models[0].modalities.input[1]: unknown modality "imgae"; did you mean "image"? (modalities: text, image, audio, video, file)',
    'plaza.yaml:6:41 models[0].modalities: unknown key "ouput"; did you mean "output"? (keys: input, output)',
  ],
  "a name on two lines": [
    model(deployments, 'name: "a\\nb"', `description: ${"x".repeat(4_097)}`),
    "plaza.yaml:6:11 models[0].name: must be a single line without control characters",
    "plaza.yaml:7:18 models[0].description: is longer than 4096 characters",
  ],
  limits: [
    "upstreams: []\nmodels: []\nlimits: { requestsPerMinute: -1, concurrency: many }",
    'plaza.yaml:3:30 limits.requestsPerMinute: "-1" is negative; must be a whole number from 0 (blocks all requests) to 9007199254740991',
    "plaza.yaml:3:47 limits.concurrency: must be a whole number from 0 (blocks all requests) to 9007199254740991",
  ],
};

for (const [name, [text, ...expected]] of Object.entries(refusals)) {
  test(`refused: ${name}`, () => assert.deepEqual(faults(text), expected));
}

test("variables: value, default, escape; keys and what a variable holds are not expanded", () => {
  const nameOf = (written: string): string | undefined =>
    accepted(model(deployments, `name: ${written}`)).catalog.models[0]?.name;
  assert.equal(nameOf("${UPSTREAM_KEY}"), "sk-up-1");
  assert.equal(nameOf("a-${UPSTREAM_KEY}-${HOST}"), "a-sk-up-1-127.0.0.1:9000");
  assert.equal(nameOf('"${NOT_SET:-a default}"'), "a default");
  assert.equal(nameOf('"${EMPTY:-a default}"'), "a default");
  assert.equal(nameOf('"x${EMPTY}"'), "x");
  assert.equal(nameOf("$${HOST}"), "${HOST}");
  assert.equal(nameOf("$5 and $$5"), "$5 and $5");
  assert.equal(nameOf('"${NOT_SET:-:-}"'), ":-");
  const nested = readCatalogFile(model(deployments, "name: ${A}"), {
    env: { A: "${B}", B: "x" },
    fileName: "f",
    providers,
  });
  assert.equal(nested.ok && nested.catalog.models[0]?.name, "${B}");
  assert.deepEqual(faults(model(deployments, "${HOST}: x")).length, 1);
});

test("variables: missing and malformed ones are faults", () => {
  const why = (written: string): string[] =>
    faults(model(deployments, `name: ${written}`)).map((line) => line.slice(32));
  assert.deepEqual(why("${A} ${B} ${A}"), [
    "the environment variables A, B are not set; set them, or write a default: ${A:-default}",
  ]);
  assert.deepEqual(why("${constructor}"), [
    "the environment variable constructor is not set; set it, or write a default: ${constructor:-default}",
  ]);
  for (const written of ["${", "'${}'", "${1A}", "${A-b}", "'${A:b}'", "a${HOST"]) {
    assert.deepEqual(why(written), [
      "write a variable as ${NAME} or ${NAME:-default}, and a plain dollar sign as $$",
    ]);
  }
});

test("the value of a variable shows in no fault", () => {
  const secret = { S: "sk-canary-93" };
  for (const text of [
    upstream("provider: ${S}", "baseUrl: ${S}", "timeouts: { idle: '${S}' }"),
    upstream("provider: demo", "baseUrl: http://u:${S}@x"),
    model("deployments: [{ upstream: '${S}', model: x }]", "modalities: { input: ['${S}'], output: [text] }"),
    model(deployments, "price: { input: '${S}', output: '1' }", "name: ' ${S} \t'"),
    upstream("provider: openai", "baseUrl: http://x", "credentials: ['${S} ']"),
    "upstreams: [{ id: ' ${S}', provider: demo }]\nmodels: []",
  ]) {
    const result = readCatalogFile(text, { env: secret, fileName: "f", providers });
    assert.equal(result.ok, false, text);
    assert.equal(JSON.stringify(result).includes("canary"), false, text);
  }
});

test("a credential shows in no fault, wherever the file is broken", () => {
  const whole = upstream(
    "provider: openai",
    "baseUrl: http://x/v1",
    'credentials: ["sk-canary-93", sk-canary-93]',
    "timeouts: { idle: 5s }",
  );
  const from = whole.indexOf("sk-canary");
  fc.assert(
    fc.property(
      fc.nat(whole.length),
      fc.nat(3),
      fc.string({ unit: fc.constantFrom(..."'\"[]{}:,\n\t -*&!%@#$\\x"), maxLength: 3 }),
      (at, cut, inserted) => {
        // A truncated credential may still be a valid key; a cut anywhere else must be reported.
        fc.pre(at + cut <= from || at >= whole.indexOf("timeouts"));
        const result = read(whole.slice(0, at) + inserted + whole.slice(at + cut));
        if (!result.ok) assert.equal(result.faults.join("\n").includes("canary"), false);
      },
    ),
    { numRuns: 500 },
  );
});

test("anchors and aliases stand for whole values", () => {
  const { catalog } = accepted(`
upstreams:
  - { id: a, provider: demo, timeouts: &slow { idle: 2m } }
  - { id: b, provider: demo, timeouts: *slow }
models:
  - { id: m, price: &free { input: &zero "0", output: *zero }, deployments: &both [{ upstream: a, model: x }, { upstream: b, model: x }] }
  - { id: n, price: *free, deployments: *both }
`);
  assert.equal(catalog.upstreams[1]?.timeouts.idleMs, 120_000);
  assert.deepEqual(catalog.models[1]?.price, { input: 0n, output: 0n });
  assert.deepEqual(catalog.models[1]?.deployments, catalog.models[0]?.deployments);
});

test("aliases that unfold to a billion values, to themselves or to nothing are refused at once", () => {
  const laughs = Array.from(
    { length: 9 },
    (_, level) => `k${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(", ")}]`,
  );
  assert.deepEqual(
    faults(["k0: &l0 [lol]", ...laughs].join("\n")).filter((line) => line.includes("million")),
    ["plaza.yaml:7:9 the aliases in this value unfold to more than a million values"],
  );
  assert.ok(
    faults("models: &m [*m]\nupstreams: []").includes(
      "plaza.yaml:1:13 no anchor of this name stands before this alias",
    ),
  );
  assert.ok(
    faults("models: [*x]\nupstreams: []").includes(
      "plaza.yaml:1:10 no anchor of this name stands before this alias",
    ),
  );
});

test("YAML that is broken is refused in our words, with its place", () => {
  const expected: Record<string, string> = {
    "models: []\nmodels: []\nupstreams: []": "2:1 this key is given twice in the same mapping",
    "a: [1, 2": "1:9 the indentation is wrong, or a bracket before this is not closed",
    "a:\n\t- 1": "2:1 indent with spaces, not tabs",
    "a: 1\n---\nb: 1": "2:1 a catalog is one document; remove the --- and what follows",
    'a: "x': "1:6 something is missing here: a closing quote or bracket, a comma, or the colon after a key",
    "a: @x": "1:4 a value cannot start with this character; put the value in quotes",
    "a: b: c":
      '1:4 a "key: value" cannot stand here; check the indentation, or quote a value that holds ": "',
    "a: !x 1": "1:4 tags (words that start with !) mean nothing here; remove it or quote the value",
    "models: []\nupstreams: []\n? [a]\n: 1": "3:3 a key must be plain text",
    "models: []\nupstreams: []\n<<: {}":
      '3:1 merge keys ("<<") are not supported; use an alias for a whole value',
  };
  for (const [text, fault] of Object.entries(expected)) {
    assert.equal(faults(text)[0], `plaza.yaml:${fault}`, text);
  }
});

test("files too large, too deep or too wide are refused without much work", () => {
  assert.deepEqual(faults(`#${"x".repeat(4 * 1024 ** 2)}`), ["plaza.yaml:1:1 the file is larger than 4 MiB"]);
  assert.deepEqual(faults(`models:\n  ${"[".repeat(1e6)}`), [
    "plaza.yaml:2:203 more than 200 brackets are open",
  ]);
  const deep = Array.from({ length: 2_000 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n");
  assert.match(faults(deep)[0] ?? "", /nested too deeply|unknown key "a"/);
  const many = `models: []\nupstreams: [${"{}, ".repeat(1_001)}]`;
  assert.deepEqual(faults(many), ["plaza.yaml:2:12 upstreams: has 1001 upstreams; at most 1000 are allowed"]);
  const wrong = faults(`models: []\nupstreams: [${"1, ".repeat(500)}]`);
  assert.equal(wrong.length, 101);
  assert.equal(wrong[100], "plaza.yaml: and 400 more");
});

test("all faults of a file are told at once, in its order", () => {
  const lines = faults(`upstreams:
  - id: main
    provider: opnai
    credentials: ["\${NOT_SET}"]
models:
  - id: m
    price: { input: 1, output: "x" }
    deployments: [{ upstream: man, model: x }]
`);
  assert.deepEqual(
    lines.map((line) => line.split(" ").slice(0, 2).join(" ")),
    [
      "plaza.yaml:3:15 upstreams[0].provider:",
      "plaza.yaml:4:19 upstreams[0].credentials[0]:",
      "plaza.yaml:7:21 models[0].price.input:",
      "plaza.yaml:7:32 models[0].price.output:",
      "plaza.yaml:8:31 models[0].deployments[0].upstream:",
    ],
  );
});

test("any text at all gives a result, never an exception", () => {
  const words = [
    "upstreams:",
    "models:",
    "- ",
    "id: ",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "  ",
    '"',
    "'",
    "&a ",
    "*a",
    ": ",
    ", ",
    "x",
    "1",
    "!t ",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), (parts) => {
      const result = read(parts.join(""));
      if (!result.ok) for (const line of result.faults) assert.match(line, /^plaza\.yaml:\d+:\d+ /);
    }),
    { numRuns: 2_000 },
  );
});
