import { describe, expect, test, vi } from "vitest"

import { readPayment } from "./payment.ts"
import { base64 } from "./testing/payments.ts"
import { paymentTerms } from "./terms.ts"

const config = {
  network: "eip155:84532",
  payTo: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  publicUrl: "https://search.example",
  v1: true,
} as Parameters<typeof paymentTerms>[0]
const terms = await paymentTerms(config)
const alone = await paymentTerms({ ...config, v1: false })

const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds)
const authorization = {
  from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  to: config.payTo,
  value: "10000",
  validAfter: "0",
  validBefore: inSeconds(60),
  nonce: `0x${"aB".repeat(32)}`,
}
const payload = { signature: `0x${"0a".repeat(65)}`, authorization }
const v2 = {
  x402Version: 2,
  resource: terms.resource,
  accepted: terms.requirements,
  payload,
}
const v1 = { x402Version: 1, scheme: "exact", network: "base-sepolia", payload }

const read = (value: unknown, its = terms) => readPayment({ "payment-signature": base64(value) }, its)
const readV1 = (value: unknown, its = terms) => readPayment({ "x-payment": base64(value) }, its)

describe("a payment", () => {
  test("is accepted in both versions, under a name that the network allows only once", () => {
    const two = read(v2)
    const one = readV1(v1)
    const id = `${terms.requirements.network}/${terms.requirements.asset}/${authorization.from}/${authorization.nonce}`
    expect(two).toMatchObject({
      version: 2,
      authorization,
      id: id.toLowerCase(),
      requirements: terms.requirements,
    })
    expect(one).toMatchObject({
      version: 1,
      authorization,
      id: id.toLowerCase(),
      requirements: terms.requirementsV1,
      payload: v1,
    })
    if ("error" in two || "error" in one) throw new Error("not taken")
    expect(two.digest).toMatch(/^[0-9a-f]{64}$/)
    // The digest is the same for the same authorization and signature, whatever the letter case and version.
    expect(one.digest).toBe(two.digest)
    const shouted = { ...payload, signature: `0x${"0A".repeat(65)}` }
    expect(read({ ...v2, payload: shouted })).toMatchObject({ digest: two.digest })
    // A payment with a different signature but the same nonce is a different payment with the same id.
    const other = read({ ...v2, payload: { ...payload, signature: `0x${"0b".repeat(65)}` } })
    expect(other).toMatchObject({ id: two.id })
    expect(other).not.toMatchObject({ digest: two.digest })
  })

  test("is passed on with the requested terms, and nothing else from its header", () => {
    const more = {
      ...v2,
      extensions: { "x-own": { info: {}, schema: {} } },
      resource: { ...v2.resource, url: "https://elsewhere.example/" },
      accepted: { ...terms.requirements, extra: { ...terms.requirements.extra, mine: 1 } },
    }
    const read2 = read(more)
    expect(read2).toMatchObject({ version: 2 })
    expect("payload" in read2 && read2.payload).toEqual({
      x402Version: 2,
      resource: terms.resource,
      accepted: terms.requirements,
      payload,
    })
  })

  test("counts as version 2 if both are sent, and as version 1 only if that is served", () => {
    const both = { "payment-signature": base64(v2), "x-payment": base64(v1) }
    expect(readPayment(both, terms)).toMatchObject({ version: 2 })
    expect(readV1(v1, alone)).toEqual({ error: "PAYMENT-SIGNATURE header is required" })
    expect(readPayment({}, terms)).toEqual({ error: "PAYMENT-SIGNATURE header is required" })
  })

  test.each([
    [
      "that is too long",
      { "payment-signature": "A".repeat(8193) },
      "invalid_payload: payment header too large",
    ],
    ["that is no JSON", { "payment-signature": "A".repeat(8192) }, "invalid_payload: not base64 JSON"],
    ["that is no base64", { "payment-signature": "{}" }, "invalid_payload: not base64 JSON"],
    [
      "with something before it",
      { "payment-signature": ` ${base64(v2)}` },
      "invalid_payload: not base64 JSON",
    ],
    [
      "that is there twice",
      { "payment-signature": `${base64(v2)}, ${base64(v2)}` },
      "invalid_payload: not base64 JSON",
    ],
  ])("%s is invalid", (_, headers, error) => {
    expect(readPayment(headers, terms)).toEqual({ error })
  })

  const of = (part: object) => ({
    ...v2,
    payload: { ...payload, authorization: { ...authorization, ...part } },
  })
  const signed = (signature: string) => ({ ...v2, payload: { ...payload, signature } })
  const plain = (extra: null | undefined) => ({ ...terms.requirements, extra })
  test.each<[string, unknown, string]>([
    ["of another version", { ...v2, x402Version: 3 }, "invalid_x402_version"],
    ["of version 1 in the header of 2", v1, "invalid_x402_version"],
    ["that is null", null, "invalid_x402_version"],
    ["that is a text", '"x402Version"', "invalid_x402_version"],
    ["without what it is for", { x402Version: 2, payload }, "invalid_payload"],
    [
      "for less",
      { ...v2, accepted: { ...terms.requirements, amount: "1" } },
      "No matching payment requirements",
    ],
    [
      "under another signing domain",
      { ...v2, accepted: { ...terms.requirements, extra: { ...terms.requirements.extra, name: "Other" } } },
      "No matching payment requirements",
    ],
    ["with a field more", { ...v2, payload: { ...payload, more: 1 } }, "invalid_payload"],
    ["with a field more in what was signed", of({ more: 1 }), "invalid_payload"],
    [
      "that accepts no signing domain",
      { ...v2, accepted: plain(undefined) },
      "No matching payment requirements",
    ],
    ["that accepts none at all", { ...v2, accepted: plain(null) }, "No matching payment requirements"],
    ["with something before its signature", signed(`x${payload.signature}`), "invalid_payload"],
    ["with something after its signature", signed(`${payload.signature}x`), "invalid_payload"],
    ["with a short signature", { ...v2, payload: { ...payload, signature: "0x0a" } }, "invalid_payload"],
    ["from nobody", of({ from: "0x1" }), "invalid_payload"],
    ["to more than one", of({ to: `${config.payTo}00` }), "invalid_payload"],
    ["of a negative value", of({ value: "-1" }), "invalid_payload"],
    ["of a value of 79 digits", of({ value: "1".repeat(79) }), "invalid_payload"],
    ["with a nonce that is none", of({ nonce: `x${authorization.nonce}` }), "invalid_payload"],
    [
      "that is good for more than a day",
      of({ validBefore: inSeconds(86_400 + 60) }),
      "invalid_exact_evm_payload_authorization_valid_before",
    ],
  ])("%s is refused", (_, value, error) => {
    expect(read(value)).toEqual({ error })
  })

  test("can be valid for exactly one day", () => {
    vi.setSystemTime(1_800_000_000_000)
    const day = of({ validBefore: "1800086400" })
    const more = of({ validBefore: "1800086401" })
    const taken = [day, more].map((value) => "version" in read(value))
    vi.useRealTimers()
    expect(taken).toEqual([true, false])
  })

  test.each<[string, unknown, string]>([
    ["of version 2 in the header of 1", v2, "invalid_x402_version"],
    ["without its payload", { ...v1, payload: undefined }, "invalid_payload"],
    ["of another scheme", { ...v1, scheme: "upto" }, "No matching payment requirements"],
    ["on another network", { ...v1, network: "base" }, "No matching payment requirements"],
  ])("of version 1 %s is refused", (_, value, error) => {
    expect(readV1(value)).toEqual({ error })
  })
})
