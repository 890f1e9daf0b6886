/**
 * P24's input for each route: a request that permitted callers can make, created anew each time, and for
 * routes about own items the same request for another account's item.
 */
import { linkAddress } from "../../../server/src/control/auth/links.ts";
import type { Person, Stage } from "./p24-stage.ts";

/** Path parameters, query without its question mark, and body. */
export interface Asked {
  readonly parts?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  /** Expected status; absent: any below 400. */
  readonly status?: number;
}

export interface Sample {
  /** A request that `me` may make. */
  ask(stage: Stage, me: Person): Promise<Asked> | Asked;
  /** The same about account A or its owner, for a caller of account B. */
  foreign?(stage: Stage): Promise<Asked>;
  /** Waits for background work after the response. */
  after?(stage: Stage): Promise<void>;
}

const nothing: Sample = { ask: () => ({}) };
const newPassword = "another good password";

const idOf = (id: string): Asked => ({ parts: { id } });

async function newKey(person: Person): Promise<{ id: string; revision: number }> {
  return (await person.call("POST", "/keys", { name: "sample" })).body.key;
}

/** A request about a key: the caller's, and one of account A's owner. */
const aboutKey = (body?: (key: { revision: number }) => unknown): Sample => {
  const asked = async (person: Person): Promise<Asked> => {
    const key = await newKey(person);
    return { ...idOf(key.id), ...(body === undefined ? {} : { body: body(key) }) };
  };
  return {
    ask: (_stage, me) => asked(me),
    foreign: async (stage) => asked(await stage.newPerson("owner")),
  };
};

async function newMember(stage: Stage, accountId: string): Promise<Person> {
  const email = `${stage.unique()}@members.test`;
  return { ...(await stage.rig.newUser({ email, accountId, role: "member" })), accountId };
}

const aboutMember = (body?: unknown): Sample => {
  const asked = async (stage: Stage, accountId: string): Promise<Asked> => ({
    ...idOf((await newMember(stage, accountId)).userId),
    ...(body === undefined ? {} : { body }),
  });
  return {
    ask: (stage, me) => asked(stage, me.accountId ?? stage.rig.accountA),
    foreign: (stage) => asked(stage, stage.rig.accountA),
  };
};

const session: Readonly<Record<string, Sample>> = {
  getSession: nothing,
  signIn: {
    ask: ({ rig }) => ({ body: { email: "member@a.test", password: rig.password }, status: 200 }),
  },
  signOut: nothing,
  checkLink: { ask: async (stage) => ({ parts: { token: await newInvitation(stage) } }) },
  useLink: {
    ask: async (stage) => ({ parts: { token: await newInvitation(stage) }, body: { password: newPassword } }),
  },
  beginOidc: { ask: () => ({ query: "returnTo=%2Fusage", status: 302 }) },
  finishOidc: { ask: () => ({ query: "code=x&state=y", status: 302 }) },
};

async function newInvitation(stage: Stage): Promise<string> {
  const email = `${stage.unique()}@new.test`;
  const body = { email, accountId: stage.rig.accountA };
  const path = "/operator/users/invitations";
  const { token, url } = await stage.operate<{ token: string; url: string }>("POST", path, body);
  if (url !== linkAddress(stage.rig.url, token)) throw new Error(`a link that leads elsewhere: ${url}`);
  return token;
}

const profile: Readonly<Record<string, Sample>> = {
  changeProfile: { ask: () => ({ body: { name: "Sample" } }) },
  changePassword: { ask: ({ rig }) => ({ body: { current: rig.password, next: newPassword } }) },
  beginTwoFactor: { ask: ({ rig }) => ({ body: { password: rig.password } }) },
  confirmTwoFactor: {
    async ask(stage, me) {
      const { body } = await me.call("POST", "/profile/two-factor", { password: stage.rig.password });
      return { body: { code: await stage.codeOf(body.secret) } };
    },
  },
  endTwoFactor: {
    async ask(stage, me) {
      const [code] = await stage.turnOnTwoFactor(me);
      return { body: { password: stage.rig.password, code } };
    },
  },
  newRecoveryCodes: {
    async ask(stage, me) {
      const [code] = await stage.turnOnTwoFactor(me);
      return { body: { password: stage.rig.password, code } };
    },
  },
  listSessions: nothing,
  endSession: {
    ask: (_stage, me) => idOf(me.sessionId),
    foreign: async (stage) => idOf((await stage.newPerson("owner")).sessionId),
  },
  endOtherSessions: nothing,
};

