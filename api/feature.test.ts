import { execFile } from "node:child_process"
import { promisify } from "node:util"

import { Gauge } from "prom-client"
import { describe, expect, test } from "vitest"

import { CHILD_ENV } from "#base/testing/child-env.ts"
import { checkSettings, oneOf, readSettings, SettingsError } from "#base/settings.ts"

import { openFeatures } from "./server/boot/open-features.ts"
import type { Door } from "./server/door.ts"
import type { Feature } from "./feature.ts"
import { features, settingsOf } from "./features.ts"
import type { Operation } from "./server/operation/operation.ts"
import { object, ref, text } from "./server/schema/schemas.ts"
import { apiSettings } from "./settings.ts"
import { serveApp, TEST_KEY } from "./testing/serve-app.ts"

// A door as a contributor would add one: a value in its own folder, and a line in the list of features.

const greet: Operation = {
  id: "greet",
  method: "get",
  path: "/greetings",
  tag: "Greetings",
  summary: "Be greeted",
  access: "key",
  answers: { 200: { description: "The greeting.", schema: ref("Greeting") } },
}

/** Helpers that read the values of settings. */
const HELPERS_OF_SETTINGS = ["identity/accounts/rates/rate-limits.ts", "server/proxies/trusted-proxies.ts"]

interface Needs {
  readonly door: Pick<Door, "key">
  readonly config: { readonly greeting: string }
}

const greetings = {
  name: "greetings",
  settings: {
    greeting: oneOf(
      { name: "FOSSICK_GREETING", default: "hello", about: "How callers are greeted." },
      "hello",
      "welcome",
    ),
  },
  describe: async () => ({
    operations: [greet],
    schemas: { Greeting: object({ greeting: text() }) },
    tags: { Greetings: "A kind word." },
  }),
  async serve(router, { door, config }) {
    let greeted = 0
    router.get("/greetings", door.key, (ctx) => {
      greeted++
      ctx.body = { greeting: config.greeting }
    })
    return {
      endpoints: ["greetings"],
      metrics: (registry) => {
        const gauge: Gauge = new Gauge({
          name: "fossick_greetings",
          help: "Callers that were greeted.",
          registers: [registry],
          collect: () => gauge.set(greeted),
        })
      },
    }
  },
} as const satisfies Feature<Needs>

const withKey = { headers: { Authorization: `Bearer ${TEST_KEY}` } }

describe("a feature that is added to the list", () => {
  test("answers behind a key and a prefix, according to its setting", async () => {
    const settings = readSettings(greetings.settings, { FOSSICK_GREETING: "welcome" })
    await using app = await serveApp({ more: [greetings], config: settings })
    expect((await fetch(`${app.url}/greetings`)).status).toBe(401)
    for (const path of ["/greetings", "/tools/greetings/"]) {
      const answer = await fetch(app.url + path, withKey)
      expect([answer.status, await answer.json()]).toEqual([200, { greeting: "welcome" }])
    }
  })

  test("rejects a wrong value of its setting by name", () => {
    const declared = { ...apiSettings, ...settingsOf([greetings]) }
    expect(readSettings(declared, {}).greeting).toBe("hello")
    const check = () => checkSettings([declared], { FOSSICK_GREETING: "boo" })
    expect(check).toThrow(SettingsError)
    expect(check).toThrow('FOSSICK_GREETING must be one of hello, welcome (is "boo")')
  })

  test("is in the OpenAPI document and in the reference", async () => {
    await using app = await serveApp({ more: [greetings] })
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, { readonly get?: { readonly operationId: string } }>>
      readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
      readonly tags: readonly unknown[]
    }
    expect(document.paths["/greetings"]?.get?.operationId).toBe("greet")
    expect(document.components.schemas).toHaveProperty("Greeting.properties.greeting")
    expect(document.tags).toContainEqual({ name: "Greetings", description: "A kind word." })
    expect(await (await fetch(`${app.url}/docs/client`)).text()).toContain("A kind word.")
  })

  test("has its metric in /metrics, and its calls counted by name", async () => {
    await using app = await serveApp({ more: [greetings] })
    const scrape = async () => (await fetch(`${app.url}/metrics`, withKey)).text()
    expect(await scrape()).toContain("\nfossick_greetings 0\n")
    await fetch(`${app.url}/greetings`, withKey)
    await expect.poll(scrape).toMatch(/request_duration_seconds_count{endpoint="greetings",.*} 1\n/)
    expect(await scrape()).toContain("\nfossick_greetings 1\n")
  })

  test("loads only settings code when only settings are read", async () => {
    const script = `
      import { registerHooks } from "node:module"
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      await import("./settings.ts")
      console.log(loaded.filter((url) => url.includes("node_modules") || url.includes("/api/")).join("\\n"))`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { cwd: import.meta.dirname, env: CHILD_ENV },
    )
    const loaded = stdout
      .trim()
      .split("\n")
      .map((url) => url.replace(/.*\/api\//, ""))
    expect(loaded).toEqual(
      expect.arrayContaining(["settings.ts", "features.ts", "services/watches/feature.ts"]),
    )
    const isLight = /(settings|feature|^features)\.ts$/
    expect(loaded.filter((file) => !isLight.test(file)).toSorted()).toEqual(HELPERS_OF_SETTINGS)
  })

  test("shares no setting name with another feature", () => {
    const names = [...features, greetings].flatMap((one) => Object.keys(settingsOf([one])))
    expect(names.length).toBeGreaterThan(10)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  })
})

describe("features that open something", () => {
  const told: string[] = []
  const first = {
    name: "first",
    open({ from }, closing) {
      closing.defer(() => void told.push("first closed"))
      return from
    },
  } as const satisfies Feature<never, { readonly from: string }>
  const none = { name: "none", open: () => undefined } as const satisfies Feature<never>
  const second = {
    name: "second",
    async open({ first: before }, closing) {
      closing.defer(() => void told.push("second closed"))
      return `${before} and more`
    },
  } as const satisfies Feature<never, { readonly first?: string }>

  test("see what earlier ones opened, and are closed in reverse order", async () => {
    {
      await using closing = new AsyncDisposableStack()
      const opened = await openFeatures([first, none, second], { from: "here" }, closing)
      expect(opened).toEqual({ first: "here", second: "here and more" })
      expect(told).toEqual([])
    }
    expect(told).toEqual(["second closed", "first closed"])
  })
})
