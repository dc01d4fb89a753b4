import type { Context, Middleware } from "../../context.ts"
import { bucketOf, type Latencies } from "./latencies.ts"

/** Counts of how questions ended. */
export interface Questions {
  readonly answered: number
  /** Number of questions refused because they were invalid or lacked a key, or because there were too many. */
  readonly refused: number
  /** Number of questions that failed here or were abandoned by the caller. */
  readonly failed: number
  /** How long the answered calls took. */
  readonly latencies: Latencies
}

/** Counts the searches through every supported API, and measures how long they took. It stores neither questions nor results. */
export class QuestionMeter {
  #answered = 0
  #refused = 0
  #failed = 0
  #latencies = new Map<number, number>()

  readonly middleware: Middleware = async (ctx, next) => {
    if (isQuestion(ctx)) {
      const startedAt = performance.now()
      ctx.res.once("close", () => this.#count(ctx, performance.now() - startedAt))
    }
    await next()
  }

  /** Counts since the last reset. */
  get questions(): Questions {
    return {
      answered: this.#answered,
      refused: this.#refused,
      failed: this.#failed,
      latencies: [...this.#latencies],
    }
  }

  /** Resets the counts. */
  forget(): void {
    this.#answered = this.#refused = this.#failed = 0
    this.#latencies.clear()
  }

  #count(ctx: Context, ms: number): void {
    // A caller who hung up received no status, so the call is counted as 499.
    const status = ctx.res.writableFinished ? ctx.status : 499
    if (status < 400) {
      this.#answered++
      const bucket = bucketOf(ms)
      this.#latencies.set(bucket, (this.#latencies.get(bucket) ?? 0) + 1)
    } else if (status === 499 || status >= 500) this.#failed++
    else this.#refused++
  }
}

/** Matches `/search`, `/v2/search` and `/searxng/search`, but not the admin API's searches. */
const isQuestion = ({ method, path }: Context): boolean =>
  path.endsWith("/search") && (method === "POST" || (method === "GET" && path === "/searxng/search"))
