/** `plaza connect`: asks the upstream for its models and looks them up in the shipped catalog. */
import { nodeClients } from "../../app/outbound.ts";
import { addressesOf } from "../../connect/aim.ts";
import { ConnectFailure } from "../../connect/failure.ts";
import { type ListAnswer, listUpstream } from "../../connect/list.ts";
import { type Proposal, proposeModels } from "../../connect/propose.ts";
import { createMachineIdentity } from "../../identity/machine-identity.ts";
import { catalogProviderOf } from "../../providers/presets/priced-at.ts";
import { openModelCatalog } from "../../start/model-catalog-files.ts";
import type { CommandIo, Terminal } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { readSettings } from "../settings-options.ts";
import type { FileNow } from "./plan.ts";
import type { ConnectOptions, Subject } from "./subject.ts";
import { asCommandFailure } from "./target.ts";

/** A progress line that is overwritten in place on a terminal. */
function createProgress(io: CommandIo, terminal: Terminal | undefined, text: string) {
  const isShown = terminal?.showsProgress === true;
  const show = (tail: string): void => {
    if (isShown) io.err(`\r\u001b[K${text}${tail}`);
  };
  show(" …");
  return {
    count: (count: number) => show(` ${count} …`),
    end: () => {
      if (isShown) io.err("\r\u001b[K");
    },
  };
}

const defaultTimeoutMs = 10_000;

/** Failures of the list that do not matter when models are named on the command line. */
const listFailures = new Set(["not_a_list", "upstream_error", "too_large", "timeout"]);

/** Checks every credential; returns the list the first one gets. */
export async function list(
  io: CommandIo,
  { aim, upstream, isThere, given }: Subject,
  options: ConnectOptions,
  terminal: Terminal | undefined,
): Promise<ListAnswer> {
  const general = await aim.target.provider.load();
  if (general.transport !== "http") throw new Error(`${general.id} has no network`);
  const provider = general.forUpstream?.(upstream) ?? general;
  const isTyped = aim.baseUrl !== undefined && !isThere;
  const baseUrls = isTyped ? addressesOf(aim, upstream.baseUrl) : [upstream.baseUrl];
  const progress = createProgress(io, terminal, `Listing the models of ${aim.target.name}`);
  const timeoutMs = options.timeout ?? defaultTimeoutMs;
  const nowMs = io.clock.wallMs();
  const createClient = nodeClients(readSettings(io, {}, []));
  const identity = createMachineIdentity({ env: io.env, clock: io.clock });
  const asked = { nowMs, timeoutMs, createClient, identity };
  const ask = { upstream, provider, baseUrls, ...asked, onCount: progress.count };
  const isNamed = options.models !== undefined && !isAll(options.models);
  try {
    const first = await listUpstream({ ...ask, credential: given[0]?.text ?? "" });
    for (const { text } of given.slice(1))
      await listUpstream({ ...ask, baseUrls: [first.baseUrl], credential: text });
    return first;
  } catch (error) {
    const failure = asCommandFailure(error) as Error;
    if (!isNamed || !(error instanceof ConnectFailure) || !listFailures.has(error.code)) throw failure;
    io.err(`warning: ${failure.message}\n`);
    return { baseUrl: upstream.baseUrl, models: undefined, isCut: false, isChecked: false };
  } finally {
    progress.end();
  }
}

/** `--models all` */
export const isAll = (names: readonly string[]): boolean => names.length === 1 && names[0] === "all";

/** Returns proposals from the catalog; for models named on the command line if the upstream has no list. */
export function propose(
  subject: Subject,
  answer: ListAnswer,
  options: ConnectOptions,
  file: FileNow,
  nowMs: number,
): Proposal[] {
  const { models: names } = options;
  const isNamed = names !== undefined && !isAll(names);
  const isListed = answer.models !== undefined && answer.models.length > 0;
  if (!isListed && !isNamed) {
    const what = answer.models === undefined ? "does not list its models" : "lists no models";
    const message = `${subject.aim.target.name} at ${answer.baseUrl} ${what}: name them with --models a,b`;
    throw new CommandFailure(answer.models === undefined ? "no_listing" : "no_models", message);
  }
  const catalog = openModelCatalog();
  const shelf = options.pricesOf ?? catalogProviderOf(answer.baseUrl, subject.upstream.preset);
  if (options.pricesOf !== undefined && catalog.listModels(options.pricesOf).length === 0)
    throw new CommandFailure(
      "not_found",
      `the shipped catalog has no models of ${JSON.stringify(options.pricesOf)}`,
      2,
    );
  return proposeModels({
    listed: isListed ? (answer.models ?? []) : (names ?? []).map((name) => ({ name })),
    upstreamId: subject.upstream.id,
    models: file.catalog.models,
    find: (name) => (shelf === undefined ? undefined : catalog.findModel(shelf, name)),
    statedPrice: options.price,
    nowMs,
  });
}
