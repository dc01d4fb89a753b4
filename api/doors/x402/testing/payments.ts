import { randomBytes } from "node:crypto"
import { request } from "node:http"

import type { HDAccount } from "viem/accounts"

import type { Address } from "../chain/address.ts"

// Hand-crafted payments, for cases that no client produces. Tests with unmodified clients cover the others.

const TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const

interface Accepted {
  readonly scheme: string
  readonly network: string
  readonly amount: string
  readonly asset: Address
  readonly payTo: Address
  readonly maxTimeoutSeconds: number
  readonly extra: { readonly name: string; readonly version: string }
}

interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: Address
}

/** How the payment differs from one that a client would create. */
export interface Flaw {
  readonly accepted?: Partial<Accepted>
  readonly authorization?: Partial<Authorization>
  readonly domain?: { readonly chainId?: number; readonly verifyingContract?: Address }
  readonly signer?: HDAccount
  /** Changes the whole payload after it was signed. */
  readonly after?: (payload: { [field: string]: any }) => unknown // oxlint-disable-line typescript/no-explicit-any -- broken on purpose
}

export interface SignedPayment {
  readonly headers: Readonly<Record<string, string>>
  readonly authorization: Authorization
  readonly signature: Address
}

export const base64 = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64")

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came
export const unbase64 = (text: string | null): any => JSON.parse(Buffer.from(text ?? "", "base64").toString())

export interface PaidAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
  readonly body: any
  /** Decodes the header of a 402 response. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly required: any
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly receipt: any
}

/** POSTs a search. */
export async function ask(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<PaidAnswer> {
  const response = await fetch(`${url}/search`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })
  const text = await response.text()
  const required = response.headers.get("payment-required")
  const receipt = response.headers.get("payment-response") ?? response.headers.get("x-payment-response")
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith("{") ? JSON.parse(text) : null,
    required: required === null ? null : unbase64(required),
    receipt: receipt === null ? null : unbase64(receipt),
  }
}

/** Signs a version 2 payment for the terms given by the listener. */
export async function sign(url: string, account: HDAccount, flaw: Flaw = {}): Promise<SignedPayment> {
  const { required } = await ask(url, {})
  const accepted: Accepted = { ...required.accepts[0], ...flaw.accepted }
  const { authorization, signature } = await authorize(account, accepted, flaw)
  const payload = {
    x402Version: 2,
    resource: required.resource,
    accepted,
    payload: { signature, authorization },
  }
  const sent = flaw.after?.(payload) ?? payload
  return { headers: { "PAYMENT-SIGNATURE": base64(sent) }, authorization, signature }
}

/** Signs a version 1 payment for the terms in the body of a 402. */
export async function signV1(url: string, account: HDAccount, flaw: Flaw = {}): Promise<SignedPayment> {
  const { body } = await ask(url, {})
  const { maxAmountRequired: amount, ...offer } = body.accepts[0]
  const { authorization, signature } = await authorize(account, { ...offer, amount }, flaw)
  const payload = { signature, authorization }
  const sent = { x402Version: 1, scheme: "exact", network: offer.network, payload }
  return { headers: { "X-PAYMENT": base64(sent) }, authorization, signature }
}

async function authorize(account: HDAccount, accepted: Accepted, flaw: Flaw) {
  const authorization: Authorization = {
    from: account.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString("hex")}`,
    ...flaw.authorization,
  }
  const { value, validAfter, validBefore } = authorization
  const signature = await (flaw.signer ?? account).signTypedData({
    domain: {
      name: accepted.extra.name,
      version: accepted.extra.version,
      chainId: 84_532,
      verifyingContract: accepted.asset,
      ...flaw.domain,
    },
    types: TYPES,
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  })
  return { authorization, signature }
}

/** Uses node:http, which sends paths and headers unchanged. @returns the status */
export async function sendRaw(
  url: string,
  {
    method = "POST",
    path = "/search",
    headers = {},
    body = '{"query":"pumps"}',
  }: {
    method?: string
    path?: string
    headers?: Readonly<Record<string, string | string[]>>
    body?: string
  },
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({
      hostname,
      port,
      method,
      path,
      headers: { "Content-Type": "application/json", ...headers },
    })
    sent.on("error", reject)
    sent.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(["GET", "HEAD", "OPTIONS"].includes(method) ? "" : body)
  })
}
