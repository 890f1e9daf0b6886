/**
 * P25 for every provider: URLs in requests, for upstreams with and without inlined files, with fetching off
 * and on. Files from allowed addresses are fetched and inlined; nothing else is called. Part of the rig in
 * `p25-addresses.ts`.
 */
import { testedProviders, wires } from "../../../server/src/providers/testing/all.ts";
import type { Wire } from "../../../server/src/providers/testing/wire.ts";
import type { RigCatalog } from "../harness/catalog.ts";
import { countFigure, type Figure, zeroFigure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import { pause } from "../harness/measure/clock.ts";
import { type Plaza, startPlaza } from "../harness/processes/plaza.ts";
import type { Random } from "../harness/random.ts";
import { countAt, formatPlaces } from "./addresses/format-fields.ts";
import { bodyFields, trapSpellings } from "./p25-corpus.ts";
import type { Trap } from "./p25-trap.ts";

/** Wait for late connections to the trap. */
const lateMs = 300;
/** A file at the one address that the operator allowed. */
const file = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

/** The mock upstreams and the allowed address, started by this file's caller. */
export interface Station {
  readonly port: number;
  calls(): number;
}

export type StartStation = (
  address: string,
  port: number,
  answer: (
    req: { readonly url?: string | undefined },
    res: { writeHead(status: number, headers: Record<string, string>): { end(body: Buffer | string): void } },
    body: string,
  ) => void,
) => Promise<Station & { stop(): Promise<void> }>;

interface Stage {
  readonly plaza: Plaza;
  readonly trap: Trap;
  readonly random: Random;
  readonly perField: number;
}

function catalogAt(port: number): RigCatalog {
  return {
    upstreams: wires.map(({ id, basePath, options }) => ({
      id,
      provider: id,
      baseUrl: `http://127.0.0.1:${port}/${id}${basePath}`,
      options,
    })),
    models: wires.map(({ id }) => ({ id, deployments: [{ upstream: id, model: "m" }] })),
  };
}

/** A machine with identities at AWS and Azure, which no upstream of the catalog uses. */
const identityAt = (port: number): Record<string, string> => ({
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${port}/credentials`,
  IDENTITY_ENDPOINT: `http://127.0.0.1:${port}/msi/token`,
  IDENTITY_HEADER: "trap",
});

const bodyFor = ({ id }: Wire, fields: object): string =>
  JSON.stringify({ model: id, max_tokens: 5, messages: [{ role: "user", content: "x" }], ...fields });

/** Every field × some spellings of the trap × every provider; none may be called. */
async function askTrap({
  plaza,
  trap,
  random,
  perField,
}: Stage): Promise<{ count: number; misses: string[] }> {
  const spellings = trapSpellings(trap.port);
  const isFile = (name: string): boolean => /^(?:image_url|file|input_image)/.test(name);
  const cases = wires.flatMap((wire) =>
    Object.entries(bodyFields).flatMap(([name, make]) =>
      random
        .shuffle(spellings)
        .slice(0, isFile(name) ? perField * 4 : perField)
        .map((spelling) => ({
          name: `${wire.id}: ${name}, ${spelling.name}`,
          url: plaza.chatUrl,
          body: bodyFor(wire, make(spelling.url)),
        })),
    ),
  );
  for (const { id } of wires)
    for (const { name, request } of formatPlaces)
      for (const spelling of random.shuffle(spellings).slice(0, perField)) {
        const { path, body } = request(id, spelling.url);
        cases.push({ name: `${id}: ${name}, ${spelling.name}`, url: plaza.origin + path, body });
      }
  const misses: string[] = [];
  await inParallel(cases, 16, async ({ name, url, body }) => {
    const seen = await post({ url, key: plaza.key, body, withinMs: 20_000 });
    if (seen.status === 0 || seen.status >= 500)
      misses.push(`${name}: status ${seen.status} ${seen.problem}`);
  });
  return { count: cases.length, misses };
}

/** Providers for which the gateway fetches files. */
const inlining = testedProviders
  .filter(({ descriptor }) => descriptor.lacks?.includes("files by address"))
  .map(({ wire }) => wire);

/**
 * With fetching on, the upstream receives the file of an allowed address; with fetching off, the request is
 * refused.
 */
async function askOpened(
  plaza: Plaza,
  url: string,
  bodies: ReadonlyMap<string, string>,
  isOn: boolean,
): Promise<string[]> {
  const misses: string[] = [];
  for (const wire of inlining) {
    const content = [{ type: "image_url", image_url: { url } }];
    const body = bodyFor(wire, { messages: [{ role: "user", content }] });
    const seen = await post({ url: plaza.chatUrl, key: plaza.key, body, withinMs: 20_000 });
    const isInlined = bodies.get(wire.id)?.includes(file.toString("base64")) === true;
    const wanted = isOn ? 200 : 400;
    if (seen.status !== wanted || isInlined !== isOn) {
      misses.push(`${wire.id}, fetching ${isOn ? "on" : "off"}: status ${seen.status}, inlined ${isInlined}`);
    }
  }
  return misses;
}

/** Returns the figures. The trap's count must be 0 at the start. */
export async function askProviders(
  options: Omit<Stage, "plaza"> & { readonly start: StartStation; readonly openedAddress: string },
): Promise<Figure[]> {
  const { trap, start, openedAddress } = options;
  const bodies = new Map<string, string>();
  const upstream = await start("127.0.0.1", 0, ({ url }, res, body) => {
    const wire = wires.find(({ id }) => url?.startsWith(`/${id}/`));
    bodies.set(wire?.id ?? "", body);
    res
      .writeHead(200, { "content-type": "application/json" })
      .end(countAt(url ?? "") ?? wire?.whole("ok") ?? "{}");
  });
  const opened = await start(openedAddress, 0, (_req, res) => {
    res.writeHead(200, { "content-type": "image/png" }).end(file);
  });
  const figures: Figure[] = [];
  try {
    for (const isOn of [false, true]) {
      bodies.clear();
      const before = trap.connections();
      const plaza = await startPlaza({
        catalog: catalogAt(upstream.port),
        env: {
          PLAZA_FETCH_MEDIA: isOn ? "on" : "off",
          PLAZA_FETCH_MEDIA_ALLOW: `${openedAddress}:${opened.port}`,
          ...identityAt(options.trap.port),
        },
      });
      try {
        const asked = await askTrap({ ...options, plaza });
        await pause(lateMs);
        const callsBefore = opened.calls();
        const misses = await askOpened(plaza, `http://${openedAddress}:${opened.port}/x.png`, bodies, isOn);
        const calls = opened.calls() - callsBefore;
        if (calls !== (isOn ? inlining.length : 0)) misses.push(`${calls} calls at the opened address`);
        const how = `all providers, fetching of files ${isOn ? "on" : "off"}`;
        const hits = trap.heard().slice(0, 10);
        figures.push(
          zeroFigure(
            "P25",
            `connections at the trap: ${how}`,
            asked.count,
            trap.connections() > before ? [...hits, "?"] : [],
          ),
          countFigure("P25", `requests with addresses are answered: ${how}`, asked.count, asked.misses),
          countFigure("P25", `only what the operator opened is fetched: ${how}`, inlining.length, misses),
        );
      } finally {
        await plaza.stop();
      }
    }
  } finally {
    await upstream.stop();
    await opened.stop();
  }
  return figures;
}
