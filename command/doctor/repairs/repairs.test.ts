import { execFile } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { cp } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"
import { readSettings } from "#base/settings.ts"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { takeFolder } from "#base/store/file-lock.ts"
import { statement } from "#base/store/testing/statement.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { ImageNotes } from "#crawler/upkeep/images/image-notes.ts"
import { ImageStore } from "#crawler/upkeep/images/image-store.ts"
import { LostPages } from "#crawler/crawl/frontier/lost-pages.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { defineSource } from "#crawler/source.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { openKeyStore } from "../../../api/identity/accounts/keys/keys.ts"
import { FOSSICK } from "../../testing/fossick.ts"

// Runs the command on folders that an appliance filled and that were damaged afterwards.

const LOOK = { width: 100, height: 100, format: "png", bytes: 5, frames: 1, hash: "00", junk: null } as const
const OTTERS = aPage("otters", {
  title: "Otters",
  markdown: "Otters hold hands asleep.",
  images: [{ url: "https://pages.example/otter.png", description: null }],
})

const sound = temporaryFolder()
let key: string
beforeAll(async () => {
  using db = await openStateStore(sound.path)
  key = await openKeyStore(db, "").create({ role: "search" })
  await new Jobs(db).enqueue(defineSource({ seeds: ["https://pages.example/"] }))
  await using engine = await openEngine(readSettings(engineSettings, { FOSSICK_DATA_DIR: sound.path }), {
    mode: "write",
  })
  await engine.index([OTTERS])
  await new ImageNotes(db).note([OTTERS])
  const images = new ImageStore(db, sound.path)
  await images.recordLook((await images.nextUnread("pages.example"))!.id, LOOK, Buffer.from("a thumbnail"))
})
afterAll(() => sound[Symbol.dispose]())

interface Told {
  readonly ok: boolean
  readonly repairs: readonly {
    readonly name: string
    readonly damaged: readonly {
      file: string
      damage: string
      wayBack: string
      canRepair: boolean
      repaired: boolean
    }[]
    readonly said: readonly string[]
  }[]
}

async function repair(dir: string, ...more: string[]) {
  const env = { ...CHILD_ENV, FOSSICK_DATA_DIR: dir }
  const args = [FOSSICK, "doctor", "--repair", "--json", ...more]
  const { code, out, err } = await new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, args, { cwd: dir, env }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
  })
  const told = out === "" ? null : (JSON.parse(out) as Told)
  const damaged = told?.repairs.flatMap((one) => one.damaged) ?? []
  return { code, ok: told?.ok, damaged, said: told?.repairs.flatMap(({ said }) => said) ?? [], err }
}

/** Overwrites the first page of a table or an index of state.db. */
async function spoil(dir: string, name: string): Promise<void> {
  const file = join(dir, "state.db")
  let [page, size] = [0, 0]
  {
    using db = await openStateStore(dir)
    page = Number(
      (await statement(db, "select rootpage from sqlite_master where name = ?").get(name))!["rootpage"],
    )
    size = Number((await statement(db, "pragma page_size").get())!["page_size"])
  }
  const bytes = readFileSync(file)
  bytes.fill(0x5a, (page - 1) * size, page * size)
  writeFileSync(file, bytes)
}

function flip(file: string): void {
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 0x5a
  writeFileSync(file, bytes)
}

/** Everything in a folder, except files that exist only while SQLite has a database open. */
const contents = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-shm$|-wal$|\.lock$|\.pid$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => [file, readFileSync(file).toString("base64")])

