import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

import { expect, test } from "vitest"

import { chance } from "#base/testing/chance.ts"
import { until } from "#base/testing/until.ts"
import { rareWord } from "#engine/testing/pages.ts"

import { type KillableAppliance, killableAppliance } from "../../testing/killable-appliance.ts"

/** The version of oikb used for this test; the environment variable `OIKB` contains the path to its program. */
export const OIKB_VERSION = "oikb==0.6.0"
const AT = "https://notes.example/"

/** A folder that changes every day and that oikb uploads. */
class Notes {
  readonly #root: string
  readonly #drawn = chance(60)
  #written = 0

  constructor(root: string) {
    this.#root = root
    for (let number = 0; number < 40; number += 1) this.#write(`part ${number % 4}/note ${number}.md`)
  }

  #write(path: string): void {
    const word = rareWord((this.#written += 1))
    mkdirSync(dirname(join(this.#root, path)), { recursive: true })
    writeFileSync(join(this.#root, path), `The ${word} is behind the door of the ${word} room.\n`)
  }

  paths(): string[] {
    const all = readdirSync(this.#root, { recursive: true, withFileTypes: true })
    const files = all.filter((one) => one.isFile())
    return files.map((one) => join(one.parentPath, one.name).slice(this.#root.length + 1)).toSorted()
  }

  /** Adds, changes, renames and deletes some files. @returns how many oikb should add, replace and delete */
  change(): { added: number; modified: number; deleted: number } {
    const [changed = "", renamed = "", moved = "", gone = ""] = this.#some(4)
    this.#write(`part ${this.#drawn.below(4)}/new ${this.#written}.md`)
    this.#write(changed)
    renameSync(join(this.#root, renamed), join(this.#root, dirname(renamed), `renamed ${this.#written}.md`))
    renameSync(join(this.#root, moved), join(this.#root, `moved ${this.#written}.md`))
    rmSync(join(this.#root, gone))
    return { added: 3, modified: 1, deleted: 3 }
  }

  #some(count: number): string[] {
    const left = this.paths()
    return Array.from({ length: count }, () => left.splice(this.#drawn.below(left.length), 1)[0]!)
  }

  remove(paths: readonly string[]): void {
    for (const path of paths) rmSync(join(this.#root, path))
  }

  /** The text of each file by its address. */
  texts(): Map<string, string> {
    const addressOf = (path: string) => AT + path.split("/").map(encodeURIComponent).join("/")
    return new Map(
      this.paths().map((path) => [addressOf(path), readFileSync(join(this.#root, path), "utf8").trim()]),
    )
  }
}

/** The program's output for one sync. */
async function sync({ url, key }: KillableAppliance, folder: string): Promise<string> {
  const env = { ...process.env, OPEN_WEBUI_URL: url, OPEN_WEBUI_API_KEY: key }
  const { stdout, stderr } = await promisify(execFile)(
    process.env["OIKB"]!,
    ["sync", folder, "--kb-id", "notes"],
    { env },
  )
  return stdout + stderr
}

test(
  "the published oikb program keeps a source in sync with a folder for a week, despite a kill -9 each day",
  { tags: ["oikb"] },
  async () => {
    const appliance = await killableAppliance()
    const folder = join(appliance.folder, "notes")
    const notes = new Notes(folder)
    await appliance.start()
    await appliance.call(
      "/admin/sources/notes",
      { documents: true, seeds: [AT], removal: { maxShare: 0.3 } },
      "PUT",
    )
    expect(await sync(appliance, folder)).toContain("40 added")
    expect(await sync(appliance, folder)).toContain("40 unchanged")
    await until(() => appliance.holds(notes.texts()), 200)

    for (let day = 0; day < 3; day += 1) {
      const { added, modified, deleted } = notes.change()
      const said = await sync(appliance, folder)
      expect(said).toContain(`${added} added, ${modified} modified, ${deleted} deleted`)
      notes.change()
      const interrupted = sync(appliance, folder).catch(() => null)
      await sleep(200 * day)
      await appliance.kill()
      await appliance.start()
      await interrupted
      // As with oikb's own schedule, the next sync makes up for a failed one.
      await sync(appliance, folder)
      expect(await sync(appliance, folder)).toContain(`${notes.paths().length} unchanged`)
      await until(() => appliance.holds(notes.texts()), 200)
    }

    // Most of the drive is emptied: the guard keeps the documents.
    const before = notes.texts()
    notes.remove(notes.paths().slice(5))
    await sync(appliance, folder)
    await until(async () => {
      const { total } = await appliance.read("/admin/removals?source=notes&state=held")
      return total === before.size - 5
    }, 200)
    expect(await appliance.holds(before)).toBe(true)
  },
)
