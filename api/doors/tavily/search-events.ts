import { PassThrough } from "node:stream"

import type { Answered } from "../../services/answers/answer.ts"
import { type Context, responseTime } from "../../context.ts"
import { sendEvents } from "../../server/server-sent-events.ts"
import { withDegraded } from "../../server/degradation.ts"

const CHUNK = "chat.completion.chunk"

/**
 * A search as server-sent events (HTML Living Standard, 9.2): `search.results`, the usual body without its answer; then
 * the answer in pieces as it is written, in the frames of OpenAI's streamed chat completions, as in research;
 * `search.answer`, the whole answer; `done`.
 */
export class SearchEvents {
  readonly #body = new PassThrough()
  readonly #ctx: Context

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Sends the results; the rest follows. */
  begin(found: object): void {
    sendEvents(this.#ctx, this.#body)
    this.#frame("search.results", found)
  }

  piece(content: string): void {
    this.#frame(CHUNK, {
      id: this.#ctx.state.requestId,
      object: CHUNK,
      created: Math.floor(Date.now() / 1000),
      choices: [{ index: 0, delta: { role: "assistant", content } }],
    })
  }

  end(answered: Answered | null): void {
    this.#frame(
      "search.answer",
      withDegraded(this.#ctx, {
        answer: answered?.answer ?? null,
        follow_up_questions: answered?.followUpQuestions ?? null,
        response_time: responseTime(this.#ctx),
        request_id: this.#ctx.state.requestId,
      }),
    )
    if (!this.#body.destroyed) this.#body.end("event: done\n\n")
  }

  /** Reports a failure that occurred after the status was sent. */
  fail(): void {
    const { requestId: id } = this.#ctx.state
    this.#frame("error", { id, object: "error", error: "An error occurred while streaming the answer" })
    if (!this.#body.destroyed) this.#body.end()
  }

  #frame(event: string, data: object): void {
    if (this.#body.destroyed || this.#body.writableEnded) return
    this.#body.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
}
