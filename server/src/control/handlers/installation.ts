/** Handlers of `contract/api/installation.ts`: settings, health, self-checks of the ledger, the audit log. */
import type { installationRoutes } from "@plaza/contract/api/installation.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import { z } from "zod";
import type { InstallationSettings } from "../../store/console/operation.ts";
import type { HandlersOf } from "../context.ts";
import { readCursor, writeCursor } from "../cursor.ts";
import { usdOrNull } from "./billing/balance.ts";
import { pageOfAccountAudit, pageOfAudit } from "./installation/audit-log.ts";
import { showCheck, startCheck } from "./installation/checks.ts";
import { readHealth } from "./installation/health.ts";

const showSettings = ({ lowBalance, ...settings }: InstallationSettings) => ({
  ...settings,
  lowBalance: usdOrNull(lowBalance),
});

const place = z.tuple([z.number(), z.string()]);

export const installationHandlers: HandlersOf<typeof installationRoutes> = {
  getSettings: async ({ store }) => showSettings(await store.getSettings()),
  async changeSettings({ store }, { body, note }) {
    const lowBalance = body.lowBalance === null ? null : parseUsd(body.lowBalance);
    const changed = await store.changeSettings({ ...body, lowBalance });
    if (changed === undefined) throw new GatewayError("changed_meanwhile");
    const { revision: _, ...settings } = body;
    note(undefined, settings);
    return showSettings(changed);
  },
  getHealth: (context) => readHealth(context),
  async startLedgerCheck(context, { viewer, note }) {
    const check = await startCheck(context, viewer.kind === "token" ? viewer.name : viewer.email);
    note(check.id);
    return check;
  },
  async listLedgerChecks({ store }, { query }) {
    const [startedAt, id] = readCursor(query.cursor, place) ?? [];
    const before = startedAt === undefined || id === undefined ? undefined : { startedAt, id };
    const found = await store.listLedgerChecks({ limit: query.limit + 1, before });
    const checks = found.slice(0, query.limit);
    const last = checks.at(-1);
    const hasMore = found.length > query.limit && last !== undefined;
    return {
      checks: checks.map(showCheck),
      next: hasMore ? writeCursor([last.startedAt, last.id]) : null,
    };
  },
  listAudit: ({ store }, { query }) => pageOfAudit(store, query),
  listAccountAudit: ({ store }, { query, viewer }) => pageOfAccountAudit(store, query, viewer.account.id),
};
