import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import type { PageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { readSettings } from "#base/settings.ts"
import {
  type CrawlOptions,
  type DescribedCrawl,
  describedCrawl,
} from "#crawler/commands/crawl/described-crawl.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { Sources } from "#crawler/sources/sources.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { defineSource } from "#crawler/source.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { type Answer, article, html, startTestSite } from "#crawler/testing/test-site.ts"
import { readCommandLine } from "../../program.ts"
import { FOSSICK, Fossick, refusalOf } from "../../testing/fossick.ts"

const fossick = new Fossick()
const vectors = await startCheapVectors()
afterAll(async () => {
  await fossick[Symbol.asyncDispose]()
  await vectors[Symbol.asyncDispose]()
})

/** A running `fossick crawl`. */
class Command {
  readonly child: ChildProcess
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  out = ""
  err = ""

  /** @param env with {} the command uses the model that ships with Fossick */
  constructor(
    dataDir: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = vectors.settings,
  ) {
    this.child = spawn(process.execPath, [FOSSICK, "crawl", ...args], {
      env: { ...CHILD_ENV, FOSSICK_DATA_DIR: dataDir, FOSSICK_FETCH_CONCURRENCY: "2", ...env },
    })
    this.child.stdout?.on("data", (chunk: Buffer) => (this.out += chunk.toString()))
    this.child.stderr?.on("data", (chunk: Buffer) => (this.err += chunk.toString()))
    this.ended = once(this.child, "close").then(
      ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
    )
  }

  /** The objects that `--json` prints. */
  get events(): Record<string, unknown>[] {
    return this.out
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }
}

const PAGES = 20

/** A site that calls back when a page is first requested. */
function siteOf(pages: number, at: number, reached: () => void): Record<string, Answer> {
  const links = Array.from({ length: pages }, (_, index) => `/p${index}`)
  const answers: Record<string, Answer> = { "/": article("Home", { links }) }
  for (const [index, path] of links.entries()) {
    answers[path] = (request, response) => {
      if (index === at) reached()
      html(article(`Harbour number ${index}`))(request, response)
    }
  }
  return answers
}

describe("a bare word", () => {
  test("is a source name, and never a host if there is no such source", async () => {
    using folder = temporaryFolder()
    const db = await openStateStore(folder.path)
    const jobs = new Jobs(db)
    await new Sources(db, jobs).put({ name: "manuals", seeds: "https://docs.example.com/" }, "file")
    for (const [args, text] of [
      [["manual"], 'There is no source "manual"; did you mean "manuals"?'],
      [["intranet"], 'There is no source "intranet"; the sources are manuals'],
      [["intranet", "--depth", "1"], "write its address: http://intranet/"],
    ] as const) {
      const { code, err } = await fossick.run(folder.path, ["crawl", ...args], {
        FOSSICK_DATA_DIR: folder.path,
      })
      expect(code).toBe(2)
      expect(err).toContain(text)
    }
    expect(await jobs.count()).toBe(0)
    db.close()
  })

  test("can be several words if that is a source's name", async () => {
    await using site = await startTestSite({ "/": article("Home") })
    using folder = temporaryFolder()
    const db = await openStateStore(folder.path)
    await new Sources(db, new Jobs(db)).put(
      { name: "team wiki", seeds: site.url("/"), rendering: "http", allowedNetworks: ["127.0.0.1"] },
      "file",
    )
    db.close()
    const found = new Command(folder.path, ["team wiki"])
    expect(await found.ended).toBe(0)
    expect(found.out).toContain("Crawling team wiki")
    expect(site.requests).toContain("/")
    for (const [args, text] of [
      [["team wikki"], 'There is no source "team wikki"; did you mean "team wiki"?'],
      [["team wiki", "--depth", "1"], "team wiki is a declared source and takes only the options"],
      [["our wiki 2.0", "--depth", "1"], 'There is no source "our wiki 2.0"'],
    ] as const) {
      const { code, err } = await fossick.run(folder.path, ["crawl", ...args], {
        FOSSICK_DATA_DIR: folder.path,
      })
      expect(code).toBe(2)
      expect(err).toContain(text)
    }
  })

  test("with a port is a host, and so is localhost", async () => {
    await using site = await startTestSite({ "/": article("Home") })
    using folder = temporaryFolder()
    const authority = site.authority.replace("127.0.0.1", "localhost")
    const command = new Command(folder.path, [`http://${authority}/`, "--rendering", "http"])
    expect(await command.ended).toBe(0)
    expect(site.requests).toContain("/")
    const plain = new Command(folder.path, ["localhost", "--minutes", "1", "--json"])
    plain.child.stdout?.once("data", () => plain.child.kill("SIGINT"))
    await plain.ended
    expect(plain.err).not.toContain("No source")
  })
})

describe("arguments", () => {
  test.each([
    [["ftp://example.com/"], "isn't an http or https address"],
    [[], "missing required argument 'start'"],
    [["http://a.example/", "http://b.example/"], "too many arguments"],
    [["http://a.example/", "--depth", "deep"], "--depth must be a whole number from 0 to 1000"],
    [["http://a.example/", "--limit=0"], "--limit must be a whole number from 1"],
    [["http://a.example/", "--scope", "planet"], "Allowed choices are host, domain, prefix"],
    [["http://a.example/", "--topic", "sports"], "Allowed choices are news, finance"],
    [["http://a.example/", "--rendering", "ink"], "Allowed choices are auto, http, browser"],
    [["http://a.example/", "--minutes", "0"], "--minutes must be a whole number from 1"],
    [["http://a.example/", "--exclude", "re:("], "--exclude: "],
    [["http://a.example/", "--include", "a/b"], '--include: "a/b" must begin with'],
    [["http://a.example/", "--source", " "], "--source must not be empty"],
    [["http://a.example/", "--colour"], "unknown option '--colour'"],
    [["http://a.example/", "--dept", "3"], "(Did you mean --depth?)"],
  ])("%j are refused", async (args, message) => {
    expect(await refusalOf("crawl", ...args)).toContain(message)
  })

  test("have defaults, and turn a plain host into an https address", async () => {
    expect(await described("docs.example.com")).toEqual({
      source: defineSource({ seeds: ["https://docs.example.com/"] }),
      name: "docs.example.com",
      isDescribed: false,
    })
  })

  test("name a declared source if they cannot be an address", async () => {
    expect(await described("team wiki 2.0")).toEqual({
      source: null,
      name: "team wiki 2.0",
      isDescribed: false,
    })
  })

  test("describe a crawl as a declared source would be", async () => {
    const args =
      "a.example --minutes 5 --include /docs/** --exclude *.pdf --exclude /docs/old/** --rendering http"
    expect(await described(...args.split(" "))).toMatchObject({
      source: {
        limits: { minutes: 5 },
        include: ["/docs/**"],
        exclude: ["*.pdf", "/docs/old/**"],
        rendering: "http",
      },
      isDescribed: true,
    })
  })
})

async function described(...args: string[]): Promise<DescribedCrawl> {
  const line = await readCommandLine(["crawl", ...args])
  if ("code" in line) throw new Error(line.err)
  const { args: given, options, named } = line.given
  return describedCrawl(given["start"] as string, options as unknown as CrawlOptions, named.size > 0)
}

describe("fossick crawl", () => {
  test("answers bad arguments with a clear message and exit code 2", async () => {
    using folder = temporaryFolder()
    const command = new Command(folder.path, ["ftp://example.com/"])
    expect(await command.ended).toBe(2)
    expect(command.err).toContain(`"ftp://example.com/" isn't an http or https address`)
    expect(command.out).toBe("")
  })

  test("--help explains itself", async () => {
    expect(await readCommandLine(["crawl", "--help"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Usage: fossick crawl .*--depth <n> .*Examples:/s),
    })
  })

  test("stops cleanly on Ctrl-C, and the same command resumes where it stopped", async () => {
    using folder = temporaryFolder()
    let first: Command | null = null
    await using site = await startTestSite(siteOf(PAGES, 12, () => first?.child.kill("SIGINT")))
    first = new Command(folder.path, [site.origin, "--json"])
    expect({ code: await first.ended, err: first.err }).toMatchObject({ code: 130 })
    const stopped = first.events.at(-1)
    expect(stopped).toMatchObject({ event: "ended", state: "paused" })
    expect(stopped?.["queued"]).toBeGreaterThan(0)

    const second = new Command(folder.path, [site.origin])
    expect({ code: await second.ended, err: second.err }).toMatchObject({ code: 0 })
    expect(second.out).toContain("continuing after")
    expect(second.out).toMatch(/Finished after \d+ s/)
    expect(second.out).toMatch(new RegExp(`${PAGES + 1}  indexed`))
  })

  test("stops silently if its reader goes away, such as head, and nothing is lost", async () => {
    using folder = temporaryFolder()
    let first: Command | null = null
    await using site = await startTestSite(siteOf(PAGES, 12, () => first?.child.stdout?.destroy()))
    first = new Command(folder.path, [site.origin, "--json"])
    expect({ code: await first.ended, err: first.err }).toEqual({ code: 0, err: "" })

    const second = new Command(folder.path, [site.origin, "--json"])
    expect({ code: await second.ended, err: second.err }).toMatchObject({ code: 0 })
    const { state, queued, outcomes } = second.events.at(-1) ?? {}
    // The first crawl may have finished before its process noticed that its reader was gone; then there is nothing new
    // for the second one.
    const { indexed = 0, unchanged = 0 } = outcomes as Record<string, number>
    expect({ state, queued, pages: indexed + unchanged }).toEqual({
      state: "finished",
      queued: 0,
      pages: PAGES + 1,
    })
  })

  test("loses no reported page on kill -9, and the crawl resumes", async () => {
    using folder = temporaryFolder()
    let first: Command | null = null
    await using site = await startTestSite(siteOf(PAGES, 18, () => first?.child.kill("SIGKILL")))
    first = new Command(folder.path, [site.origin], {})
    await first.ended
    expect(first.child.signalCode).toBe("SIGKILL")

    const second = new Command(folder.path, [site.origin, "--json"], {})
    expect({ code: await second.ended, err: second.err }).toMatchObject({ code: 0 })
    const [started] = second.events
    expect(started).toMatchObject({ event: "started", job: 1 })
    expect(second.events.at(-1)).toMatchObject({
      state: "finished",
      queued: 0,
      outcomes: { indexed: PAGES + 1 },
    })

    const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.path })
    await using engine = await openEngine(settings, { mode: "read" })
    for (const index of [0, 10, PAGES - 1]) {
      expect(await engine.get(site.url(`/p${index}`) as PageUrl)).toMatchObject({
        title: `Harbour number ${index}`,
      })
    }
    expect((await engine.stats()).pages).toBe(PAGES + 1)
  })
})
