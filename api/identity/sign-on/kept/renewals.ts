import type { Logger } from "pino"

import { pause } from "#base/flow/pause.ts"

import type { WriteQueue } from "../../accounts/billing/write-queue.ts"
import type { Renewal } from "../../people/person-keys.ts"
import type { Person, PersonStore } from "../../people/person-store.ts"
import { proofAge, type ProofLimits } from "../../people/proof-age.ts"
import type { SessionProof, SessionStore, StoredSession } from "../../sessions/session-store.ts"
import { type Names, namesOf } from "../file/names.ts"
import { type Held, type Provider, type ProviderSpec, SignOnError, type Vouched } from "../provider.ts"
import type { Sealer } from "./sealer.ts"

/** A provider with its declaration. */
export interface Declared {
  readonly spec: ProviderSpec
  readonly provider: Provider
}

export interface RenewalParts extends ProofLimits {
  readonly providers: ReadonlyMap<string, Declared>
  readonly store: SessionStore
  readonly people: Pick<PersonStore, "proved">
  readonly sealer: Sealer
  readonly writes: Pick<WriteQueue, "run">
  readonly log: Logger
}

/** How long a process may claim a check: longer than a provider may take to answer all of its requests. */
const CLAIM_MS = 30_000
/** How long a call waits for another process that is asking the provider. */
const PATIENCE_MS = 10_000
const LOOK_MS = 100
/** How long a provider that was away is not asked again. */
const REST_MS = 10_000
/** Maximum number of a person's sessions used to ask a provider while the person is absent. */
const MOST_TRIED = 3
const USE = "held"

/** Asks providers whether they still vouch for people. Across all processes, there is only one check at a time for each session. */
export class Renewals {
  readonly #parts: RenewalParts
  readonly #asking = new Map<string, Promise<Renewal>>()
  /** The time until which each provider that was away must not be asked. */
  readonly #resting = new Map<string, number>()

  constructor(parts: RenewalParts) {
    this.#parts = parts
  }

  /** The facts about a person that a provider vouches for, in the form in which they are stored. */
  proofOf(provider: string, { subject, providerSession, refresh, signOutHint }: Vouched): SessionProof {
    const held: Held = { subject, providerSession, refresh, signOutHint }
    return {
      provider,
      subject,
      providerSession,
      provedAt: new Date(),
      isRenewable: refresh !== null && this.#parts.providers.get(provider)?.provider.renew !== undefined,
      held: this.#parts.sealer.seal(USE, JSON.stringify(held)),
    }
  }

  /** Opens stored data; null if it was sealed with another state. */
  heldBy(proof: SessionProof): Held | null {
    const text = this.#parts.sealer.open(USE, proof.held)
    return text === null ? null : (JSON.parse(text) as Held)
  }

  /** The names of a person in this appliance. @throws SignOnError */
  namesOf(spec: ProviderSpec, vouched: Vouched): Names {
    return namesOf(
      spec,
      vouched,
      [...this.#parts.providers.values()].map((one) => one.spec),
    )
  }

  /** Stores a provider's facts about a person. Call it inside a write transaction. @throws SignOnError */
  async keep(spec: ProviderSpec, vouched: Vouched, proof: SessionProof, isSignIn: boolean): Promise<Person> {
    const { subject, name, email } = vouched
    this.#resting.delete(spec.name)
    return await this.#parts.people.proved(
      {
        provider: spec.name,
        subject,
        name,
        email,
        ...this.namesOf(spec, vouched),
        isRenewable: proof.isRenewable,
      },
      isSignIn,
      proof.provedAt.getTime(),
    )
  }

  /** Whether a session may continue, as of now. */
  async mayContinue({ digest, proof }: StoredSession): Promise<boolean> {
    if (proof === null || !this.#parts.providers.has(proof.provider)) return false
    const age = proofAge(proof, this.#parts)
    if (age === "fresh" || !proof.isRenewable) return age === "fresh"
    const outcome = await this.#renew(digest, proof)
    return outcome === "vouched" || (outcome === "away" && proofAge(proof, this.#parts) === "due")
  }

  /** Asks a provider about an absent person through the person's sessions. Without a session, no provider vouches for the person. */
  async renewPerson({ id }: Pick<Person, "id">): Promise<Renewal> {
    for (const { digest, proof } of await this.#parts.store.renewableOf(id, Date.now(), MOST_TRIED)) {
      const renewal = proof === null ? "gone" : await this.#renew(digest, proof)
      if (renewal !== "gone") return renewal
    }
    return "gone"
  }

  async #renew(digest: Uint8Array, proof: SessionProof): Promise<Renewal> {
    const id = Buffer.from(digest).toString("base64url")
    const running = this.#asking.get(id)
    if (running !== undefined) return await running
    const asking = this.#claimed(digest, proof)
      .catch((err: unknown): Renewal => {
        this.#parts.log.warn({ err, provider: proof.provider }, "a session was not renewed")
        return "away"
      })
      .finally(() => this.#asking.delete(id))
    this.#asking.set(id, asking)
    return await asking
  }

  /** Asks the provider, or waits for the process that is asking it. */
  async #claimed(digest: Uint8Array, proof: SessionProof): Promise<Renewal> {
    if ((this.#resting.get(proof.provider) ?? 0) > Date.now()) return "away"
    const { store, writes } = this.#parts
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      const now = Date.now()
      if (await writes.run(() => store.claim({ digest, proof }, now, now + CLAIM_MS)))
        return await this.#ask(digest, proof)
      const current = await store.byDigest(digest, now)
      if (current?.proof == null) return "gone"
      if (current.proof.provedAt > proof.provedAt) return "vouched"
      if (now > end) return "away"
      await pause(LOOK_MS)
    }
  }

  async #ask(digest: Uint8Array, proof: SessionProof): Promise<Renewal> {
    const { store, writes, providers } = this.#parts
    const { spec, provider } = providers.get(proof.provider) ?? {}
    const held = this.heldBy(proof)
    if (spec === undefined || provider === undefined || held === null) return "gone"
    try {
      const vouched = (await provider.renew?.(held)) ?? null
      if (vouched === null || vouched.subject !== proof.subject) {
        await writes.run(() => store.endByDigest(digest))
        return "gone"
      }
      const next = this.proofOf(spec.name, vouched)
      await writes.run(async () => {
        await store.renewed(digest, next)
        await this.keep(spec, vouched, next, false)
      })
      return "vouched"
    } catch (error) {
      await writes.run(() => store.renewed(digest, null))
      if (!(error instanceof SignOnError)) throw error
      if (!this.#resting.has(spec.name))
        this.#parts.log.warn(
          { provider: spec.name, reason: error.detail },
          "{provider} can't be reached: {reason}",
        )
      this.#resting.set(spec.name, Date.now() + REST_MS)
      return "away"
    }
  }
}
