import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"

import { isStrong, resolveSecret, signingSecret, STRONG } from "./secret.ts"

const folder = mkdtempSync(join(tmpdir(), "fossick-secret-"))
afterAll(() => rmSync(folder, { recursive: true }))

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
])("a secret that is %s is not strong", (_, secret) => {
  expect(isStrong(secret)).toBe(false)
})

test("accepts randomly generated secrets", () => {
  const made = ["hex", "base64", "base64url"] as const
  const weak = Array.from({ length: 3000 }, (_, i) => randomBytes(16).toString(made[i % 3])).filter(
    (secret) => !isStrong(secret),
  )
  expect(weak).toEqual([])
})

test("accepts a random secret with many digits in a row", () => {
  expect(isStrong("1b67666588889833cc65f83335cf12d5")).toBe(true)
  expect(isStrong("aaaa1111bbbb2222cccc3333dddd4444")).toBe(false)
})

test("accepts a long secret written by a person", () => {
  expect(isStrong("correct horse battery staple")).toBe(true)
  expect(isStrong("k8Zq1LmX4vRt0Yp2")).toBe(true)
})

test.each([
  ["seven different characters, and eight", "aXc1eYga1cXeYgXc", "aXc1eYga1cXeYgX2"],
  [
    "a text that begins anew in the middle of the second time, and goes on",
    "k8Zq1LmXk8Zq1LmX",
    "k8Zq1LmXk8Zq1LmY",
  ],
  ["a text that is repeated, and one whose first letter is another", "k8Zq1LmXk8Zq1LmX", "K8Zq1LmXk8Zq1LmX"],
])("%s", (_, weak, strong) => {
  expect([isStrong(weak.slice(0, 16)), isStrong(strong)]).toEqual([false, true])
})

test("rejects text that mostly counts up or down, however it begins", () => {
  // The first text has eight jumps, the second nine.
  expect(isStrong("axbycz12345abcdef")).toBe(false)
  expect(isStrong("axbyczd12345abcdef")).toBe(true)
})

test("a reference resolves to its secret, and any other text is the secret", () => {
  const file = join(folder, "secret")
  const read = (text: string) => {
    writeFileSync(file, text)
    return resolveSecret(`file:${file}`, {})
  }
  expect([read("one\n"), read("two\r\n"), read("three\n\n"), read(" four "), read("a\nb")]).toEqual([
    "one",
    "two",
    "three\n",
    " four ",
    "a\nb",
  ])
  expect(resolveSecret("${MY_TOKEN}", { MY_TOKEN: "five" })).toBe("five")
  for (const text of ["six", "${MY TOKEN}", "x${A}", "${A}x", "file", "a file:/b"])
    expect(resolveSecret(text, { A: "other" })).toBe(text)
})

test("a missing secret is named by its reference and where it was looked for", () => {
  expect(() => resolveSecret("${NONE}", {})).toThrow(
    /^the secret \$\{NONE\} is not set in the crawler's environment$/,
  )
  expect(() => resolveSecret("${NONE}", { NONE: "" }, "the API's environment")).toThrow(
    "the secret ${NONE} is not set in the API's environment",
  )
  const file = join(folder, "none")
  expect(() => resolveSecret(`file:${file}`, {})).toThrow(
    expect.objectContaining({
      message: `the secret file:${file} cannot be read (ENOENT)`,
      cause: expect.objectContaining({ code: "ENOENT" }) as Error,
    }) as Error,
  )
})

test("messages are signed only with a strong secret, whatever its prefix", () => {
  const strong = randomBytes(16).toString("hex")
  expect(signingSecret("${S}", { S: strong })).toBe(strong)
  expect(signingSecret("${S}", { S: `whsec_${strong}` })).toBe(`whsec_${strong}`)
  // `whsec_` is ignored only at the start of a secret.
  expect(signingSecret("${S}", { S: "k8Zq1whsec_LmX4v" })).toBe("k8Zq1whsec_LmX4v")
  for (const weak of ["short", "whsec_k8Zq1LmX4v", "a whsec_ in the middle of it".slice(0, 15)]) {
    expect(() => signingSecret("${S}", { S: weak })).toThrow(`the secret \${S} ${STRONG}`)
  }
  expect(STRONG).toBe(
    "must be hard to guess: at least 16 characters, at least 8 of them different, no repeated text, and no sequence such as 0123456789abcdef. openssl rand -hex 16 makes a good one",
  )
})
