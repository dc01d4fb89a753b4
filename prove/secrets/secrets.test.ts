import { expect, test } from "vitest"

import { Marks } from "./marks.ts"
import { leaks } from "./secrets.ts"

test("no secret that an appliance was given stands in what it says or keeps", async () => {
  const { found, places, secrets, used } = await leaks({ tell: () => {}, scale: 0.1 })
  expect(found).toEqual([])
  expect(secrets).toBeGreaterThan(20)
  expect(places).toBeGreaterThan(60)
  expect(used.filter(({ isGood }) => !isGood)).toEqual([])
})

test("a secret is found however it is written", () => {
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
})
