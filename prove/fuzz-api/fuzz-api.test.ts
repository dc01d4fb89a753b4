import { Router } from "@koa/router"
import { expect, test } from "vitest"
import type { RequestState } from "../../api/context.ts"
import { firecrawlRoutes } from "../../api/doors/firecrawl/routes.ts"
import { openaiRoutes } from "../../api/doors/openai/routes.ts"
import { openWebuiRoutes } from "../../api/doors/openwebui/routes.ts"
import { searxngRoutes } from "../../api/doors/searxng/routes.ts"
import { foreignDoors, operationsOf } from "./foreign-doors.ts"
import { proof } from "./fuzz-api.ts"

test("Every served call of another vendor's API is among those tested", () => {
  const router = new Router<RequestState>()
  for (const routes of [firecrawlRoutes, openaiRoutes, openWebuiRoutes, searxngRoutes])
    routes(router, ANYTHING)
  const served = router.stack.flatMap(({ methods, path }) =>
    methods
      .filter((method) => method !== "HEAD")
      .map((method) => `${method} ${String(path).replaceAll(/:(\w+)/g, "{$1}")}`),
  )
  const tried = operationsOf(foreignDoors({ page: "", client: "", callback: "" })).map(({ name }) => name)
  expect(served.length).toBeGreaterThan(40)
  expect(served.filter((one) => !tried.includes(one))).toEqual([])
  // The others are served at their own addresses, or below the catch-all route.
  const others = tried.filter((one) => !served.includes(one) && !/^\w+ \/v1\/vector_stores\/all/.test(one))
  expect(others.map((one) => one.split("/")[1])).toEqual([
    "mcp",
    "mcp",
    "mcp",
    "authorize",
    "authorize",
    "authorize",
    "token",
    "register",
    "revoke",
    ".well-known",
    ".well-known",
    ".well-known",
  ])
})

/** Stands in for the parts that routes need; the routes themselves aren't called. */
const ANYTHING: never = new Proxy(() => ANYTHING, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => "" : ANYTHING),
}) as never

// Tests don't install anything; `npm run prove -- fuzz-api` does.
test(
  "a few random calls are answered as documented, with and without a key",
  { tags: ["schemathesis"] },
  async () => {
    const { rows, faults } = await proof.run({ scale: 0.01, seed: 7, tell: () => {} })
    expect(faults).toEqual([])
    expect(rows.map(([calls]) => calls)).toEqual(
      expect.arrayContaining(["`/openapi.json`", "other programs' APIs", "paid search"]),
    )
    expect(rows.map(([, caller]) => caller)).toContain("no key")
    expect(rows.at(-1)![4]).toBeGreaterThan(50)
  },
)
