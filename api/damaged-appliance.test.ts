import { spawn } from "node:child_process"
import { EventEmitter, once } from "node:events"
import { existsSync } from "node:fs"
import { cp, mkdtemp, readFile, readdir, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { openStateStore } from "#base/store/state-store.ts"
import { strangeState } from "#base/store/state-identity.ts"
import { Fossick } from "#base/testing/fossick.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

// Runs the real processes on data folders that were filled by a real crawl and then damaged.

const API = join(import.meta.dirname, "main.ts")
const CRAWLER = join(import.meta.dirname, "../crawler/main.ts")
const KEY = "operators-key-of-the-test"
const LISTENING = /listening on (http:\S+)/
const QUESTION = "which gull nests on the breakwater"

let site: TestSite
let vectors: Awaited<ReturnType<typeof startCheapVectors>>
const fossick = new Fossick()
let sound: string
let settings: Record<string, string>

beforeAll(async () => {
  site = await startTestSite({
    "/": article("Home", { links: ["/gulls", "/terns"] }),
    "/gulls": article("Gulls", { text: "The herring gull nests on the breakwater behind the harbour." }),
    "/terns": article("Terns", { text: "Terns leave in autumn and come back in spring." }),
  })
  vectors = await startCheapVectors()
  settings = {
    ...CHILD_ENV,
    FOSSICK_ALLOWED_NETWORKS: site.authority,
    FOSSICK_API_KEY: KEY,
    FOSSICK_PORT: "0",
    FOSSICK_HANDBOOK: "off",
    FOSSICK_UNIT_READER: "off",
    ...vectors.settings,
  }
  sound = await mkdtemp(join(tmpdir(), "fossick-sound-"))
  await crawl(sound)
})
afterAll(async () => {
  await rm(sound, { recursive: true, force: true })
  await fossick[Symbol.asyncDispose]()
  await vectors?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

async function crawl(dataDir: string): Promise<void> {
  const env = { ...settings, FOSSICK_DATA_DIR: dataDir }
  expect(await fossick.run(dataDir, ["crawl", site.url("/")], env)).toMatchObject({ code: 0 })
}

/** A damaged copy of the folder, with processes running on it. */
class Damaged implements AsyncDisposable {
  readonly dir: string
  readonly #children: { readonly kill: () => void; readonly ended: Promise<unknown> }[] = []
  output = ""
  readonly #said = new EventEmitter().on("error", () => {})

  private constructor(dir: string) {
    this.dir = dir
  }

  static async copy(from = sound): Promise<Damaged> {
    const dir = await mkdtemp(join(tmpdir(), "fossick-damaged-"))
    await cp(from, dir, { recursive: true })
    return new Damaged(dir)
  }

  start(module: string) {
    const env = { ...settings, FOSSICK_DATA_DIR: this.dir }
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", module], { env })
    const ended = once(child, "exit")
    this.#children.push({ kill: () => child.kill("SIGTERM"), ended })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        this.output += String(chunk)
        this.#said.emit("text")
      })
    }
    // Once the process has ended, there is no more output to wait for.
    child.once("exit", (code) =>
      this.#said.emit("error", new Error(`exited with code ${code}: ${this.output}`)),
    )
    return ended
  }

  /** Starts the API. @returns a function that calls it */
  async serve() {
    void this.start(API)
    while (!LISTENING.test(this.output)) await once(this.#said, "text")
    const url = LISTENING.exec(this.output)![1]!
    return {
      url,
      ready: async () =>
        (await fetch(`${url}/readyz`)).json() as Promise<{
          checks: Record<string, string>
          warnings?: string[]
        }>,
      search: async (more: object = {}) => {
        const response = await fetch(`${url}/search`, {
          method: "POST",
          headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
          body: JSON.stringify({ query: QUESTION, ...more }),
        })
        const body = (await response.json()) as {
          results?: { title: string; explain?: Record<string, unknown> }[]
          detail?: { error: string }
        }
        return { status: response.status, body, titles: body.results?.map(({ title }) => title) ?? [] }
      },
    }
  }

  /** Finds a file in the index whose path matches the given pattern. */
  async file(like: RegExp): Promise<string> {
    const names = await readdir(join(this.dir, "index"), { recursive: true })
    return join(
      this.dir,
      "index",
      names.find((name) => like.test(name))!,
    )
  }

  async stop(): Promise<void> {
    for (const child of this.#children) child.kill()
    await Promise.all(this.#children.map(({ ended }) => ended))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await rm(this.dir, { recursive: true, force: true })
  }
}

/** Makes it look as if the crawl had run an hour ago. */
async function age(dataDir: string): Promise<void> {
  using db = await openStateStore(dataDir)
  await db.script("update known_address set visited_at = visited_at - 3600000")
}

async function change(file: string): Promise<void> {
  const bytes = await readFile(file)
  bytes[bytes.length >> 1]! ^= 0x5a
  await writeFile(file, bytes)
}

describe("an appliance whose data folder is damaged", () => {
  test("names the file for word search, serves the rest, and finds pages again after the crawler's repair", async () => {
    await using damaged = await Damaged.copy()
    const file = await damaged.file(/pages\.lance.*part_\d+_invert\.lance$/)
    await change(file)
    const { url, ready, search } = await damaged.serve()
    const name = file.slice(damaged.dir.length + 1)
    expect((await ready()).checks["index"]).toContain(name)
    const refused = await search()
    expect(refused.status).toBe(503)
    expect(refused.body.detail?.error).toContain("fossick index repair")
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect((await fetch(`${url}/docs/`)).status).toBe(200)
    expect((await fetch(`${url}/usage`, { headers: { authorization: `Bearer ${KEY}` } })).status).toBe(200)
    void damaged.start(CRAWLER)
    await expect.poll(async () => (await search()).titles[0], { interval: 300 }).toBe("Gulls")
    expect((await ready()).checks["index"]).toBe("ok")
    expect(damaged.output).toContain("a file was damaged")
  })

  test("answers by words alone while vectors are damaged, and says so", async () => {
    await using damaged = await Damaged.copy()
    await truncate(await damaged.file(/vectors-1\.lance\/data\/.*\.lance$/), 100)
    const { url, ready, search } = await damaged.serve()
    const { status, titles, body } = await search({ explain: true })
    expect({ status, first: titles[0] }).toEqual({ status: 200, first: "Gulls" })
    expect(body.results![0]!.explain).toMatchObject({
      vector: 0,
      words_alone: expect.stringContaining("vectors-1.lance"),
    })
    const { checks, warnings } = await ready()
    expect(checks["index"]).toBe("ok")
    expect(warnings?.join()).toMatch(/words alone: index\/vectors-1\.lance/)
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } })
    expect(await metrics.text()).toContain("fossick_index_words_alone 1")
    expect(damaged.output).toContain("vectors-1.lance")
    void damaged.start(CRAWLER)
    await expect
      .poll(async () => (await search({ explain: true })).body.results?.[0]?.explain, { interval: 300 })
      .toMatchObject({ vector: expect.toSatisfy((share: number) => share > 0) })
    expect((await ready()).warnings).toBeUndefined()
  })

  test("does not look empty when all its pages are lost; a crawl brings them back, even unchanged ones", async () => {
    await using damaged = await Damaged.copy()
    await rm(join(damaged.dir, "index", "pages.db"))
    const { ready, search } = await damaged.serve()
    expect((await ready()).checks["index"]).toContain("index/pages.db")
    expect((await search()).status).toBe(503)
    void damaged.start(CRAWLER)
    await expect
      .poll(async () => (await ready()).checks["index"], { interval: 300 })
      .toContain("lost 3 pages")
    const refused = await search()
    expect(refused.status).toBe(503)
    expect(refused.body.detail?.error).toContain("fossick crawl")
    await crawl(damaged.dir)
    await expect.poll(async () => (await search()).titles[0], { interval: 300 }).toBe("Gulls")
    expect((await ready()).checks["index"]).toBe("ok")
  })

  test("says so when its index folder is gone, but its crawl does not", async () => {
    await using damaged = await Damaged.copy()
    await rm(join(damaged.dir, "index"), { recursive: true })
    await age(damaged.dir)
    const { ready, search } = await damaged.serve()
    expect((await ready()).checks["index"]).toContain("lost 3 pages")
    expect((await search()).status).toBe(503)
    await crawl(damaged.dir)
    await expect.poll(async () => (await search()).titles[0], { interval: 300 }).toBe("Gulls")
  })

  test("serves its index when its state is gone, and says at every start what is lost and what to do", async () => {
    await using damaged = await Damaged.copy()
    for (const end of ["", "-wal", "-shm"]) await rm(join(damaged.dir, `state.db${end}`), { force: true })
    const { ready, search } = await damaged.serve()
    expect((await search()).titles[0]).toBe("Gulls")
    const said = (await ready()).warnings?.join()
    expect(said).toMatch(
      /state\.db is not the one .* none of the earlier API keys, sources, jobs and usage.*fossick restore/,
    )
    expect(said).not.toContain(damaged.dir)
    expect(damaged.output).toMatch(/ERROR .*state\.db is not the one .*remove the file state\.id/)
    await damaged.stop()
    // Checks what the next start would find.
    using db = await openStateStore(damaged.dir)
    expect(await strangeState(damaged.dir, db)).toContain("is not the one")
    await rm(join(damaged.dir, "state.id"))
    expect(await strangeState(damaged.dir, db)).toBeNull()
  })

  test("stops and names the state file when it is damaged", async () => {
    await using damaged = await Damaged.copy()
    const file = join(damaged.dir, "state.db")
    await truncate(file, (await readFile(file)).length >> 1)
    for (const more of ["-wal", "-shm"]) if (existsSync(file + more)) await rm(file + more)
    expect(await damaged.start(API)).toEqual([1, null])
    expect(damaged.output).toMatch(/^state\.db in FOSSICK_DATA_DIR cannot be used .*fossick restore/m)
  })
})
