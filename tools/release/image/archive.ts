/**
 * An image as one file: an OCI image layout (version 1.0.0 of its specification) that has Docker's list of
 * images, too, so that `docker load` reads it as well as `podman load` and `skopeo copy`.
 */
import { gzipSync } from "node:zlib";
import { packTar, type TarEntry } from "modern-tar";
import { sha256Of } from "../sha256.ts";

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** What an image is started with; names and units (nanoseconds) are those of its configuration. */
export interface ImageConfig {
  readonly User: string;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, object>>;
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly StopSignal: string;
  /** Not in OCI's specification: Docker reads it; Podman and Kubernetes have their own probes. */
  readonly Healthcheck: {
    readonly Test: readonly string[];
    readonly Interval: number;
    readonly Timeout: number;
    readonly StartPeriod: number;
    readonly StartInterval: number;
    readonly Retries: number;
  };
}

export interface ImageParts {
  /** Name and tag under which it is loaded, such as `plaza:0.2.0`. */
  readonly name: string;
  readonly architecture: string;
  /** Time of the image, in whole seconds. */
  readonly time: Date;
  readonly config: ImageConfig;
  /** Entries of each layer with what made it, lower first. */
  readonly layers: readonly { readonly entries: readonly TarEntry[]; readonly createdBy: string }[];
}

export interface ImageArchive {
  readonly bytes: Buffer;
  /** `sha256:…` of the manifest: what the image is called by in a registry. */
  readonly digest: string;
  /** Bytes of all layers as they are pulled. */
  readonly layersBytes: number;
}

/** Higher levels take four times as long and save half a percent. */
const gzipLevel = 6;

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Makes the archive. Its bytes depend on the parts and on zlib's version alone. */
export async function makeArchive(parts: ImageParts): Promise<ImageArchive> {
  const { name, architecture, time, config, layers } = parts;
  const blobs = new Map<string, Buffer>();
  const add = (mediaType: string, bytes: Buffer): Descriptor => {
    const digest = sha256Of(bytes);
    blobs.set(`blobs/sha256/${digest}`, bytes);
    return {
      mediaType: `application/vnd.oci.image.${mediaType}`,
      digest: `sha256:${digest}`,
      size: bytes.length,
    };
  };
  const created = time.toISOString();
  const packed = await Promise.all(
    layers.map(async ({ entries }) => Buffer.from(await packTar([...entries]))),
  );
  // zlib writes a gzip header without a time.
  const layerBlobs = packed.map((tar) => add("layer.v1.tar+gzip", gzipSync(tar, { level: gzipLevel })));
  const configBlob = add(
    "config.v1+json",
    json({
      created,
      architecture,
      os: "linux",
      config,
      rootfs: { type: "layers", diff_ids: packed.map((tar) => `sha256:${sha256Of(tar)}`) },
      history: layers.map(({ createdBy }) => ({ created, created_by: createdBy })),
    }),
  );
  const manifest = add(
    "manifest.v1+json",
    json({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: configBlob,
      layers: layerBlobs,
      annotations: config.Labels,
    }),
  );
  const annotations = {
    "io.containerd.image.name": `docker.io/library/${name}`,
    "org.opencontainers.image.ref.name": name.slice(name.indexOf(":") + 1),
  };
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [{ ...manifest, platform: { architecture, os: "linux" }, annotations }],
  };
  const pathOf = ({ digest }: Descriptor): string => `blobs/${digest.replace(":", "/")}`;
  const loaded = [{ Config: pathOf(configBlob), RepoTags: [name], Layers: layerBlobs.map(pathOf) }];
  const files = new Map<string, Buffer>([
    ["oci-layout", json({ imageLayoutVersion: "1.0.0" })],
    ["index.json", json(index)],
    ["manifest.json", json(loaded)],
    ...[...blobs].sort(([one], [other]) => (one < other ? -1 : 1)),
  ]);
  const entries = [...files].map(([path, body]) => ({
    header: { name: path, size: body.length, mtime: time, mode: 0o644, uid: 0, gid: 0 },
    body,
  }));
  return {
    bytes: Buffer.from(await packTar(entries)),
    digest: manifest.digest,
    layersBytes: layerBlobs.reduce((sum, { size }) => sum + size, 0),
  };
}
