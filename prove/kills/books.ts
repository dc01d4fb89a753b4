import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

import { verifyBackup } from "#crawler/upkeep/backup/read-backup.ts"
import { pause } from "#base/flow/pause.ts"
import { PATIENCE } from "#base/testing/patience.ts"
import { ask } from "../../api/doors/x402/testing/payments.ts"
import { SOURCE, type World } from "./world.ts"

/** Time within which everything expected has arrived, even on a busy machine; anything still missing then is lost. */
const PATIENCE_MS = PATIENCE.expect.poll.timeout
const LOOK_MS = 50
/** The embedded engine's `readerLagMs`: after this long, a search sees another process's writes. */
const LAG_MS = 1000
/** The cost of this proof's calls: a basic search. */
const CREDITS = 1

interface Entry {
  readonly seq: number
  readonly id: string
  readonly change: "new" | "changed" | "gone"
  readonly url: string
}

/** Records everything that was acknowledged, and checks whether the appliance still knows it. Each check returns the faults it found, in words. */
export class Books {
  readonly #world: World
  /** Keys whose creation was acknowledged. */
  readonly keys: string[] = []
  /** Number of searches with the key whose calls are counted: sent, and answered. */
  readonly calls = { key: "", sent: 0, answered: 0 }
  /** How many times the watch should report each change to each page, by `changed <url>`. */
  readonly #due = new Map<string, number>()
  readonly #told = new Map<string, number>()
  readonly #entries = new Set<string>()
  readonly watch = { id: "", after: 0 }
  payments = 0
  receivedBefore = 0n
  /** A paid search that may have been cut off. */
  owed: {
    readonly question: object
    readonly headers: Readonly<Record<string, string>>
    /** The status of the search's response; 0 if none arrived. */
    readonly first: Promise<number>
  } | null = null

  constructor(world: World) {
    this.#world = world
  }

  /** Records that a page is about to appear or change. */
  expect(change: "new" | "changed", url: string): void {
    const key = `${change} ${url}`
    this.#due.set(key, (this.#due.get(key) ?? 0) + 1)
  }

  /** Each page that a crawl reported as indexed is found by its word, with its whole text. */
  pages(): Promise<string[]> {
    return seen(async () => {
      const wrong: string[] = []
      for (const url of this.#acknowledged()) {
        const text = await this.#found(url)
        if (text !== null && this.#world.site.wholeVersion(url, text) !== null) continue
        // The page may rightly have been removed in the meantime.
        if (!this.#acknowledged().includes(url)) continue
        wrong.push(
          `${url} was acknowledged, but ${text === null ? "is not found" : `only a part of it is found: ${text.slice(0, 200)}`}`,
        )
      }
      return wrong
    })
  }

  /** The index contains the site's pages, each in its current version; to be checked when no run is in progress. */
  current(): Promise<string[]> {
    return seen(async () => {
      const wrong: string[] = []
      for (const url of this.#world.site.urls) {
        const text = await this.#found(url)
        const [is, should] = [
          text === null ? null : this.#world.site.wholeVersion(url, text),
          this.#world.site.versionOf(url),
        ]
        if (is !== should) wrong.push(`${url} is at version ${should}, but is found at ${is}`)
      }
      return wrong
    })
  }

  /** The whole text of a page as shown by a search for its word; null if it isn't found. */
  async #found(url: string): Promise<string | null> {
    const { appliance, site } = this.#world
    const body = { query: site.wordOf(url), max_results: 3, include_raw_content: "text" }
    const { results } = await appliance.ask<{ results: { url: string; raw_content: string | null }[] }>(
      "/search",
      body,
    )
    return results.find((result) => result.url === url)?.raw_content ?? null
  }

  #acknowledged(): string[] {
    return this.#query("select url from known_address where source = ? and hash is not null", SOURCE)
      .map((row) => String(row["url"]))
      .filter((url) => url !== this.#world.site.seed)
  }

  /** Every acknowledged key works; if there are many, only the latest and a few earlier ones are tried. */
  async keysWork(): Promise<string[]> {
    const wrong: string[] = []
    for (const [at, key] of this.keys.entries()) {
      if (at < this.keys.length - 10 && at % 7 !== this.keys.length % 7) continue
      const { status } = await this.#world.appliance.call("/usage", undefined, { key })
      if (status !== 200) wrong.push(`the key ${at + 1} of ${this.keys.length} was made, but gets ${status}`)
    }
    return wrong
  }

  /** Every answer that arrived was charged, none twice, and no credits stay reserved. */
  async usage(): Promise<string[]> {
    const { key, sent, answered } = this.calls
    const { key: of } = await this.#world.appliance.ask<{ key: { usage: number } }>("/usage", undefined, {
      key,
    })
    const held = Number(this.#query("select count(*) as n from credit_hold")[0]?.["n"])
    return [
      ...(of.usage < answered * CREDITS
        ? [`${answered} calls were answered, but ${of.usage} credits are counted`]
        : []),
      ...(of.usage > sent * CREDITS ? [`${sent} calls were sent, but ${of.usage} credits are counted`] : []),
      ...(held > 0 ? [`${held} credits of finished calls stay reserved`] : []),
    ]
  }

