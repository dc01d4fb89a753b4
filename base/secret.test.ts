import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"

import { isStrong } from "./secret.ts"

test.each([
  ["nothing", ""],
  ["one character", "a"],
  ["a word", "hunter2"],
  ["15 characters", "k8Zq1LmX4vRt0Yp"],
  ["one character, often", "a".repeat(64)],
  ["a word, often", "changemechangeme"],
  ["a word, often, and cut at the end", "changeme-changeme-chang"],
  ["few characters", "abababbabaabbabaab"],
  ["the alphabet", "abcdefghijklmnop"],
  ["the digits", "0123456789abcdef"],
  ["the digits, down", "9876543210fedcba"],
  ["a word and a row", "password12345678"],
])("%s is no strong secret", (_, secret) => {
  expect(isStrong(secret)).toBe(false)
})

test("what is made by chance is", () => {
  const made = ["hex", "base64", "base64url"] as const
  const weak = Array.from({ length: 3000 }, (_, i) => randomBytes(16).toString(made[i % 3])).filter(
    (secret) => !isStrong(secret),
  )
  expect(weak).toEqual([])
})

test("chance may put many digits in a row", () => {
  expect(isStrong("1b67666588889833cc65f83335cf12d5")).toBe(true)
  expect(isStrong("aaaa1111bbbb2222cccc3333dddd4444")).toBe(false)
})

test("what a person made long is", () => {
  expect(isStrong("correct horse battery staple")).toBe(true)
  expect(isStrong("k8Zq1LmX4vRt0Yp2")).toBe(true)
})
