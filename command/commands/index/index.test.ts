import { existsSync } from "node:fs"
import { cp, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { engineSettings } from "#engine/settings.ts"
import { shippedModel } from "#engine/models/embedders/transformers-embedder.ts"
import { openEngine } from "#engine/open-engine.ts"
import { readSettings } from "#base/settings.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { aPage } from "#engine/testing/pages.ts"
import { GenerationFile } from "#engine/lifecycle/generations/generation-file.ts"
import type { Finding } from "#engine/lifecycle/generations/repair.ts"
import type { IndexStatus } from "#engine/lifecycle/generations/status.ts"
import { Fossick } from "../../testing/fossick.ts"

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-index-command-"))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const fossick = new Fossick()
afterAll(() => fossick[Symbol.asyncDispose]())

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const { code, out, err } = await fossick.run(dir, ["index", ...args], { FOSSICK_DATA_DIR: dir, ...env })
  return { code, stdout: out, stderr: err }
}

const status = async (env: Record<string, string> = {}) =>
  JSON.parse((await run(["status", "--json"], env)).stdout) as IndexStatus

const otters = temporaryFolder()
beforeAll(async () => {
  await using engine = await openEngine(readSettings(engineSettings, { FOSSICK_DATA_DIR: otters.path }), {
    mode: "write",
  })
  await engine.index([aPage("otters", { title: "Otters", markdown: "Otters hold hands asleep." })])
  await engine.settled()
})
afterAll(() => otters[Symbol.dispose]())

const crawled = () => cp(otters.path, dir, { recursive: true })

describe("fossick index", () => {
  test.each([
    [[], "Usage: fossick index"],
    [["swap"], "unknown command 'swap'"],
    [["drop", "index-2"], "too many arguments for 'drop'"],
    [["status", "--force"], "--force"],
  ])("answers %j with the possible arguments", async (args, message) => {
    const { code, stderr } = await run(args)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  test("reports its options, and that a missing index is empty", async () => {
    expect((await run(["--help"])).stdout).toMatch(/status .*upgrade .*rollback .*drop /s)
    expect(await run(["status"])).toMatchObject({ code: 0, stdout: "In use       index: empty\n" })
    expect(await run(["rollback"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("nothing to go back to"),
    })
    expect(await run(["drop"])).toMatchObject({ code: 0, stdout: "No earlier index is kept.\n" })
    expect(existsSync(path.join(dir, "index"))).toBe(false)
  })

  test("names a damaged file, and repairs it", async () => {
    await crawled()
    expect(await run(["check"])).toMatchObject({
      code: 0,
      stdout: "All files of the index are intact.\n",
    })
    await rm(path.join(dir, "index", "index.json"))
    await rm(path.join(dir, "index", "vectors-1.lance"), { recursive: true })
    const { code, stdout } = await run(["check", "--json"])
    expect(code).toBe(1)
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
    expect(findings.map(({ file }) => file)).toContain("index/index.json")
    expect(findings.find(({ file }) => file.includes("vectors-1.lance"))).toMatchObject({
      damage: "is missing",
      wayBack: expect.stringContaining("by their words alone"),
      repaired: false,
    })
    const repaired = await run(["repair"])
    expect(repaired.code).toBe(0)
    expect(repaired.stdout).toContain("index/index.json is missing. Repaired.\n")
    expect(repaired.stdout).toContain("The index was rebuilt with 1 page.\n")
    expect((await run(["check"])).code).toBe(0)
    expect((await status()).current).toMatchObject({ name: "index-2", pages: 1, pagesWithoutVectors: 1 })
  })

  test("rebuilds an index for another model, goes back and forward again, and deletes stored ones", async () => {
    await crawled()
    // A model is named after its folder: the same weights under another name count as another model.
    const model = path.join(dir, "another-model")
    await symlink(shippedModel, model, "junction")
    const env = { FOSSICK_MODEL: "another-model" }
    const due = await run(["status"], env)
    expect(due.stdout).toMatch(
      /In use +index: 1 page \(format 5, all-MiniLM.*\nTo be built +format 5, another-model:/,
    )

    const upgraded = await run(["upgrade"], env)
    expect(upgraded).toMatchObject({ code: 0, stdout: expect.stringContaining("The index is up to date.") })
    expect(await run(["upgrade"], env)).toMatchObject({ code: 0 })
    expect(await status(env)).toMatchObject({
      current: { name: "index-2", pages: 1, pagesWithoutVectors: 0 },
      previous: { name: "index", pages: 1 },
      due: null,
    })

    expect((await run(["rollback"], env)).stdout).toContain("index is in use again. 0 pages changed")
    const declined = await run(["status"], env)
    expect(declined.stdout).toMatch(
      /In use +index: .*\nKept +index-2: .*\nNot built +format 5, another-model:.*rolled back/,
    )
    expect((await run(["rollback"], env)).stdout).toContain("index-2 is in use again")

    const file = new GenerationFile(dir, "embedded")
    const longAgo = new Date(0).toISOString()
    await file.change(({ previous }) => ({ previous: { ...previous!, replacedAt: longAgo } }))
    expect(await run(["drop"], env)).toMatchObject({ code: 0, stdout: "index was deleted.\n" })
    expect(existsSync(path.join(dir, "index"))).toBe(false)
    expect((await status(env)).previous).toBeNull()

    // The model that the index was made with is no longer configured, but is still found.
    const back = await status()
    expect(back).toMatchObject({
      current: { name: "index-2" },
      due: { embedder: expect.stringMatching(/^all-Mini/) },
    })
    await using engine = await openEngine(readSettings(engineSettings, { FOSSICK_DATA_DIR: dir }), {
      mode: "read",
    })
    const { hits } = await engine.search({ text: "sleeping animals", limit: 1, arms: "vector" })
    expect(hits.map((hit) => hit.title)).toEqual(["Otters"])
  })

  test("reports which model is used and why, switches to another, and says when FOSSICK_MODEL takes precedence", async () => {
    await crawled()
    const said = async (args: readonly string[] = [], env: Record<string, string> = {}) =>
      (await run(["model", ...args], env)).stdout
    expect(await said()).toBe(
      "Model        english, chosen for the pages in the index (0 % of the pages in languages other than English)\n",
    )
    expect(await said(["multilingual"])).toMatch(
      /^Model +multilingual, as requested\nA running appliance builds/,
    )
    expect(await status()).toMatchObject({
      current: { embedder: expect.stringMatching(/^all-MiniLM/) },
      due: { embedder: expect.stringMatching(/^multilingual-e5-small:quantized:mean:/) },
      model: { setting: null, wanted: "multilingual", chosen: null, languages: { en: 1 } },
    })
    const env = { FOSSICK_MODEL: shippedModel }
    expect(await said(["english"], env)).toMatch(
      /as set in the settings\nThe settings specify a model and take precedence: clear FOSSICK_MODEL/,
    )
    expect((await status(env)).due).toBeNull()
    const nowhere = await run(["model", "./nowhere"])
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no such folder") })
    expect(JSON.parse(await said(["auto", "--json"]))).toMatchObject({ wanted: "auto", suited: null })
    expect((await status()).due).toBeNull()
  })

  test("waits for a crawl, and reports what holds the index if it takes long", async () => {
    await crawled()
    await using _ = await openEngine(readSettings(engineSettings, { FOSSICK_DATA_DIR: dir }), {
      mode: "write",
    })
    const { code, stderr } = await run(["upgrade"])
    expect(stderr).toMatch(/Another process \(process \d+\) is writing to the index/)
    expect(code).toBe(1)
  })
})