  /** No run or backup stays under way forever, and no run fails. */
  async rest(): Promise<string[]> {
    const open = () =>
      this.#query(
        "select 'run ' || id || ' is ' || state as what from job where state in ('queued', 'running') union all select 'backup ' || id || ' is ' || state from backup_run where state in ('queued', 'running')",
      ).map((row) => String(row["what"]))
    const isOver = await until(() => open().length === 0)
    const failed = this.#query("select id, error from job where state = 'failed'")
    return [
      ...(isOver ? [] : open().map((what) => `stuck: ${what}`)),
      ...failed.map(({ id, error }) => `run ${String(id)} failed: ${String(error)}`),
    ]
  }

  /** Every backup with a final name is complete. */
  async backups(): Promise<string[]> {
    const wrong: string[] = []
    for (const file of this.#world.wholeBackups()) {
      await verifyBackup(file).catch((error: unknown) => wrong.push(`${file}: ${(error as Error).message}`))
    }
    return wrong
  }

  /** The watch has reported each change once, in its feed and to its receiver. */
  async watches(): Promise<string[]> {
    const { receiver } = this.#world
    const missing = () => [...this.#due].filter(([key, times]) => (this.#told.get(key) ?? 0) < times)
    const isTold = await until(async () => {
      await this.#readEntries()
      return missing().length === 0
    })
    const wrong = isTold ? [] : missing().map(([key]) => `the watch did not report: ${key}`)
    for (const [key, times] of this.#told) {
      const due = key.startsWith("gone ") ? 1 : (this.#due.get(key) ?? 0)
      if (times > due) wrong.push(`the watch reported ${times} times instead of ${due}: ${key}`)
    }
    const isSent = await until(() => {
      const sent = new Set(receiver.entries().map(({ id }) => id))
      return [...this.#entries].every((id) => sent.has(id))
    })
    if (!isSent) wrong.push("the receiver was not sent all entries of the watch")
    const sent = receiver.entries().map(({ id }) => id)
    if (new Set(sent).size < sent.length) wrong.push("the receiver was sent an entry in two messages")
    if (receiver.messages.some(({ isGenuine }) => !isGenuine)) wrong.push("a message was signed wrongly")
    return wrong
  }

  async #readEntries(): Promise<void> {
    const { entries } = await this.#world.appliance.ask<{ entries: readonly Entry[] }>(
      `/watches/${this.watch.id}/entries?after=${this.watch.after}`,
    )
    for (const { seq, id, change, url } of entries) {
      this.watch.after = Math.max(this.watch.after, seq)
      this.#entries.add(id)
      if (url === this.#world.site.seed) continue
      const key = `${change} ${url}`
      this.#told.set(key, (this.#told.get(key) ?? 0) + 1)
    }
  }

  /** Every payer has the answer: the one that arrived, or one fetched now for the same payment. */
  async owedAnswer(): Promise<string[]> {
    const { owed } = this
    if (owed === null) return []
    const should = (await owed.first) === 200 ? 402 : 200
    let last = ""
    const isRight = await until(async () => {
      const answer = await ask(this.#world.paid!.url, owed.question, owed.headers).catch(() => null)
      last = `${answer?.status}: ${answer?.text.slice(0, 300)}`
      return answer?.status === should
    })
    return isRight ? [] : [`a paid search should get ${should} after the kill, but gets ${last}`]
  }

  /** Each payment was charged once. */
  async charged(): Promise<string[]> {
    const { paid } = this.#world
    if (paid === null) return []
    const [is, should] = [(await paid.received()) - this.receivedBefore, 10_000n * BigInt(this.payments)]
    return is === should ? [] : [`${this.payments} payments of 10000 were made, but ${is} arrived`]
  }

  /** The appliance has no vectors left to create, and uses the requested model. */
  async vectors(): Promise<string[]> {
    type Index = { pages_without_vectors: number; embedder: string }
    const now = async () => (await this.#world.appliance.ask<{ index: Index }>("/admin/index")).index
    const isDone = await until(async () => {
      const { pages_without_vectors: left, embedder } = await now()
      return left === 0 && embedder.includes(this.#world.model)
    })
    return isDone
      ? []
      : [`the index is not rebuilt with ${this.#world.model}: ${JSON.stringify(await now())}`]
  }

  /** Reads the state database while the appliance is using it. */
  #query(sql: string, ...values: string[]): Record<string, unknown>[] {
    using db = new DatabaseSync(join(this.#world.dataDir, "state.db"), { readOnly: true, timeout: 10_000 })
    return db.prepare(sql).all(...values)
  }
}

/** Faults that remain after the time it takes for a search to see everything that the crawler has written. */
async function seen(check: () => Promise<string[]>): Promise<string[]> {
  const wrong = await check()
  if (wrong.length === 0) return wrong
  await pause(LAG_MS)
  return await check()
}

/** @returns false if the condition never became true */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const since = performance.now(); performance.now() - since < PATIENCE_MS;) {
    if (await isSo()) return true
    await pause(LOOK_MS)
  }
  return false
}
