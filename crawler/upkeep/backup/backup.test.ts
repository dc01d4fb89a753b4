import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { SettingsError } from "#base/settings.ts"
import { aPage, rareWord, urlOf } from "#engine/testing/pages.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { defineSource } from "../../source.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { type Answer, article, conditional, html, startTestSite } from "../../testing/test-site.ts"
import { contentsOf, finishRestore, isInUse, moveIntoPlace, stagingOf } from "./data-folder.ts"
import {
  disagreements,
  Folders,
  restoreInto,
  SmallAppliance,
  writeBackupTo,
} from "./testing/small-appliance.ts"

const CHILD = fileURLToPath(new URL("./testing/restore-child.ts", import.meta.url))

/** A site with the given number of pages, each with an ETag. */
function site(count: number, text = "first"): Record<string, Answer> {
  const answers: Record<string, Answer> = {}
  const links = Array.from({ length: count }, (_, i) => `<a href="/p${i}">${i}</a>`).join(" ")
  answers["/"] = html(
    `<html><head><title>All</title></head><body><main>${article("Home")}${links}</main></body></html>`,
  )
  for (let i = 0; i < count; i++) {
    const body = `<html><head><title>Page ${i}</title></head><body><main>${article(`${rareWord(i)} ${text}`)}</main></body></html>`
    answers[`/p${i}`] = conditional(body, { etag: `"${text}-${i}"` })
  }
  return answers
}

const docs = (origin: string) => ({ name: "docs", seeds: [`${origin}/`], removal: { maxShare: 1 } })

describe("a restored backup", () => {
  test("has the state, index and thumbnails, and the next crawl continues from there", async () => {
    using folders = new Folders()
    await using web = await startTestSite(site(12))
    await using from = await SmallAppliance.open(folders.at("from"))
    await from.crawl(docs(web.origin))
    await from.engine.settled()
    const images = [{ url: "https://docs.example.com/a.png", description: null }]
    await from.lookAtImages({ url: urlOf(`${web.origin}/`), images })
    await from.backUp(folders.at("backup.tar"))

    const {
      index,
      mended,
      images: thumbnails,
      aside,
    } = await restoreInto(folders.at("to"), folders.at("backup.tar"))
    expect(index).toMatchObject({ written: 13, withoutVectors: 0 })
    expect(mended).toEqual({ addresses: 0, images: 0, jobs: 0 })
    expect({ thumbnails, aside }).toEqual({ thumbnails: 1, aside: null })
    expect(readdirSync(folders.at("to")).toSorted()).toEqual(["images", "index", "state.db", "state.id"])

    await using to = await SmallAppliance.open(folders.at("to"))
    expect(await Array.fromAsync(to.engine.allPages())).toEqual(await Array.fromAsync(from.engine.allPages()))
    expect(await disagreements(to)).toEqual([])
    const rows = ({ db }: SmallAppliance, table: string) => statement(db, `select * from ${table}`).all()
    for (const table of ["known_address", "job", "job_outcome", "image", "page_images", "page_text"]) {
      expect(await rows(to, table)).toEqual(await rows(from, table))
    }
    expect(readFileSync(join(to.dataDir, "images/01/1.webp"), "utf8")).toContain("thumbnail of")

    const { outcomes } = await to.crawl(docs(web.origin))
    expect(outcomes).toEqual({ unchanged: 13 })
  })

  test("has its pages embedded again when the index uses another model", async () => {
    using folders = new Folders()
    await using from = await SmallAppliance.open(folders.at("from"))
    await from.engine.index([aPage("a"), aPage("b")])
    await from.engine.settled()
    await from.backUp(folders.at("backup.tar"))
    const { index } = await restoreInto(folders.at("to"), folders.at("backup.tar"), { model: "another-64" })
    expect(index).toMatchObject({ written: 2 })
    expect(existsSync(folders.at("to/state.db"))).toBe(true)
  })
})

