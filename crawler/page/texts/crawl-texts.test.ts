import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { runJob } from "../../crawl/run-job.ts"
import { defineSource } from "../../source.ts"
import {
  closeReaders,
  CrawlFixture,
  shareFor,
  temporaryFolder,
  testConfig,
} from "../../testing/crawl-fixture.ts"
import { article, bytes, startTestSite } from "../../testing/test-site.ts"
import { fileOf } from "./testing/read-page.ts"

afterAll(closeReaders)

/** Files with the types that servers send for them. */
const FILES: Readonly<Record<string, readonly [type: string, body: Uint8Array | string]>> = {
  "safe-modes.adoc": ["text/plain", fileOf("safe-modes.adoc")],
  "connections.rst": ["text/plain", fileOf("connections.rst")],
  "irc.org": ["application/octet-stream", fileOf("irc.org")],
  "hashes.ipynb": ["application/json", fileOf("redis-hashes.ipynb")],
  "openapi.yaml": ["application/yaml", fileOf("petstore.yaml")],
  "pump.py": ["text/x-python", "class Pump:\n    def run(self):\n        return 1\n"],
}
const NOISE = { "package-lock.json": "{}", "app.min.js": "const a=1" }

const text = (engine: CrawlFixture["engine"]) =>
  Object.fromEntries(
    [...engine.pages.values()]
      .filter(({ title }) => title !== "Files")
      .map(({ url, title, type, markdown }) => [url.split("/").at(-1), { title, type, markdown }]),
  )

test("a file reads the same from a website and from a folder, and lock files are skipped", async () => {
  await using site = await startTestSite({
    "/": article("Files", {
      links: [...Object.keys(FILES), ...Object.keys(NOISE)].map((name) => `/${name}`),
    }),
    ...Object.fromEntries(
      Object.entries(FILES).map(([name, [type, body]]) => [
        `/${name}`,
        bytes(body, { "content-type": type }),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(NOISE).map(([name, body]) => [
        `/${name}`,
        bytes(body, { "content-type": "text/plain" }),
      ]),
    ),
  })
  await using fromSite = await CrawlFixture.open()
  await fromSite.crawl({ name: "site", seeds: [site.url("/")] }, { config: testConfig() })
  const ofSite = text(fromSite.engine)
  expect(Object.keys(ofSite).sort()).toEqual(Object.keys(FILES).sort())
  expect(ofSite["pump.py"]).toEqual({
    title: "pump.py",
    type: "code",
    markdown: expect.stringContaining("### method run"),
  })
  const known = await new KnownAddresses(fromSite.db).get(site.url("/package-lock.json") as never)
  expect([known?.outcome, known?.detail]).toEqual([
    "skipped:unsupported-type",
    "a lock file written by a package manager",
  ])

  using folder = temporaryFolder()
  for (const [name, [, body]] of Object.entries(FILES)) writeFileSync(join(folder.path, name), body)
  for (const [name, body] of Object.entries(NOISE)) writeFileSync(join(folder.path, name), body)
  await using fromFolder = await CrawlFixture.open()
  const { db, jobs, engine } = fromFolder
  const source = defineSource({ name: "folder", folder: folder.path, seeds: [site.url("/")] })
  const { id } = await jobs.enqueue(source, { trigger: "schedule", visits: "due" })
  const config = testConfig()
  const signal = new AbortController().signal
  await runJob(id, { db, jobs, engine, config, signal, whenAborted: "paused", share: shareFor(config) })
  expect(text(engine)).toEqual(ofSite)
})
