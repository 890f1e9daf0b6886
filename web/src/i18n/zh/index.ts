/** The Chinese texts of the console, by area. Loaded only when the page is in Chinese. */
import { connectChinese } from "./connect.ts";
import { latencyChinese } from "./latency.ts";
import { linkChinese } from "./link.ts";
import { operationsChinese } from "./operations.ts";
import { operatorLiveChinese } from "./operator-live.ts";
import { billingChinese } from "./pages/billing.ts";
import { explorerChinese } from "./pages/explorer.ts";
import { keysChinese } from "./pages/keys.ts";
import { membersChinese } from "./pages/members.ts";
import { operatorAccountsChinese } from "./pages/operator-accounts.ts";
import { operatorAuditChinese } from "./pages/operator-audit.ts";
import { operatorCodesChinese } from "./pages/operator-codes.ts";
import { operatorHealthChinese } from "./pages/operator-health.ts";
import { operatorLimitsChinese } from "./pages/operator-limits.ts";
import { operatorModelsChinese } from "./pages/operator-models.ts";
import { operatorPartsChinese } from "./pages/operator-parts.ts";
import { operatorPricesChinese } from "./pages/operator-prices.ts";
import { operatorRequestsChinese } from "./pages/operator-requests.ts";
import { operatorSettingsChinese } from "./pages/operator-settings.ts";
import { operatorUpstreamsChinese } from "./pages/operator-upstreams.ts";
import { operatorUsersChinese } from "./pages/operator-users.ts";
import { overviewChinese } from "./pages/overview.ts";
import { playgroundChinese } from "./pages/playground.ts";
import { playgroundToolsChinese } from "./pages/playground-tools.ts";
import { plazaChinese } from "./pages/plaza.ts";
import { plazaChartChinese } from "./pages/plaza-chart.ts";
import { plazaListChinese } from "./pages/plaza-list.ts";
import { plazaTabsChinese } from "./pages/plaza-tabs.ts";
import { requestsChinese } from "./pages/requests.ts";
import { usageChinese } from "./pages/usage.ts";
import { paletteChinese } from "./palette.ts";
import { profileChinese } from "./profile.ts";
import { shellChinese } from "./shell.ts";
import { signInChinese } from "./sign-in.ts";
import { startChinese } from "./start.ts";
import { statusChinese } from "./status.ts";
import { uiChinese } from "./ui.ts";

export const texts = {
  billing: billingChinese,
  connect: connectChinese,
  explorer: explorerChinese,
  keys: keysChinese,
  latency: latencyChinese,
  link: linkChinese,
  members: membersChinese,
  operations: operationsChinese,
  "operator-accounts": operatorAccountsChinese,
  "operator-audit": operatorAuditChinese,
  "operator-codes": operatorCodesChinese,
  "operator-health": operatorHealthChinese,
  "operator-live": operatorLiveChinese,
  "operator-limits": operatorLimitsChinese,
  "operator-models": operatorModelsChinese,
  "operator-parts": operatorPartsChinese,
  "operator-prices": operatorPricesChinese,
  "operator-requests": operatorRequestsChinese,
  "operator-settings": operatorSettingsChinese,
  "operator-upstreams": operatorUpstreamsChinese,
  "operator-users": operatorUsersChinese,
  overview: overviewChinese,
  palette: paletteChinese,
  playground: playgroundChinese,
  playgroundTools: playgroundToolsChinese,
  plaza: plazaChinese,
  plazaChart: plazaChartChinese,
  plazaList: plazaListChinese,
  plazaTabs: plazaTabsChinese,
  profile: profileChinese,
  requests: requestsChinese,
  shell: shellChinese,
  "sign-in": signInChinese,
  start: startChinese,
  status: statusChinese,
  ui: uiChinese,
  usage: usageChinese,
};
