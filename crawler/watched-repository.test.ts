import { readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { chance } from "#base/testing/chance.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { GitWork } from "./testing/git/git-work.ts"
import { holdsExactly, killAgainAndAgain } from "./testing/killed-crawler.ts"

const ADDRESS = "https://git.example/notes/"
const ROUNDS = 5
const COMMITS = 6

/** Notes that are committed one change at a time. */
class Notes extends GitWork {
  readonly #chance = chance(53)
  #written = 0

  constructor(root: string) {
    super(root)
    for (let number = 0; number < 40; number += 1) this.#note(`part ${number % 4}/note ${number}.md`)
    this.commit()
  }

  #note(path: string): void {
    const word = rareWord((this.#written += 1))
    this.write(path, `# Note ${word}\n\nThe ${word} is kept behind the door of the ${word} room.\n`)
  }

  get paths(): string[] {
    return this.git("ls-files", "-z").split("\0").slice(0, -1)
  }

  /** Adds, changes, moves or deletes a file and commits the change, or reverts the last commit. */
  change(): void {
    const { paths } = this
    const path = paths[this.#chance.below(paths.length)]!
    const what = this.#chance.below(5)
    if (what === 0) this.#note(`part ${this.#chance.below(4)}/new ${this.#written}.md`)
    else if (what === 1) this.#note(path)
    else if (what === 2)
      renameSync(join(this.root, path), join(this.root, `moved ${(this.#written += 1)}.md`))
    else if (what === 3 && paths.length > 30) this.remove(path)
    else if (Number(this.git("rev-list", "--count", "HEAD")) > 1)
      this.git("reset", "--quiet", "--hard", "HEAD~1")
    this.commit()
  }

  /** The text of each file by its address. */
  texts(): Map<string, string> {
    return new Map(
      this.paths.map((path) => [
        ADDRESS + path.split("/").map(encodeURIComponent).join("/"),
        readFileSync(join(this.root, path), "utf8").trim(),
      ]),
    )
  }
}

test(
  "a watched repository and its index match at the end, though all processes are killed again and again",
  {
    tags: ["git"],
  },
  async () => {
    using folder = temporaryFolder()
    const notes = new Notes(join(folder.path, "notes"))
    const repository = { url: notes.root, ref: "main" }
    await killAgainAndAgain(folder.path, {
      source: { name: "notes", repository, seeds: [ADDRESS], removal: { maxShare: 1 } },
      rounds: ROUNDS,
      pauseMs: 2500,
      wait: chance(7),
      change: () => {
        for (let commit = 0; commit < COMMITS; commit += 1) notes.change()
      },
      isSame: (engine) => holdsExactly(engine, notes.texts()),
    })
    expect(notes.texts().size).toBeGreaterThan(30)
  },
)
