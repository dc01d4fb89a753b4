import { request } from "undici"

import { ForeignJsonError, readForeign } from "#base/text/json/foreign-json.ts"
import { hidden } from "#base/telemetry/log/hidden.ts"
import { printableLine } from "#base/text/printable.ts"
import { waitAskedFor } from "#base/text/retry-after.ts"
import { OutgoingProxy, type ProxySettings } from "#crawler/fetch/connect/outgoing-proxy.ts"
import { tlsOf } from "#crawler/fetch/connect/source-tls.ts"
import { AddressGuard, type AddressGuardOptions } from "#crawler/fetch/guard/address-guard.ts"
import { BlockedAddressError } from "#crawler/fetch/guard/blocked-address.ts"
import { Availability, ModelOutage } from "#engine/models/servers/availability.ts"

import { HOPS_HEADER } from "./hops.ts"
import type { PeerSpec } from "./peers-file.ts"

/** How a question to a peer ended. `resting`: the peer was not asked, because it failed before and is not back yet. */
export const PEER_STATES = ["answered", "late", "failed", "resting"] as const

export type PeerState = (typeof PEER_STATES)[number]

/**
 * Why a peer gave no answer; the message continues a sentence whose subject is the peer, and may be shown to any
 * caller.
 */
export class PeerError extends Error {
  readonly state: Exclude<PeerState, "answered">
  /** Whether other questions would fail as well, in which case the peer is skipped for a while. */
  readonly isOutage: boolean
  readonly notBeforeMs: number
  /** For the log: details of this network that callers must not learn. */
  readonly detail: string | undefined

  constructor(
    message: string,
    given: {
      readonly state?: Exclude<PeerState, "answered">
      readonly isOutage?: boolean
      readonly notBeforeMs?: number
      readonly detail?: string | undefined
    } = {},
  ) {
    super(message)
    this.state = given.state ?? "failed"
    this.isOutage = given.isOutage ?? true
    this.notBeforeMs = given.notBeforeMs ?? 0
    this.detail = given.detail
  }
}

export interface PeerOptions {
  readonly proxy: ProxySettings
  readonly userAgent: string
  /** The environment variables that certificates and secrets refer to. */
  readonly env: NodeJS.ProcessEnv
  /** Called once for each outage, and once when it ends. */
  readonly onChange: (
    peer: string,
    outage: { readonly because: string; readonly detail: string } | null,
  ) => void
  /** Changes to the address guard, for tests. */
  readonly guard?: Partial<AddressGuardOptions>
}

/** Maximum size of a response. Fifty pages of a megabyte each would be larger, but a peer that sends this much is not answering a question. */
const MOST_BYTES = 16 * 1024 * 1024
const LOOK_MS = 5000
const LOOK_BYTES = 64 * 1024
const CONNECTIONS = 16

/** Another appliance. Questions are sent to its API through the address guard, without following redirects and within limits; it is left alone while it is down. */
export class Peer implements AsyncDisposable {
  readonly spec: PeerSpec
  readonly #options: PeerOptions
  readonly #guard: AddressGuard
  readonly #availability: Availability
  readonly #close = new AbortController()
  #wasOut = false

