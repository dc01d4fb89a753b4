import { type ChildProcess, fork } from "node:child_process"
import type { Logger } from "pino"
import { pause } from "#base/flow/pause.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { CONTENT_FIELDS, type Source } from "../../../source.ts"
import { contentOf, watcherOf } from "../kinds.ts"
import type { Changed, Watched } from "./watch-worker.ts"

const PROGRAM = moduleBeside(import.meta.url, "./watch-worker")
const POLL_MS = 500
/** The poll interval while there is nothing to watch. */
const IDLE_MS = 5000
/** Pause before a process that failed is started again. */
const REST_MS = 30_000

export interface WatchContentOptions {
  readonly db: StateStore
  /** All sources that are not paused. Called often. */
  readonly sources: () => Promise<readonly Source[]>
  /** Arranges for a source to run soon. @returns false if it can't yet; the call is then repeated */
  readonly run: (source: Source) => Promise<boolean>
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Runs a source whenever its content has changed, and once at the start, until the signal is aborted. If reading some
 * content may block, a separate process checks that content.
 */
export async function watchContent({ db, sources, run, log, signal }: WatchContentOptions): Promise<void> {
  using watcher = new Watcher(log)
  const prints = new Map<string, string>()
  while (!signal.aborted) {
    let all: readonly Source[] = []
    try {
      all = (await sources()).filter((source) => watcherOf(source) !== null)
      watcher.watch(all.filter((source) => watcherOf(source) === "process"))
      for (const source of all.filter((one) => watcherOf(one) === "crawler")) {
        const print = await (await contentOf(source, { db }))!.fingerprint()
        if (print !== prints.get(source.name)) watcher.changed.add(source.name)
        prints.set(source.name, print)
      }
      for (const source of all.filter(({ name }) => watcher.changed.has(name)))
        if (await run(source)) watcher.changed.delete(source.name)
    } catch (error) {
      // Changes are remembered until the source can be run again.
      if (!isStateAway(error)) throw error
    }
    await pause(all.length === 0 ? IDLE_MS : POLL_MS, signal)
  }
}

class Watcher implements Disposable {
  /** Names of sources that have changed and are waiting for a run. */
  readonly changed = new Set<string>()
  readonly #log: Logger
  #child: ChildProcess | null = null
  #told = ""
  #startAt = 0

  constructor(log: Logger) {
    this.#log = log
  }

  watch(sources: readonly Source[]): void {
    const list: Watched[] = sources.map((source) => ({
      name: source.name,
      seeds: source.seeds,
      ...Object.fromEntries(CONTENT_FIELDS.map((field) => [field, source[field]])),
      folderReaders: source.folderReaders,
    }))
    const text = JSON.stringify(list)
    if (text === this.#told || performance.now() < this.#startAt) return
    this.#told = text
    if (list.length === 0) this.#end()
    else (this.#child ??= this.#start()).send(list)
  }

  #start(): ChildProcess {
    const child = fork(PROGRAM, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
    child.on("message", ({ name }: Changed) => this.changed.add(name))
    child.on("exit", (code) => {
      if (this.#child !== child) return
      this.#log.error({ code }, "the process that watches folders failed and is being restarted")
      this.#child = null
      this.#told = ""
      this.#startAt = performance.now() + REST_MS
    })
    return child
  }

  #end(): void {
    const child = this.#child
    this.#child = null
    if (child?.connected) child.disconnect()
  }

  [Symbol.dispose](): void {
    this.#end()
  }
}
