import { expect, test } from "vitest"

import type { Context } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { slowGuesses, WrongKeys } from "./wrong-keys.ts"

const from = (ip: string) => ({ ip })

test("an address gets a limited number of wrong keys answered at once, and other addresses are unaffected", async () => {
  const wrong = new WrongKeys(2)
  const one = from("192.0.2.1")
  expect([await wrong.isTooMany(one), await wrong.isTooMany(one)]).toEqual([false, false])
  expect(await wrong.isTooMany(one)).toBe(true)
  expect(await wrong.isTooMany(from("192.0.2.2"))).toBe(false)
  // An IPv6 network counts as one caller.
  const network = ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:7::3"].map((ip) => wrong.isTooMany(from(ip)))
  expect(await Promise.all(network)).toEqual([false, false, true])
})

test("ten thousand addresses are remembered; then the oldest is dropped", async () => {
  const wrong = new WrongKeys(1)
  for (let at = 0; at <= 10_000; at++) await wrong.isTooMany(from(`address-${at}`))
  expect(await wrong.isTooMany(from("address-0"))).toBe(false)
  expect(await wrong.isTooMany(from("address-10000"))).toBe(true)
})

test("a thousand calls with wrong keys get 401 and the next gets 429; calls without a key do not count", async () => {
  const slow = slowGuesses()
  const call = async (key: string | null, status = 401) => {
    const ctx = { ip: "192.0.2.1", state: {}, get: () => (key === null ? "" : `Bearer ${key}`) }
    return await slow(ctx as unknown as Context, () => Promise.reject(new ApiError(status, "no"))).then(
      () => 200,
      (error: unknown) => (error as ApiError).status,
    )
  }
  const several = async (count: number, key: string | null, status?: number) =>
    new Set(await Promise.all(Array.from({ length: count }, () => call(key, status))))
  expect(await several(1000, "guess")).toEqual(new Set([401]))
  expect(await several(5, null)).toEqual(new Set([401]))
  expect(await several(5, "right", 403)).toEqual(new Set([403]))
  expect(await several(5, "guess")).toEqual(new Set([429]))
})
