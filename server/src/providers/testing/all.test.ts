/**
 * Checks that every suite and rig covers every provider: each provider has the material they need, and none
 * of them keeps its own table, but for those about wire formats, which must know every format that a provider
 * speaks. A provider that a suite does not cover fails here, with the provider's and the suite's names.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { formatIds } from "@plaza/contract/formats.ts";
import { chatCodecOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { pairUpstreams } from "../../gateway/dispatch/testing/pairs/upstreams.ts";
import { reportFormats } from "../../testing/price-vectors/reports.ts";
import type { Lack, ProviderDescriptor } from "../descriptor.ts";
import { findProvider, loadProviders, providers } from "../index.ts";
import type { HttpCodec, HttpProvider } from "../provider.ts";
import { type TestedProvider, testedProviders, testingOf } from "./all.ts";
import { kindsWithout } from "./fixture.ts";

const root = new URL("../../../../", import.meta.url);
const folder = new URL("../", import.meta.url);

/**
 * The provider that docs/extend/add-a-provider.md copies from. It is not in the list, so no catalog can use
 * it.
 */
const example = "example";

test("every folder with a descriptor is a provider of that name, and every provider has such a folder", () => {
  const folders = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/descriptor.ts`, folder)));
  assert.deepEqual(
    folders.filter((name) => name !== example).sort(),
    providers.map(({ id }) => id).sort(),
    "each folder has a line in providers/index.ts",
  );
});

await loadProviders(providers.map(({ id }) => id));
const codecOf = (id: string): HttpCodec => chatCodecOf(findProvider(id) as HttpProvider);
const isTranslated = ({ id }: TestedProvider): boolean => codecOf(id).translation !== undefined;
/** True when its calls and answers have another format than OpenAI's. */
const hasOtherFormat = (tested: TestedProvider): boolean =>
  isTranslated(tested) && tested.endMarks !== undefined;

/** Faults that every upstream has; the fault rigs look for these names. */
const commonFaults = ["bad request", "bad credential", "throttled", "overloaded", "broken"];

/** The material each suite or rig needs. Returns what is missing, or undefined. */
const needs: Readonly<Record<string, (tested: TestedProvider) => string | undefined>> = {
  "server/src/gateway/dispatch/attempt/fixtures.test.ts": ({ fixtures, descriptor }) => {
    const kinds = new Set(fixtures.map(({ kind }) => kind));
    return missingOf(kindsWithout(descriptor.lacks), kinds, "fixtures");
  },
  "server/src/providers/testing/translate.test.ts": ({ fixtures }) =>
    fixtures.length > 0 ? undefined : "fixtures",
  "server/src/providers/testing/parameters.test.ts": ({ id, parameters }) =>
    parameters.some(({ provider }) => provider === id) ? undefined : "columns of parameters",
  "test/behaviour/providers/provider-faults-table.ts": ({ faults }) =>
    missingOf(commonFaults, new Set(faults.map(({ fault }) => fault)), "faults"),
  "test/behaviour/providers/provider-faults.test.ts": ({ id, wire }) =>
    wire.id === id && wire.credential !== "" ? undefined : "a wire of its own id, with a credential",
  "test/rigs/streams/p10-upstreams.ts": (tested) => {
    const isWanted = hasOtherFormat(tested) && !has(tested.descriptor, "tools");
    return (tested.toolTalk !== undefined) === isWanted ? undefined : "conversations with tools";
  },
  "server/src/testing/price-vectors/suites.ts": ({ priceSuites }) =>
    priceSuites.some(({ vectors }) => vectors.length > 0) ? undefined : "price vectors",
  "test/behaviour/providers/shared-reasoning.test.ts": (tested) => {
    const { descriptor, keptReasoning } = tested;
    const isWanted = hasOtherFormat(tested) && !has(descriptor, "tools") && !has(descriptor, "reasoning");
    return isWanted && keptReasoning.length === 0 ? "an answer with reasoning that is sent back" : undefined;
  },
  "test/rigs/security/secrets/p23-providers.ts": ({ secrets }) =>
    secrets.shownType === "" ? "the type of an error that is shown" : undefined,
  "test/rigs/security/p25-providers.ts": needsLackOfAddresses,
  "test/behaviour/requests/media-off.test.ts": needsLackOfAddresses,
  "bench/micro/translate.ts": ({ measured }) =>
    measured.event("words").includes("words") ? undefined : "an event with text",
};

/** Files that belong to one of these suites. */
const parts = ["test/behaviour/providers/provider-faults-breaks.ts", "tools/docs.ts"];

/** The formats it speaks by name; one that it alone speaks has its id. */
const formatsOf = ({ id, formats = [] }: ProviderDescriptor): readonly string[] =>
  formats.length > 0 ? formats : [id];

/**
 * Suites with rows by wire format, because what they expect is written by hand: the formats each one knows.
 */
const formatTables: Readonly<Record<string, ReadonlySet<string>>> = {
  "server/src/gateway/dispatch/testing/pairs/upstreams.ts": new Set(
    pairUpstreams.flatMap(
      ({ provider: { id }, deployment: { formats } }) => formats ?? formatsOf(testingOf(id).descriptor),
    ),
  ),
  "server/src/testing/price-vectors/reports.ts": new Set(reportFormats),
};

function needsLackOfAddresses({ id, descriptor }: TestedProvider): string | undefined {
  return has(descriptor, "files by address") === (codecOf(id).inlinesMedia === true)
    ? undefined
    : '"files by address" in `lacks` exactly where `inlinesMedia` is true';
}

const has = ({ lacks }: ProviderDescriptor, lack: Lack): boolean => lacks?.includes(lack) === true;

function missingOf<T>(wanted: readonly T[], there: ReadonlySet<T>, what: string): string | undefined {
  const missing = wanted.filter((one) => !there.has(one));
  return missing.length === 0 ? undefined : `${what}: ${missing.join(", ")}`;
}

for (const [suite, miss] of Object.entries(needs)) {
  for (const tested of testedProviders) {
    test(`${suite} knows ${tested.id}`, () => {
      const missing = miss(tested);
      assert.equal(missing, undefined, `${tested.id} lacks for ${suite}: ${missing}`);
    });
  }
}

for (const [suite, known] of Object.entries(formatTables)) {
  for (const { id, descriptor } of testedProviders) {
    test(`${suite} knows the formats of ${id}`, () => {
      const missing = missingOf(formatsOf(descriptor), known, "rows");
      assert.equal(missing, undefined, `${suite} lacks for ${id}: ${missing}`);
    });
  }
  test(`${suite} knows every format of the catalog`, () =>
    assert.equal(missingOf(formatIds, known, "rows"), undefined));
}

for (const { id, descriptor, wire } of testedProviders) {
  if (descriptor.listing === undefined) continue;
  test(`${id}: its listing reads what its probe or its list calls`, () => {
    const { credential, basePath, options = {} } = wire;
    const baseUrl = `https://upstream.example${basePath}`;
    const upstream = { id: "u", provider: id, baseUrl, credentials: [], timeouts: defaultTimeouts, options };
    const provider = findProvider(id) as HttpProvider;
    const own = provider.forUpstream?.(upstream) ?? provider;
    const call = own.list?.(upstream, credential) ?? own.probe?.(upstream, credential);
    assert.ok(call !== undefined, "a provider with a listing has a probe or a list");
    assert.ok(
      descriptor.listing?.path(call.path, undefined),
      `no list at ${call.path}: see PagedForm.pathEnd`,
    );
  });
}

