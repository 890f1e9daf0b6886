/**
 * The routes of /api that an operator token may call. Generated from contract/api/ by `npm run docs`.
 */
export interface paths {
    "/api/operator/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Accounts, newest first.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Make an account, with a balance to begin with.
         * @description For: operator (token scope accounts:write).
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One account with its people.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what is given of an account; suspending and closing act within a second.
         * @description For: operator (token scope accounts:write).
         */
        patch: operations["changeAccount"];
        trace?: never;
    };
    "/api/operator/accounts/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An account's ledger with its running balance, newest first.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["listAccountEntries"];
        put?: never;
        /**
         * Add a line to an account's ledger: a top-up, a correction with its reason, a refund of a request.
         * @description For: operator (token scope accounts:write).
         */
        post: operations["addEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/accounts/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An account's keys, newest first.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["listAccountKeys"];
        put?: never;
        /**
         * Make a key of an account. Its secret is in this answer and nowhere else.
         * @description For: operator (token scope accounts:write).
         */
        post: operations["createAccountKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/accounts/{id}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what is given of a key of an account; acts within a second.
         * @description For: operator (token scope accounts:write).
         */
        patch: operations["changeAccountKey"];
        trace?: never;
    };
    "/api/operator/accounts/{id}/keys/{keyId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a key of an account for ever; acts within a second.
         * @description For: operator (token scope accounts:write).
         */
        post: operations["revokeAccountKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What people and programs did, newest first.
         * @description For: operator (token scope installation:write).
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/boot-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the server was started with. Secrets are not shown.
         * @description For: operator (token scope installation:write).
         */
        get: operations["listBootSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every upstream, model and limit of the catalog, without secrets
         * @description For: operator (token scope catalog:read).
         */
        get: operations["listCatalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/code-batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Batches of redemption codes, newest first.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["listCodeBatches"];
        put?: never;
        /**
         * Make redemption codes. They are in this answer and nowhere else.
         * @description For: operator (token scope accounts:write).
         */
        post: operations["createCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/code-batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A batch with every code of it and who redeemed it; never the codes themselves.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["getCodeBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/code-batches/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What is not redeemed of a batch never can be.
         * @description For: operator (token scope accounts:write).
         */
        post: operations["voidCodeBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an upstream, or more models of one, in one step
         * @description For: operator (token scope catalog:write).
         */
        post: operations["connect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/connect/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask an upstream for its models, which checks the credential; writes nothing
         * @description For: operator (token scope catalog:write).
         */
        post: operations["checkConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the processes, the upstreams and the ledger are doing.
         * @description For: operator (token scope health:read).
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/health/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Credentials, by their numbers, as every process sees them, those in trouble first.
         * @description For: operator (token scope health:read).
         */
        get: operations["listCredentialHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/health/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deployments as every process sees them, those in trouble first.
         * @description For: operator (token scope health:read).
         */
        get: operations["listDeploymentHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Incidents of models by upstream and cause, newest first: those of now, and the last 30 days
         * @description For: operator (token scope health:read).
         */
        get: operations["listIncidents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Projects and tags of keys of all accounts, or of those given: the first 200 of each in order, which a search narrows down.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["listLabels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/last-apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last applied configuration file, and what was changed in the console since.
         * @description For: operator (token scope installation:write).
         */
        get: operations["getLastApply"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/ledger-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Self-checks of the ledger with what they found, newest first.
         * @description For: operator (token scope health:read).
         */
        get: operations["listLedgerChecks"];
        put?: never;
        /**
         * Add the whole ledger up again; answers at once, the result is in the list. One runs at a time.
         * @description For: operator (token scope health:read).
         */
        post: operations["startLedgerCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the defaults of accounts and what the installation may use; null = no limit
         * @description For: operator (token scope catalog:write).
         */
        put: operations["changeLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/limits/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Keys of all accounts that have a limit or a budget of their own, newest first; without revoked ones.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["listLimitedKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A stream of server-sent events: one snapshot a second of the whole installation, the first at once
         * @description For: operator (token scope health:read).
         */
        get: operations["watchLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a model
         * @description For: operator (token scope catalog:write).
         */
        post: operations["createModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a model; another price applies from now on
         * @description For: operator (token scope catalog:write).
         */
        put: operations["changeModel"];
        post?: never;
        /**
         * Remove a model that no other falls back to; its prices stay in the history
         * @description For: operator (token scope catalog:write).
         */
        delete: operations["removeModel"];
        options?: never;
        head?: never;
        /**
         * Disable a model, or enable it again; acts within a second. Calls of a disabled model go to its fallbacks, or are refused; running calls finish
         * @description For: operator (token scope catalog:write).
         */
        patch: operations["changeModelState"];
        trace?: never;
    };
    "/api/operator/models/{id}/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a model cost, costs and will cost, the newest row first
         * @description For: operator (token scope catalog:read).
         */
        get: operations["listPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What could be connected right away: credentials in the environment, servers on this machine
         * @description For: operator (token scope catalog:read).
         */
        get: operations["listOffers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Services and protocols an upstream can be, for the connect wizard
         * @description For: operator (token scope catalog:read).
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests of all accounts, newest first
         * @description For: operator (token scope usage:read).
         */
        get: operations["listAllRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/requests.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests of all accounts as CSV. A header line, then every request that fits, newest first. Cells that a spreadsheet would take for a formula begin with '
         * @description For: operator (token scope usage:read).
         */
        get: operations["exportAllRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One request of any account, with upstreams and cost
         * @description For: operator (token scope usage:read).
         */
        get: operations["getAnyRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Settings of the installation.
         * @description For: operator (token scope installation:write).
         */
        get: operations["getSettings"];
        /**
         * Change settings of the installation.
         * @description For: operator (token scope installation:write).
         */
        put: operations["changeSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operator tokens, the newest first, revoked and expired ones included.
         * @description For: operator (token scope installation:write).
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Makes an operator token; one made with a token has none of the scopes that one lacks, and ends with it at the latest.
         * @description For: operator (token scope installation:write).
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Ends an operator token at once, and every token made with it.
         * @description For: operator (token scope installation:write).
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstream-states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How each upstream is doing, in a word; those no process speaks of are not there
         * @description For: operator (token scope health:read).
         */
        get: operations["listUpstreamStates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an upstream
         * @description For: operator (token scope catalog:write).
         */
        post: operations["createUpstream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace an upstream; without `credentials` or `headers` it keeps those it has, while it stays at its address
         * @description For: operator (token scope catalog:write).
         */
        put: operations["changeUpstream"];
        post?: never;
        /**
         * Remove an upstream that no model uses
         * @description For: operator (token scope catalog:write).
         */
        delete: operations["removeUpstream"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask an upstream for its models now, and have every process probe what it ejected there; a failure is part of the answer
         * @description For: operator (token scope catalog:write).
         */
        post: operations["testUpstream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What requests of all accounts add up to, with what upstreams bill
         * @description For: operator (token scope usage:read).
         */
        get: operations["getAllUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/usage/explore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Usage of all accounts by group and over time, with cost and margin, beside the period before
         * @description For: operator (token scope usage:read).
         */
        get: operations["exploreAllUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/usage/explore.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same as CSV: a line for each span and group with requests
         * @description For: operator (token scope usage:read).
         */
        get: operations["exportAllExploredUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/usage/latency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How long requests of all accounts took, by percentile. At most 92 days; of more than 100000 requests a sample
         * @description For: operator (token scope usage:read).
         */
        get: operations["getAllLatency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Users of the installation, the newest first.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Invitations that are open, the newest first.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["listUserInvitations"];
        put?: never;
        /**
         * Makes a link for a new user, of an account, an operator, or both; for operators a token needs installation:write, too.
         * @description For: operator (token scope accounts:write).
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Makes an invitation useless; for an operator's a token needs installation:write, too.
         * @description For: operator (token scope accounts:write).
         */
        delete: operations["withdrawUserInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One user.
         * @description For: operator (token scope accounts:read).
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes what is given; never the last operator, nor one's own status or rights. Concerning operators a token needs installation:write, too. The user is signed out, and links and invitations it made or got are void; so are the tokens of one who is no operator any more.
         * @description For: operator (token scope accounts:write).
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/api/operator/users/{id}/end-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs a user out everywhere.
         * @description For: operator (token scope accounts:write).
         */
        post: operations["endUserSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{id}/reset-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes a link that sets a new password and turns two-factor off; for an operator's a token needs installation:write, too.
         * @description For: operator (token scope accounts:write).
         */
        post: operations["makeResetLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/upstreams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How every serving process finds its upstreams: the document of `plaza upstreams --json`.
         * @description For: PLAZA_OPERATOR_TOKEN; while none is set, programs on the same machine. Tokens made in the console and sessions do not open it.
         */
        get: operations["listProcessStates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            error: {
                code: string;
                message: string;
                type: string;
                param: string | null;
                id?: string;
                params?: {
                    [key: string]: unknown;
                };
                fields?: {
                    path: string;
                    message: string;
                    id?: string;
                    params?: {
                        [key: string]: unknown;
                    };
                }[];
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAccounts: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                search?: string;
                status?: string | string[];
                hasOwnLimits?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accounts: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            status: "active" | "suspended" | "closed";
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            balance: string;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            held: string;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            available: string;
                            isLow: boolean;
                            users: number;
                            keys: number;
                            limits: {
                                requestsPerMinute: number | null;
                                tokensPerMinute: number | null;
                                concurrency: number | null;
                            };
                            last30Days: {
                                requests: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charge: string;
                            };
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                        }[];
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    balance?: string;
                    limits?: {
                        requestsPerMinute?: number | null;
                        tokensPerMinute?: number | null;
                        concurrency?: number | null;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        status: "active" | "suspended" | "closed";
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        balance: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        held: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        available: string;
                        isLow: boolean;
                        users: number;
                        keys: number;
                        limits: {
                            requestsPerMinute: number | null;
                            tokensPerMinute: number | null;
                            concurrency: number | null;
                        };
                        last30Days: {
                            requests: number;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            charge: string;
                        };
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        createdAt: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        lowBalance: string | null;
                        responsesKeptMs: number | null;
                        people: {
                            id: string;
                            name: string;
                            email: string;
                            /** @enum {string} */
                            role: "owner" | "member";
                            /** @enum {string} */
                            status: "active" | "disabled";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            seenAt: string | null;
                        }[];
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        status: "active" | "suspended" | "closed";
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        balance: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        held: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        available: string;
                        isLow: boolean;
                        users: number;
                        keys: number;
                        limits: {
                            requestsPerMinute: number | null;
                            tokensPerMinute: number | null;
                            concurrency: number | null;
                        };
                        last30Days: {
                            requests: number;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            charge: string;
                        };
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        createdAt: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        lowBalance: string | null;
                        responsesKeptMs: number | null;
                        people: {
                            id: string;
                            name: string;
                            email: string;
                            /** @enum {string} */
                            role: "owner" | "member";
                            /** @enum {string} */
                            status: "active" | "disabled";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            seenAt: string | null;
                        }[];
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    limits?: {
                        requestsPerMinute?: number | null;
                        tokensPerMinute?: number | null;
                        concurrency?: number | null;
                    };
                    lowBalance?: string | null;
                    responsesKeptMs?: number | null;
                    /** @enum {string} */
                    status?: "active" | "suspended" | "closed";
                    revision: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        status: "active" | "suspended" | "closed";
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        balance: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        held: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        available: string;
                        isLow: boolean;
                        users: number;
                        keys: number;
                        limits: {
                            requestsPerMinute: number | null;
                            tokensPerMinute: number | null;
                            concurrency: number | null;
                        };
                        last30Days: {
                            requests: number;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            charge: string;
                        };
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        createdAt: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        lowBalance: string | null;
                        responsesKeptMs: number | null;
                        people: {
                            id: string;
                            name: string;
                            email: string;
                            /** @enum {string} */
                            role: "owner" | "member";
                            /** @enum {string} */
                            status: "active" | "disabled";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            seenAt: string | null;
                        }[];
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAccountEntries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                kind?: string | string[];
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: {
                            id: number;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            /** @enum {string} */
                            kind: "topup" | "charge" | "adjustment" | "refund" | "operator_loss" | "expiry";
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            amount: string;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            balanceAfter: string;
                            requestId: string | null;
                            note: string | null;
                            noteMessage: {
                                id: string;
                                params?: {
                                    [key: string]: unknown;
                                };
                            } | null;
                            reference: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string | null;
                        }[];
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    kind: "topup" | "adjustment" | "refund";
                    amount: string;
                    reason?: string;
                    reference?: string;
                    requestId?: string;
                    /** Format: date-time */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entry: {
                            id: number;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            /** @enum {string} */
                            kind: "topup" | "charge" | "adjustment" | "refund" | "operator_loss" | "expiry";
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            amount: string;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            balanceAfter: string;
                            requestId: string | null;
                            note: string | null;
                            noteMessage: {
                                id: string;
                                params?: {
                                    [key: string]: unknown;
                                };
                            } | null;
                            reference: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string | null;
                        };
                        isNew: boolean;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        balance: string;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAccountKeys: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                search?: string;
                status?: string | string[];
                /** @description Projects; an empty one: keys without a project. */
                project?: string | string[];
                /** @description Tags, of which each is enough; an empty one: keys without tags. */
                tag?: string | string[];
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            id: string;
                            name: string;
                            visiblePrefix: string;
                            /** @enum {string} */
                            status: "active" | "disabled" | "expired" | "revoked";
                            models: string[] | null;
                            ips: string[] | null;
                            limits: {
                                requestsPerMinute: number | null;
                                tokensPerMinute: number | null;
                                concurrency: number | null;
                            };
                            budget: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                amount: string;
                                /** @enum {string} */
                                period: "day" | "month";
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                spent: string;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                resetsAt: string;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string | null;
                            project: string | null;
                            tags: string[];
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            createdBy: {
                                id: string;
                                name: string | null;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            lastUsedAt: string | null;
                            last30Days: {
                                requests: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charge: string;
                            };
                            revision: number;
                        }[];
                        next: string | null;
                        labels: {
                            projects: string[];
                            tags: string[];
                        } | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    models?: string[] | null;
                    ips?: string[] | null;
                    limits?: {
                        requestsPerMinute?: number | null;
                        tokensPerMinute?: number | null;
                        concurrency?: number | null;
                    };
                    budget?: {
                        amount: string;
                        /** @enum {string} */
                        period: "day" | "month";
                    } | null;
                    /** Format: date-time */
                    expiresAt?: string | null;
                    project?: string | null;
                    /** @description Labels by which usage is grouped, beside the project. One given twice counts once. */
                    tags?: string[];
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            name: string;
                            visiblePrefix: string;
                            /** @enum {string} */
                            status: "active" | "disabled" | "expired" | "revoked";
                            models: string[] | null;
                            ips: string[] | null;
                            limits: {
                                requestsPerMinute: number | null;
                                tokensPerMinute: number | null;
                                concurrency: number | null;
                            };
                            budget: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                amount: string;
                                /** @enum {string} */
                                period: "day" | "month";
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                spent: string;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                resetsAt: string;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string | null;
                            project: string | null;
                            tags: string[];
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            createdBy: {
                                id: string;
                                name: string | null;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            lastUsedAt: string | null;
                            last30Days: {
                                requests: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charge: string;
                            };
                            revision: number;
                        };
                        secret: string;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    models?: string[] | null;
                    ips?: string[] | null;
                    limits?: {
                        requestsPerMinute?: number | null;
                        tokensPerMinute?: number | null;
                        concurrency?: number | null;
                    };
                    budget?: {
                        amount: string;
                        /** @enum {string} */
                        period: "day" | "month";
                    } | null;
                    /** Format: date-time */
                    expiresAt?: string | null;
                    project?: string | null;
                    /** @description Labels by which usage is grouped, beside the project. One given twice counts once. */
                    tags?: string[];
                    /** @enum {string} */
                    status?: "active" | "disabled";
                    revision: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        visiblePrefix: string;
                        /** @enum {string} */
                        status: "active" | "disabled" | "expired" | "revoked";
                        models: string[] | null;
                        ips: string[] | null;
                        limits: {
                            requestsPerMinute: number | null;
                            tokensPerMinute: number | null;
                            concurrency: number | null;
                        };
                        budget: {
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            amount: string;
                            /** @enum {string} */
                            period: "day" | "month";
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            spent: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            resetsAt: string;
                        } | null;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        expiresAt: string | null;
                        project: string | null;
                        tags: string[];
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        createdAt: string;
                        createdBy: {
                            id: string;
                            name: string | null;
                        } | null;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        lastUsedAt: string | null;
                        last30Days: {
                            requests: number;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            charge: string;
                        };
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        visiblePrefix: string;
                        /** @enum {string} */
                        status: "active" | "disabled" | "expired" | "revoked";
                        models: string[] | null;
                        ips: string[] | null;
                        limits: {
                            requestsPerMinute: number | null;
                            tokensPerMinute: number | null;
                            concurrency: number | null;
                        };
                        budget: {
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            amount: string;
                            /** @enum {string} */
                            period: "day" | "month";
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            spent: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            resetsAt: string;
                        } | null;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        expiresAt: string | null;
                        project: string | null;
                        tags: string[];
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        createdAt: string;
                        createdBy: {
                            id: string;
                            name: string | null;
                        } | null;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        lastUsedAt: string | null;
                        last30Days: {
                            requests: number;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            charge: string;
                        };
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                actor?: string;
                action?: string | string[];
                from?: string;
                to?: string;
                account?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: {
                            id: number;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            at: string;
                            actor: {
                                /** @enum {string} */
                                kind: "user" | "token" | "cli";
                                id: string | null;
                                name: string;
                            };
                            account: {
                                id: string;
                                name: string;
                            } | null;
                            action: string;
                            subject: string | null;
                            detail: {
                                [key: string]: unknown;
                            } | null;
                            ip: string | null;
                            requestId: string | null;
                            /** @enum {string} */
                            outcome: "begun" | "done" | "refused";
                        }[];
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listBootSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        settings: {
                            name: string;
                            variable: string;
                            flag: string | null;
                            value: string | null;
                            from: string | null;
                            isSecret: boolean;
                            meaning: string;
                            meaningMessage: {
                                id: string;
                                params?: {
                                    [key: string]: unknown;
                                };
                            };
                            unset: string | null;
                            unsetMessage: {
                                id: string;
                                params?: {
                                    [key: string]: unknown;
                                };
                            } | null;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        upstreams: {
                            id: string;
                            provider: string;
                            preset: string | null;
                            baseUrl: string;
                            options: {
                                [key: string]: string;
                            };
                            credentials: number;
                            headers: {
                                [key: string]: null;
                            };
                            credentialsFault: string | null;
                            timeouts: {
                                connectMs: number;
                                firstByteMs: number | null;
                                firstTokenMs: number;
                                idleMs: number;
                                totalMs: number;
                            };
                            concurrency: number | null;
                            queue: number | null;
                            /** @enum {string} */
                            affinity: "key" | "none";
                            /** @enum {string} */
                            onDisconnect: "stop" | "finish";
                            models: string[];
                            /** @enum {string} */
                            source: "file" | "console" | "demo";
                            revision: number;
                        }[];
                        models: {
                            id: string;
                            name: string;
                            description: string | null;
                            operations: ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription")[];
                            family: string | null;
                            context: number | null;
                            maxOutput: number | null;
                            modalities: {
                                input: string[];
                                output: string[];
                            } | null;
                            capabilities: ("tools" | "json" | "vision" | "reasoning")[] | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            deprecated: string | null;
                            disabled: boolean;
                            price: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                input: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                output: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                perRequest?: string;
                                tiers?: {
                                    abovePromptTokens: number;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    input: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    output: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cachedInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    longCacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    reasoning?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageOutput?: string;
                                }[];
                            } | null;
                            scheduledPrices: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                input: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                output: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                perRequest?: string;
                                tiers?: {
                                    abovePromptTokens: number;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    input: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    output: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cachedInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    longCacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    reasoning?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageOutput?: string;
                                }[];
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                validFrom: string;
                            }[];
                            deployments: {
                                upstream: string;
                                model: string;
                                priority: number;
                                weight: number;
                                cost: {
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    input: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    output: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cachedInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    longCacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    reasoning?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    perRequest?: string;
                                    tiers?: {
                                        abovePromptTokens: number;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        input: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        output: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        cachedInput?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        cacheWrite?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        longCacheWrite?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        reasoning?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        audioInput?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        audioOutput?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        imageInput?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        imageOutput?: string;
                                    }[];
                                } | null;
                                timeouts: {
                                    connectMs: number | null;
                                    firstByteMs: number | null;
                                    firstTokenMs: number | null;
                                    idleMs: number | null;
                                    totalMs: number | null;
                                } | null;
                                formats: ("openai-chat" | "openai-responses" | "anthropic-messages" | "gemini" | "bedrock-converse")[] | null;
                            }[];
                            limits: {
                                requestsPerMinute: number | null;
                                tokensPerMinute: number | null;
                                concurrency: number | null;
                            };
                            fallbacks: string[];
                            hedge: {
                                afterMs: number | null;
                            } | null;
                            /** @enum {string} */
                            status: "available" | "degraded" | "down" | "unpriced" | "unserved" | "disabled";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string | null;
                            /** @enum {string} */
                            source: "file" | "console" | "demo";
                            revision: number;
                        }[];
                        limits: {
                            requestsPerMinute: number | null;
                            tokensPerMinute: number | null;
                            concurrency: number | null;
                        };
                        installation: {
                            requestsPerMinute: number | null;
                            tokensPerMinute: number | null;
                            concurrency: number | null;
                        };
                        /** @enum {string} */
                        limitsSource: "file" | "console" | "demo";
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCodeBatches: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        batches: {
                            id: string;
                            note: string;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            amount: string;
                            codes: number;
                            redeemed: number;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string | null;
                            /** @enum {string} */
                            status: "open" | "expired" | "voided" | "used_up";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            createdBy: {
                                id: string;
                                name: string | null;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            voidedAt: string | null;
                        }[];
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    count: number;
                    amount: string;
                    /** Format: date-time */
                    expiresAt?: string | null;
                    /** @default  */
                    note?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        batch: {
                            id: string;
                            note: string;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            amount: string;
                            codes: number;
                            redeemed: number;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string | null;
                            /** @enum {string} */
                            status: "open" | "expired" | "voided" | "used_up";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            createdBy: {
                                id: string;
                                name: string | null;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            voidedAt: string | null;
                        };
                        codes: string[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCodeBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        batch: {
                            id: string;
                            note: string;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            amount: string;
                            codes: number;
                            redeemed: number;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string | null;
                            /** @enum {string} */
                            status: "open" | "expired" | "voided" | "used_up";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            createdBy: {
                                id: string;
                                name: string | null;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            voidedAt: string | null;
                        };
                        codes: {
                            number: number;
                            visibleEnd: string;
                            /** @enum {string} */
                            status: "open" | "redeemed" | "expired" | "voided";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            redeemedAt: string | null;
                            account: {
                                id: string;
                                name: string;
                            } | null;
                            user: {
                                id: string;
                                name: string | null;
                            } | null;
                            entryId: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    voidCodeBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        note: string;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        amount: string;
                        codes: number;
                        redeemed: number;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        expiresAt: string | null;
                        /** @enum {string} */
                        status: "open" | "expired" | "voided" | "used_up";
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        createdAt: string;
                        createdBy: {
                            id: string;
                            name: string | null;
                        } | null;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        voidedAt: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    connect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    upstreamId?: string | null;
                    /** @default null */
                    service?: string | null;
                    /** @default null */
                    baseUrl?: string | null;
                    /** @default null */
                    credential?: string | null;
                    /** @default null */
                    useEnvironment?: string | null;
                    /** @default {} */
                    options?: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers?: {
                        [key: string]: string;
                    };
                    /** @default null */
                    id?: string | null;
                    models: {
                        upstreamModel: string;
                        id: string;
                        /** @default null */
                        name?: string | null;
                        /**
                         * @description What it is for: chat, completion, embeddings, rerank, moderation, image, speech, transcription
                         * @default [
                         *       "chat"
                         *     ]
                         */
                        operations?: string[];
                        /** @default null */
                        family?: string | null;
                        /** @default null */
                        context?: number | null;
                        /** @default null */
                        maxOutput?: number | null;
                        /** @default null */
                        modalities?: {
                            input: string[];
                            output: string[];
                        } | null;
                        /** @default null */
                        capabilities?: string[] | null;
                        /** @default null */
                        price?: {
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            input: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            output: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cachedInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            longCacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            reasoning?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioOutput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageOutput?: string;
                            /** @description US dollars per request */
                            perRequest?: string;
                            tiers?: {
                                abovePromptTokens: number;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                input: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                output: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                imageOutput?: string;
                            }[];
                        } | null;
                        /** @default [] */
                        scheduledPrices?: {
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            input: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            output: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cachedInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            longCacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            reasoning?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioOutput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageOutput?: string;
                            /** @description US dollars per request */
                            perRequest?: string;
                            tiers?: {
                                abovePromptTokens: number;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                input: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                output: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                imageOutput?: string;
                            }[];
                            validFrom: string;
                        }[];
                    }[];
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        upstream: string;
                        added: string[];
                        joined: string[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    checkConnection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    upstreamId?: string | null;
                    /** @default null */
                    service?: string | null;
                    /** @default null */
                    baseUrl?: string | null;
                    /** @default null */
                    credential?: string | null;
                    /** @default null */
                    useEnvironment?: string | null;
                    /** @default {} */
                    options?: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers?: {
                        [key: string]: string;
                    };
                    /** @default null */
                    models?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        upstream: {
                            id: string;
                            provider: string;
                            preset: string | null;
                            baseUrl: string;
                            options: {
                                [key: string]: string;
                            };
                            isThere: boolean;
                            sameAs: string | null;
                        };
                        isChecked: boolean;
                        hasNoList: boolean;
                        isCut: boolean;
                        models: {
                            upstreamModel: string;
                            id: string;
                            name: string;
                            /** @enum {string} */
                            action: "add" | "deploy" | "present" | "leave";
                            reason: string | null;
                            reasonMessage: {
                                id: string;
                                params?: {
                                    [key: string]: unknown;
                                };
                            } | null;
                            operations: ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription")[];
                            family: string | null;
                            context: number | null;
                            maxOutput: number | null;
                            modalities: {
                                input: string[];
                                output: string[];
                            } | null;
                            capabilities: ("tools" | "json" | "vision" | "reasoning")[] | null;
                            isDeprecated: boolean;
                            price: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                input: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                output: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                perRequest?: string;
                                tiers?: {
                                    abovePromptTokens: number;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    input: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    output: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cachedInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    longCacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    reasoning?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageOutput?: string;
                                }[];
                            } | null;
                            priceSource: {
                                name: string;
                                date: string | null;
                                isOld: boolean;
                            } | null;
                            listPrice: {
                                price: {
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    input: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    output: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cachedInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    longCacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    reasoning?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    perRequest?: string;
                                    tiers?: {
                                        abovePromptTokens: number;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        input: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        output: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        cachedInput?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        cacheWrite?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        longCacheWrite?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        reasoning?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        audioInput?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        audioOutput?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        imageInput?: string;
                                        /**
                                         * @description US dollars, a decimal string
                                         * @example 12.50
                                         */
                                        imageOutput?: string;
                                    }[];
                                };
                                source: {
                                    name: string;
                                    date: string | null;
                                    isOld: boolean;
                                };
                            } | null;
                            laterPrices: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                input: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                output: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                perRequest?: string;
                                tiers?: {
                                    abovePromptTokens: number;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    input: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    output: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cachedInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    longCacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    reasoning?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageOutput?: string;
                                }[];
                                validFrom: string;
                            }[];
                            isOtherSpelling: boolean;
                            isPriced: boolean;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        storageFault: {
                            /** @enum {string} */
                            code: "disk_full" | "read_only" | "io" | "damaged" | "cannot_open";
                            text: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            since: string;
                            isRefusing: boolean;
                        } | null;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        at: string;
                        version: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        startedAt: string;
                        /** @enum {string} */
                        database: "sqlite" | "postgres";
                        processes: {
                            process: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            at: string;
                            pid: number | null;
                            version: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            startedAt: string | null;
                            loopLagMs: number | null;
                            heapBytes: number | null;
                            rssBytes: number | null;
                            inFlight: number | null;
                            isBehind: boolean | null;
                            isLimiting: boolean | null;
                            selfLimit: {
                                /** @enum {string} */
                                reason: "lag" | "heap";
                                seen: number;
                                allowed: number;
                                inFlightLimit: number;
                                inFlightMax: number;
                            } | null;
                            refused: number | null;
                        }[];
                        deployments: {
                            all: number;
                            troubled: number;
                        };
                        credentials: {
                            all: number;
                            troubled: number;
                        };
                        troubles: ({
                            /** @enum {string} */
                            kind: "upstreamOut";
                            upstream: string;
                            fault: {
                                kind: string;
                                status: number | null;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                at: string;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            untilAt: string | null;
                        } | {
                            /** @enum {string} */
                            kind: "modelDown";
                            model: string;
                            fault: {
                                kind: string;
                                status: number | null;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                at: string;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            untilAt: string | null;
                        } | {
                            /** @enum {string} */
                            kind: "credentialOut";
                            upstream: string;
                            number: number;
                            fault: {
                                kind: string;
                                status: number | null;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                at: string;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            untilAt: string | null;
                        } | {
                            /** @enum {string} */
                            kind: "ejected";
                            upstream: string;
                            upstreamModel: string;
                            models: string[];
                            modelsCount: number;
                            fault: {
                                kind: string;
                                status: number | null;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                at: string;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            untilAt: string | null;
                        } | {
                            /** @enum {string} */
                            kind: "usageDoubted";
                            upstream: string;
                            upstreamModel: string;
                            /** @enum {string} */
                            doubt: "impossible" | "beyond_asked";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            at: string;
                            fault: {
                                kind: string;
                                status: number | null;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                at: string;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            untilAt: string | null;
                        })[];
                        moreTroubles: number;
                        holders: {
                            process: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            startedAt: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string;
                            isAlive: boolean;
                            leases: number;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            leased: string;
                        }[];
                        ledgerCheck: {
                            id: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            startedAt: string;
                            startedBy: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            endedAt: string | null;
                            /** @enum {string} */
                            status: "running" | "ok" | "wrong" | "failed";
                            report: {
                                findings: {
                                    what: string;
                                    subject: string;
                                    text: string;
                                    id?: string;
                                    params?: {
                                        [key: string]: unknown;
                                    };
                                }[];
                                moreFindings: number;
                                accounts: number;
                                entries: number;
                                requests: number;
                                leases: number;
                                totals: {
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    balance: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    leased: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    credited: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    charged: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    lost: string;
                                };
                            } | null;
                        } | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCredentialHealth: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                search?: string;
                upstream?: string;
                troubled?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        credentials: {
                            process: string;
                            upstream: string;
                            number: number;
                            /** @enum {string} */
                            state: "active" | "resting" | "out";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            untilAt: string | null;
                            lastFault: {
                                kind: string;
                                status: number | null;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                at: string;
                            } | null;
                        }[];
                        tally: {
                            all: number;
                            troubled: number;
                        };
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeploymentHealth: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                search?: string;
                upstream?: string;
                troubled?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deployments: {
                            process: string;
                            upstream: string;
                            provider: string;
                            model: string;
                            upstreamModel: string;
                            priority: number;
                            weight: number;
                            weightNow: number;
                            /** @enum {string} */
                            state: "healthy" | "resting" | "ejected" | "probing" | "returning";
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            untilAt: string | null;
                            lastFault: {
                                kind: string;
                                status: number | null;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                at: string;
                            } | null;
                            inFlight: number;
                            firstTokenMs: number | null;
                            p95FirstTokenMs: number | null;
                        }[];
                        tally: {
                            all: number;
                            troubled: number;
                        };
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listIncidents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        at: string;
                        incidents: {
                            /** @enum {string} */
                            state: "degraded" | "down";
                            models: string[];
                            modelsCount: number;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            startedAt: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            endedAt: string | null;
                            upstream: string;
                            /** @enum {string} */
                            cause: "unreachable" | "failing" | "busy" | "credential" | "quota" | "unknown";
                            fault: {
                                kind: string;
                                status: number | null;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                at: string;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            nextTryAt: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLabels: {
        parameters: {
            query?: {
                /** @description Account ids. */
                account?: string | string[];
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        projects: string[];
                        tags: string[];
                        isWhole: boolean;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLastApply: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        applied: {
                            file: string | null;
                            by: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            at: string;
                        } | null;
                        changes: {
                            action: string;
                            subject: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            at: string;
                            times: number;
                        }[];
                        hasMore: boolean;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLedgerChecks: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        checks: {
                            id: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            startedAt: string;
                            startedBy: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            endedAt: string | null;
                            /** @enum {string} */
                            status: "running" | "ok" | "wrong" | "failed";
                            report: {
                                findings: {
                                    what: string;
                                    subject: string;
                                    text: string;
                                    id?: string;
                                    params?: {
                                        [key: string]: unknown;
                                    };
                                }[];
                                moreFindings: number;
                                accounts: number;
                                entries: number;
                                requests: number;
                                leases: number;
                                totals: {
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    balance: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    leased: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    credited: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    charged: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    lost: string;
                                };
                            } | null;
                        }[];
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startLedgerCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        startedAt: string;
                        startedBy: string | null;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        endedAt: string | null;
                        /** @enum {string} */
                        status: "running" | "ok" | "wrong" | "failed";
                        report: {
                            findings: {
                                what: string;
                                subject: string;
                                text: string;
                                id?: string;
                                params?: {
                                    [key: string]: unknown;
                                };
                            }[];
                            moreFindings: number;
                            accounts: number;
                            entries: number;
                            requests: number;
                            leases: number;
                            totals: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                balance: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                leased: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                credited: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charged: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                lost: string;
                            };
                        } | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    limits: {
                        requestsPerMinute: number | null;
                        tokensPerMinute: number | null;
                        concurrency: number | null;
                    };
                    installation: {
                        requestsPerMinute: number | null;
                        tokensPerMinute: number | null;
                        concurrency: number | null;
                    };
                    revision: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLimitedKeys: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            id: string;
                            name: string;
                            visiblePrefix: string;
                            /** @enum {string} */
                            status: "active" | "disabled" | "expired" | "revoked";
                            limits: {
                                requestsPerMinute: number | null;
                                tokensPerMinute: number | null;
                                concurrency: number | null;
                            };
                            budget: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                amount: string;
                                /** @enum {string} */
                                period: "day" | "month";
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                spent: string;
                                /**
                                 * @description ISO 8601, UTC
                                 * @example 2026-11-21T08:00:00.000Z
                                 */
                                resetsAt: string;
                            } | null;
                            account: {
                                id: string;
                                name: string;
                            };
                        }[];
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    watchLive: {
        parameters: {
            query?: {
                once?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events; the data of each is JSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        t: number;
                        requestsPerSecond: number;
                        inputTokensPerSecond: number;
                        outputTokensPerSecond: number;
                        inFlight: number;
                        streams: number;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        spendPerMinute: string;
                        requests: {
                            complete: number;
                            incomplete: number;
                            aborted: number;
                            refused: number;
                            failed: number;
                        };
                        firstToken: {
                            p50: number | null;
                            p95: number | null;
                            p99: number | null;
                            count: number;
                            bounds: number[];
                            counts: number[];
                        };
                        duration: {
                            p50: number | null;
                            p95: number | null;
                            p99: number | null;
                            count: number;
                            bounds: number[];
                            counts: number[];
                        };
                        errors: {
                            code: string;
                            count: number;
                        }[];
                        upstreamErrors: {
                            upstream: string;
                            fault: string;
                            count: number;
                        }[];
                        models: {
                            model: string;
                            count: number;
                        }[];
                        processes: {
                            process: string;
                            host: string;
                            pid: number;
                            requestsPerSecond: number;
                            inFlight: number;
                            streams: number;
                            loopLagMs: number;
                            rssBytes: number;
                        }[];
                        isWhole: boolean;
                        history: {
                            t: number;
                            requests: {
                                complete: number;
                                incomplete: number;
                                aborted: number;
                                refused: number;
                                failed: number;
                            };
                            inputTokens: number;
                            outputTokens: number;
                            spend: number;
                            firstToken: {
                                p50: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                            duration: {
                                p50: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                        }[] | null;
                        points: {
                            t: number;
                            requests: {
                                complete: number;
                                incomplete: number;
                                aborted: number;
                                refused: number;
                                failed: number;
                            };
                            inputTokens: number;
                            outputTokens: number;
                            spend: number;
                            firstToken: {
                                p50: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                            duration: {
                                p50: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createModel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @default null */
                    name?: string | null;
                    /** @default null */
                    description?: string | null;
                    /**
                     * @description What it is for: chat, completion, embeddings, rerank, moderation, image, speech, transcription
                     * @default [
                     *       "chat"
                     *     ]
                     */
                    operations?: string[];
                    /** @default null */
                    family?: string | null;
                    /** @default null */
                    context?: number | null;
                    /** @default null */
                    maxOutput?: number | null;
                    /** @default null */
                    modalities?: {
                        input: string[];
                        output: string[];
                    } | null;
                    /**
                     * @description What it can do: tools, json, vision, reasoning; null = unknown, empty = none of them
                     * @default null
                     */
                    capabilities?: string[] | null;
                    /** @default null */
                    deprecated?: string | null;
                    /** @description Whether callers neither see nor can call it; calls of it go to its fallbacks. Absent = as it is */
                    disabled?: boolean;
                    /** @default null */
                    price?: {
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        input: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        output: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        cachedInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        cacheWrite?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        longCacheWrite?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        reasoning?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        audioInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        audioOutput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        imageInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        imageOutput?: string;
                        /** @description US dollars per request */
                        perRequest?: string;
                        tiers?: {
                            abovePromptTokens: number;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            input: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            output: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cachedInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            longCacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            reasoning?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioOutput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageOutput?: string;
                        }[];
                    } | null;
                    /** @default [] */
                    scheduledPrices?: {
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        input: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        output: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        cachedInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        cacheWrite?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        longCacheWrite?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        reasoning?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        audioInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        audioOutput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        imageInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        imageOutput?: string;
                        /** @description US dollars per request */
                        perRequest?: string;
                        tiers?: {
                            abovePromptTokens: number;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            input: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            output: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cachedInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            longCacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            reasoning?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioOutput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageOutput?: string;
                        }[];
                        validFrom: string;
                    }[];
                    deployments: {
                        upstream: string;
                        model: string;
                        /** @default 1 */
                        priority?: number;
                        /** @default 1 */
                        weight?: number;
                        /** @default null */
                        cost?: {
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            input: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            output: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cachedInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            longCacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            reasoning?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioOutput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageOutput?: string;
                            /** @description US dollars per request */
                            perRequest?: string;
                            tiers?: {
                                abovePromptTokens: number;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                input: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                output: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                imageOutput?: string;
                            }[];
                        } | null;
                        /** @default null */
                        timeouts?: {
                            connectMs?: number | null;
                            firstByteMs?: number | null;
                            firstTokenMs?: number | null;
                            idleMs?: number | null;
                            totalMs?: number | null;
                        } | null;
                        /**
                         * @description Wire formats its upstream speaks for this model: openai-chat, openai-responses, anthropic-messages, gemini, bedrock-converse; null = what is known of it
                         * @default null
                         */
                        formats?: string[] | null;
                    }[];
                    /** @default {} */
                    limits?: {
                        requestsPerMinute?: number | null;
                        tokensPerMinute?: number | null;
                        concurrency?: number | null;
                    };
                    /** @default [] */
                    fallbacks?: string[];
                    /** @default null */
                    hedge?: {
                        afterMs: number | null;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    name?: string | null;
                    /** @default null */
                    description?: string | null;
                    /**
                     * @description What it is for: chat, completion, embeddings, rerank, moderation, image, speech, transcription
                     * @default [
                     *       "chat"
                     *     ]
                     */
                    operations?: string[];
                    /** @default null */
                    family?: string | null;
                    /** @default null */
                    context?: number | null;
                    /** @default null */
                    maxOutput?: number | null;
                    /** @default null */
                    modalities?: {
                        input: string[];
                        output: string[];
                    } | null;
                    /**
                     * @description What it can do: tools, json, vision, reasoning; null = unknown, empty = none of them
                     * @default null
                     */
                    capabilities?: string[] | null;
                    /** @default null */
                    deprecated?: string | null;
                    /** @description Whether callers neither see nor can call it; calls of it go to its fallbacks. Absent = as it is */
                    disabled?: boolean;
                    /** @default null */
                    price?: {
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        input: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        output: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        cachedInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        cacheWrite?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        longCacheWrite?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        reasoning?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        audioInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        audioOutput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        imageInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        imageOutput?: string;
                        /** @description US dollars per request */
                        perRequest?: string;
                        tiers?: {
                            abovePromptTokens: number;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            input: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            output: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cachedInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            longCacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            reasoning?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioOutput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageOutput?: string;
                        }[];
                    } | null;
                    /** @default [] */
                    scheduledPrices?: {
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        input: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        output: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        cachedInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        cacheWrite?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        longCacheWrite?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        reasoning?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        audioInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        audioOutput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        imageInput?: string;
                        /**
                         * @description US dollars per million tokens, a decimal string
                         * @example 0.25
                         */
                        imageOutput?: string;
                        /** @description US dollars per request */
                        perRequest?: string;
                        tiers?: {
                            abovePromptTokens: number;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            input: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            output: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cachedInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            longCacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            reasoning?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioOutput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageOutput?: string;
                        }[];
                        validFrom: string;
                    }[];
                    deployments: {
                        upstream: string;
                        model: string;
                        /** @default 1 */
                        priority?: number;
                        /** @default 1 */
                        weight?: number;
                        /** @default null */
                        cost?: {
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            input: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            output: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cachedInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            cacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            longCacheWrite?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            reasoning?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            audioOutput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageInput?: string;
                            /**
                             * @description US dollars per million tokens, a decimal string
                             * @example 0.25
                             */
                            imageOutput?: string;
                            /** @description US dollars per request */
                            perRequest?: string;
                            tiers?: {
                                abovePromptTokens: number;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                input: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                output: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars per million tokens, a decimal string
                                 * @example 0.25
                                 */
                                imageOutput?: string;
                            }[];
                        } | null;
                        /** @default null */
                        timeouts?: {
                            connectMs?: number | null;
                            firstByteMs?: number | null;
                            firstTokenMs?: number | null;
                            idleMs?: number | null;
                            totalMs?: number | null;
                        } | null;
                        /**
                         * @description Wire formats its upstream speaks for this model: openai-chat, openai-responses, anthropic-messages, gemini, bedrock-converse; null = what is known of it
                         * @default null
                         */
                        formats?: string[] | null;
                    }[];
                    /** @default {} */
                    limits?: {
                        requestsPerMinute?: number | null;
                        tokensPerMinute?: number | null;
                        concurrency?: number | null;
                    };
                    /** @default [] */
                    fallbacks?: string[];
                    /** @default null */
                    hedge?: {
                        afterMs: number | null;
                    } | null;
                    revision: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeModel: {
        parameters: {
            query?: {
                revision?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeModelState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    disabled: boolean;
                    revision: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPrices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prices: {
                            id: number;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            validFrom: string;
                            price: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                input: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                output: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                perRequest?: string;
                                tiers?: {
                                    abovePromptTokens: number;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    input: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    output: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cachedInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    longCacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    reasoning?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageOutput?: string;
                                }[];
                            } | null;
                            /** @enum {string} */
                            state: "past" | "current" | "scheduled" | "overruled";
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOffers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        offers: {
                            service: string;
                            name: string;
                            baseUrl: string | null;
                            variable: string | null;
                            models: number | null;
                            isConnected: boolean;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        services: {
                            id: string;
                            name: string;
                            provider: string;
                            preset: string | null;
                            baseUrl: string | null;
                            baseUrlForm: string | null;
                            otherBaseUrls: string[];
                            hasAddress: boolean;
                            needsCredential: boolean;
                            keyVariables: string[];
                            listsModels: boolean;
                            isLocal: boolean;
                            options: {
                                name: string;
                                help: string;
                                helpMessage: {
                                    id: string;
                                    params?: {
                                        [key: string]: unknown;
                                    };
                                };
                                isRequired: boolean;
                            }[];
                            source: {
                                name: string;
                                date: string;
                            } | null;
                            ended: {
                                on: string;
                                note: string;
                                noteMessage: {
                                    id: string;
                                    params?: {
                                        [key: string]: unknown;
                                    };
                                };
                            } | null;
                            note: string | null;
                            noteMessage: {
                                id: string;
                                params?: {
                                    [key: string]: unknown;
                                };
                            } | null;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAllRequests: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                /** @description Model ids; an empty one stands for requests that named no model, or one that is not there or not allowed to them. */
                model?: string | string[];
                /** @description Key ids. */
                key?: string | string[];
                /** @description Operations of the paths that were called. */
                operation?: ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription") | ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription")[];
                /** @description Projects of the keys; an empty one: keys without a project. */
                project?: string | string[];
                /** @description Tags of the keys, of which each is enough; an empty one: keys without tags. */
                tag?: string | string[];
                from?: string;
                /** @description Exclusive. */
                to?: string;
                state?: ("complete" | "incomplete" | "aborted" | "failed") | ("complete" | "incomplete" | "aborted" | "failed")[];
                errorCode?: string;
                /** @description The beginning of an id, or a whole one. */
                id?: string;
                /** @description Account ids. */
                account?: string | string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        requests: {
                            id: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            model: string | null;
                            /** @enum {string} */
                            operation: "chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription";
                            keyId: string;
                            keyName: string | null;
                            isStream: boolean;
                            status: number;
                            /**
                             * @description complete: whole answer delivered; incomplete: cut after content; aborted: the client disconnected; failed: an error, no content
                             * @enum {string}
                             */
                            state: "complete" | "incomplete" | "aborted" | "failed";
                            errorCode: string | null;
                            inputTokens: number;
                            cachedInputTokens: number;
                            cacheWriteTokens: number;
                            outputTokens: number;
                            reasoningTokens: number;
                            /** @enum {string} */
                            usageSource: "exact" | "estimated" | "none";
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            charge: string;
                            firstTokenMs: number | null;
                            durationMs: number;
                            attempts: number;
                            accountId: string;
                            accountName: string | null;
                            upstream: string | null;
                            upstreamModel: string | null;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            cost: string | null;
                        }[];
                        next: string | null;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        asOf: string;
                        /** @description Refused calls beside the list, the most first: on its first page, unless a model, an operation, an id or another state than failed is asked for */
                        refused: {
                            keyId: string;
                            keyName: string | null;
                            errorCode: string;
                            count: number;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            from: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            to: string;
                            accountId: string;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportAllRequests: {
        parameters: {
            query?: {
                /** @description Model ids; an empty one stands for requests that named no model, or one that is not there or not allowed to them. */
                model?: string | string[];
                /** @description Key ids. */
                key?: string | string[];
                /** @description Operations of the paths that were called. */
                operation?: ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription") | ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription")[];
                /** @description Projects of the keys; an empty one: keys without a project. */
                project?: string | string[];
                /** @description Tags of the keys, of which each is enough; an empty one: keys without tags. */
                tag?: string | string[];
                from?: string;
                /** @description Exclusive. */
                to?: string;
                state?: ("complete" | "incomplete" | "aborted" | "failed") | ("complete" | "incomplete" | "aborted" | "failed")[];
                errorCode?: string;
                /** @description The beginning of an id, or a whole one. */
                id?: string;
                /** @description Account ids. */
                account?: string | string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A download. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAnyRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        createdAt: string;
                        model: string | null;
                        /** @enum {string} */
                        operation: "chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription";
                        keyId: string;
                        keyName: string | null;
                        isStream: boolean;
                        status: number;
                        /**
                         * @description complete: whole answer delivered; incomplete: cut after content; aborted: the client disconnected; failed: an error, no content
                         * @enum {string}
                         */
                        state: "complete" | "incomplete" | "aborted" | "failed";
                        errorCode: string | null;
                        inputTokens: number;
                        cachedInputTokens: number;
                        cacheWriteTokens: number;
                        outputTokens: number;
                        reasoningTokens: number;
                        /** @enum {string} */
                        usageSource: "exact" | "estimated" | "none";
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        charge: string;
                        firstTokenMs: number | null;
                        durationMs: number;
                        attempts: number;
                        accountId: string;
                        accountName: string | null;
                        upstream: string | null;
                        upstreamModel: string | null;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        cost: string | null;
                        usageParts: {
                            audioInput?: number;
                            imageInput?: number;
                            audioOutput?: number;
                            imageOutput?: number;
                            longCacheWrite?: number;
                        };
                        price: {
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            validFrom: string;
                            price: {
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                input: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                output: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cachedInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                longCacheWrite?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                reasoning?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                audioOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageInput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                imageOutput?: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                perRequest?: string;
                                tiers?: {
                                    abovePromptTokens: number;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    input: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    output: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cachedInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    cacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    longCacheWrite?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    reasoning?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    audioOutput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageInput?: string;
                                    /**
                                     * @description US dollars, a decimal string
                                     * @example 12.50
                                     */
                                    imageOutput?: string;
                                }[];
                            } | null;
                            id: number;
                        } | null;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        loss: string;
                        /** @description Milliseconds from the request's arrival to the start of its first attempt: reading the body, checks, waiting in the queue of the upstream; null without an attempt, and for requests recorded before Plaza kept it */
                        queueMs: number | null;
                        attemptList: {
                            number: number;
                            model: string | null;
                            outcome: string;
                            fault: string | null;
                            status: number | null;
                            /** @description Milliseconds from the request's arrival to the start of this attempt; null for requests recorded before Plaza kept it */
                            startMs: number | null;
                            /** @description Milliseconds from the start of this attempt to its end */
                            durationMs: number;
                            /** @description Milliseconds from the start of this attempt to its first token; null when no token reached the caller, for answers that are not streamed, and where startMs is null */
                            firstTokenMs: number | null;
                            upstream: string;
                            upstreamModel: string;
                            usage: {
                                input: number;
                                output: number;
                            } | null;
                            isBound: boolean;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            cost: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        plazaIsPublic: boolean;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        lowBalance: string | null;
                        auditKeptMs: number;
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    plazaIsPublic: boolean;
                    lowBalance: string | null;
                    revision: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        plazaIsPublic: boolean;
                        /**
                         * @description US dollars, a decimal string
                         * @example 12.50
                         */
                        lowBalance: string | null;
                        auditKeptMs: number;
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tokens: {
                            id: string;
                            name: string;
                            visiblePrefix: string;
                            scopes: ("accounts:read" | "accounts:write" | "catalog:read" | "catalog:write" | "usage:read" | "health:read" | "installation:write")[];
                            createdBy: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            usedAt: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            revokedAt: string | null;
                            isEnded: boolean;
                        }[];
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    scopes: ("accounts:read" | "accounts:write" | "catalog:read" | "catalog:write" | "usage:read" | "health:read" | "installation:write")[];
                    /** Format: date-time */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: {
                            id: string;
                            name: string;
                            visiblePrefix: string;
                            scopes: ("accounts:read" | "accounts:write" | "catalog:read" | "catalog:write" | "usage:read" | "health:read" | "installation:write")[];
                            createdBy: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            usedAt: string | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            revokedAt: string | null;
                            isEnded: boolean;
                        };
                        secret: string;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUpstreamStates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        upstreams: {
                            id: string;
                            /** @enum {string} */
                            kind: "well" | "troubled" | "out" | "down";
                            count: number;
                            inFlight: number;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    provider: string;
                    /** @default null */
                    preset?: string | null;
                    /** @default null */
                    baseUrl?: string | null;
                    /** @default {} */
                    options?: {
                        [key: string]: string;
                    };
                    /**
                     * @description Milliseconds; null or absent = the default
                     * @default {}
                     */
                    timeouts?: {
                        connectMs?: number | null;
                        firstByteMs?: number | null;
                        firstTokenMs?: number | null;
                        idleMs?: number | null;
                        totalMs?: number | null;
                    };
                    /** @default null */
                    concurrency?: number | null;
                    /** @default null */
                    queue?: number | null;
                    /**
                     * @default key
                     * @enum {string}
                     */
                    affinity?: "key" | "none";
                    /** @enum {string} */
                    onDisconnect?: "stop" | "finish";
                    /**
                     * @deprecated
                     * @enum {string}
                     */
                    whenCallerLeaves?: "stop" | "finish";
                    /** @default [] */
                    credentials?: string[];
                    /**
                     * @description Headers added to every call to the upstream; null keeps the stored value
                     * @default {}
                     */
                    headers?: {
                        [key: string]: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    provider: string;
                    /** @default null */
                    preset?: string | null;
                    /** @default null */
                    baseUrl?: string | null;
                    /** @default {} */
                    options?: {
                        [key: string]: string;
                    };
                    /**
                     * @description Milliseconds; null or absent = the default
                     * @default {}
                     */
                    timeouts?: {
                        connectMs?: number | null;
                        firstByteMs?: number | null;
                        firstTokenMs?: number | null;
                        idleMs?: number | null;
                        totalMs?: number | null;
                    };
                    /** @default null */
                    concurrency?: number | null;
                    /** @default null */
                    queue?: number | null;
                    /**
                     * @default key
                     * @enum {string}
                     */
                    affinity?: "key" | "none";
                    /** @enum {string} */
                    onDisconnect?: "stop" | "finish";
                    /**
                     * @deprecated
                     * @enum {string}
                     */
                    whenCallerLeaves?: "stop" | "finish";
                    credentials?: string[];
                    /** @description Headers added to every call to the upstream; null keeps the stored value */
                    headers?: {
                        [key: string]: string | null;
                    };
                    revision: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeUpstream: {
        parameters: {
            query?: {
                revision?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        at: string;
                        isWorking: boolean;
                        isChecked: boolean;
                        models: number | null;
                        tookMs: number;
                        reason: string | null;
                        reasonMessage: {
                            id: string;
                            params?: {
                                [key: string]: unknown;
                            };
                        } | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAllUsage: {
        parameters: {
            query: {
                from: string;
                /** @description Exclusive. */
                to: string;
                /** @description IANA name. Zones whose offset is not whole half hours (Nepal, Chatham, Eucla) are refused with `param` timeZone: use UTC. */
                timeZone?: string;
                /** @description Model ids; an empty one stands for requests that named no model, or one that is not there or not allowed to them. */
                model?: string | string[];
                /** @description Key ids. */
                key?: string | string[];
                /** @description Operations of the paths that were called. */
                operation?: ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription") | ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription")[];
                /** @description Projects of the keys; an empty one: keys without a project. */
                project?: string | string[];
                /** @description Tags of the keys, of which each is enough; an empty one: keys without tags. */
                tag?: string | string[];
                /** @description Account ids. */
                account?: string | string[];
                by?: "none" | "day" | "model" | "key" | "account" | "operation" | "day-model" | "day-key" | "day-account" | "day-operation";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        asOf: string;
                        timeZone: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        from: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        to: string;
                        rows: {
                            day: string | null;
                            model: string | null;
                            key: string | null;
                            keyName: string | null;
                            account: string | null;
                            accountName: string | null;
                            /** @enum {string|null} */
                            operation: "chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription" | null;
                            requests: number;
                            complete: number;
                            incomplete: number;
                            aborted: number;
                            failed: number;
                            inputTokens: number;
                            cachedInputTokens: number;
                            cacheWriteTokens: number;
                            outputTokens: number;
                            reasoningTokens: number;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            charge: string;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            loss: string;
                            firstTokenMs: number | null;
                            durationMs: number | null;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            cost: string;
                            withoutCost: number;
                        }[];
                        total: {
                            requests: number;
                            complete: number;
                            incomplete: number;
                            aborted: number;
                            failed: number;
                            inputTokens: number;
                            cachedInputTokens: number;
                            cacheWriteTokens: number;
                            outputTokens: number;
                            reasoningTokens: number;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            charge: string;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            loss: string;
                            firstTokenMs: number | null;
                            durationMs: number | null;
                            /**
                             * @description US dollars, a decimal string
                             * @example 12.50
                             */
                            cost: string;
                            withoutCost: number;
                        };
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exploreAllUsage: {
        parameters: {
            query: {
                from: string;
                /** @description Exclusive. */
                to: string;
                /** @description IANA name. Zones whose offset is not whole half hours (Nepal, Chatham, Eucla) are refused with `param` timeZone: use UTC. */
                timeZone?: string;
                /** @description Model ids; an empty one stands for requests that named no model, or one that is not there or not allowed to them. */
                model?: string | string[];
                /** @description Key ids. */
                key?: string | string[];
                /** @description Operations of the paths that were called. */
                operation?: ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription") | ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription")[];
                /** @description Projects of the keys; an empty one: keys without a project. */
                project?: string | string[];
                /** @description Tags of the keys, of which each is enough; an empty one: keys without tags. */
                tag?: string | string[];
                /** @description Users who made the keys; an empty one: no known user. */
                member?: string | string[];
                /** @description Hours are counted from the start. At most 366 days, by hour 31. */
                grain?: "day" | "hour";
                top?: number;
                /** @description Account ids. */
                account?: string | string[];
                /** @description tag: a request counts in the group of each tag of its key, so that groups overlap. upstream: that of a request's last attempt, read from requests: at most 7 days, and 100000 requests in both periods together. */
                by?: "model" | "key" | "project" | "tag" | "member" | "operation" | "account" | "upstream";
                rank?: "charge" | "cost" | "requests" | "tokens";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        asOf: string;
                        timeZone: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        from: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        to: string;
                        previous: {
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            from: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            to: string;
                        };
                        /** @enum {string} */
                        by: "model" | "key" | "project" | "tag" | "member" | "operation" | "account" | "upstream";
                        overlaps: boolean;
                        /** @enum {string} */
                        grain: "day" | "hour";
                        spans: string[];
                        /** @enum {string} */
                        source: "sums" | "requests";
                        groups: {
                            total: {
                                requests: number;
                                complete: number;
                                incomplete: number;
                                aborted: number;
                                failed: number;
                                inputTokens: number;
                                cachedInputTokens: number;
                                cacheWriteTokens: number;
                                outputTokens: number;
                                reasoningTokens: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charge: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                loss: string;
                                firstTokenMs: number | null;
                                durationMs: number | null;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cost: string;
                                withoutCost: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                margin: string;
                            };
                            previous: {
                                requests: number;
                                complete: number;
                                incomplete: number;
                                aborted: number;
                                failed: number;
                                inputTokens: number;
                                cachedInputTokens: number;
                                cacheWriteTokens: number;
                                outputTokens: number;
                                reasoningTokens: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charge: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                loss: string;
                                firstTokenMs: number | null;
                                durationMs: number | null;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cost: string;
                                withoutCost: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                margin: string;
                            };
                            spans: {
                                charge: string[];
                                requests: number[];
                                tokens: number[];
                                cost: string[];
                                withoutCost: number[];
                            };
                            id: string;
                            name: string | null;
                            keys: string[];
                        }[];
                        other: {
                            total: {
                                requests: number;
                                complete: number;
                                incomplete: number;
                                aborted: number;
                                failed: number;
                                inputTokens: number;
                                cachedInputTokens: number;
                                cacheWriteTokens: number;
                                outputTokens: number;
                                reasoningTokens: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charge: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                loss: string;
                                firstTokenMs: number | null;
                                durationMs: number | null;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cost: string;
                                withoutCost: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                margin: string;
                            };
                            previous: {
                                requests: number;
                                complete: number;
                                incomplete: number;
                                aborted: number;
                                failed: number;
                                inputTokens: number;
                                cachedInputTokens: number;
                                cacheWriteTokens: number;
                                outputTokens: number;
                                reasoningTokens: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charge: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                loss: string;
                                firstTokenMs: number | null;
                                durationMs: number | null;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cost: string;
                                withoutCost: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                margin: string;
                            };
                            spans: {
                                charge: string[];
                                requests: number[];
                                tokens: number[];
                                cost: string[];
                                withoutCost: number[];
                            };
                            groups: number;
                        } | null;
                        all: {
                            total: {
                                requests: number;
                                complete: number;
                                incomplete: number;
                                aborted: number;
                                failed: number;
                                inputTokens: number;
                                cachedInputTokens: number;
                                cacheWriteTokens: number;
                                outputTokens: number;
                                reasoningTokens: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charge: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                loss: string;
                                firstTokenMs: number | null;
                                durationMs: number | null;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cost: string;
                                withoutCost: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                margin: string;
                            };
                            previous: {
                                requests: number;
                                complete: number;
                                incomplete: number;
                                aborted: number;
                                failed: number;
                                inputTokens: number;
                                cachedInputTokens: number;
                                cacheWriteTokens: number;
                                outputTokens: number;
                                reasoningTokens: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                charge: string;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                loss: string;
                                firstTokenMs: number | null;
                                durationMs: number | null;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                cost: string;
                                withoutCost: number;
                                /**
                                 * @description US dollars, a decimal string
                                 * @example 12.50
                                 */
                                margin: string;
                            };
                            spans: {
                                charge: string[];
                                requests: number[];
                                tokens: number[];
                                cost: string[];
                                withoutCost: number[];
                            };
                        };
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportAllExploredUsage: {
        parameters: {
            query: {
                from: string;
                /** @description Exclusive. */
                to: string;
                /** @description IANA name. Zones whose offset is not whole half hours (Nepal, Chatham, Eucla) are refused with `param` timeZone: use UTC. */
                timeZone?: string;
                /** @description Model ids; an empty one stands for requests that named no model, or one that is not there or not allowed to them. */
                model?: string | string[];
                /** @description Key ids. */
                key?: string | string[];
                /** @description Operations of the paths that were called. */
                operation?: ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription") | ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription")[];
                /** @description Projects of the keys; an empty one: keys without a project. */
                project?: string | string[];
                /** @description Tags of the keys, of which each is enough; an empty one: keys without tags. */
                tag?: string | string[];
                /** @description Users who made the keys; an empty one: no known user. */
                member?: string | string[];
                /** @description Hours are counted from the start. At most 366 days, by hour 31. */
                grain?: "day" | "hour";
                top?: number;
                /** @description Account ids. */
                account?: string | string[];
                /** @description tag: a request counts in the group of each tag of its key, so that groups overlap. upstream: that of a request's last attempt, read from requests: at most 7 days, and 100000 requests in both periods together. */
                by?: "model" | "key" | "project" | "tag" | "member" | "operation" | "account" | "upstream";
                rank?: "charge" | "cost" | "requests" | "tokens";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A download. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAllLatency: {
        parameters: {
            query: {
                from: string;
                /** @description Exclusive. */
                to: string;
                /** @description IANA name. Zones whose offset is not whole half hours (Nepal, Chatham, Eucla) are refused with `param` timeZone: use UTC. */
                timeZone?: string;
                /** @description Model ids; an empty one stands for requests that named no model, or one that is not there or not allowed to them. */
                model?: string | string[];
                /** @description Key ids. */
                key?: string | string[];
                /** @description Operations of the paths that were called. */
                operation?: ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription") | ("chat" | "completion" | "embeddings" | "rerank" | "moderation" | "image" | "speech" | "transcription")[];
                /** @description Projects of the keys; an empty one: keys without a project. */
                project?: string | string[];
                /** @description Tags of the keys, of which each is enough; an empty one: keys without tags. */
                tag?: string | string[];
                /** @description Users who made the keys; an empty one: no known user. */
                member?: string | string[];
                /** @description Account ids. */
                account?: string | string[];
                by?: "model" | "key" | "project" | "tag" | "member" | "operation" | "account" | "upstream" | "day";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        asOf: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        from: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        to: string;
                        /** @description null: all requests are read. Of more than 100000 a sample is: one request in oneIn, whole stretches of time spread over the period. Counts are then those of the sample. The errors are half the width of the 95 % confidence interval of the percentile of all requests, in milliseconds; null: the sample is too small to tell */
                        sample: {
                            oneIn: number;
                            firstToken: {
                                p50ErrorMs: number | null;
                                p95ErrorMs: number | null;
                            };
                            duration: {
                                p50ErrorMs: number | null;
                                p95ErrorMs: number | null;
                            };
                        } | null;
                        groups: {
                            id: string;
                            name: string | null;
                            firstToken: {
                                count: number;
                                p50: number | null;
                                p75: number | null;
                                p90: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                            duration: {
                                count: number;
                                p50: number | null;
                                p75: number | null;
                                p90: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                        }[];
                        all: {
                            firstToken: {
                                count: number;
                                p50: number | null;
                                p75: number | null;
                                p90: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                            duration: {
                                count: number;
                                p50: number | null;
                                p75: number | null;
                                p90: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                        };
                        histograms: {
                            firstToken: {
                                fromMs: number;
                                toMs: number;
                                count: number;
                            }[];
                            duration: {
                                fromMs: number;
                                toMs: number;
                                count: number;
                            }[];
                        };
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                search?: string;
                accountId?: string;
                status?: "active" | "disabled";
                isOperator?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        users: {
                            id: string;
                            email: string;
                            name: string;
                            isOperator: boolean;
                            /** @enum {string} */
                            status: "active" | "disabled";
                            account: {
                                id: string;
                                name: string;
                                /** @enum {string} */
                                role: "owner" | "member";
                            } | null;
                            hasPassword: boolean;
                            hasTwoFactor: boolean;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            seenAt: string | null;
                            revision: number;
                        }[];
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUserInvitations: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invitations: {
                            id: string;
                            email: string;
                            /** @enum {string|null} */
                            role: "owner" | "member" | null;
                            isOperator: boolean;
                            account: {
                                id: string;
                                name: string;
                            } | null;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            createdAt: string;
                            /**
                             * @description ISO 8601, UTC
                             * @example 2026-11-21T08:00:00.000Z
                             */
                            expiresAt: string;
                        }[];
                        next: string | null;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    accountId?: string;
                    /** @enum {string} */
                    role?: "owner" | "member";
                    /** @default false */
                    isOperator?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        token: string;
                        url: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        expiresAt: string;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawUserInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        name: string;
                        isOperator: boolean;
                        /** @enum {string} */
                        status: "active" | "disabled";
                        account: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "member";
                        } | null;
                        hasPassword: boolean;
                        hasTwoFactor: boolean;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        createdAt: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        seenAt: string | null;
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    status?: "active" | "disabled";
                    accountId?: string | null;
                    /** @enum {string} */
                    role?: "owner" | "member";
                    isOperator?: boolean;
                    revision: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        email: string;
                        name: string;
                        isOperator: boolean;
                        /** @enum {string} */
                        status: "active" | "disabled";
                        account: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "member";
                        } | null;
                        hasPassword: boolean;
                        hasTwoFactor: boolean;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        createdAt: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        seenAt: string | null;
                        revision: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    endUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ended: number;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    makeResetLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        token: string;
                        url: string;
                        /**
                         * @description ISO 8601, UTC
                         * @example 2026-11-21T08:00:00.000Z
                         */
                        expiresAt: string;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProcessStates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        processes: {
                            process: string;
                            at: string;
                            upstreams: {
                                id: string;
                                provider: string;
                                inFlight: number;
                                concurrency: number | null;
                                credentials: {
                                    number: number;
                                    /** @enum {string} */
                                    state: "active" | "resting" | "out";
                                    untilAt: string | null;
                                    lastFault: {
                                        kind: string;
                                        status: number | null;
                                        at: string;
                                    } | null;
                                }[];
                                deployments: {
                                    model: string;
                                    upstreamModel: string;
                                    priority: number;
                                    weight: number;
                                    weightNow: number;
                                    /** @enum {string} */
                                    state: "healthy" | "resting" | "ejected" | "probing" | "returning";
                                    untilAt: string | null;
                                    lastFault: {
                                        kind: string;
                                        status: number | null;
                                        at: string;
                                    } | null;
                                    inFlight: number;
                                    firstTokenMs: number | null;
                                    p95FirstTokenMs: number | null;
                                }[];
                            }[];
                            readings: {
                                pid: number;
                                version: string;
                                startedAt: string;
                                loopLagMs: number;
                                heapBytes: number;
                                rssBytes: number;
                                inFlight: number;
                                isBehind: boolean;
                                isLimiting: boolean;
                                selfLimit?: {
                                    /** @enum {string} */
                                    reason: "lag" | "heap";
                                    seen: number;
                                    allowed: number;
                                    inFlightLimit: number;
                                    inFlightMax: number;
                                } | null;
                                refused?: number;
                            } | null;
                            models: {
                                down: string[];
                                degraded: string[];
                                served: string[];
                            } | null;
                        }[];
                    };
                };
            };
        };
    };
}