describe("fossick doctor --repair", () => {
  test("says beforehand what it will do, and then repairs index, state, counts and thumbnails", async () => {
    using folder = temporaryFolder()
    const dir = folder.path
    await cp(sound.path, dir, { recursive: true })
    {
      using db = await openStateStore(dir)
      await db.script(
        "update stored_use set bytes = bytes + 7 where store = 'api_keys'; update image set uses = 9",
      )
    }
    const files = readdirSync(dir, { recursive: true }).map(String)
    const thumbnail = files.find((name) => name.endsWith(".webp"))!
    const words = files.find((name) => /pages\.lance\/data\/.*\.lance$/.test(name))!
    for (const name of [thumbnail, words]) flip(join(dir, name))
    await spoil(dir, "job_state")

    const before = contents(dir)
    const dry = await repair(dir, "--dry-run")
    expect(contents(dir)).toEqual(before)
    expect({ code: dry.code, ok: dry.ok }).toEqual({ code: 1, ok: false })
    // Counters and derived rows are checked once state.db can be read.
    expect(dry.damaged).toMatchObject([
      {
        file: "state.db",
        canRepair: true,
        repaired: false,
        wayBack: expect.stringContaining("rewritten") as unknown,
      },
      {
        file: words,
        canRepair: true,
        repaired: false,
        wayBack: expect.stringContaining("rebuilt") as unknown,
      },
    ])

    const done = await repair(dir)
    expect(done.err).toBe("")
    expect({ code: done.code, ok: done.ok }).toEqual({ code: 0, ok: true })
    expect(done.damaged.map(({ file, repaired }) => [file, repaired])).toEqual([
      ["state.db", true],
      [words, true],
      ["api_keys in state.db", true],
      ["image in state.db", true],
      [thumbnail, true],
    ])
    expect(done.said.join(" ")).toMatch(
      /The old file is state\.db\.damaged-.*rebuilt with 1 page.*checked again/,
    )
    expect(await repair(dir)).toMatchObject({ code: 0, ok: true, damaged: [] })

    using db = await openStateStore(dir)
    expect(await openKeyStore(db, "").verify(key)).not.toBeNull()
    expect(await new ImageStore(db, dir).nextUnread("pages.example")).toMatchObject({
      url: OTTERS.images[0]!.url,
    })
    await using engine = await openEngine(readSettings(engineSettings, { FOSSICK_DATA_DIR: dir }), {
      mode: "read",
    })
    const { hits } = await engine.search({ text: "otters", limit: 1, arms: "lexical" })
    expect(hits.map(({ url }) => url)).toEqual<PageUrl[]>([OTTERS.url])
  })

  test("leaves a state.db with unreadable tables alone, and recommends a backup", async () => {
    using folder = temporaryFolder()
    const dir = folder.path
    await cp(sound.path, dir, { recursive: true })
    await spoil(dir, "api_keys")
    const before = readFileSync(join(dir, "state.db"))
    const { code, ok, damaged } = await repair(dir)
    expect({ code, ok }).toEqual({ code: 1, ok: false })
    expect(damaged).toMatchObject([
      {
        file: "state.db",
        canRepair: false,
        repaired: false,
        wayBack: expect.stringContaining("fossick restore") as unknown,
      },
    ])
    expect(readFileSync(join(dir, "state.db"))).toEqual(before)
  })

  test("rebuilds an index that has lost its pages as an empty one, and reports them as lost until they are crawled", async () => {
    using folder = temporaryFolder()
    const dir = folder.path
    await cp(sound.path, dir, { recursive: true })
    {
      using db = await openStateStore(dir)
      void new LostPages(db)
      await statement(
        db,
        `insert into known_address (url, source, job, outcome, visited_at, hash) values (?, 'pages', 1, 'indexed', 1, 'x')`,
      ).run(OTTERS.url)
    }
    rmSync(join(dir, "index", "pages.db"))
    const lost = {
      file: "the index",
      damage: "has lost 1 page that crawls had added",
      wayBack: expect.stringContaining("fossick sources run") as unknown,
      repaired: false,
    }
    const first = await repair(dir)
    expect({ code: first.code, ok: first.ok }).toEqual({ code: 1, ok: false })
    expect(first.damaged).toMatchObject([{ file: "index/pages.db", repaired: true }, lost])
    expect(first.said.join(" ")).toContain("1 page is due at once")
    expect(await repair(dir)).toMatchObject({ code: 1, ok: false, damaged: [lost] })
  })

  test("needs the folder to itself, but can check it beside a running appliance", async () => {
    using folder = temporaryFolder()
    const dir = folder.path
    await cp(sound.path, dir, { recursive: true })
    await takeFolder(dir, "appliance")
    expect(await repair(dir)).toMatchObject({
      code: 1,
      err: expect.stringContaining("Another appliance") as unknown,
    })
    expect(await repair(dir, "--dry-run")).toMatchObject({ code: 0, ok: true, damaged: [] })
  })
})
