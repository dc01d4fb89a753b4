import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { Jobs } from "#crawler/jobs/jobs.ts"
import { Sources } from "#crawler/sources/sources.ts"
import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { openEngine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"

import { openCollections } from "../../../api/identity/accounts/reach/collections.ts"
import { Fossick, refusalOf } from "../../testing/fossick.ts"

describe("fossick search", () => {
  let dir: string
  const fossick = new Fossick()
  afterAll(() => fossick[Symbol.asyncDispose]())

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "fossick-search-"))
    const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
    await using engine = await openEngine(settings, { mode: "write" })
    await engine.index([
      aPage("https://docs.example.com/pumps", {
        title: "Pumps",
        markdown: "## Seals\n\nPump seals wear out first.",
        anchors: [[0, "seals"]],
      }),
      aPage("https://docs.example.com/pumps.pdf", {
        title: "Pumps in print",
        markdown: "# Care\n\nPump seals, printed.",
        anchors: [[0, "page=6", "iv"]],
      }),
      aPage("https://wiki.example.com/pumps", {
        title: "Wiki",
        markdown: "Pump seals by all.",
        source: "wiki",
      }),
    ])
    await engine.settled()
    const db = await openStateStore(dir)
    const sources = new Sources(db, new Jobs(db))
    for (const name of ["docs", "wiki"]) await sources.put({ name, seeds: [`https://${name}.example.com/`] })
    await openCollections(db).set("open", ["wiki"])
    db.close()
  })
  afterAll(() => rm(dir, { recursive: true }))

  const run = (...args: string[]) =>
    fossick.run(dir, ["search", "pump seals", ...args], { FOSSICK_DATA_DIR: dir })
  const found = async (...args: string[]) => {
    const { hits } = JSON.parse((await run("--json", ...args)).out) as {
      hits: { url: string; sources: string[]; type: string; passages: object[] }[]
    }
    return hits.map((hit) => ({ ...hit, path: hit.url.replace(/^https:\/\/|\.example\.com/g, "") }))
  }

  test("filters by sources, collections and types, and shows the address of the section", async () => {
    const paths = async (...args: string[]) => (await found(...args)).map(({ path }) => path).sort()
    expect(await paths("--source", "docs")).toEqual(["docs/pumps", "docs/pumps.pdf"])
    expect(await paths("--collection", "open")).toEqual(["wiki/pumps"])
    expect(await paths("--source", "docs", "--collection", "open")).toHaveLength(3)
    const [pdf, ...none] = await found("--type", "pdf")
    expect([pdf, none]).toMatchObject([{ path: "docs/pumps.pdf", type: "pdf", sources: ["docs"] }, []])
    const [page] = await found("--source", "docs", "--type", "html")
    expect(page).toMatchObject({ type: "html", language: "en", passages: [{ anchor: "seals" }] })
    expect((await run("--type", "html", "--source", "docs")).out).toContain(
      "https://docs.example.com/pumps#seals\n",
    )
    expect((await run("--type", "pdf")).out).toContain(
      "https://docs.example.com/pumps.pdf#page=6\n   Care > page iv\n",
    )
  })

  test("rejects an unknown name, suggesting similar ones", async () => {
    const refused = async (...args: string[]) => {
      const { code, err } = await run(...args)
      return code === 0 ? "" : err
    }
    expect(await refused("--source", "dcos")).toContain('There is no source "dcos"; did you mean "docs"?')
    expect(await refused("--collection", "opn")).toContain(
      'There is no collection "opn"; did you mean "open"?',
    )
    expect(await refusalOf("search", "pumps", "--type", "doc")).toContain("docx")
  })
})