describe("backups during crawls", () => {
  test("are each consistent, whatever is written meanwhile", async () => {
    using folders = new Folders()
    await using web = await startTestSite(site(60))
    await using from = await SmallAppliance.open(folders.at("from"))
    const over = new AbortController()
    const crawling = (async () => {
      for (let round = 0; !over.signal.aborted; round++) {
        web.serve(site(60, `round ${round}`))
        await from.crawl(docs(web.origin))
        await from.crawl({ name: "one", seeds: [`${web.origin}/p${round}`], limits: { depth: 0 } })
      }
    })()
    try {
      for (let i = 0; i < 3; i++) await from.backUp(folders.at(`${i}.tar`))
    } finally {
      over.abort()
      await crawling
    }
    for (let i = 0; i < 3; i++) {
      const { mended } = await restoreInto(folders.at(`to-${i}`), folders.at(`${i}.tar`))
      expect(mended.jobs).toBeLessThanOrEqual(1)
      await using to = await SmallAppliance.open(folders.at(`to-${i}`))
      const wrong = (await disagreements(to)).filter((line) => !line.startsWith("not known"))
      expect(wrong).toEqual([])
    }
  })

  test("leave out foreign triggers and views, and include ours only when unchanged", async () => {
    using folders = new Folders()
    await using from = await SmallAppliance.open(folders.at("from"))
    const codeIn = (db: StateStore) =>
      statement(
        db,
        "select name, sql from sqlite_master where type in ('trigger', 'view') order by name",
      ).all()
    const ours = await codeIn(from.db)
    const [first] = ours
    expect(ours.length).toBeGreaterThan(3)
    await from.db.script(`drop trigger ${String(first!["name"])}`)
    await from.db
      .script(`create trigger ${String(first!["name"])} after insert on job begin delete from job; end;
      create trigger "again" after insert on job begin delete from job; end;
      create view seen as select * from job`)
    await from.backUp(folders.at("backup.tar"))
    const { foreign } = await restoreInto(folders.at("to"), folders.at("backup.tar"))
    expect(foreign.toSorted()).toEqual([String(first!["name"]), "again", "seen"].toSorted())
    await using to = await SmallAppliance.open(folders.at("to"))
    expect(await codeIn(to.db)).toEqual(ours)
  })

  test("repair differences between the index and the earlier copy of the state, without notifications", async () => {
    using folders = new Folders()
    await using web = await startTestSite(site(6))
    const source = {
      ...docs(web.origin),
      webhooks: [{ url: "https://hooks.example.com/", events: ["changed" as const] }],
    }
    await using from = await SmallAppliance.open(folders.at("from"))
    await from.crawl(source)
    const [lost, changed] = [urlOf(`${web.origin}/p1`), urlOf(`${web.origin}/p2`)]
    await from.backUp(folders.at("backup.tar"), async () => {
      await from.engine.remove([lost])
      const page = (await from.engine.get(changed))!
      await from.engine.index([{ ...page, markdown: "What it said for a moment." }])
    })
    // The changes were never made on the site, so a conditional request with the earlier validators would find
    // everything unchanged.
    const { mended } = await restoreInto(folders.at("to"), folders.at("backup.tar"))
    expect(mended.addresses).toBe(2)

    await using to = await SmallAppliance.open(folders.at("to"))
    expect(await disagreements(to)).toEqual([])
    expect(await to.known.get(lost)).toMatchObject({ hash: null, dueAt: 0, validators: { etag: null } })
    const told = (db: SmallAppliance["db"]) => statement(db, "select * from webhook_change").all()
    expect(await told(to.db)).toEqual(await told(from.db))
    const { outcomes } = await to.crawl(source, "due")
    expect(outcomes["indexed"]).toBe(2)
    expect((await to.engine.get(lost))?.markdown).toContain(rareWord(1))
    expect((await to.engine.get(changed))?.markdown).toContain(rareWord(2))
  })

  test("let a running job continue, and a deleted thumbnail is made again", async () => {
    using folders = new Folders()
    await using from = await SmallAppliance.open(folders.at("from"))
    const images = ["a", "b"].map((name) => ({
      url: `https://docs.example.com/${name}.png`,
      description: null,
    }))
    await from.lookAtImages({ url: urlOf("a"), images })
    await rm(join(from.dataDir, "images/02"), { recursive: true })
    const jobs = new Jobs(from.db)
    await jobs.start(
      (await jobs.enqueue(defineSource({ name: "docs", seeds: ["https://docs.example.com/"] }))).id,
    )
    await jobs.crawlerBeat(process.pid)
    await from.backUp(folders.at("backup.tar"))

    const { mended, images: thumbnails } = await restoreInto(folders.at("to"), folders.at("backup.tar"))
    expect({ mended, thumbnails }).toEqual({ mended: { addresses: 0, images: 1, jobs: 1 }, thumbnails: 1 })
    const db = await openStateStore(folders.at("to"))
    try {
      expect((await new Jobs(db).get(1))?.state).toBe("queued")
      expect(await new Jobs(db).hasCrawler()).toBe(false)
      expect(await statement(db, "select state from image order by id").all()).toMatchObject([
        { state: "read" },
        { state: null },
      ])
    } finally {
      db.close()
    }
  })
})