// OpenAI's protocol is also the callers', so suites may name it.
const names = providers.map(({ id }) => id).filter((id) => id !== "openai" && id !== "demo");

test("no suite or rig keeps a table of providers of its own", () => {
  const named = new RegExp(`["'\`](?:${names.join("|")})["'\`]|^\\s*(?:${names.join("|")}):`, "m");
  for (const path of [...Object.keys(needs), ...parts]) {
    const text = readFileSync(new URL(path, root), "utf8");
    const found = named.exec(text)?.[0];
    assert.equal(found, undefined, `${path} names ${found?.trim()}; say it in that provider's testing/`);
  }
  for (const path of Object.keys(needs)) {
    const text = readFileSync(new URL(path, root), "utf8");
    assert.ok(/providers\/testing\/all\.ts"|"\.\/all\.ts"/.test(text), `${path} takes its rows from all.ts`);
  }
});

/** Files that name three providers without being a table that a new provider belongs in. */
const singles: Readonly<Record<string, string>> = {
  "server/src/cli/import/import.test.ts": "what other gateways call providers",
  "server/src/domain/catalog/model-catalog.test.ts": "files of catalog/models/",
  "server/src/gateway/dispatch/testing/pairs/talks.ts": "readers of the rows in upstreams.ts beside it",
  "server/src/providers/listing.test.ts": "a test for each form of a list",
  "server/src/providers/presets/priced-at.test.ts": "files of catalog/models/",
  "server/src/start/model-catalog-files.test.ts": "files of catalog/models/",
  "test/behaviour/console/catalog.test.ts": "a test for each form of an upstream's settings",
  "test/behaviour/console/connect-command.test.ts": "a test for each way to connect",
  "test/rigs/security/p25-corpus.ts": "headers that clients send",
};

/** Source files of suites and rigs, outside the folders of the providers themselves. */
const suiteFiles = ["server/src", "test", "bench"].flatMap((top) =>
  readdirSync(new URL(top, root), { recursive: true, encoding: "utf8" })
    .map((path) => `${top}/${path}`)
    .filter(
      (path) => path.endsWith(".ts") && (!path.startsWith("server/") || /\.test\.ts$|\/testing\//.test(path)),
    )
    .filter((path) => !names.some((id) => path.startsWith(`server/src/providers/${id}/`))),
);

test("no other file of a suite or rig names three providers", () => {
  const known = new Set([...Object.keys(formatTables), ...Object.keys(singles)]);
  for (const path of suiteFiles) {
    const text = readFileSync(new URL(path, root), "utf8");
    const named = names.filter((id) => new RegExp(`["'\`]${id}["'\`]|^\\s*${id}:`, "m").test(text));
    const isKnown = named.length < 3 || known.has(path);
    assert.ok(isKnown, `${path} names ${named.join(", ")}: take the rows from providers/testing/all.ts`);
  }
});
