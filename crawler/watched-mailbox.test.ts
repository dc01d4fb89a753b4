import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, test } from "vitest"
import { chance } from "#base/testing/chance.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { killAgainAndAgain } from "./testing/killed-crawler.ts"

const ROUNDS = 4
const CHANGES = 10

/** A Maildir in which mail arrives and is answered, read, moved and deleted. */
class Maildir {
  readonly root: string
  readonly #chance = chance(61)
  /** The first message of each message's thread. */
  readonly #roots: number[] = []

  constructor(root: string) {
    this.root = root
    for (const folder of ["", ".Archive"])
      for (const part of ["cur", "new", "tmp"]) mkdirSync(join(root, folder, part), { recursive: true })
    for (let number = 0; number < 30; number += 1) this.#deliver(number < 15 ? null : number - 15)
  }

  #deliver(to: number | null): void {
    const id = this.#roots.length
    const root = to === null ? id : this.#roots[to]!
    this.#roots.push(root)
    const text = [
      `From: Writer ${id % 5} <w${id % 5}@mail.example>`,
      `Subject: Matter ${rareWord(root + 1)}`,
      `Date: ${new Date(Date.UTC(2026, 0, 1, 10, id)).toUTCString()}`,
      `Message-ID: <${id}@mail.example>`,
      ...(to === null ? [] : [`References: <${root}@mail.example> <${to}@mail.example>`]),
      "",
      `The ${rareWord(id + 1)} is kept behind the door of the ${rareWord(id + 1)} room.`,
      "",
    ].join("\n")
    writeFileSync(join(this.root, "tmp", String(id)), text)
    renameSync(join(this.root, "tmp", String(id)), join(this.root, "new", `${1_700_000_000 + id}.M1.host`))
  }

  get #files(): string[] {
    const all = readdirSync(this.root, { recursive: true, withFileTypes: true })
    return all.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  }

  change(): void {
    const files = this.#files.toSorted()
    const file = files[this.#chance.below(files.length)]!
    const [name] = basename(file).split(":")
    const what = this.#chance.below(5)
    if (what === 0) this.#deliver(null)
    else if (what === 1) this.#deliver(Number(name!.split(".")[0]) - 1_700_000_000)
    else if (what === 2) renameSync(file, join(this.root, "cur", `${name}:2,S`))
    else if (what === 3) renameSync(file, join(this.root, ".Archive/cur", `${name}:2,RS`))
    else if (files.length > 20) rmSync(file)
  }

  /** The messages of each thread without quoted text, in the order in which they were sent. */
  threads(): string[] {
    const ids = this.#files.map((file) => Number(basename(file).split(".")[0]) - 1_700_000_000)
    const threads = Map.groupBy(
      ids.toSorted((a, b) => a - b),
      (id) => this.#roots[id]!,
    )
    return [...threads.values()].map((thread) => thread.map((id) => rareWord(id + 1)).join(" ")).toSorted()
  }
}

test("a watched mailbox and its index match at the end, though all processes are killed again and again", async () => {
  using folder = temporaryFolder()
  const mail = new Maildir(join(folder.path, "Maildir"))
  const source = {
    name: "mail",
    mailbox: mail.root,
    seeds: ["https://mail.example/ada/"],
    removal: { maxShare: 1 },
  }
  await killAgainAndAgain(folder.path, {
    source,
    rounds: ROUNDS,
    pauseMs: 2500,
    wait: chance(11),
    change: () => {
      for (let change = 0; change < CHANGES; change += 1) mail.change()
    },
    isSame: async (engine) => {
      const pages = await Array.fromAsync(engine.allPages())
      const held = pages.map(({ page }) =>
        [...page.markdown.matchAll(/The (\S+) is kept/g)].map(([, word]) => word).join(" "),
      )
      return held.toSorted().join("\n") === mail.threads().join("\n")
    },
  })
  expect(mail.threads().length).toBeGreaterThan(8)
})
