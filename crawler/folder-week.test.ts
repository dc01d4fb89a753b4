import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { fnv1a } from "#base/text/hash.ts"
import type { PageUrl } from "#engine"
import { runJob } from "./crawl/run-job.ts"
import type { Job } from "./job.ts"
import { defineSource } from "./source.ts"
import { CrawlFixture, shareFor, temporaryFolder, testConfig } from "./testing/crawl-fixture.ts"

const ADDRESS = "https://nas.example.com/handbook/"
const FOLDERS = ["leave", "travel/abroad", "IT & tools"]

/** Thirty words that no other file has in this order. */
function text(name: string, edition = 1): string {
  const words =
    "lantern meadow copper river thunder garden bridge silver winter candle mountain letter harbour valley orchard market".split(
      " ",
    )
  let state = fnv1a(`${name} ${edition}`)
  const said = Array.from({ length: 60 }, () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return words[state >>> 28]
  })
  return `# ${name}, edition ${edition}\n\n${said.join(" ")}.\n`
}

/** A handbook that consists of files, and a crawler that reads it. */
class Handbook implements AsyncDisposable {
  readonly #parent = temporaryFolder()
  root = join(this.#parent.path, "handbook")
  readonly #fixture: CrawlFixture
  readonly #config = testConfig()

  static async open(): Promise<Handbook> {
    const handbook = new Handbook(await CrawlFixture.open())
    for (const folder of FOLDERS)
      for (let number = 0; number < 8; number += 1) await handbook.write(`${folder}/page ${number}.md`)
    return handbook
  }

  private constructor(fixture: CrawlFixture) {
    this.#fixture = fixture
  }

  at(path: string): string {
    return join(this.root, path)
  }

  async moveTo(name: string): Promise<void> {
    const from = this.root
    this.root = join(this.#parent.path, name)
    await rename(from, this.root)
  }

  async write(path: string, edition = 1): Promise<void> {
    await mkdir(dirname(this.at(path)), { recursive: true })
    await writeFile(this.at(path), text(path, edition))
  }

  async run(): Promise<Job> {
    const { db, jobs, engine } = this.#fixture
    const source = defineSource({ name: "handbook", folder: this.root, seeds: [ADDRESS] })
    const { id } = await jobs.enqueue(source, { trigger: "schedule", visits: "due" })
    const job = await runJob(id, {
      db,
      jobs,
      engine,
      config: this.#config,
      signal: new AbortController().signal,
      whenAborted: "paused",
      share: shareFor(this.#config),
    })
    return job!
  }

  /** The contents of the index: the text of each page by its address. */
  get indexed(): Record<string, string> {
    return Object.fromEntries(
      [...this.#fixture.engine.pages].map(([url, page]) => [url, page.markdown.trim()]),
    )
  }

  /** The pages that the index should contain. */
  async files(): Promise<Record<string, string>> {
    const entries = await readdir(this.root, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    const pages = files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const names = path.slice(this.root.length + 1).split("/")
      const shown = (await readFile(path, "utf8")).trim()
      return [ADDRESS + names.map(encodeURIComponent).join("/"), shown] as const
    })
    return Object.fromEntries(await Promise.all(pages))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fixture[Symbol.asyncDispose]()
    this.#parent[Symbol.dispose]()
  }
}

test("a week of a folder: files come, change, move, are renamed and deleted, and the index follows exactly", async () => {
  await using handbook = await Handbook.open()
  expect(await handbook.run()).toMatchObject({ state: "finished", outcomes: { indexed: 24 } })
  expect(Object.keys(handbook.indexed)).toContain(`${ADDRESS}IT%20%26%20tools/page%200.md`)
  expect(handbook.indexed).toEqual(await handbook.files())

  // Nothing changed, so no file is read or even checked.
  expect(await handbook.run()).toMatchObject({ state: "finished", outcomes: {} })

  await handbook.write("leave/page 1.md", 2)
  await handbook.write("leave/new.md")
  await rename(handbook.at("travel/abroad/page 2.md"), handbook.at("travel/renamed.md"))
  expect(await handbook.run()).toMatchObject({ state: "finished", changes: { new: 2, changed: 1 } })
  expect(handbook.indexed).toEqual(await handbook.files())

  // A folder is moved with everything in it. That is a third of the source, but no text is lost.
  await rename(handbook.at("IT & tools"), handbook.at("tools"))
  await rm(handbook.at("leave/page 3.md"))
  await handbook.run()
  expect(handbook.indexed).toEqual(await handbook.files())
})

test("a copy of a file takes its place once the file is deleted, even if an earlier run saw both as one page", async () => {
  await using handbook = await Handbook.open()
  await handbook.run()
  await cp(handbook.at("leave/page 1.md"), handbook.at("leave/copy.md"))
  await handbook.run()
  const both = await handbook.files()
  expect(Object.keys(handbook.indexed)).toHaveLength(Object.keys(both).length - 1)
  for (const name of ["page 1.md", "copy.md"]) {
    const isKept = `${ADDRESS}leave/${encodeURIComponent(name)}` in handbook.indexed
    if (isKept) await rm(handbook.at(`leave/${name}`))
  }
  await handbook.run()
  expect(handbook.indexed).toEqual(await handbook.files())
})

test("a share that is not mounted, or mounted empty, removes nothing from the index", async () => {
  await using handbook = await Handbook.open()
  await handbook.run()
  const before = handbook.indexed

  await rename(handbook.root, `${handbook.root}.away`)
  expect(await handbook.run()).toMatchObject({
    state: "failed",
    error: `The folder ${handbook.root} cannot be read (ENOENT). If it is on a share, mount the share.`,
  })
  await mkdir(handbook.root)
  expect(await handbook.run()).toMatchObject({
    state: "failed",
    error: `The folder ${handbook.root} is empty. If it is on a share, mount the share.`,
  })
  // The folder is incomplete: more files are missing than may be removed without the operator's consent.
  await handbook.write("leave/page 0.md")
  const held = await handbook.run()
  expect(held.note).toContain("23 pages seem to be gone, too many to remove without your approval")
  expect(handbook.indexed).toEqual(before)

  await rm(handbook.root, { recursive: true })
  await rename(`${handbook.root}.away`, handbook.root)
  expect(await handbook.run()).toMatchObject({ state: "finished", note: null })
  expect(handbook.indexed).toEqual(before)
})

test("a folder that moves is still the same folder, without the files left behind", async () => {
  await using handbook = await Handbook.open()
  await handbook.run()
  await handbook.moveTo("elsewhere")
  await rm(handbook.at("leave/page 0.md"))
  expect(await handbook.run()).toMatchObject({ state: "finished" })
  expect(handbook.indexed).toEqual(await handbook.files())
})

test("hidden files, links, locks and special files are left out, even when one replaces a page", async () => {
  await using handbook = await Handbook.open()
  await writeFile(handbook.at(".hidden.md"), text("hidden"))
  await writeFile(handbook.at("~$report.docx"), text("lock"))
  await writeFile(join(handbook.root, "../secret.md"), text("secret"))
  await symlink("../secret.md", handbook.at("link.md"))
  await symlink("..", handbook.at("circle"))
  await cp(handbook.at("leave"), handbook.at(".git/objects"), { recursive: true })
  await handbook.run()
  expect(Object.keys(handbook.indexed)).toHaveLength(24)

  await rm(handbook.at("leave/page 0.md"))
  await symlink("../../secret.md", handbook.at("leave/page 0.md"))
  await handbook.run()
  const urls = Object.keys(handbook.indexed) as PageUrl[]
  expect(urls).toHaveLength(23)
  expect(urls).not.toContain(`${ADDRESS}leave/page%200.md`)
})