  /** @throws KnownError when its certificate authority cannot be read */
  constructor(spec: PeerSpec, options: PeerOptions) {
    this.spec = spec
    this.#options = options
    const tls = { seeds: [spec.url], caFile: spec.caFile, clientCert: null, login: null }
    this.#guard = new AddressGuard({
      allowed: spec.networks,
      allowedBy: `the setting networks of the peer ${spec.name}`,
      purpose: "peer",
      proxy: OutgoingProxy.of(options.proxy),
      tls: tlsOf(tls, options.env),
      connections: CONNECTIONS,
      connectTimeoutMs: spec.timeoutMs,
      ...options.guard,
    })
    this.#availability = new Availability(async () => {
      const late = AbortSignal.any([AbortSignal.timeout(LOOK_MS), this.#close.signal])
      await this.#send("GET", "/healthz", undefined, { hops: 0, signal: late, maxBytes: LOOK_BYTES })
    })
  }

  /** Why the peer is left alone; `null` while it is expected to answer. */
  get outage(): string | null {
    return this.#availability.outage?.because ?? null
  }

  /**
   * The peer's reply to a POST.
   *
   * @param read returns null if the reply is invalid
   * @param call.deadline when the peer counts as late; left out: only the signal ends the call
   * @param call.signal the signal of the waiting caller; an abort says nothing about the peer
   * @throws PeerError; or the reason of `signal`
   */
  async ask<T>(
    path: string,
    body: object,
    read: (answer: unknown) => T | null,
    call: {
      readonly hops: number
      readonly deadline?: AbortSignal
      readonly signal?: AbortSignal | undefined
      readonly maxBytes?: number
    },
  ): Promise<T> {
    const { outage } = this
    if (outage !== null) throw new PeerError(outage, { state: "resting", isOutage: false })
    const { deadline, signal, hops, maxBytes = MOST_BYTES } = call
    try {
      const signals = [deadline, signal, this.#close.signal].filter((one) => one !== undefined)
      const answer = await this.#send("POST", path, body, {
        hops,
        signal: AbortSignal.any(signals),
        maxBytes,
      })
      const found = read(answer)
      if (found === null)
        throw new PeerError("gave an answer that isn't from Fossick, or is from another version")
      this.#answered()
      return found
    } catch (error) {
      signal?.throwIfAborted()
      const failure = deadline?.aborted
        ? new PeerError(`gave no answer within ${this.spec.timeoutMs} ms`, { state: "late" })
        : asPeerError(error)
      if (failure.isOutage) this.#failed(failure)
      throw failure
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close.abort()
    this.#availability[Symbol.dispose]()
    await this.#guard[Symbol.asyncDispose]()
  }

  #answered(): void {
    this.#availability.answered()
    if (this.#wasOut) this.#options.onChange(this.spec.name, null)
    this.#wasOut = false
  }

  #failed({ message, notBeforeMs, detail = message }: PeerError): void {
    this.#availability.failed(new ModelOutage(message, ""), notBeforeMs)
    if (!this.#wasOut)
      this.#options.onChange(this.spec.name, { because: message, detail: this.#shown(detail) })
    this.#wasOut = true
  }

  /** Removes the key from messages that come from a peer or the network. */
  #shown(text: string): string {
    return printableLine(hidden(text, [this.spec.key])).slice(0, 300)
  }

  async #send(
    method: "GET" | "POST",
    path: string,
    body: object | undefined,
    {
      hops,
      signal,
      maxBytes,
    }: { readonly hops: number; readonly signal: AbortSignal; readonly maxBytes: number },
  ): Promise<unknown> {
    const url = new URL(`${this.spec.url}${path}`)
    const answer = await request(url, {
      dispatcher: this.#guard.dispatcherFor(url),
      method,
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": this.#options.userAgent,
        ...(body !== undefined && {
          "content-type": "application/json",
          authorization: `Bearer ${this.spec.key}`,
          [HOPS_HEADER]: String(hops),
        }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // Disabled, because the signal limits the time.
      headersTimeout: 0,
      bodyTimeout: 0,
      signal,
    })
    // An abandoned response body also emits an error.
    answer.body.on("error", () => undefined)
    if (answer.statusCode !== 200) {
      answer.body.destroy()
      throw refusal(answer.statusCode, waitAskedFor([answer.headers["retry-after"]].flat()[0], Date.now()))
    }
    try {
      return await readForeign(answer.body as AsyncIterable<Buffer>, maxBytes)
    } catch (error) {
      if (error instanceof ForeignJsonError) throw new PeerError(`gave an answer that ${error.message}`)
      throw error
    }
  }
}

function refusal(status: number, retryAfterMs: number | null): PeerError {
  const notBeforeMs = retryAfterMs ?? 0
  if (status === 401 || status === 403)
    return new PeerError(`answered ${status}: it does not accept our key for this`)
  if (status === 429) return new PeerError("answered 429: too many requests", { notBeforeMs })
  if (status === 432 || status === 433)
    return new PeerError(`answered ${status}: our key has no credits left`, { notBeforeMs })
  if (status >= 300 && status < 400)
    return new PeerError(`answered ${status}: it redirects, which Fossick doesn't follow`)
  // The question is at fault, not the peer.
  if (status === 400) return new PeerError("answered 400: it rejects this question", { isOutage: false })
  return new PeerError(`answered ${status}`, { notBeforeMs })
}

/** Addresses are left out: callers don't need to know anything about that network. */
function asPeerError(error: unknown): PeerError {
  if (error instanceof PeerError) return error
  const { message, code, cause } = error as NodeJS.ErrnoException
  const isBlocked = [error, cause].some((one) => one instanceof BlockedAddressError)
  if (isBlocked)
    return new PeerError("cannot be reached: its networks don't allow its address", { detail: message })
  const known = code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? "unknown"
  return new PeerError(`cannot be reached (${known})`, { detail: `${known}: ${message}` })
}
