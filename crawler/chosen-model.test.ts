import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { indexStatus } from "#engine/lifecycle/generations/status.ts"
import { engineSettings } from "#engine/settings.ts"
import { openGenerations, openSearchEngine } from "#engine/open-engine.ts"
import { readSettings } from "#base/settings.ts"
import { Jobs } from "./jobs/jobs.ts"
import { defineSource } from "./source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { until } from "#base/testing/until.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { startTestSite } from "./testing/test-site.ts"

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url))

const seite = (title: string, text: string, links: readonly string[] = []) =>
  `<!doctype html><html lang="de"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p>
  ${links.map((link) => `<a href="${link}">${link.slice(1)}</a>`).join(" ")}</main></body></html>`

const SEITEN = {
  "/": seite("Handbuch", "Dieses Handbuch erklärt, wie der Rechner verwaltet wird.", ["/quota", "/backup"]),
  "/quota": seite("Quota", "Der Verwalter begrenzt, wie viel Plattenplatz ein Benutzer belegen darf."),
  "/backup": seite(
    "Sicherung",
    "Kopien wichtiger Daten liegen an einem anderen Ort, falls die Platte ausfällt.",
  ),
}

test("a first crawl of German pages is embedded by the multilingual model, once", async () => {
  using folder = temporaryFolder()
  await using site = await startTestSite(SEITEN)
  {
    using db = await openStateStore(folder.path)
    await new Jobs(db).enqueue(defineSource({ seeds: [site.url("/")], limits: { depth: 1 } }))
  }
  const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.path })
  await using reader = await openSearchEngine(settings)
  const log: string[] = []
  const inUse = () => log.filter((line) => line === "a new index is in use")
  const env = {
    ...CHILD_ENV,
    FOSSICK_DATA_DIR: folder.path,
    FOSSICK_ALLOWED_NETWORKS: site.authority,
    FOSSICK_LOG_FORMAT: "json",
  }
  const crawler = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"] })
  const closed = once(crawler, "close")
  createInterface(crawler.stdout).on("line", (line) => log.push((JSON.parse(line) as { msg: string }).msg))
  try {
    await expect
      .poll(() => reader.stats(), { interval: 200 })
      .toMatchObject({
        pages: 3,
        pagesWithoutVectors: 0,
        embedder: expect.stringMatching(/^multilingual-e5-small:/),
      })
    expect(log).toContain(
      "the multilingual model makes the vectors: 100 % of 3 pages are in languages other than English",
    )
    const { hits } = await reader.search({
      text: "how much disk space may a user fill",
      limit: 1,
      arms: "vector",
    })
    expect(hits.map(({ title }) => title)).toEqual(["Quota"])
    {
      await using context = await openGenerations(settings)
      const { model, previous } = await indexStatus(context, 7)
      expect(model).toMatchObject({
        wanted: "auto",
        chosen: "multilingual",
        languages: { de: 3 },
        suited: null,
      })
      // The English model made no vectors for these pages.
      expect(previous).toMatchObject({ pages: 3, pagesWithoutVectors: 3 })
    }
    await until(async () => inUse().length === 1)
  } finally {
    crawler.kill("SIGTERM")
    await closed
  }
  expect(inUse()).toHaveLength(1)
})
