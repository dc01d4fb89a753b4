import { expect, test } from "vitest"

import { isReading } from "./continuing.ts"

test.each([
  "POST /search",
  "POST /v1/search",
  "POST /v2/search",
  "POST /searxng/search",
  "GET /searxng/search",
  "GET /searxng",
  "POST /openwebui/search",
  "POST /v1/vector_stores/all/search",
  "POST /v1/embeddings",
  "GET /v1/models",
  "GET /suggest",
  "GET /suggest/opensearch",
  "GET /pages",
  "HEAD /pages",
  "GET /read/https://pumps.example/\n",
  "GET /sources",
  "POST /mcp",
  "OPTIONS /search",
])("%s counts as a read", (call) => {
  const [method = "", path = ""] = call.split(" ")
  expect(isReading(method, path)).toBe(true)
})

test.each([
  "GET /search",
  "POST /extract",
  "POST /crawl",
  "POST /map",
  "POST /research",
  "GET /research/1",
  "POST /v2/crawl",
  "POST /v2/scrape",
  "POST /feedback",
  "POST /generate-keys",
  "GET /usage",
  "POST /logs",
  "GET /admin/keys",
  "POST /admin/search",
  "DELETE /pages",
  "OPTIONS /pages",
  "GET /toString",
  "toString /pages",
])("%s does not count as a read", (call) => {
  const [method = "", path = ""] = call.split(" ")
  expect(isReading(method, path)).toBe(false)
})
