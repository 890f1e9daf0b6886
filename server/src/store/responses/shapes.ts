/**
 * Shapes of responses that are kept for the caller's next turn (`POST /v1/responses` with `store`), and the
 * store's methods for them. Knows no SQL, and not what a response looks like.
 */

/** A response to be kept. */
export interface NewStoredResponse {
  readonly accountId: string;
  /** As the caller got it, like `resp_…`; only its digest is stored. */
  readonly id: string;
  /** The response this one continues; undefined = it begins a conversation. */
  readonly parentId: string | undefined;
  /** The model that answered: a key that may not use it may not read the response. */
  readonly modelId: string;
  /** The deployment that answered, as the gateway names it: reasoning can be opened only there. */
  readonly deployment: string;
  /** Ids of its items, which a caller may send instead of the items. */
  readonly itemIds: readonly string[];
  /** What the gateway keeps of it; sealed before it is written. */
  readonly payload: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** How long it is kept where its account has no setting of its own, in milliseconds; 0 = not at all. */
  readonly keptMs: number;
}

/** A response that was kept. */
export interface StoredResponse {
  readonly modelId: string;
  readonly deployment: string;
  readonly payload: string;
  readonly createdAt: number;
  /** Unix milliseconds; from then on it is as if it were not there. */
  readonly expiresAt: number;
}

/**
 * A response with all it continues, oldest first. `missing`: one of them is not there (any more).
 * `too_long`: more than `chainMax` responses or `chainBytesMax` bytes.
 */
export type ResponseChain =
  | { readonly kind: "found"; readonly responses: readonly StoredResponse[] }
  | { readonly kind: "missing" | "too_long" };

/** Most responses that continue each other. */
export const chainMax = 1_000;
/** Most bytes of a chain's sealed payloads. */
export const chainBytesMax = 64 * 1024 * 1024;

export interface ResponsesStore {
  /**
   * Keeps a response, in place of one with this id, for as long as its account's setting says now; not at all
   * where that is 0. An account that keeps too much loses the oldest.
   */
  storeResponse(response: NewStoredResponse): Promise<void>;
  /** One response; undefined: this account has none with this id, or it cannot be opened. */
  findResponse(accountId: string, id: string): Promise<StoredResponse | undefined>;
  findResponseChain(accountId: string, id: string): Promise<ResponseChain>;
  /** The responses that hold these items, by item id. Items that are not there are not in the answer. */
  findResponsesOfItems(
    accountId: string,
    itemIds: readonly string[],
  ): Promise<readonly { readonly itemId: string; readonly response: StoredResponse }[]>;
  /** False: there was none. Responses that continue it can be read, but not continued. */
  deleteResponse(accountId: string, id: string): Promise<boolean>;
}

/** Names of the methods, for the store's hand-over. */
export const responsesMethods = {
  storeResponse: true,
  findResponse: true,
  findResponseChain: true,
  findResponsesOfItems: true,
  deleteResponse: true,
} as const satisfies Record<keyof ResponsesStore, true>;
