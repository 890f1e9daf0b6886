/** Handlers of `contract/api/installation.ts`: settings, health, ledger checks, the audit log. */

import type { installationRoutes, installationSettings } from "@plaza/contract/api/installation.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { textOf } from "@plaza/contract/messages/message.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import { z } from "zod";
import type { Setting } from "../../config/setting.ts";
import { settings } from "../../config/settings.ts";
import { type SettingInForce, settingsInForce } from "../../config/shown.ts";
import { isSame } from "../../lib/record.ts";
import type { InstallationSettings } from "../../store/operation/operation.ts";
import type { ControlContext, HandlersOf } from "../context.ts";
import { readCursor, writeCursor } from "../cursor.ts";
import { usdOrNull } from "./billing/balance.ts";
import { pageOfAccountAudit, pageOfAudit } from "./installation/audit-log.ts";
import { showCheck, startCheck } from "./installation/checks.ts";
import { pageOfCredentials, pageOfDeployments, readHealth } from "./installation/health.ts";
import { readLastApply } from "./installation/last-apply.ts";

const showSettings = (
  { config }: ControlContext,
  { lowBalance, ...others }: InstallationSettings,
): z.output<typeof installationSettings> => ({
  ...others,
  lowBalance: usdOrNull(lowBalance),
  auditKeptMs: config.auditKeptMs,
});

function showBootSetting({ name, variable, value, from }: SettingInForce) {
  const { flag, isSecret, text, initially }: Setting = settings[name];
  return {
    name,
    variable,
    flag: flag?.split(" ")[0] ?? null,
    value: value ?? null,
    from: from ?? null,
    isSecret: isSecret === true,
    meaning: textOf(text),
    meaningMessage: text,
    unset: initially === undefined ? null : textOf(initially),
    unsetMessage: initially ?? null,
  };
}

const place = z.tuple([z.number(), z.string()]);

export const installationHandlers: HandlersOf<typeof installationRoutes> = {
  getSettings: async (context) => showSettings(context, await context.store.getSettings()),
  async changeSettings(context, { body, note, unchanged }) {
    const lowBalance = body.lowBalance === null ? null : parseUsd(body.lowBalance);
    const before = await context.store.getSettings();
    const { revision: _, ...given } = body;
    if (isSame(before, { ...given, lowBalance })) {
      unchanged();
      return showSettings(context, before);
    }
    const changed = await context.store.changeSettings({ ...body, lowBalance });
    if (changed === undefined) throw new GatewayError("changed_meanwhile");
    note(undefined, given);
    return showSettings(context, changed);
  },
  getLastApply: ({ store }) => readLastApply(store),
  listBootSettings: ({ config }) => ({ settings: settingsInForce(config).map(showBootSetting) }),
  getHealth: (context) => readHealth(context),
  listDeploymentHealth: (context, { query }) => pageOfDeployments(context, query),
  listCredentialHealth: (context, { query }) => pageOfCredentials(context, query),
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
