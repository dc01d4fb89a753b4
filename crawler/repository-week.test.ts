import { mkdirSync, renameSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { fnv1a } from "#base/text/hash.ts"
import type { PageUrl } from "#engine"
import type { EmbedOptions } from "#engine/embedder.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { runJob } from "./crawl/run-job.ts"
import type { Job } from "./job.ts"
import { Jobs } from "./jobs/jobs.ts"
import { defineSource, type Repository } from "./source.ts"
import { shareFor, temporaryFolder, testConfig } from "./testing/crawl-fixture.ts"
import { openDataFolder } from "./testing/data-folder.ts"
import { type GitServer, startGitServer } from "./testing/git/git-server.ts"
import { GitWork } from "./testing/git/git-work.ts"

const ADDRESS = "https://git.example/acme/handbook/src/branch/main/"
const tags = ["git"]

/** Forty words in an order that occurs in no other file. */
function text(name: string, edition = 1): string {
  const from = fnv1a(`${name} ${edition}`) % 40_000
  const words = Array.from({ length: 40 }, (_, at) => rareWord((from * 7919 + at * 104_729) % 50_000))
  return `# ${name}, edition ${edition}\n\n${words.join(" ")}.\n`
}

class CountingEmbedder extends HashingEmbedder {
  texts = 0

  override embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]> {
    this.texts += texts.length
    return super.embed(texts, options)
  }
}

