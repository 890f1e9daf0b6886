/**
 * A call to be made: which deployment, with which credential, for what kind of answer. It
 * takes down how soon the answer begins.
 */
import { addFirstToken } from "../../domain/routing/first-token.ts";
import { type Pace, paceOver } from "../../domain/routing/pace.ts";
import type { LiveDeployment } from "../snapshot.ts";
import type { CredentialSlot, DeploymentSlot } from "./slots.ts";

/** What one attempt is made with. */
export interface Choice {
  readonly live: LiveDeployment;
  /** Place in `live.live.upstream.credentials`; -1 where the upstream has none. */
  readonly credentialIndex: number;
  /** The secret; empty where the upstream has none. */
  readonly credential: string;
  /** Its attempt has begun to answer, at these elapsed milliseconds; told at most once. */
  answered(nowMs: number): void;
}

/** What a request wants of the next choice. Times are the clock's elapsed milliseconds. */
export interface ChoiceRequest {
  /**
   * 32-bit hash of who asks: the same one goes to the same deployment while
   * that works. undefined = no affinity.
   */
  readonly affinity: number | undefined;
  /** Is the answer to be a stream? How quick a deployment is, is measured for each kind by itself. */
  readonly isStream: boolean;
  /** Choices this request used already; none of them is given again. */
  readonly tried: readonly Choice[];
  readonly nowMs: number;
}

export const paceOf = (slot: DeploymentSlot, isStream: boolean): Pace =>
  isStream ? slot.streamPace : slot.wholePace;

/** One call to be, with the slots it works on. */
export class Call implements Choice {
  readonly live: LiveDeployment;
  readonly slot: DeploymentSlot;
  readonly held: CredentialSlot;
  readonly pace: Pace;
  beganMs = 0;
  /** Has it begun to answer? */
  hasAnswered = false;

  constructor(live: LiveDeployment, slot: DeploymentSlot, held: CredentialSlot, isStream: boolean) {
    this.live = live;
    this.slot = slot;
    this.held = held;
    this.pace = paceOf(slot, isStream);
  }

  get credentialIndex(): number {
    return this.held.index;
  }

  get credential(): string {
    return this.held.secret;
  }

  answered(nowMs: number): void {
    this.hasAnswered = true;
    paceOver(this.pace, this.beganMs);
    addFirstToken(this.pace.times, nowMs - this.beganMs, nowMs);
  }
}
