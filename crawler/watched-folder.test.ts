import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { chance } from "#base/testing/chance.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { holdsExactly, killAgainAndAgain } from "./testing/killed-crawler.ts"

const ADDRESS = "https://nas.example/notes/"

/** A folder of notes that a user works on. */
class Notes {
  readonly root: string
  readonly #chance = chance(47)
  #written = 0

  constructor(root: string) {
    this.root = root
    for (let number = 0; number < 40; number += 1) this.#write(`part ${number % 4}/note ${number}.md`)
  }

  #write(path: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    const word = rareWord((this.#written += 1))
    writeFileSync(
      join(this.root, path),
      `# Note ${word}\n\nThe ${word} is kept behind the door of the ${word} room.\n`,
    )
  }

  get #paths(): string[] {
    const all = readdirSync(this.root, { recursive: true, withFileTypes: true })
    return all
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(this.root.length + 1))
  }

  /** Adds, changes, moves or deletes a file. */
  change(): void {
    const paths = this.#paths.toSorted()
    const path = paths[this.#chance.below(paths.length)]!
    const what = this.#chance.below(4)
    if (what === 0) this.#write(`part ${this.#chance.below(4)}/new ${this.#written}.md`)
    else if (what === 1) this.#write(path)
    else if (what === 2)
      renameSync(join(this.root, path), join(this.root, `moved ${(this.#written += 1)}.md`))
    else if (paths.length > 30) rmSync(join(this.root, path))
  }

  /** The text of each file by its address. */
  texts(): Map<string, string> {
    return new Map(
      this.#paths.map((path) => [
        ADDRESS + path.split("/").map(encodeURIComponent).join("/"),
        readFileSync(join(this.root, path), "utf8").trim(),
      ]),
    )
  }
}

test("a watched folder and its index match at the end, though all processes are killed again and again", async () => {
  using folder = temporaryFolder()
  const notes = new Notes(join(folder.path, "notes"))
  await killAgainAndAgain(folder.path, {
    source: { name: "notes", folder: notes.root, seeds: [ADDRESS], removal: { maxShare: 1 } },
    rounds: 5,
    pauseMs: 2500,
    wait: chance(7),
    change: () => {
      for (let change = 0; change < 12; change += 1) notes.change()
    },
    isSame: (engine) => holdsExactly(engine, notes.texts()),
  })
  expect(notes.texts().size).toBeGreaterThan(30)
})
