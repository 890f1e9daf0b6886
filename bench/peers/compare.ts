/** `npm run bench -- --peers`: Plaza, nginx, the direct call and other gateways in one run and one table. */
import { join } from "node:path";
import type { PlazaBuild } from "../gateways/plaza-build.ts";
import type { Options } from "../options.ts";
import { peersTable } from "../report/peer-report.ts";
import { peerCases } from "../report/reading.ts";
import { quietness } from "../report/report.ts";
import { jsonModel, type Rig } from "../rig.ts";
import type { Progress } from "../rounds.ts";
import { installPeer } from "./install.ts";
import { peerStarter } from "./peer.ts";
import { type PeerFile, PeerFileError, readPeerFile } from "./peer-file.ts";
import { type Contestant, type PeerResults, runPeers } from "./peer-rounds.ts";

/** Gateways that can be installed from registries, as files in this folder. */
const knownPeers = ["portkey.json", "ferro.json", "litellm.json"];

/** Reads the files of all peers of a run. Throws when one cannot be used or two have one name. */
export function readPeers(options: Pick<Options, "hasKnownPeers" | "peerFiles">): PeerFile[] {
  const known = options.hasKnownPeers ? knownPeers.map((name) => join(import.meta.dirname, name)) : [];
  const peers = [...known, ...options.peerFiles].map(readPeerFile);
  const names = peers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new PeerFileError(`two peers are called ${twice}`);
  return peers;
}

function contestantsOf(rig: Rig, plaza: PlazaBuild, peers: readonly PeerFile[]): Contestant[] {
  const place = {
    folder: join(rig.folder, "peers"),
    cores: rig.cores,
    upstreamPort: rig.direct.port,
    model: jsonModel,
    install: installPeer,
    wrongAnswerMsMax: 5000,
  };
  const direct = { ...rig.direct, stop: () => Promise.resolve() };
  return [
    { name: "direct", switches: undefined, streamsMax: undefined, start: () => Promise.resolve(direct) },
    {
      name: "nginx",
      switches: { auth: "off", limits: "off", ledger: "off" },
      streamsMax: undefined,
      start: () => rig.startNginx(),
    },
    {
      name: "plaza",
      switches: { auth: "on", limits: "on (key has none)", ledger: "on (SQLite, durable)" },
      streamsMax: undefined,
      start: async () => (await plaza.start({ isPinned: true })).gateway,
    },
    ...peers.map((file): Contestant => {
      const { name, switches, streams } = file;
      return { name: `peer ${name}`, switches, streamsMax: streams, start: peerStarter(file, place) };
    }),
  ];
}

/** Measures and prints the table. The exit code is 1 when a peer has no figure in one of the cases. */
export async function compareWithPeers(
  rig: Rig,
  plaza: PlazaBuild,
  { peers, options, progress }: { peers: readonly PeerFile[]; options: Options; progress: Progress },
): Promise<{ results: PeerResults; exitCode: number }> {
  const contestants = contestantsOf(rig, plaza, peers);
  const cases = peerCases.filter((name) => options.cases.includes(name));
  const startedAt = performance.now();
  const results = await runPeers(rig, contestants, cases, progress);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const { streams, firstTokensPerSecond } = rig.size;
  console.log(
    `\nMedian [lowest-highest] of ${rig.size.rounds} rounds, ${seconds} s; first token: ${firstTokensPerSecond} streams per second, + is added to the direct call`,
  );
  console.log(peersTable(results, contestants, cases, streams));
  console.log(`\n${quietness(results.readings)}\n`);
  return { results, exitCode: results.notes.some(({ kind }) => kind === "failed") ? 1 : 0 };
}
