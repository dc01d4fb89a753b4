import { expect, test } from "vitest"

import type { Terms } from "../terms.ts"
import { authorizationFault } from "./check-authorization.ts"

const PAY_TO = "0xAbCdef0000000000000000000000000000000001"
const NOW = 1_800_000_000
const terms = { requirements: { amount: "10000", payTo: PAY_TO } } as unknown as Terms

const fault = (flaw: object, version: 1 | 2 = 2) =>
  authorizationFault(
    {
      version,
      authorization: {
        from: "0x1",
        to: PAY_TO.toLowerCase(),
        value: "10000",
        validAfter: "0",
        validBefore: String(NOW + 6),
        nonce: "0x2",
        ...flaw,
      },
    },
    terms,
    NOW,
  )

test.each([
  ["pays the price", {}, null],
  ["pays the price in a longer spelling", { value: "000010000" }, null],
  ["pays less", { value: "9999" }, "invalid_exact_evm_payload_authorization_value_mismatch"],
  ["pays more", { value: "10001" }, "invalid_exact_evm_payload_authorization_value_mismatch"],
  [
    "pays more than numbers hold",
    { value: "1".repeat(78) },
    "invalid_exact_evm_payload_authorization_value_mismatch",
  ],
  ["pays somebody else", { to: `0x${"9".repeat(40)}` }, "invalid_exact_evm_recipient_mismatch"],
  [
    "runs out too soon",
    { validBefore: String(NOW + 5) },
    "invalid_exact_evm_payload_authorization_valid_before",
  ],
  ["is valid from now on", { validAfter: String(NOW) }, null],
  [
    "is not valid yet",
    { validAfter: String(NOW + 1) },
    "invalid_exact_evm_payload_authorization_valid_after",
  ],
])("checks a payment that %s", (_, flaw, code) => {
  expect(fault(flaw)).toBe(code)
})

test("version 1 requires at least the price", () => {
  expect(fault({ value: "9999" }, 1)).toBe("invalid_exact_evm_authorization_value")
  expect(fault({ value: "10001" }, 1)).toBeNull()
})
