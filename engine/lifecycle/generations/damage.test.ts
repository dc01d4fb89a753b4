import { cp, mkdtemp, readFile, readdir, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Page } from "#engine/index/page/page.ts"
import { aPage, rareWord } from "#engine/testing/pages.ts"
import { openForWriting } from "./open-for-writing.ts"
import { checkIndex, repairIndex } from "./repair.ts"
import { DataFolder } from "./testing/appliance-data.ts"

// Each file in a data folder in turn is removed, cut in half, or has a byte changed; the list of files is read from a
// folder that a writer has just left.

const never = new AbortController().signal
const DAMAGES = ["removed", "cut", "changed"] as const
type Damage = (typeof DAMAGES)[number]

/**
 * Files that can be lost without harm: locks, files that LanceDB keeps for parallel writers or as a hint, and suggested
 * names, which the next writer rebuilds.
 */
const UNNEEDED = /\.(?:lock|pid)$|\/_transactions\/|latest_version_hint\.json$|suggestions\.db$/

/** Two batches, so that there are several files of each kind. */
const PAGES: readonly Page[] = Array.from({ length: 24 }, (_, i) =>
  aPage(`p/${i}`, {
    title: `About ${rareWord(i)}`,
    markdown: `The ${rareWord(i)} lives by the sea, and so does every ${rareWord(i + 500)}. `.repeat(20),
  }),
)

let sound: DataFolder
let files: readonly string[]
/** One file of each kind; files of one kind differ only in their names. */
let kinds: readonly string[]

beforeAll(async () => {
  sound = await DataFolder.make()
  {
    await using engine = await openForWriting(sound.context())
    for (let at = 0; at < PAGES.length; at += 12) {
      await engine.index(PAGES.slice(at, at + 12))
      await engine.settled()
    }
  }
  await sound.context().file.mend()
  const entries = await readdir(sound.dir, { recursive: true, withFileTypes: true })
  files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(sound.dir, path.join(entry.parentPath, entry.name)))
    .toSorted()
  const byKind = new Map(files.map((file) => [kindOf(file), file]))
  kinds = [...byKind.values()].filter((file) => !UNNEEDED.test(file))
})
afterAll(() => sound[Symbol.asyncDispose]())

const kindOf = (file: string): string =>
  file.replaceAll(/_indices\/[0-9a-f-]+/g, "_indices").replaceAll(/[01]{20}[0-9a-f]+|\d{15,}/g, "N")

/** @returns whether there was anything to damage */
async function damage(file: string, how: Damage): Promise<boolean> {
  const bytes = await readFile(file)
  if (how === "removed") await rm(file)
  else if (bytes.length === 0) return false
  else if (how === "cut") await truncate(file, bytes.length >> 1)
  else {
    // A large file is changed in several places: it must not matter where the damage is.
    const places = bytes.length > 100_000 ? [0.2, 0.5, 0.8] : [0.5]
    for (const place of places) bytes[Math.floor(bytes.length * place)]! ^= 0x5a
    await writeFile(file, bytes)
  }
  return true
}

/** A reader's result when it searches for a page by its word, and what the reader reports about itself. */
async function asked(data: DataFolder, page: Page, i: number) {
  await using reader = await data.reader()
  const said = [reader.problem ?? "", ...reader.warnings].join("\n")
  try {
    const { hits } = await reader.search({ text: rareWord(i), limit: 3 })
    return {
      said,
      answer: hits[0]?.url === page.url && hits[0].markdown === page.markdown ? "right" : "wrong",
    }
  } catch (error) {
    return { said: `${said}\n${(error as Error).message}`, answer: "refused" }
  }
}

