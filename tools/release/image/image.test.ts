import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { unpackTar } from "modern-tar";
import { root } from "../root.ts";
import { sha256Of } from "../sha256.ts";
import { makeArchive } from "./archive.ts";
import { imageConfig } from "./image.ts";
import { type RootParts, rootLayers } from "./root-files.ts";

const time = new Date(1_750_000_000_000);
const config = imageConfig({ version: "1.2.3", commit: "abc" });
const library = Buffer.from("library");
const parts: RootParts = {
  libraries: { files: new Map([["lib/x/libc.so.6", library]]), packages: [] },
  node: Buffer.from("node"),
  product: new Map([["server/dist/release/start.mjs", Buffer.from("start")]]),
  licences: "licences",
  time,
};

const make = (of: RootParts) =>
  makeArchive({
    name: "plaza:1.2.3",
    architecture: "amd64",
    time: of.time,
    config,
    layers: rootLayers(of).map((entries) => ({ entries, createdBy: "a test" })),
  });

async function blobsOf(bytes: Buffer) {
  const entries = await unpackTar(bytes);
  return new Map(entries.map(({ header, data }) => [header.name, Buffer.from(data ?? [])]));
}

test("an archive of an image names its blobs by their digests, from the index to the layers", async () => {
  const { bytes, digest, layersBytes } = await make(parts);
  const files = await blobsOf(bytes);
  for (const [name, data] of files)
    if (name.startsWith("blobs/")) assert.equal(name, `blobs/sha256/${sha256Of(data)}`);
  const read = (name: string) => JSON.parse((files.get(name) ?? assert.fail(name)).toString());
  const blob = (one: { digest: string; size: number }) => {
    const name = `blobs/${one.digest.replace(":", "/")}`;
    assert.equal(files.get(name)?.length, one.size, name);
    return name;
  };
  assert.deepEqual(read("oci-layout"), { imageLayoutVersion: "1.0.0" });
  const [found] = read("index.json").manifests;
  assert.equal(found.digest, digest);
  const manifest = read(blob(found));
  const image = read(blob(manifest.config));
  assert.equal(image.rootfs.diff_ids.length, 2);
  assert.equal(image.config.User, "65532:65532");
  const layers = manifest.layers.map(blob);
  assert.equal(manifest.layers[0].size + manifest.layers[1].size, layersBytes);
  const loaded = { Config: blob(manifest.config), RepoTags: ["plaza:1.2.3"], Layers: layers };
  assert.deepEqual(read("manifest.json"), [loaded]);
});

test("the lower layer is the same in every version; the rest is the same for the same parts", async () => {
  const later = { ...parts, time: new Date(time.getTime() + 5_000), licences: "others" };
  const [first, again, other] = await Promise.all([make(parts), make(parts), make(later)]);
  assert.equal(sha256Of(again.bytes), sha256Of(first.bytes));
  assert.notEqual(other.digest, first.digest);
  const [one, two] = await Promise.all([blobsOf(first.bytes), blobsOf(other.bytes)]);
  const layersOf = (files: Map<string, Buffer>) => JSON.parse(String(files.get("manifest.json")))[0].Layers;
  assert.equal(layersOf(two)[0], layersOf(one)[0]);
  assert.notEqual(layersOf(two)[1], layersOf(one)[1]);
});

test("the Dockerfile sets what the release's image has", () => {
  const text = readFileSync(join(root, "packaging/image/Dockerfile"), "utf8");
  const last = text.slice(text.indexOf("FROM scratch")).replaceAll(/ \\\n\s*/g, " ");
  const wordsOf = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(last)?.[1] ?? "";
  assert.deepEqual(wordsOf("ENV").split(" "), config.Env);
  assert.equal(wordsOf("USER"), config.User);
  assert.equal(wordsOf("WORKDIR"), config.WorkingDir);
  assert.deepEqual({ [wordsOf("VOLUME")]: {} }, config.Volumes);
  assert.deepEqual({ [`${wordsOf("EXPOSE")}/tcp`]: {} }, config.ExposedPorts);
  assert.equal(wordsOf("STOPSIGNAL"), config.StopSignal);
  assert.deepEqual(JSON.parse(wordsOf("ENTRYPOINT")), config.Entrypoint);
  assert.deepEqual(JSON.parse(wordsOf("CMD")), config.Cmd);
  const { Test, Interval, Timeout, StartPeriod, Retries } = config.Healthcheck;
  const seconds = (ns: number) => `${ns / 1e9}s`;
  const options = `--interval=${seconds(Interval)} --timeout=${seconds(Timeout)} --start-period=${seconds(StartPeriod)}`;
  const check = `${options} --retries=${Retries} CMD ${JSON.stringify(Test.slice(1)).replaceAll(",", ", ")}`;
  assert.equal(wordsOf("HEALTHCHECK"), check);
});
