/** Every page of the console with an address of its own in a seeded installation: what is checked and photographed one by one. */

export interface ConsolePage {
  /** Of its picture. */
  readonly name: string;
  readonly path: string;
  /** Seen without signing in. */
  readonly isPublic?: true;
}

export const pages: readonly ConsolePage[] = [
  { name: "sign-in", path: "/sign-in", isPublic: true },
  { name: "overview", path: "/" },
  { name: "plaza", path: "/models" },
  { name: "plaza-table", path: "/models?view=table" },
  { name: "model", path: "/models/cirrus%2Fcirrus-4-sonnet" },
  { name: "model-code", path: "/models/aurora-mini?tab=code" },
  { name: "model-cost", path: "/models/aurora-mini?tab=cost" },
  { name: "model-history", path: "/models/aurora-mini?tab=history" },
  { name: "model-unknown", path: "/models/no-such-model" },
  { name: "compare", path: "/compare?a=aurora-mini&b=aurora-large" },
  { name: "playground", path: "/playground?model=demo" },
  { name: "keys", path: "/keys" },
  { name: "usage", path: "/usage" },
  { name: "requests", path: "/requests" },
  { name: "billing", path: "/billing" },
  { name: "members", path: "/members" },
  { name: "profile", path: "/profile" },
  { name: "health", path: "/operator/health" },
  { name: "models-and-prices", path: "/operator/models" },
  { name: "model-form", path: "/operator/models/aurora-large" },
  { name: "upstreams", path: "/operator/upstreams" },
  { name: "upstream-form", path: "/operator/upstreams/main" },
  { name: "accounts", path: "/operator/accounts" },
  { name: "users", path: "/operator/users" },
  { name: "limits", path: "/operator/limits" },
  { name: "codes", path: "/operator/codes" },
  { name: "all-requests", path: "/operator/requests" },
  { name: "all-usage", path: "/operator/usage" },
  { name: "audit-log", path: "/operator/audit" },
  { name: "settings", path: "/operator/settings" },
];
