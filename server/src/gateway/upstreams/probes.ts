/**
 * Probes ejected deployments and rejected credentials in the background, so that no caller's request is spent
 * on finding out that they still fail. One cheap GET at a time per upstream, a few at once in total;
 * redirects are not followed. Providers without a probe call have none.
 */
import {
  credentialProbeAsked,
  credentialProbed,
  isCredentialProbeDue,
  type ProbeFinding,
} from "../../domain/routing/credential-health.ts";
import {
  deploymentProbeAsked,
  deploymentProbed,
  isDeploymentProbeDue,
  probeMsMax,
} from "../../domain/routing/health.ts";
import type { AnswerController, AnswerHandler } from "../../lib/net/http-client.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { CredentialSlot, DeploymentSlot, Slots, UpstreamSlot } from "./slots.ts";
import { type HealthEvent, reportCredentialBack } from "./verdict.ts";

export interface ProbesOptions {
  readonly slots: Slots;
  readonly clock: Clock;
  readonly report: (event: HealthEvent) => void;
  /** Maximum number of concurrent probes. */
  readonly atOnceMax?: number;
}

export interface Probes {
  /** Probes what is due; call regularly. Resolves when these probes have ended. */
  turn(): Promise<void>;
  /** Probes what is ejected or rejected of one upstream now, because an operator asked. */
  probeNow(upstreamId: string): Promise<void>;
  /** Starts no more probes and aborts running ones. */
  stop(): void;
}

/** The upstream and credential of one probe. */
type Look = { readonly slot: UpstreamSlot; readonly credential: CredentialSlot };

interface Running {
  cut(): void;
}

/** Reads the status of an answer and closes the connection. */
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
 * Only a 401 proves that a credential is rejected. A valid key without permission to list models gets a 403.
 */
function findingOf(status: number | undefined): ProbeFinding {
  if (status === undefined || status >= 500 || status === 429) return "unreachable";
  if (status === 401) return "refused";
  return status >= 200 && status < 300 ? "accepted" : "unclear";
}

/**
 * Any status below 500 shows that the upstream is alive, except a redirect, which means it is misconfigured.
 */
const isAlive = (status: number | undefined): boolean =>
  status !== undefined && status < 500 && !(status >= 300 && status < 400);

export function createProbes({ slots, clock, report, atOnceMax = 16 }: ProbesOptions): Probes {
  const running = new Map<UpstreamSlot, Running>();
  let isStopped = false;

  function dueDeployments(slot: UpstreamSlot): DeploymentSlot[] {
    const nowMs = clock.elapsedMs();
    return [...slot.deployments.values()].filter(({ health }) => isDeploymentProbeDue(health, nowMs));
  }

  /** Chooses the credential to probe with, rejected ones first. */
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

  async function turn(): Promise<void> {
    const started: Promise<void>[] = [];
    for (const slot of slots.list()) {
      if (isStopped || running.size >= atOnceMax) break;
      const credential = running.has(slot) ? undefined : dueCredential(slot);
      if (credential !== undefined) started.push(look(slot, credential));
    }
    await Promise.all(started);
  }

  return {
    turn,
    async probeNow(upstreamId) {
      const nowMs = clock.elapsedMs();
      for (const slot of slots.list()) {
        if (slot.live.upstream.id !== upstreamId) continue;
        for (const one of slot.deployments.values()) one.health = deploymentProbeAsked(one.health, nowMs);
        for (const one of slot.credentials) one.health = credentialProbeAsked(one.health, nowMs);
      }
      await turn();
    },
    stop() {
      isStopped = true;
      for (const one of running.values()) one.cut();
    },
  };
}
