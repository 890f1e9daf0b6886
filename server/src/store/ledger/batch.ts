/** A batch of the ledger: what a process writes in one transaction, and the reply. Types only. */

import type { NanoUsd } from "@plaza/contract/money.ts";
import type { LeaseRequest } from "../../domain/money/ledger.ts";
import type { RequestValue } from "../requests/row.ts";
import type { LeaseGrant, LeaseSubject } from "./lease-shapes.ts";

/** A row of a batch that was refused because of its own values. */
export interface RowFault {
  /** Position in the batch, from 0. */
  readonly index: number;
  readonly message: string;
}

/** A lease to return, in whole or in part. */
export interface ReturnEntry {
  readonly holderId: string;
  readonly subject: LeaseSubject;
  readonly amount: NanoUsd | "all";
}

/** A lease to increase. */
export interface TakeEntry {
  readonly holderId: string;
  readonly subject: LeaseSubject;
  readonly requested: LeaseRequest;
}

/**
 * What one process writes in one transaction, in this order: requests with their settlements, returns, takes.
 */
export interface LedgerBatch {
  /** Flat list of `valuesPerRequest` values per request (`requests/row.ts`). */
  readonly values: readonly RequestValue[];
  readonly returns: readonly ReturnEntry[];
  readonly takes: readonly TakeEntry[];
}

export interface LedgerReply {
  readonly faults: readonly RowFault[];
  /** In the batch's order. */
  readonly returned: readonly NanoUsd[];
  readonly grants: readonly LeaseGrant[];
}
