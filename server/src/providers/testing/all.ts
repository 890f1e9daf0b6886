/**
 * For tests: the test material of every provider that uses the network, in the order of the descriptors. Each
 * provider's material is in its `testing/index.ts`; there is no other list.
 */
import type { ProviderDescriptor } from "../descriptor.ts";
import { exampleDescriptor } from "../example/descriptor.ts";
import { providers } from "../index.ts";
import type { ProviderTesting } from "./material.ts";
import type { Wire } from "./wire.ts";

/** A provider's descriptor and its material. */
export interface TestedProvider extends ProviderTesting {
  readonly id: string;
  readonly descriptor: ProviderDescriptor;
}

async function load(descriptor: ProviderDescriptor): Promise<TestedProvider> {
  const { id } = descriptor;
  const path = `../${id}/testing/index.ts`;
  try {
    const { testing } = (await import(path)) as { testing: ProviderTesting };
    return { ...testing, id, descriptor };
  } catch (cause) {
    throw new Error(`no suite knows provider "${id}": server/src/providers/${id}/testing/index.ts`, {
      cause,
    });
  }
}

export const testedProviders: readonly TestedProvider[] = await Promise.all(
  providers.filter(({ transport }) => transport === "http").map(load),
);

/**
 * The same, plus the example provider of docs/extend/add-a-provider.md, for suites that need no process. This
 * checks what that page shows.
 */
export const testedInProcess: readonly TestedProvider[] = [...testedProviders, await load(exampleDescriptor)];

/** The wire formats of their upstreams. */
export const wires: readonly Wire[] = testedProviders.map(({ wire }) => wire);

/** The material of one provider; throws for an unknown id. */
export function testingOf(id: string): TestedProvider {
  const found = testedProviders.find((provider) => provider.id === id);
  if (found === undefined) throw new RangeError(`no provider "${id}"`);
  return found;
}