const people: Readonly<Record<string, Sample>> = {
  listMembers: nothing,
  changeMember: aboutMember({ role: "owner" }),
  removeMember: aboutMember(),
  listInvitations: nothing,
  inviteMember: { ask: (stage) => ({ body: { email: `${stage.unique()}@new.test`, role: "member" } }) },
  withdrawInvitation: {
    ask: async (stage, me) => idOf(await inviteAs(stage, me)),
    foreign: async (stage) => idOf(await inviteAs(stage, await stage.newPerson("owner"))),
  },
  listUsers: nothing,
  inviteUser: {
    ask: (stage) => ({ body: { email: `${stage.unique()}@new.test`, accountId: stage.rig.accountA } }),
  },
  getUser: { ask: (stage) => idOf(stage.person("member").userId) },
  listUserInvitations: nothing,
  withdrawUserInvitation: {
    ask: async (stage) => idOf(await inviteAs(stage, await stage.newPerson("owner"))),
  },
  changeUser: {
    ask: async (stage) => ({
      ...idOf((await newMember(stage, stage.rig.accountA)).userId),
      body: { status: "disabled", revision: 0 },
    }),
  },
  makeResetLink: { ask: async (stage) => idOf((await newMember(stage, stage.rig.accountA)).userId) },
  endUserSessions: { ask: async (stage) => idOf((await newMember(stage, stage.rig.accountA)).userId) },
  listTokens: nothing,
  createToken: { ask: () => ({ body: { name: "sample", scopes: ["installation:write"] } }) },
  revokeToken: { ask: async (stage) => idOf((await stage.rig.withToken("health:read")).id) },
};

async function inviteAs(stage: Stage, me: Person): Promise<string> {
  const email = `${stage.unique()}@new.test`;
  return (await me.call("POST", "/members/invitations", { email, role: "member" })).body.id;
}

const keys: Readonly<Record<string, Sample>> = {
  listKeys: nothing,
  createKey: { ask: () => ({ body: { name: "sample" } }) },
  getKey: aboutKey(),
  changeKey: aboutKey(({ revision }) => ({ name: "changed", revision })),
  revokeKey: aboutKey(),
  createEphemeralKey: aboutKey(),
};

async function newBatch(stage: Stage): Promise<{ id: string; codes: string[] }> {
  const made = await stage.operate<{
    batch: { id: string };
    codes: string[];
  }>("POST", "/operator/code-batches", {
    count: 1,
    amount: "1",
  });
  return { id: made.batch.id, codes: made.codes };
}

const billing: Readonly<Record<string, Sample>> = {
  getBalance: nothing,
  setLowBalance: {
    async ask(_stage, me) {
      const { body } = await me.call("GET", "/balance");
      return { body: { lowBalance: "1", revision: body.account.revision } };
    },
  },
  listEntries: nothing,
  exportLedger: nothing,
  redeem: { ask: async (stage) => ({ body: { code: (await newBatch(stage)).codes[0] } }) },
  createCodes: { ask: () => ({ body: { count: 1, amount: "1" } }) },
  listCodeBatches: nothing,
  getCodeBatch: { ask: async (stage) => idOf((await newBatch(stage)).id) },
  voidCodeBatch: { ask: async (stage) => idOf((await newBatch(stage)).id) },
};

async function newAccount(stage: Stage): Promise<{ id: string; revision: number }> {
  return await stage.operate<{ id: string; revision: number }>("POST", "/operator/accounts", {
    name: stage.unique(),
  });
}

const accounts: Readonly<Record<string, Sample>> = {
  listAccounts: nothing,
  createAccount: { ask: (stage) => ({ body: { name: stage.unique() } }) },
  getAccount: { ask: ({ rig }) => idOf(rig.accountA) },
  changeAccount: {
    async ask(stage) {
      const { id, revision } = await newAccount(stage);
      return { ...idOf(id), body: { name: "changed", revision } };
    },
  },
  addEntry: { ask: ({ rig }) => ({ ...idOf(rig.accountA), body: { kind: "topup", amount: "1" } }) },
  listAccountEntries: { ask: ({ rig }) => idOf(rig.accountA) },
  listAccountKeys: { ask: ({ rig }) => idOf(rig.accountA) },
  listLabels: { ask: () => ({ query: "search=a" }) },
  listLimitedKeys: { ask: () => ({ query: "search=k" }) },
  createAccountKey: { ask: ({ rig }) => ({ ...idOf(rig.accountA), body: { name: "Made" } }) },
  changeAccountKey: {
    async ask(stage) {
      const { id, revision } = await newKey(await stage.newPerson("owner"));
      return { parts: { id: stage.rig.accountA, keyId: id }, body: { name: "Changed", revision } };
    },
  },
  revokeAccountKey: {
    async ask(stage) {
      const { id } = await newKey(await stage.newPerson("owner"));
      return { parts: { id: stage.rig.accountA, keyId: id } };
    },
  },
};

