/** Says in the store how this process finds its upstreams, whenever that changed, so that any process can show all of them. */
import type { UpstreamState } from "@plaza/contract/upstream-states.ts";
import type { Store } from "../store/store.ts";

export interface PublisherOptions {
  readonly states: () => UpstreamState[];
  readonly store: Pick<Store, "publishUpstreamStates">;
  /** Under which id this process lives; it may change. */
  readonly holderId: () => string;
}

/** Looks for changes and writes them; regularly. Never rejects: what could not be written is written the next time. */
export type Publish = () => Promise<void>;

export function createPublisher({ states, store, holderId }: PublisherOptions): Publish {
  let published = "";
  let isBusy = false;
  return async () => {
    if (isBusy) return;
    const upstreams = states();
    const id = holderId();
    // Under a new id nothing is known of this process yet.
    const said = `${id}${JSON.stringify(upstreams)}`;
    if (said === published) return;
    isBusy = true;
    try {
      await store.publishUpstreamStates(id, upstreams);
      published = said;
    } catch {
      // Whoever asks sees how old it is; that the store is away is told by those who need it.
    } finally {
      isBusy = false;
    }
  };
}
