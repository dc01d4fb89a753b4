import { type Said, said, type Tools } from "../key-reach/asking.ts"
import type { Try } from "../key-reach/calls.ts"
import { wordsIn } from "../key-reach/world.ts"
import type { Outcome } from "../proof.ts"
import type { GuardedPage, Person, World } from "./world.ts"

interface Count {
  calls: number
  shown: number
  refused: number
  leaks: number
}

/** Exceptions for certain answers. */
export interface Situation {
  /** Shown in the table instead of the call's name. */
  readonly of?: string
  /** Readers who may be shown a page while readers are changing; not used to judge whether a page is found. */
  readonly mayRead?: World["mayRead"]
}

/** Checks every answer against the oracle. */
export class Judge {
  readonly faults: string[] = []
  readonly #world: World
  readonly #counts = new Map<string, Count>()

  constructor(world: World) {
    this.#world = world
  }

  async one(
    call: Try,
    person: Person,
    page: GuardedPage,
    tools: Tools,
    situation: Situation = {},
  ): Promise<void> {
    const answer = await said(call, person.key, this.#world.app.url, tools, person.headers)
    const seen = this.judge(call, person, answer, situation)
    const { finds, of } = call
    if (!finds || situation.mayRead || answer.status !== 200 || seen.includes(page)) return
    if (!this.#world.mayRead(person, page)) return
    this.faults.push(
      `${situation.of ?? of} ${aboutOf(call, person)}: does not find ${page.url}, which they may read`,
    )
  }

  /** @returns the pages that the answer shows */
  judge(
    call: Try,
    person: Person,
    { status, text }: Said,
    { of = call.of, mayRead: mayBeShown }: Situation = {},
  ): readonly GuardedPage[] {
    const { pages } = this.#world
    const count = this.#counts.get(of) ?? { calls: 0, shown: 0, refused: 0, leaks: 0 }
    this.#counts.set(of, count)
    count.calls += 1
    if (status >= 400) count.refused += 1
    const tell = (fault: string) => {
      count.leaks += 1
      this.faults.push(`${of} ${aboutOf(call, person)}: ${fault}`)
    }
    if (status >= 500) tell(`${status} ${text.slice(0, 300)}`)
    const seen = seenIn(text, call, pages)
    count.shown += seen.length
    const mayRead = (page: GuardedPage) => (mayBeShown ?? this.#world.mayRead)(person, page)
    for (const page of seen) {
      if (!mayRead(page))
        tell(`shows ${page.url} of ${page.sources.join(", ")}, for ${JSON.stringify(page.own)}`)
    }
    const given = askedOf(call)
    for (const folder of new Set(text.match(/zfld[b-m]{4}q/g) ?? [])) {
      const held = pages.filter((page) => page.folder === folder)
      if (!given.includes(folder) && !held.some(mayRead)) tell(`names the folder ${folder}`)
    }
    for (const [, name] of text.replaceAll("\\", "").matchAll(/"(s[0-7])"/g)) {
      const isNamed = given.includes(`"${name}"`) || given.includes(`=${name}`)
      if (!isNamed && !this.#world.mayKnow(person, name!)) tell(`names the source ${name}`)
    }
    if (call.of === "images" && status === 200) {
      const page = pages.find((one) => given.includes(encodeURIComponent(one.url)))!
      if (!mayRead(page)) tell("shows an image")
    }
    return seen
  }

  /** Counts a call whose answer was compared with another answer. */
  compared(of: string, shown: number, fault: string | null): void {
    const count = this.#counts.get(of) ?? { calls: 0, shown: 0, refused: 0, leaks: 0 }
    this.#counts.set(of, {
      ...count,
      calls: count.calls + 1,
      shown: count.shown + shown,
      leaks: count.leaks + (fault === null ? 0 : 1),
    })
    if (fault !== null) this.faults.push(`${of}: ${fault}`)
  }

  outcome(): Outcome {
    const rows = [...this.#counts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([of, { calls, shown, refused, leaks }]) => [of, calls, shown, refused, leaks])
    const sum = (column: number) => rows.reduce((total, row) => total + Number(row[column]), 0)
    rows.push(["total", sum(1), sum(2), sum(3), sum(4)])
    return {
      columns: ["type of call", "calls", "pages shown", "refused", "leaks"],
      rows,
      faults: this.faults,
    }
  }
}

const askedOf = ({ path, body }: Try): string => `${path} ${JSON.stringify(body ?? {})}`

const aboutOf = (call: Try, { principals, scope, headers }: Person): string =>
  `${call.tool ?? ""} ${askedOf(call)} ${headers ? JSON.stringify(headers) : ""} by ${JSON.stringify(principals)} with the scope ${JSON.stringify(scope)}`

/** Pages that an answer shows. Many answers repeat the question, which doesn't count. */
function seenIn(text: string, call: Try, pages: readonly GuardedPage[]): GuardedPage[] {
  const given = askedOf(call)
  const proofs = new Set(wordsIn(text, "prf").filter((one) => !given.includes(one)))
  const addresses = new Set(call.showsLinks ? [] : wordsIn(text, "adr"))
  return pages.filter(({ proof: word, inAddress }) => {
    if (proofs.has(word)) return true
    const address = inAddress.split("/").at(-1)!
    return addresses.has(address) && text.includes(inAddress) && !given.includes(address)
  })
}
