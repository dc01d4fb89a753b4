import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

import { PaymentPayloadV1Schema, PaymentPayloadV2Schema, z } from "@x402/core/schemas"

import { foreignOrNothing } from "#base/text/json/foreign-json.ts"

import { PAYMENT_REFUSALS } from "./refusals.ts"
import type { Terms } from "./terms.ts"

/** Maximum length of a payment header. The header of a simple payment is about 1,100 characters long. */
const MAX_HEADER = 8192
/** Maximum remaining validity of an authorization, which is also how long it is remembered. */
const MAX_VALID_SECONDS = 24 * 3600

/** The payer's signed transfer. Anyone who has the signature can carry it out, but only once (EIP-3009). */
export interface Authorization {
  readonly from: string
  readonly to: string
  /** In the token's smallest unit. */
  readonly value: string
  /** Unix seconds. */
  readonly validAfter: string
  /** Unix seconds. */
  readonly validBefore: string
  /** 32 random bytes; a payer's nonce can be used once. */
  readonly nonce: string
}

/** A payment as received: well-formed, for the search sold here, and not yet verified. */
export interface Payment {
  readonly version: 1 | 2
  /** The only part of the header that is forwarded to the facilitator. */
  readonly payload: Readonly<Record<string, unknown>>
  /** The terms that the payment was made for, in the format of its protocol version. */
  readonly requirements: Readonly<Record<string, unknown>>
  readonly authorization: Authorization
  /** Identifies the authorization: the network will only ever accept one payment with this id. */
  readonly id: string
  /** SHA-256 of the authorization with its signature; another signature under the same nonce is another payment. */
  readonly digest: string
}

const hex = (digits: number) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`))
const uint = z.string().regex(/^\d{1,78}$/)

// Only the required fields for the scheme "exact" with EIP-3009. An additional field could make a facilitator do
// something else.
const exactPayload = z
  .object({
    // Signatures of smart wallets are longer than the 65 bytes of an ordinary account's (ERC-1271, ERC-6492).
    signature: z.string().regex(/^0x[0-9a-fA-F]{130,4096}$/),
    authorization: z
      .object({
        from: hex(40),
        to: hex(40),
        value: uint,
        validAfter: uint,
        validBefore: uint,
        nonce: hex(64),
      })
      .strict(),
  })
  .strict()

/**
 * Reads the payment from a request's headers: `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1).
 * @returns an error in the protocol's terms when there is no verifiable payment
 */
export function readPayment(
  headers: IncomingHttpHeaders,
  terms: Terms,
): Payment | { readonly error: string } {
  const v2 = text(headers["payment-signature"])
  const v1 = terms.requirementsV1 === null ? "" : text(headers["x-payment"])
  const header = v2 || v1
  if (header === "") return { error: PAYMENT_REFUSALS.missing }
  if (header.length > MAX_HEADER) return { error: PAYMENT_REFUSALS.tooLarge }
  const value = decode(header)
  if (value === undefined) return { error: PAYMENT_REFUSALS.notJson }
  return v2 === "" ? readV1(value, terms) : readV2(value, terms)
}

function readV2(value: unknown, terms: Terms): Payment | { readonly error: string } {
  if (versionOf(value) !== 2) return { error: PAYMENT_REFUSALS.wrongVersion }
  const parsed = PaymentPayloadV2Schema.safeParse(value)
  if (!parsed.success) return { error: PAYMENT_REFUSALS.wrongShape }
  const { requirements, resource } = terms
  if (!matches(parsed.data.accepted, requirements)) return { error: PAYMENT_REFUSALS.otherTerms }
  // Clients echo extensions; none is offered here.
  return payment(
    { x402Version: 2, resource, accepted: requirements },
    parsed.data.payload,
    requirements,
    terms,
  )
}

function readV1(value: unknown, terms: Terms): Payment | { readonly error: string } {
  if (versionOf(value) !== 1) return { error: PAYMENT_REFUSALS.wrongVersion }
  const parsed = PaymentPayloadV1Schema.safeParse(value)
  if (!parsed.success) return { error: PAYMENT_REFUSALS.wrongShape }
  const requirements = terms.requirementsV1!
  const { scheme, network } = parsed.data
  if (scheme !== requirements.scheme || network !== requirements.network) {
    return { error: PAYMENT_REFUSALS.otherTerms }
  }
  return payment({ x402Version: 1, scheme, network }, parsed.data.payload, { ...requirements }, terms)
}

function payment(
  envelope: Readonly<Record<string, unknown>> & { readonly x402Version: 1 | 2 },
  inner: unknown,
  requirements: Readonly<Record<string, unknown>>,
  terms: Terms,
): Payment | { readonly error: string } {
  const parsed = exactPayload.safeParse(inner)
  if (!parsed.success) return { error: PAYMENT_REFUSALS.wrongShape }
  const { authorization, signature } = parsed.data
  if (Number(authorization.validBefore) > Date.now() / 1000 + MAX_VALID_SECONDS) {
    return { error: PAYMENT_REFUSALS.validBefore }
  }
  const { network, asset } = terms.requirements
  const { from, nonce } = authorization
  return {
    version: envelope.x402Version,
    payload: { ...envelope, payload: parsed.data },
    requirements,
    authorization,
    id: `${network}/${asset}/${from}/${nonce}`.toLowerCase(),
    digest: createHash("sha256")
      .update(JSON.stringify([authorization, signature]).toLowerCase())
      .digest("hex"),
  }
}

/** Node joins repeated headers with a comma, which base64 doesn't contain. */
const text = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? header.join() : (header ?? "")

function decode(header: string): unknown {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return undefined
  return foreignOrNothing(Buffer.from(header, "base64").toString("utf8"))
}

function versionOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "x402Version" in value ? value.x402Version : undefined
}

/** Whether the payer accepted exactly these terms. Additions in `extra` concern only the payer. */
function matches(
  accepted: Readonly<Record<string, unknown>> & {
    readonly extra?: Readonly<Record<string, unknown>> | null | undefined
  },
  { extra, ...terms }: Terms["requirements"],
): boolean {
  const same = Object.entries(terms).every(([field, value]) => accepted[field] === value)
  return same && Object.entries(extra).every(([field, value]) => accepted.extra?.[field] === value)
}
