/** Everything about one request: for its account what it may see, for the operator all of it. */

import type { operatorRequestDetail, requestDetail } from "@plaza/contract/api/usage.ts";
import type { PriceRow } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { formatUsd, parseUsd } from "@plaza/contract/money.ts";
import type { z } from "zod";
import { triesOf } from "../../../domain/routing/attempt-outcome.ts";
import { isPrivateFault } from "../../../domain/routing/fault.ts";
import type { StoredRequest } from "../../../store/requests/shapes.ts";
import type { NamedRequest, UsageStore } from "../../../store/usage/usage.ts";
import { priceDocument } from "../../catalog/show.ts";
import { showLine, showOperatorLine } from "./lines.ts";

type Found = NamedRequest & { readonly price: PriceRow | undefined };

function fieldsOf({ request, price }: Found) {
  return {
    // Undefined fields are left out of JSON.
    usageParts: { ...request.usageParts },
    price:
      price === undefined
        ? null
        : {
            id: price.id,
            validFrom: new Date(price.validFrom).toISOString(),
            price: price.price === undefined ? null : priceDocument(price.price),
          },
    loss: formatUsd(request.loss),
    queueMs: request.queueMs,
  };
}

function attemptsOf(request: StoredRequest, isOperator: boolean) {
  return triesOf(request).map(({ attempt, outcome, startMs, durationMs, firstTokenMs }, index) => {
    const isHidden = !isOperator && isPrivateFault(attempt.fault);
    return {
      number: index + 1,
      model: attempt.model === attempt.askedModel ? null : (attempt.model ?? null),
      outcome,
      fault: isHidden ? null : attempt.fault,
      status: isHidden ? null : attempt.status,
      startMs,
      durationMs,
      firstTokenMs,
    };
  });
}

function operatorAttemptsOf(request: StoredRequest) {
  const shown = attemptsOf(request, true);
  return triesOf(request).map(({ attempt }, index) => ({
    ...(shown[index] as (typeof shown)[number]),
    upstream: attempt.upstreamId ?? request.upstreamId ?? "",
    upstreamModel: attempt.upstreamModel ?? request.upstreamModel ?? "",
    usage: attempt.usage ?? null,
    isBound: attempt.isBound === true,
    cost: attempt.cost === undefined ? null : formatUsd(parseUsd(attempt.cost)),
  }));
}

async function find(store: Pick<UsageStore, "findNamedRequest">, id: string): Promise<Found | undefined> {
  return await store.findNamedRequest(id);
}

const missing = () =>
  new GatewayError("not_found", {
    message: message("usage.requestUnknown"),
  });

/** A request of the account; other accounts' requests are not found. */
export async function ownDetail(
  store: Pick<UsageStore, "findNamedRequest">,
  accountId: string,
  id: string,
): Promise<z.output<typeof requestDetail>> {
  const found = await find(store, id);
  if (found?.request.accountId !== accountId) throw missing();
  return { ...showLine(found), ...fieldsOf(found), attemptList: attemptsOf(found.request, false) };
}

/** Of any account. */
export async function anyDetail(
  store: Pick<UsageStore, "findNamedRequest">,
  id: string,
): Promise<z.output<typeof operatorRequestDetail>> {
  const found = await find(store, id);
  if (found === undefined) throw missing();
  return { ...showOperatorLine(found), ...fieldsOf(found), attemptList: operatorAttemptsOf(found.request) };
}