/** A handbook that people edit and push to a server, and an appliance that reads it from there. */
class Handbook implements AsyncDisposable {
  readonly #opened = new AsyncDisposableStack()
  readonly #folder = this.#opened.use(temporaryFolder())
  readonly embedder = new CountingEmbedder()
  readonly work = new GitWork(join(this.#folder.path, "work"))
  /** The bare repository on the server. */
  readonly shown = join(this.#folder.path, "shown")
  readonly bare = join(this.shown, "handbook.git")
  #appliance!: Awaited<ReturnType<typeof openDataFolder>>
  server!: GitServer
  /** The source's repository settings, without its address. */
  says: Partial<Repository> = {}

  static async open(credentials: string | null = null): Promise<Handbook> {
    const one = new Handbook()
    one.#appliance = await openDataFolder(one.#opened, one.embedder)
    mkdirSync(one.shown)
    one.work.git("init", "--quiet", "--bare", "--initial-branch=main", one.bare)
    one.work.git("remote", "add", "origin", one.bare)
    one.server = one.#opened.use(await startGitServer(one.shown, credentials))
    for (const folder of ["leave", "travel/abroad", "IT & tools"])
      for (let number = 0; number < 8; number += 1) one.write(`${folder}/page ${number}.md`)
    one.push()
    return one
  }

  write(path: string, edition = 1): void {
    this.work.write(path, text(path, edition))
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(join(this.work.root, to)), { recursive: true })
    renameSync(join(this.work.root, from), join(this.work.root, to))
  }

  push(...options: string[]): void {
    this.work.commit()
    this.work.git("push", "--quiet", ...options, "origin", "HEAD")
  }

  async run(): Promise<Job> {
    const { db, engine } = this.#appliance
    const jobs = new Jobs(db)
    const config = testConfig()
    const repository = { url: `${this.server.origin}/handbook.git`, ...this.says }
    const source = defineSource({ name: "handbook", repository, seeds: [ADDRESS] })
    const { id } = await jobs.enqueue(source, { trigger: "schedule", visits: "due" })
    const job = await runJob(id, {
      db,
      jobs,
      engine,
      config,
      signal: new AbortController().signal,
      whenAborted: "paused",
      share: shareFor(config),
    })
    await engine.settled()
    return job!
  }

  /** Whether the index contains the files of a branch, and nothing else. */
  async isExact(branch = "main"): Promise<boolean> {
    const { engine } = this.#appliance
    const paths = this.work.git("ls-tree", "-r", "-z", "--name-only", branch).split("\0").slice(0, -1)
    for (const path of paths) {
      const page = await engine.get((ADDRESS + path.split("/").map(encodeURIComponent).join("/")) as PageUrl)
      if (page?.markdown.trim() !== this.work.git("show", `${branch}:${path}`).trim()) return false
    }
    return (await engine.stats()).pages === paths.length
  }

  page(path: string) {
    return this.#appliance.engine.get((ADDRESS + path) as PageUrl)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

test(
  "a week of a repository: the index follows each push exactly, and nothing is read twice",
  { tags },
  async () => {
    await using handbook = await Handbook.open()
    const { work, embedder } = handbook
    expect(await handbook.run()).toMatchObject({ state: "finished", outcomes: { indexed: 24 } })
    expect(await handbook.isExact()).toBe(true)
    expect(await handbook.page("leave/page%200.md")).toMatchObject({
      author: "Ann Author",
      publishedAt: new Date((work.at - 3600) * 1000),
      // The address of the heading on the forge.
      anchors: [[0, "leavepage-0md-edition-1"]],
    })

    // Nothing has changed, so nothing is visited.
    expect(await handbook.run()).toMatchObject({ state: "finished", outcomes: {} })

    work.author = "Bob Builder"
    handbook.write("leave/page 1.md", 2)
    handbook.write("leave/new.md")
    handbook.push()
    expect(await handbook.run()).toMatchObject({ changes: { new: 1, changed: 1 } })
    expect(await handbook.isExact()).toBe(true)
    expect(await handbook.page("leave/page%201.md")).toMatchObject({ author: "Bob Builder" })
    expect(await handbook.page("leave/page%202.md")).toMatchObject({ author: "Ann Author" })

    // A file is renamed, and a folder moves with everything in it: no text is lost, and no vector is computed again.
    handbook.move("travel/abroad/page 2.md", "travel/renamed.md")
    handbook.move("IT & tools", "tools")
    handbook.push()
    const made = embedder.texts
    expect(made).toBeGreaterThan(24)
    expect(await handbook.run()).toMatchObject({ state: "finished", note: null })
    expect(await handbook.isExact()).toBe(true)
    expect(embedder.texts).toBe(made)

    work.remove("leave/page 3.md")
    work.remove("leave/page 4.md")
    handbook.push()
    expect(await handbook.run()).toMatchObject({ state: "finished", outcomes: { "skipped:gone": 2 } })
    expect(await handbook.isExact()).toBe(true)

    // The last two commits are reverted: the files are back, with their moves undone.
    work.git("reset", "--quiet", "--hard", "HEAD~2")
    handbook.write("leave/page 5.md", 2)
    handbook.push("--force")
    expect(await handbook.run()).toMatchObject({ state: "finished" })
    expect(await handbook.isExact()).toBe(true)

    // A commit is replaced by another with the same time.
    work.at -= 3600
    handbook.write("leave/page 5.md", 3)
    work.git("add", "--all")
    work.git("commit", "--quiet", "--amend", "--message=again")
    work.git("push", "--quiet", "--force", "origin", "HEAD")
    expect(await handbook.run()).toMatchObject({ changes: { changed: 1 } })
    expect(await handbook.isExact()).toBe(true)

    // The whole history is rewritten, with the same files.
    work.git("checkout", "--quiet", "--orphan", "fresh")
    work.commit()
    work.git("branch", "--force", "main", "fresh")
    work.git("checkout", "--quiet", "main")
    work.git("push", "--quiet", "--force", "origin", "main")
    expect(await handbook.run()).toMatchObject({ state: "finished", outcomes: {} })
    expect(await handbook.isExact()).toBe(true)
  },
)

test(
  "another branch is read from the next run on, and unchanged files are not read again",
  { tags },
  async () => {
    await using handbook = await Handbook.open()
    const { work } = handbook
    await handbook.run()
    work.git("checkout", "--quiet", "-b", "release/2")
    handbook.write("leave/page 1.md", 2)
    handbook.write("travel/new.md")
    handbook.push()
    expect(await handbook.run()).toMatchObject({ outcomes: {} })
    handbook.says = { ref: "release/2" }
    expect(await handbook.run()).toMatchObject({ outcomes: { indexed: 2 } })
    expect(await handbook.isExact("release/2")).toBe(true)
    handbook.says = {}
    await handbook.run()
    expect(await handbook.isExact()).toBe(true)

    handbook.says = { ref: "release/3" }
    expect(await handbook.run()).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/has no branch or tag release\/3\.$/),
    })
    expect(await handbook.isExact()).toBe(true)
  },
)

test(
  "an unreachable server, a wrong token and an empty branch remove nothing from the index",
  { tags },
  async () => {
    await using handbook = await Handbook.open("git:s3cret-token")
    vi.stubEnv("HANDBOOK_TOKEN", "s3cret-token")
    handbook.says = { token: "${HANDBOOK_TOKEN}" }
    expect(await handbook.run()).toMatchObject({ outcomes: { indexed: 24 } })

    vi.stubEnv("HANDBOOK_TOKEN", "expired-token")
    const refused = await handbook.run()
    expect(refused).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/rejected the token \(401\)/),
    })
    expect(JSON.stringify(refused)).not.toMatch(/s3cret|expired-token/)
    expect(await handbook.isExact()).toBe(true)
    vi.stubEnv("HANDBOOK_TOKEN", "s3cret-token")

    renameSync(handbook.bare, `${handbook.bare}.away`)
    expect(await handbook.run()).toMatchObject({ state: "failed", error: expect.stringMatching(/\(404\)/) })
    expect(await handbook.isExact()).toBe(true)
    renameSync(`${handbook.bare}.away`, handbook.bare)

    const { work } = handbook
    work.git("checkout", "--quiet", "--orphan", "nothing")
    work.git("rm", "--quiet", "-r", "--force", ".")
    work.commit()
    work.git("push", "--quiet", "--force", "origin", "nothing:main")
    expect(await handbook.run()).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/^There are no files in/),
    })
    expect(await handbook.isExact("main")).toBe(true)

    work.git("checkout", "--quiet", "main")
    handbook.write("leave/page 1.md", 2)
    handbook.push("--force")
    expect(await handbook.run()).toMatchObject({ state: "finished", changes: { changed: 1 }, note: null })
    expect(await handbook.isExact()).toBe(true)
  },
)
