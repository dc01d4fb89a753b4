import { describe, expect, test } from "vitest"
import { arrange } from "./arrange.ts"
import type { Ranked } from "./fusion.ts"
import { pageFacts } from "./testing/page-facts.ts"
import { namesVersion } from "./versions.ts"

const TEXT = { exact: null, similar: "00000000000000ff" }
/** A hash that differs in a few of the 64 bits. */
const EDITED = { exact: null, similar: "0000000000000fff" }
const OTHER = { exact: null, similar: "ffffffff000000ff" }

interface Given {
  readonly url: string
  readonly title?: string
  readonly fingerprint?: { readonly exact: string | null; readonly similar: string | null }
}

/** The addresses shown for pages that are found in this order, and those folded behind the first. */
async function shown(given: readonly (Given | string)[], question = "how to install") {
  const pages = given.map((one) => (typeof one === "string" ? { url: one } : one))
  const at = (index: number) => `p${index}`
  const facts = new Map(
    pages.map(({ url, title = "Install", fingerprint = TEXT }, index) => {
      const about = { url: `https://docs.example${url}`, host: "docs.example", title, fingerprint }
      return [at(index), pageFacts(at(index), about)]
    }),
  )
  const ranked = pages.map((_, index): Ranked => {
    const fused = 0.9 - index / 10
    return { id: at(index), fused, rerank: 0, lexical: fused, vector: 0, late: 0, score: fused }
  })
  const factsOf = async (ids: readonly string[]) => new Map(ids.map((id) => [id, facts.get(id)!]))
  const hits = await arrange(ranked, {
    limit: 10,
    preference: undefined,
    wanted: namesVersion(question),
    factsOf,
  })
  const urlOf = (id: string) => new URL(facts.get(id)!.url).pathname
  return { first: urlOf(hits[0]!.id), count: hits.length, kinds: hits[0]!.folded?.map(({ kind }) => kind) }
}

describe("among several versions of a page, one is shown", () => {
  test.each([
    [
      "Read the Docs",
      ["/en/1.2/install.html", "/en/latest/install.html", "/en/stable/install.html"],
      "/en/stable/install.html",
    ],
    ["mike", ["/0.9/install/", "/dev/install/", "/1.10/install/", "/1.9/install/"], "/1.10/install/"],
    ["Docusaurus", ["/docs/next/install", "/docs/2.x/install", "/docs/install"], "/docs/install"],
    [
      "Javadoc",
      ["/javase/8/docs/api/Map.html", "/javase/21/docs/api/Map.html"],
      "/javase/21/docs/api/Map.html",
    ],
    [
      "PostgreSQL",
      ["/docs/15/install.html", "/docs/current/install.html", "/docs/devel/install.html"],
      "/docs/current/install.html",
    ],
    ["Kubernetes", ["/v1-29/install/", "/v1-31/install/", "/v1-30/install/"], "/v1-31/install/"],
    ["branches", ["/stable-3.4/install", "/stable-3.10/install"], "/stable-3.10/install"],
    ["rustdoc", ["/nightly/std/", "/beta/std/", "/stable/std/"], "/stable/std/"],
    ["a v before it", ["/v3.1/install", "/v3.0.0-rc1/install", "/master/install"], "/v3.1/install"],
  ])("by %s", async (_, urls, best) => {
    expect(await shown(urls)).toEqual({ first: best, count: 1, kinds: urls.slice(1).map(() => "version") })
  })

  test("even if their texts and the numbers in their titles differ slightly", async () => {
    const old = { url: "/1.2/install", title: "Install pumpkit 1.2", fingerprint: EDITED }
    expect(await shown([old, { url: "/2.0/install", title: "Install pumpkit 2.0" }])).toMatchObject({
      first: "/2.0/install",
      count: 1,
    })
  })

  test.each([
    ["how to install 1.2", "/en/1.2/install"],
    ["install v1.2", "/en/1.2/install"],
    ["install latest", "/en/latest/install"],
    ["install 12", "/en/stable/install"],
  ])("preferring the requested one: %s", async (question, best) => {
    expect(
      (await shown(["/en/stable/install", "/en/1.2/install", "/en/latest/install"], question)).first,
    ).toBe(best)
  })

  test("preferring the requested one, whatever joins the numbers in its address", async () => {
    expect((await shown(["/v1-31/install/", "/v1-29/install/"], "install 1.29")).first).toBe(
      "/v1-29/install/",
    )
  })
})

test.each([
  ["other pages", ["/1.2/install", "/1.3/upgrade"]],
  ["pages with other texts", ["/1.2/install", { url: "/1.3/install", fingerprint: OTHER }]],
  [
    "pages with other titles",
    ["/1.2/install", { url: "/1.3/install", title: "Remove", fingerprint: EDITED }],
  ],
  [
    "reports of two years",
    [
      { url: "/2023/report", fingerprint: EDITED, title: "Report of spring" },
      { url: "/2024/report", title: "Report of autumn" },
    ],
  ],
])("%s are not versions of one page", async (_, given) => {
  expect(await shown(given as Given[])).toMatchObject({ count: 2, kinds: undefined })
})
