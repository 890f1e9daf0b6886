/** Audit log, settings of the installation, self-checks of the ledger: the SQL of `operation.ts`. */
import type { MethodsOptions } from "./methods-options.ts";
import type { OperationStore } from "./operation.ts";

export function createOperationMethods(_options: MethodsOptions): OperationStore {
  return {};
}
