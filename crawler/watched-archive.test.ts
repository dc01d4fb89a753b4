import { readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { zipSync } from "fflate"
import { pack } from "tar-stream"
import { expect, test } from "vitest"
import { chance } from "#base/testing/chance.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { holdsExactly, killAgainAndAgain } from "./testing/killed-crawler.ts"

const ADDRESS = "https://nas.example/notes/"

/** Notes that are packed again whenever one of them changes. */
class Notes {
  readonly texts = new Map<string, string>()
  readonly #path: string
  readonly #chance = chance(53)
  #written = 0

  constructor(path: string) {
    this.#path = path
    for (let number = 0; number < 40; number += 1) this.#write(`note ${number}.md`)
  }

  #write(name: string): void {
    const word = rareWord((this.#written += 1))
    this.texts.set(name, `# Note ${word}\n\nThe ${word} is kept behind the door of the ${word} room.`)
  }

  /** Adds, changes or deletes a note. */
  change(): void {
    const name = [...this.texts.keys()][this.#chance.below(this.texts.size)]!
    const what = this.#chance.below(3)
    if (what === 0) this.#write(`new ${this.#written}.md`)
    else if (what === 1) this.#write(name)
    else if (this.texts.size > 30) this.texts.delete(name)
  }

  byAddress(): Map<string, string> {
    return new Map([...this.texts].map(([name, text]) => [ADDRESS + encodeURIComponent(name), text]))
  }

  async pack(): Promise<void> {
    const bytes = this.#path.endsWith(".zip") ? this.#zip() : gzipSync(await this.#tar())
    writeFileSync(`${this.#path}.new`, bytes)
    renameSync(`${this.#path}.new`, this.#path)
  }

  #zip(): Uint8Array {
    return zipSync(
      Object.fromEntries([...this.texts].map(([name, text]) => [name, new TextEncoder().encode(text)])),
    )
  }

  async #tar(): Promise<Buffer> {
    const tar = pack()
    for (const [name, text] of this.texts) tar.entry({ name }, text)
    tar.finalize()
    const chunks: Buffer[] = []
    for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
}

test.each(["notes.zip", "notes.tar.gz"])(
  "%s and its index match at the end, though all processes are killed again and again",
  async (name) => {
    using folder = temporaryFolder()
    const path = join(folder.path, name)
    const notes = new Notes(path)
    await notes.pack()
    await killAgainAndAgain(folder.path, {
      source: { name: "notes", archive: path, seeds: [ADDRESS], removal: { maxShare: 1 } },
      rounds: 3,
      pauseMs: 3000,
      wait: chance(11),
      change: async () => {
        for (let change = 0; change < 8; change += 1) notes.change()
        await notes.pack()
      },
      isSame: (engine) => holdsExactly(engine, notes.byAddress()),
      // The unpacked files of killed processes are gone. The current process unpacks the archive again at each check,
      // so it must not be unpacking right now.
      inTheEnd: async (dataDir) => {
        await expect
          .poll(() => readdirSync(dataDir).filter((file) => file.startsWith("unpacked-")))
          .toEqual([])
      },
    })
  },
)