describe("a killed restore", () => {
  test("leaves no partial appliance, and keeps the old data until it is run again", async () => {
    using folders = new Folders()
    const [dataDir, file] = [folders.at("to"), folders.at("backup.tar")]
    {
      await using from = await SmallAppliance.open(folders.at("from"))
      await from.engine.index(Array.from({ length: 600 }, (_, i) => aPage(`p${i}`)))
      await from.backUp(file)
      await using old = await SmallAppliance.open(dataDir)
      await old.engine.index([aPage("old")])
    }
    const child = spawn(process.execPath, [CHILD, file, dataDir], { stdio: ["ignore", "pipe", "inherit"] })
    const exited = once(child, "exit")
    for await (const _ of createInterface({ input: child.stdout })) child.kill("SIGKILL")
    await exited
    expect(child.signalCode).toBe("SIGKILL")

    await expect(() => openStateStore(dataDir)).rejects.toThrow(SettingsError)
    expect(await contentsOf(dataDir)).toEqual(["index", "state.db", "state.id"])
    const { aside } = await restoreInto(dataDir, file, { force: true })
    await using now = await SmallAppliance.open(dataDir)
    expect(await now.engine.stats()).toMatchObject({ pages: 600 })
    await using before = await SmallAppliance.open(aside!)
    expect(await before.engine.get(aPage("old").url)).not.toBeNull()
  })

  test("during renaming is completed from any point", async () => {
    using folders = new Folders()
    const names = ["images", "index", "state.db"]
    const fill = async (folder: string, text: string) => {
      for (const name of names) {
        await mkdir(join(folder, name), { recursive: true })
        await writeFile(join(folder, name, "what"), text)
      }
    }
    const what = (folder: string) => names.map((name) => readFileSync(join(folder, name, "what"), "utf8"))
    // Each point between renames is tested, one after the other.
    for (let done = 0; done <= 2 * names.length; done++) {
      const dataDir = folders.at(`at-${done}`)
      const staging = stagingOf(dataDir)
      await fill(dataDir, "old")
      await fill(staging, "new")
      await writeFile(join(dataDir, "README.md"), "stays")
      const plan = { aside: "before-restore-x", old: names, fresh: names }
      await writeFile(join(staging, "plan.json"), JSON.stringify(plan))
      const aside = join(dataDir, plan.aside)
      await mkdir(aside)
      for (const name of names.slice(0, done)) await rename(join(dataDir, name), join(aside, name))
      for (const name of names.slice(0, Math.max(0, done - names.length))) {
        await rename(join(staging, name), join(dataDir, name))
      }
      await expect(() => openStateStore(dataDir)).rejects.toThrow("run fossick restore again")
      expect(await finishRestore(dataDir)).toBe(aside)
      expect([...what(dataDir), ...what(aside)]).toEqual(["new", "new", "new", "old", "old", "old"])
      expect(readdirSync(dataDir).toSorted()).toEqual(["README.md", "before-restore-x", ...names])
    }
  })

  test("leaves everything as it was when it ends with an error", async () => {
    using folders = new Folders()
    await using from = await SmallAppliance.open(folders.at("from"))
    await from.engine.index([aPage("a")])
    await from.backUp(folders.at("backup.tar"))
    await cp(folders.at("backup.tar"), folders.at("cut.tar"))
    await writeFile(folders.at("cut.tar"), readFileSync(folders.at("backup.tar")).subarray(0, -6000))
    await mkdir(folders.at("to"))
    await expect(restoreInto(folders.at("to"), folders.at("cut.tar"))).rejects.toThrow("is incomplete")
    expect(readdirSync(folders.at("to"))).toEqual([])

    // A state that this Fossick can't upgrade.
    await from.db.script("delete from schema_version where part = 'state'")
    await writeBackupTo(folders.at("older.tar"), from)
    await expect(restoreInto(folders.at("to"), folders.at("older.tar"))).rejects.toThrow(
      /The state in .*older.tar is from an older Fossick.*`tar -xf`.*`cat index\/\* \| fossick import -`/,
    )
    expect(readdirSync(folders.at("to"))).toEqual([])
  })
})

describe("a data folder", () => {
  test("is empty when it holds only files that can be made again", async () => {
    using folders = new Folders()
    const dataDir = folders.at("data")
    expect(await contentsOf(dataDir)).toEqual([])
    for (const name of ["models", "compile-cache", "index"])
      await mkdir(join(dataDir, name), { recursive: true })
    await writeFile(join(dataDir, "README.md"), "")
    expect(await contentsOf(dataDir)).toEqual(["index"])
    await mkdir(stagingOf(dataDir))
    await mkdir(join(stagingOf(dataDir), "models"))
    expect(await moveIntoPlace(dataDir, new Date())).toContain("before-restore-")
    expect(await contentsOf(dataDir)).toEqual([])
  })

  test("is in use while a crawler uses it", async () => {
    using folders = new Folders()
    expect(await isInUse(folders.at("data"))).toBe(false)
    const db = await openStateStore(folders.at("data"))
    try {
      const jobs = new Jobs(db)
      expect(await isInUse(folders.at("data"))).toBe(false)
      await jobs.crawlerBeat(process.pid)
      expect(await isInUse(folders.at("data"))).toBe(true)
      await jobs.crawlerGone(process.pid)
      expect(await isInUse(folders.at("data"))).toBe(false)
    } finally {
      db.close()
    }
  })
})
