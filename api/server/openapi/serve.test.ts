import { get } from "node:http"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { type ServedApp, serveApp } from "../../testing/serve-app.ts"
import { operations } from "./testing/documented.ts"

let app: ServedApp

beforeAll(async () => {
  app = await serveApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe("/openapi.json", () => {
  test("needs no key, and contains the public address", async () => {
    const response = await fetch(`${app.url}/openapi.json`)
    expect(response.headers.get("content-type")).toMatch(/^application\/json/)
    const document = (await response.json()) as {
      openapi: string
      servers: unknown
      info: { version: string }
    }
    expect(document.openapi).toBe("3.1.0")
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(document.servers).toEqual([{ url: "/" }])
    await using published = await serveApp({ config: { publicUrl: "https://search.example.com/tv" } })
    const other = (await (await fetch(`${published.url}/tv/openapi.json`)).json()) as typeof document
    expect(other.servers).toEqual([{ url: "https://search.example.com/tv" }])
  })

  test("is not sent again to clients that have it, and allows no other method", async () => {
    const first = await fetch(`${app.url}/openapi.json`)
    const etag = first.headers.get("etag")!
    // Not fetch(), which would send the request again.
    const { promise: status, resolve } = Promise.withResolvers<number | undefined>()
    const headers = { "Accept-Encoding": "gzip, deflate", "If-None-Match": etag }
    get(`${app.url}/openapi.json`, { headers }, (response) => {
      resolve(response.resume().statusCode)
    })
    expect(await status).toBe(304)
    const post = await fetch(`${app.url}/openapi.json`, { method: "POST" })
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"])
  })
})

describe("/reference", () => {
  test("leads to the handbook's page, which has every call with its example", async () => {
    const response = await fetch(`${app.url}/reference`)
    expect(response.url).toBe(`${app.url}/docs/client`)
    const html = await response.text()
    expect(html).toContain("<h1>Your own code</h1>")
    for (const { id, path, method } of operations) {
      expect(html).toContain(`<a href="#${id}"><code>${method.toUpperCase()} ${path}</code></a>`)
      expect(html).toContain(`<h3 id="${id}">`)
    }
    expect(html).toContain("curl -s http://localhost:8080/search")
    expect(html).not.toMatch(/undefined|\[object|<script(?! src="handbook)/)
  })
})