const installation: Readonly<Record<string, Sample>> = {
  getSettings: nothing,
  getLastApply: nothing,
  listBootSettings: nothing,
  changeSettings: {
    async ask(stage) {
      const settings = await stage.operate("GET", "/operator/settings");
      return { body: { ...settings, name: stage.unique() } };
    },
  },
  getHealth: nothing,
  watchLive: { ask: () => ({ query: "once=true" }) },
  listDeploymentHealth: { ask: () => ({ query: "troubled=true&search=d" }) },
  listCredentialHealth: nothing,
  listIncidents: nothing,
  startLedgerCheck: {
    ask: () => ({}),
    async after(stage) {
      for (;;) {
        const { checks } = await stage.operate<{
          checks: { status: string }[];
        }>("GET", "/operator/ledger-checks");
        if (checks.every(({ status }) => status !== "running")) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  },
  listLedgerChecks: nothing,
  listAudit: nothing,
  listAccountAudit: nothing,
};

const oneDay: Sample = { ask: () => ({ query: "from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z" }) };

const usage: Readonly<Record<string, Sample>> = {
  getUsage: oneDay,
  listRequests: nothing,
  getRequestDetail: {
    ask: async (stage, me) => idOf(await stage.newRequest(me.accountId ?? stage.rig.accountA)),
    foreign: async (stage) => idOf(await stage.newRequest(stage.rig.accountA)),
  },
  exportRequests: nothing,
  getAllUsage: oneDay,
  listAllRequests: nothing,
  getAnyRequest: { ask: async (stage) => idOf(await stage.newRequest(stage.rig.accountA)) },
  exportAllRequests: nothing,
  exploreUsage: oneDay,
  exportExploredUsage: oneDay,
  getLatency: oneDay,
  exploreAllUsage: oneDay,
  exportAllExploredUsage: oneDay,
  getAllLatency: oneDay,
  getPlaza: nothing,
  getPlazaStatuses: nothing,
  getPlazaModel: { ask: () => ({ parts: { model: "demo" } }) },
  getStatus: nothing,
  getModelStatus: { ask: () => ({ parts: { model: "demo" } }) },
};

const closedPort = "http://127.0.0.1:9/v1";
const upstreamForm = { provider: "openai", baseUrl: closedPort };

async function newUpstream(stage: Stage): Promise<{ id: string; revision: number }> {
  const body = { ...upstreamForm, id: stage.unique(), credentials: ["sk-sample"] };
  return await stage.operate<{ id: string; revision: number }>("POST", "/operator/upstreams", body);
}

const modelForm = (upstream: string) => ({
  price: { input: "1", output: "2" },
  deployments: [{ upstream, model: "sample" }],
});

async function newModel(stage: Stage): Promise<{ id: string; revision: number; upstream: string }> {
  const { id: upstream } = await newUpstream(stage);
  const body = { id: stage.unique(), ...modelForm(upstream) };
  const made = await stage.operate<{ id: string; revision: number }>("POST", "/operator/models", body);
  return { ...made, upstream };
}

const catalog: Readonly<Record<string, Sample>> = {
  listCatalog: nothing,
  createUpstream: { ask: (stage) => ({ body: { ...upstreamForm, id: stage.unique(), credentials: ["x"] } }) },
  changeUpstream: {
    async ask(stage) {
      const { id, revision } = await newUpstream(stage);
      return { ...idOf(id), body: { ...upstreamForm, queue: 5, revision } };
    },
  },
  removeUpstream: {
    async ask(stage) {
      const { id, revision } = await newUpstream(stage);
      return { ...idOf(id), query: `revision=${revision}` };
    },
  },
  createModel: {
    async ask(stage) {
      const { id } = await newUpstream(stage);
      return { body: { id: stage.unique(), ...modelForm(id) } };
    },
  },
  changeModel: {
    async ask(stage) {
      const { id, revision, upstream } = await newModel(stage);
      return { ...idOf(id), body: { ...modelForm(upstream), name: "changed", revision } };
    },
  },
  changeModelState: {
    async ask(stage) {
      const { id, revision } = await newModel(stage);
      return { ...idOf(id), body: { disabled: true, revision } };
    },
  },
  removeModel: {
    async ask(stage) {
      const { id, revision } = await newModel(stage);
      return { ...idOf(id), query: `revision=${revision}` };
    },
  },
  listPrices: { ask: async (stage) => idOf((await newModel(stage)).id) },
  changeLimits: {
    async ask(stage) {
      const {
        limits,
        installation: whole,
        revision,
      } = await stage.operate<Record<string, unknown>>("GET", "/operator/catalog");
      return { body: { limits, installation: whole, revision } };
    },
  },
  listProviders: nothing,
  listOffers: nothing,
  // No server listens there; that is the expected answer.
  checkConnection: { ask: () => ({ body: { baseUrl: closedPort, credential: "sk-sample" }, status: 400 }) },
  testUpstream: { ask: () => idOf("demo") },
  connect: {
    ask: (stage) => ({
      body: {
        baseUrl: closedPort,
        credential: "sk-sample",
        id: stage.unique(),
        models: [{ upstreamModel: "sample", id: stage.unique() }],
      },
    }),
  },
  listUpstreamStates: nothing,
};

/** Samples by route name. */
export const samples: Readonly<Record<string, Sample>> = {
  ...session,
  ...profile,
  ...people,
  ...keys,
  ...billing,
  ...accounts,
  ...installation,
  ...usage,
  ...catalog,
};
