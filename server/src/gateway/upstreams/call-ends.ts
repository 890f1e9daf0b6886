/** A chosen deployment and credential for one attempt. Records when the answer begins. */
import { addFirstToken } from "../../domain/routing/first-token.ts";
import { type Pace, paceOver } from "../../domain/routing/pace.ts";
import type { LiveDeployment } from "../snapshot.ts";
import type { CredentialSlot, DeploymentSlot } from "./slots.ts";

/** The deployment and credential of one attempt. */
export interface Choice {
  readonly live: LiveDeployment;
  /** Index in `live.live.upstream.credentials`; -1 when the upstream has none. */
  readonly credentialIndex: number;
  /** The secret; empty when the upstream needs none. */
  readonly credential: string;
  /** Reports the monotonic time in milliseconds when the answer began. Called at most once. */
  answered(nowMs: number): void;
}

/** What a request needs of its next choice. Times are monotonic, in milliseconds. */
export interface ChoiceRequest {
  /**
   * 32-bit hash of the session: the same hash gets the same deployment while that works. undefined = no
   * affinity.
   */
  readonly affinity: number | undefined;
  /**
   * The upstream that can read what the conversation holds: chosen first while it works, whatever its
   * priority.
   */
  readonly maker?: string | undefined;
  /** True for a stream. Speed is measured separately for streams and whole answers. */
  readonly isStream: boolean;
  /** Choices this request has already used; none is returned again. */
  readonly tried: readonly Choice[];
  readonly nowMs: number;
}

export const paceOf = (slot: DeploymentSlot, isStream: boolean): Pace =>
  isStream ? slot.streamPace : slot.wholePace;

/** A choice with its health slots. */
export class Call implements Choice {
  readonly live: LiveDeployment;
  readonly slot: DeploymentSlot;
  readonly held: CredentialSlot;
  readonly pace: Pace;
  beganMs = 0;
  /** True once the answer has begun. */
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
