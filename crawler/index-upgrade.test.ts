import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { unpackOldIndex } from "#engine/adapters/embedded/testing/old-indexes.ts"
import { engineSettings } from "#engine/settings.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { openSearchEngine } from "#engine/open-engine.ts"
import { readSettings } from "#base/settings.ts"
import { Jobs } from "./jobs/jobs.ts"
import { defineSource } from "./source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { until } from "#base/testing/until.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { article, startTestSite } from "./testing/test-site.ts"

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url))
const OLD_PAGES = 11

test("a crawler that finds an index in an older format rebuilds it, and then crawls into it", async () => {
  using folder = temporaryFolder()
  await unpackOldIndex(join(folder.path, "index"))
  await using vectors = await startCheapVectors()
  await using site = await startTestSite({ "/": article("Otters", { text: "Otters hold hands asleep." }) })
  {
    using db = await openStateStore(folder.path)
    await new Jobs(db).enqueue(defineSource({ seeds: [site.url("/")] }))
  }
  const env = {
    ...CHILD_ENV,
    FOSSICK_DATA_DIR: folder.path,
    ...vectors.settings,
    FOSSICK_ALLOWED_NETWORKS: site.authority,
    FOSSICK_LOG_FORMAT: "json",
  }
  const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.path, ...vectors.settings })
  await using reader = await openSearchEngine(settings)
  expect(reader.problem).toContain("format 2")

  const log: string[] = []
  const crawler = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"] })
  const closed = once(crawler, "close")
  createInterface(crawler.stdout).on("line", (line) => log.push((JSON.parse(line) as { msg: string }).msg))
  try {
    await expect
      .poll(() => reader.stats(), { interval: 200 })
      .toMatchObject({ pages: OLD_PAGES + 1, pagesWithoutVectors: 0 })
    await until(async () => log.some((line) => / finished: /.test(line)))
  } finally {
    crawler.kill("SIGTERM")
    await closed
  }
  expect(reader.problem).toBeNull()
  // Lines about the progress of a slow upgrade may come in between.
  const order = log
    .filter((line) => /format|^crawl /.test(line))
    .map((line) => line.replace(/^crawl \S+ /, ""))
  expect(order.join("\n")).toMatch(
    /^the index was upgraded to the current format\nstarted\nfinished: 1 new, 0 failed, \d+ s$/,
  )
  for (const [text, title] of [
    ["a spring tide", "Tides"],
    ["otters", "Otters"],
  ] as const) {
    const { hits } = await reader.search({ text, limit: 1 })
    expect(hits.map((hit) => hit.title)).toEqual([title])
  }
})
