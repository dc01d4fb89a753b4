import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { tavily } from "@tavily/core"
import { afterAll, expect, test } from "vitest"
import { Fossick } from "#base/testing/fossick.ts"

import { type Answer, article, startTestSite } from "#crawler/testing/test-site.ts"

import { startAppliance } from "./testing/appliance.ts"

const PAGES = 25

const fossick = new Fossick()
afterAll(() => fossick[Symbol.asyncDispose]())

async function run(args: string[], env: Record<string, string>) {
  const { code, out, err } = await fossick.run(tmpdir(), args, env)
  return { code, said: out + err }
}

/** Serves pages slowly, so that the crawl is still running when the backup is made. */
function slowSite(): Record<string, Answer> {
  const paths = Array.from({ length: PAGES }, (_, i) => `/page-${i}`)
  const answers: Record<string, Answer> = { "/": article("Home", { links: paths }) }
  for (const [i, path] of paths.entries()) {
    answers[path] = async (_, response) => {
      await sleep(50)
      response.setHeader("content-type", "text/html")
      response.end(
        article(`Lantern ${i}`, { text: `How paper lantern number ${i} is folded, and lit at dusk.` }),
      )
    }
  }
  return answers
}

test("a restored backup brings up a second appliance with the same keys and answers", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fossick-appliance-backup-"))
  const [first, second] = [join(folder, "first"), join(folder, "second")]
  const file = join(folder, "backup.tar")
  await using web = await startTestSite(slowSite())
  const settings = {
    FOSSICK_ALLOWED_NETWORKS: web.authority,
    FOSSICK_FETCH_CONCURRENCY: "2",
    FOSSICK_HANDBOOK: "off",
  }
  const question = "how is paper lantern 7 folded?"
  const ask = async (url: string, apiKey: string) =>
    (
      await tavily({ apiKey, apiBaseURL: url }).search(question, {
        maxResults: 5,
        includeDomains: ["127.0.0.1"],
      })
    ).results
  try {
    let apiKey: string
    let answers: Awaited<ReturnType<typeof ask>>
    {
      await using appliance = await startAppliance({ FOSSICK_DATA_DIR: first, ...settings })
      apiKey = appliance.apiKey
      const crawled = appliance.crawl(`${web.origin}/`)
      await expect.poll(() => web.requests.length).toBeGreaterThan(5)
      const during = await run(["backup", file], { FOSSICK_DATA_DIR: first })
      expect(during).toEqual({ code: 0, said: expect.any(String) as string })
      await crawled
      // Backs up again after the crawl, so that both appliances are asked about the same pages.
      const all = await run(["backup", file, "--force"], {
        FOSSICK_DATA_DIR: first,
      })
      expect(all).toMatchObject({ code: 0 })
      answers = await ask(appliance.url, apiKey)

      const onRunning = await run(["restore", file, "--force"], {
        FOSSICK_DATA_DIR: first,
      })
      expect(onRunning.code).toBe(1)
      expect(onRunning.said).toContain("Stop it first")
    }
    expect(answers[0]?.title).toBe("Lantern 7")

    const restored = await run(["restore", file], { FOSSICK_DATA_DIR: second })
    expect(restored).toMatchObject({ code: 0, said: expect.stringContaining("fossick start") as string })
    // The restore leaves nothing out: it recognizes every trigger in the backup as the appliance's own.
    expect(restored.said).not.toContain("Left out")
    const again = await run(["restore", file], { FOSSICK_DATA_DIR: second })
    expect(again).toMatchObject({ code: 1, said: expect.stringContaining("is not empty") as string })

    await using appliance = await startAppliance({ FOSSICK_DATA_DIR: second, ...settings })
    expect(appliance.output()).toContain("the one shown on the first start")
    const urls = (results: typeof answers) => results.map(({ url, title }) => ({ url, title }))
    await expect.poll(async () => urls(await ask(appliance.url, apiKey))).toEqual(urls(answers))
    await expect(ask(appliance.url, `${apiKey}x`)).rejects.toThrow("Unauthorized")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
