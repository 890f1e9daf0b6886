/**
 * The default stage of a rig: one counting upstream, told once in each format, and one Plaza before it, both
 * stopped afterwards.
 */
import { startUpstream, type Upstream, type UpstreamOptions } from "../../upstream/server.ts";
import { inAllFormats, oneUpstream, type RigUpstream } from "../catalog.ts";
import { type Plaza, startPlaza } from "./plaza.ts";
import { startUpstreamProcess, type UpstreamProcess } from "./upstream-process.ts";

export interface StageOptions {
  readonly upstream?: UpstreamOptions | undefined;
  /** Settings of the upstream in the catalog. */
  readonly inCatalog?: Partial<RigUpstream> | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly workers?: number | undefined;
  /** Of the run: it chooses the routes of calls. */
  readonly seed?: number | undefined;
}

/**
 * Runs the upstream in this process, so that its records can be read directly. For rigs that compare bytes.
 */
export async function withPlaza<T>(
  options: StageOptions,
  work: (plaza: Plaza, upstream: Upstream) => Promise<T>,
): Promise<T> {
  const upstream = await startUpstream(options.upstream);
  try {
    return await withPlazaFor(upstream.baseUrl, options, (plaza) => work(plaza, upstream));
  } finally {
    await upstream.stop();
  }
}

/**
 * Runs the upstream in a separate process, so that this process does not delay it. For rigs that measure time
 * or memory.
 */
export async function withPlazaApart<T>(
  options: StageOptions,
  work: (plaza: Plaza, upstream: UpstreamProcess) => Promise<T>,
): Promise<T> {
  const upstream = await startUpstreamProcess(options.upstream);
  try {
    return await withPlazaFor(upstream.baseUrl, options, (plaza) => work(plaza, upstream));
  } finally {
    await upstream.stop();
  }
}

async function withPlazaFor<T>(
  baseUrl: string,
  options: StageOptions,
  work: (plaza: Plaza) => Promise<T>,
): Promise<T> {
  const plaza = await startPlaza({
    catalog: inAllFormats(oneUpstream(baseUrl, options.inCatalog)),
    env: options.env,
    workers: options.workers,
    seed: options.seed,
  });
  try {
    return await work(plaza);
  } finally {
    await plaza.stop();
  }
}