describe("a damaged file", () => {
  test("is named, with the problem and the remedy, whichever it is", async () => {
    expect(await checkIndex(sound.context())).toEqual([])
    expect(files.length).toBeGreaterThan(50)
    const wrong: object[] = []
    // Files of one kind differ only in their names.
    for (const file of [...kinds, ...files.filter((one) => UNNEEDED.test(one))]) {
      const full = path.join(sound.dir, file)
      const bytes = await readFile(full)
      for (const how of DAMAGES) {
        if (!(await damage(full, how))) continue
        const findings = await checkIndex(sound.context())
        await writeFile(full, bytes)
        const named = findings.find((one) => one.file === file || file.startsWith(`${one.file}/`))
        const says =
          named !== undefined && !named.repaired && /rebuilt|recomputed|written again/.test(named.wayBack)
        if (says === UNNEEDED.test(file)) wrong.push({ file, how, findings })
      }
    }
    expect(wrong).toEqual([])
    expect(await checkIndex(sound.context())).toEqual([])
  })

  test("still gives correct answers, or an error: it is never silently empty", async () => {
    const wrong: object[] = []
    // Each file is damaged in one way: prove/damage queries a whole appliance with each file damaged in all ways.
    for (const [i, file] of kinds.entries()) {
      const full = path.join(sound.dir, file)
      const bytes = await readFile(full)
      const how = DAMAGES[i % DAMAGES.length]!
      await damage(full, how)
      const { said, answer } = await asked(sound, PAGES[7]!, 7)
      await rm(full, { force: true })
      await writeFile(full, bytes)
      if (answer !== "right" && !said.includes(path.basename(file))) wrong.push({ file, how, said, answer })
    }
    expect(wrong).toEqual([])
  })

  test("is repaired: search data is rebuilt from the pages, and only damaged pages are lost", async () => {
    // Any damage to one of LanceDB's files causes its table to be rebuilt, and small files are rewritten, so one file
    // in each folder, damaged in one way, is enough. Each kind of damage to the pages themselves leaves different pages
    // intact.
    const folders = new Map(kinds.map((file) => [/^.*\.lance\/\w+/.exec(file)?.[0] ?? file, file]))
    const cases = [...folders.values()].flatMap((file, i) => {
      const hows = file.endsWith("pages.db") ? DAMAGES : [DAMAGES[i % DAMAGES.length]!]
      return hows.map((how) => ({ file, how }))
    })
    const expected: object[] = []
    const found: object[] = []
    const one = async () => {
      for (let next = cases.shift(); next; next = cases.shift()) {
        const left = await leftAfterRepair(next.file, next.how)
        // Without the pages file there is nothing to rebuild from.
        const mayLose = next.file.endsWith("pages.db")
        expected.push({ ...next, ...WELL, lost: mayLose ? left.lost : 0 })
        found.push({ ...next, ...left })
      }
    }
    await Promise.all([one(), one(), one()])
    expect(found).toEqual(expected)
  })
})

const WELL = {
  unrepaired: [],
  pages: PAGES.length,
  pagesWithoutVectors: 0,
  damaged: [],
  said: "",
  answer: "right",
}

/** The content after a repair, and after crawling the lost pages again. */
async function leftAfterRepair(file: string, how: Damage) {
  await using data = new DataFolder(await mkdtemp(path.join(tmpdir(), "fossick-damage-")))
  await cp(sound.dir, data.dir, { recursive: true })
  await damage(path.join(data.dir, file), how)
  const { findings } = await repairIndex(data.context(), { signal: never })
  const unrepaired =
    findings.length === 0 ? ["nothing was found"] : findings.filter(({ repaired }) => !repaired)
  const lost: Page[] = []
  let stats
  {
    await using engine = await openForWriting(data.context())
    for (const page of PAGES) if ((await engine.get(page.url)) === null) lost.push(page)
    await engine.index(lost)
    await engine.settled()
    stats = await engine.stats()
  }
  const damaged = await checkIndex(data.context())
  const { pages, pagesWithoutVectors } = stats
  return {
    unrepaired,
    lost: lost.length,
    pages,
    pagesWithoutVectors,
    damaged,
    ...(await asked(data, PAGES[7]!, 7)),
  }
}
