import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

import { Marks } from "./marks.ts"
import { leaks } from "./secrets.ts"

test("no secret given to an appliance appears in its output or storage", async () => {
  const { found, places, secrets, used, missing, kept } = await leaks({ tell: () => {}, scale: 0.1 })
  expect(found).toEqual([])
  expect(secrets).toBeGreaterThan(50)
  expect(places).toBeGreaterThan(60)
  expect(used.filter(({ isGood }) => !isGood)).toEqual([])
  // Every setting declared as a secret was given one.
  expect(missing).toEqual([])
  // The handbook names each of the secrets in a backup.
  expect(kept).toEqual(["firecrawl", "sign-on", "watches"])
  const page = readFileSync(join(import.meta.dirname, "../../docs/backup-and-restore.md"), "utf8")
  expect([...kept, "human-ids"].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test("a secret is found in any encoding", () => {
  const marks = new Marks()
  const secret = marks.of("password")
  const user = Buffer.from(`user:${secret}`)
  const texts = [
    `Authorization: Basic ${user.toString("base64")}`,
    `Authorization: Basic ${Buffer.from(`u:${secret}@`).toString("base64url")}`,
    `https://user:${encodeURIComponent(secret)}@proxy.example/`,
    JSON.stringify({ said: { password: secret } }),
    user.toString("hex"),
    new URLSearchParams({ password: secret, b: "1" }).toString(),
  ]
  expect(texts.filter((text) => marks.in(Buffer.from(text)).length === 0)).toEqual([])
  expect(marks.in(Buffer.from("Mark+ nothing of it"))).toEqual([])
  const bytes = Buffer.from("00ff10c3281f9d7e", "hex")
  marks.add("of bytes", bytes)
  const written = [bytes, bytes.toString("hex"), `x${bytes.toString("base64url")}`]
  expect(written.map((text) => marks.in(Buffer.from(text)))).toEqual([
    ["of bytes (as it is)"],
    ["of bytes (hexadecimal)"],
    ["of bytes (base64)"],
  ])
})
