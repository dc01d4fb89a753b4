import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { afterAll, afterEach, beforeEach, expect, test } from "vitest"
import { Fossick } from "#base/testing/fossick.ts"

import { Jobs } from "#crawler/jobs/jobs.ts"
import { defineSource } from "#crawler/source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { article, startTestSite } from "#crawler/testing/test-site.ts"
import { engineSettings } from "#engine/settings.ts"
import { shippedModel } from "#engine/models/embedders/transformers-embedder.ts"
import type { IndexStatus } from "#engine/lifecycle/generations/status.ts"
import { openEngine } from "#engine/open-engine.ts"
import { readSettings } from "#base/settings.ts"
import { aPage, rareWord, urlOf } from "#engine/testing/pages.ts"

import { startAppliance } from "./testing/appliance.ts"

// The whole appliance, started with a different model from the one that built its index.

const PAGES = 20
const fossick = new Fossick()
afterAll(() => fossick[Symbol.asyncDispose]())

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-model-change-"))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

async function index(env: Record<string, string>, command: string): Promise<string> {
  const { code, out } = await fossick.run(dir, ["index", command, "--json"], env)
  expect(code).toBe(0)
  return out
}

test("every question is answered while the index is rebuilt, crawls go first, and switching back is possible", async () => {
  const dataDir = join(dir, "index-data")
  // A model is named after its folder: the same weights under another name count as another model.
  const model = join(dir, "another-model")
  await symlink(shippedModel, model, "junction")
  {
    await using engine = await openEngine(readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir }), {
      mode: "write",
    })
    await engine.index(
      Array.from({ length: PAGES }, (_, i) =>
        aPage(`p/${i}`, { title: `Entry ${i}`, markdown: `The word ${rareWord(i)} stands here.` }),
      ),
    )
    await engine.settled()
  }
  await using site = await startTestSite({ "/": article("Otters", { text: "Otters hold hands asleep." }) })
  {
    using db = await openStateStore(dataDir)
    await new Jobs(db).enqueue(defineSource({ seeds: [site.url("/")] }))
  }
  const env = {
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_MODEL: model,
    FOSSICK_HANDBOOK: "off",
    FOSSICK_ALLOWED_NETWORKS: site.authority,
  }
  await using appliance = await startAppliance(env)
  const status = async () => JSON.parse(await index(env, "status")) as IndexStatus
  const ask = async (query: string) => {
    const response = await fetch(`${appliance.url}/search`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${appliance.apiKey}` },
      body: JSON.stringify({ query, max_results: 1 }),
    })
    const answer = (await response.json()) as { results: { url: string }[] }
    return { status: response.status, url: answer.results[0]?.url }
  }

  const over = new AbortController()
  let asked = 0
  const watching = (async () => {
    for (let i = 0; !over.signal.aborted; i = (i + 1) % PAGES) {
      expect(await ask(rareWord(i))).toEqual({ status: 200, url: urlOf(`p/${i}`) })
      const ready = await fetch(`${appliance.url}/readyz`)
      expect(await ready.json()).toMatchObject({ status: "ready" })
      asked++
      await sleep(200)
    }
  })()
  watching.catch(() => undefined)
  const otters = async () => (await ask("otters hold hands")).url
  // Crawled pages can be found within a second.
  await expect.poll(otters).toBe(site.url("/"))
  await expect
    .poll(async () => (await status()).current.embedder, { interval: 1000 })
    .toMatch(/^another-model:/)
  const swappedAt = asked
  expect(swappedAt).toBeGreaterThan(0)
  await expect.poll(() => asked).toBeGreaterThan(swappedAt + 5)
  over.abort()
  await watching
  const said = (text: string) => appliance.output().indexOf(text)
  const crawled = appliance.output().search(/crawl \S+ finished: /)
  expect(crawled).toBeGreaterThan(0)
  expect(said("a new index is in use")).toBeGreaterThan(crawled)
  expect(await status()).toMatchObject({
    current: { name: "index-2", pages: PAGES + 1, pagesWithoutVectors: 0 },
    previous: { name: "index", pages: PAGES + 1 },
    building: null,
    due: null,
  })
  expect(await otters()).toBe(site.url("/"))

  expect(JSON.parse(await index(env, "rollback"))).toEqual({ current: "index", changed: 0 })
  expect((await status()).current.name).toBe("index")
  expect(await otters()).toBe(site.url("/"))
})
