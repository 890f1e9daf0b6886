/**
 * Looks, in the background, at what is ejected or out, so that no caller has to find out that it still is.
 * One cheap GET at a time per upstream and a few at once altogether; redirects are never followed.
 * Providers without such a call have none.
 */
import {
  credentialProbed,
  isCredentialProbeDue,
  type ProbeFinding,
} from "../../domain/routing/credential-health.ts";
import { deploymentProbed, isDeploymentProbeDue, probeMsMax } from "../../domain/routing/health.ts";
import type { AnswerController, AnswerHandler } from "../../lib/net/http-client.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { CredentialSlot, DeploymentSlot, Slots, UpstreamSlot } from "./slots.ts";
import { type HealthEvent, reportCredentialBack } from "./verdict.ts";

export interface ProbesOptions {
  readonly slots: Slots;
  readonly clock: Clock;
  readonly report: (event: HealthEvent) => void;
  /** Most looks at once. */
  readonly atOnceMax?: number;
}

export interface Probes {
  /** Looks at what is due; regularly. Resolves when those looks have ended. */
  turn(): Promise<void>;
  /** No more looks; those under way are cut. */
  stop(): void;
}

/** What one look showed: the status, or undefined when no answer came. */
type Look = { readonly slot: UpstreamSlot; readonly credential: CredentialSlot };

interface Running {
  cut(): void;
}

/** Waits for the head of an answer and hangs up. */
class HeadReader implements AnswerHandler {
  readonly status: Promise<number | undefined>;
  #controller: AnswerController | undefined;
  #resolve!: (status: number | undefined) => void;
  #isOver = false;

  constructor() {
    this.status = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  cut(): void {
    this.#finish(undefined);
    this.#controller?.abort(new Error("looked at long enough"));
  }

  onRequestStart(controller: AnswerController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error("no longer wanted"));
  }

  onResponseStart(controller: AnswerController, status: number): void {
    if (status < 200) return;
    this.#finish(status);
    controller.abort(new Error("the head is enough"));
  }

  onResponseData(): void {}

  onResponseEnd(): void {
    this.#finish(undefined);
  }

  onResponseError(): void {
    this.#finish(undefined);
  }

  #finish(status: number | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resolve(status);
  }
}

/**
 * Only 401 says for certain that a credential is refused: keys that may not list models get a 403 and work.
 */
function findingOf(status: number | undefined): ProbeFinding {
  if (status === undefined || status >= 500 || status === 429) return "unreachable";
  if (status === 401) return "refused";
  return status >= 200 && status < 300 ? "accepted" : "unclear";
}

/** Below 500 it answers, even if it is to say no; a redirect is an upstream that is set up wrongly. */
const isAlive = (status: number | undefined): boolean =>
  status !== undefined && status < 500 && !(status >= 300 && status < 400);

export function createProbes({ slots, clock, report, atOnceMax = 16 }: ProbesOptions): Probes {
  const running = new Map<UpstreamSlot, Running>();
  let isStopped = false;

  function dueDeployments(slot: UpstreamSlot): DeploymentSlot[] {
    const nowMs = clock.elapsedMs();
    return [...slot.deployments.values()].filter(({ health }) => isDeploymentProbeDue(health, nowMs));
  }

  /** With which credential to look; those that are out come first. */
  function dueCredential(slot: UpstreamSlot): CredentialSlot | undefined {
    const nowMs = clock.elapsedMs();
    const out = slot.credentials.find(({ health }) => isCredentialProbeDue(health, nowMs));
    if (out !== undefined || dueDeployments(slot).length === 0) return out;
    return slot.credentials.find(({ health }) => health.out === undefined) ?? slot.credentials[0];
  }

  function note({ slot, credential }: Look, status: number | undefined): void {
    const nowMs = clock.elapsedMs();
    for (const deployment of dueDeployments(slot)) {
      deployment.health = deploymentProbed(deployment.health, isAlive(status), nowMs);
    }
    if (!isCredentialProbeDue(credential.health, nowMs)) return;
    credential.health = credentialProbed(credential.health, findingOf(status), nowMs);
    reportCredentialBack(credential, slot.live.upstream.id, report);
  }

  async function look(slot: UpstreamSlot, credential: CredentialSlot): Promise<void> {
    const { client, provider, upstream } = slot.live;
    if (client === undefined || provider.transport !== "http" || provider.probe === undefined) return;
    const reader = new HeadReader();
    running.set(slot, reader);
    const timer = setTimeout(() => reader.cut(), probeMsMax).unref();
    try {
      client.get(provider.probe(upstream, credential.secret), reader);
      const status = await reader.status;
      if (!isStopped) note({ slot, credential }, status);
    } catch {
      note({ slot, credential }, undefined);
    } finally {
      clearTimeout(timer);
      running.delete(slot);
    }
  }

  return {
    async turn() {
      const started: Promise<void>[] = [];
      for (const slot of slots.list()) {
        if (isStopped || running.size >= atOnceMax) break;
        const credential = running.has(slot) ? undefined : dueCredential(slot);
        if (credential !== undefined) started.push(look(slot, credential));
      }
      await Promise.all(started);
    },
    stop() {
      isStopped = true;
      for (const one of running.values()) one.cut();
    },
  };
}
