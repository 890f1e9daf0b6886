/** The operations there are code samples of; without the samples, which load later. */
import type { Operation } from "@plaza/contract/operations.ts";

const sampleOperations = ["chat", "completion", "embeddings"] as const satisfies readonly Operation[];
export type SampleOperation = (typeof sampleOperations)[number];

/** The first of these with code samples; undefined when there is none. */
export function sampleOperationOf(operations: readonly Operation[]): SampleOperation | undefined {
  return operations.find((name): name is SampleOperation => sampleOperations.some((one) => one === name));
}
