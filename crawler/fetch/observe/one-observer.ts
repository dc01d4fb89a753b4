import type { PageUrl } from "#engine"
import { steadyNow } from "#base/steady-time.ts"
import type { FetchFailure } from "../fetch.ts"
import { LoginError } from "../login/login-error.ts"
import { SourceLogin } from "../login/source-login.ts"
import type { PageReader } from "../visit/reader.ts"
import type { Reading, Visit, VisitOptions } from "../../reading.ts"
import type { Observer, Source } from "../../source.ts"
import { firstMissing, shownLines } from "./shown-text.ts"

/** The result of one visit by an observer, with the reason in words. */
export interface Look {
  readonly kind: "shown" | "not-shown" | "unknown"
  readonly because: string
  /** When the next request to the site may be made, on the `steadyNow()` clock; omitted if the site did not say. */
  readonly restUntil?: number
}

export interface LookOptions extends Pick<VisitOptions, "signal" | "onRedirect" | "onReading"> {
  /** Waits until the next request to the site may be made. */
  readonly turn: () => Promise<void>
  /** Called with the size of each response. */
  readonly onBytes: (bytes: number) => void
}

/** The page as it was read for the index. */
export interface OwnLook {
  readonly reading: Reading
  /** The {@link shownLines} of that page. */
  readonly lines: readonly string[]
}

/** Maximum number of visits to one page if the session ends each time. */
const MAX_LOOKS = 3
/** Statuses that don't show who may see the page, such as 429 Too Many Requests. */
const PASSING = new Set([408, 425, 429])

/** An observer during one run, with its own session. */
export class OneObserver implements AsyncDisposable {
  readonly observer: Observer
  readonly #reader: PageReader
  readonly #login: SourceLogin | null
  #lost: LoginError | null = null

  /** @param main the reader of the source; the observer may reach the same addresses, but does not share its session */
  static async open(
    observer: Observer,
    source: Pick<Source, "seeds">,
    main: PageReader,
    env: NodeJS.ProcessEnv,
  ): Promise<OneObserver> {
    const { login: how } = observer
    if (typeof how === "string") return new OneObserver(observer, main.beside(null), null)
    try {
      const login = new SourceLogin({ source: { seeds: source.seeds, login: how }, env, isObserver: true })
      const opened = new OneObserver(observer, main.beside(login), login)
      await opened.#begin()
      return opened
    } catch (error) {
      if (!(error instanceof LoginError)) throw error
      const failed = new OneObserver(observer, main.beside(null), null)
      failed.#lost = error
      return failed
    }
  }

  private constructor(observer: Observer, reader: PageReader, login: SourceLogin | null) {
    this.observer = observer
    this.#reader = reader
    this.#login = login
  }

  /** Why the observer can't make any more visits in this run; `null` if it can. */
  get lost(): LoginError | null {
    return this.#lost
  }

  /** Visits the page of {@link OwnLook}. Never throws, whatever the site answers. */
  async look(own: OwnLook, options: LookOptions): Promise<Look> {
    for (let looks = 0; looks < MAX_LOOKS && this.#lost === null; looks += 1) {
      const generation = this.#login?.generation ?? 0
      await options.turn()
      const look = await this.#once(own, options)
      if (look.kind !== "not-shown" || this.#login === null) return look
      // The session may have ended, and the page may be closed to visitors who aren't signed in.
      await options.turn()
      const isSignedIn = await this.#login.isSignedIn(this.#reader.loginReader(options.signal))
      if (this.#login.generation !== generation) continue
      if (isSignedIn === null)
        return { kind: "unknown", because: "whether it was still signed in could not be checked" }
      if (isSignedIn) return look
      await this.#renew(generation, options.signal)
    }
    return { kind: "unknown", because: this.#lost?.message ?? "its session did not last" }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]()
  }

  async #begin(): Promise<void> {
    try {
      await this.#reader.logIn()
    } catch (error) {
      await this.#reader[Symbol.asyncDispose]()
      throw error
    }
  }

  async #renew(generation: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#login!.renew(generation, this.#reader.loginReader(signal))
    } catch (error) {
      if (!(error instanceof LoginError)) throw error
      if (signal?.aborted !== true) this.#lost = error
    }
  }

  async #once({ reading, lines }: OwnLook, options: LookOptions): Promise<Look> {
    const { url, rendered = false, isShell = false } = reading
    const { signal, onRedirect, onReading } = options
    const visit = await this.#reader.visit(url, {
      ...(signal && { signal }),
      ...(onRedirect && { onRedirect }),
      ...(onReading && { onReading }),
      rendering: rendered || isShell ? "browser" : "http",
    })
    if (visit.kind !== "read") return lookOf(visit)
    options.onBytes(visit.reading.bytes)
    return compared(url, lines, visit.reading)
  }
}

const notShown = (because: string): Look => ({ kind: "not-shown", because })

function compared(
  asked: PageUrl,
  lines: readonly string[],
  { url, extracted, emptyBecause, rendered }: Reading,
): Look {
  if (url !== asked) return notShown(`it leads to ${url}`)
  // If no browser is installed or the response was cut off, nothing is known.
  if (extracted.markdown === "" && emptyBecause !== undefined && rendered !== true)
    return { kind: "unknown", because: emptyBecause }
  const missing = firstMissing(lines, shownLines(extracted))
  if (missing === null) return { kind: "shown", because: "the same text" }
  return notShown(`different text, without ${JSON.stringify(missing)}`)
}

/** The result of a visit that found no page. Only a response from the site itself counts as a refusal. */
function lookOf(visit: Exclude<Visit, { kind: "read" }>): Look {
  if (visit.kind === "unmodified")
    throw new Error(`${visit.url} answered 304 to a request without validators`)
  if (visit.kind === "postponed")
    return {
      kind: "unknown",
      because: "the site asked to come back later",
      restUntil: Math.max(visit.until.getTime(), steadyNow()),
    }
  if (visit.kind === "skipped") return notShown(visit.detail ?? visit.because)
  return saysNo(visit) ? notShown(visit.detail) : { kind: "unknown", because: visit.detail }
}

function saysNo({ because, status = 0 }: FetchFailure): boolean {
  return because === "redirect-loop" || (because === "http-status" && isRefusal(status))
}

/** Whether a status certainly means that the page is missing or access is refused. */
export const isRefusal = (status: number | null): boolean =>
  status !== null && status >= 400 && status < 500 && !PASSING.has(status)
