import { PassThrough } from "node:stream"

import { modelLabel } from "../../../server/wire/model-label.ts"
import { presentWarnings, type Warning } from "../../../server/wire/warnings.ts"
import type { ResearchEvent, Step } from "./events.ts"
import type { Source } from "../sources/evidence.ts"

/** A source in wire format. */
export const presentSource = ({ title, url, favicon, addressesModels, pages }: Source) => ({
  title,
  url,
  favicon,
  ...(pages && { pages: pages.map(({ page }) => page) }),
  ...modelLabel(addressesModels),
})

const CHUNK = "chat.completion.chunk"

/** Maximum number of unread characters; the largest reports are a tenth of this. */
const MOST_UNREAD = 1_000_000

export interface EventStreamOptions {
  /** Whether lines are sent a second time for readers that treat every network chunk as one line. */
  readonly lineByLine: boolean
  /** Information about the request; the first frame contains it. */
  readonly warnings?: readonly Warning[]
}

/**
 * Frames as clients of OpenAI's streamed chat completions read them, as `text/event-stream` (HTML Living Standard,
 * 9.2).
 *
 * Each frame is one network chunk, because some readers look for `event:` and `data:` in the same chunk. Others treat
 * each chunk as a line, and need the two in separate chunks. `lineByLine` serves both: the lines are sent again, each
 * as its own chunk and frame and with a leading blank. Readers that follow the standard see an unknown field in a line
 * with a leading blank; readers of chunks trim it; and readers that look for both lines in one frame never find them
 * together, however the network joins the chunks.
 */
export class EventStream {
  readonly body = new PassThrough()
  readonly #base: { readonly id: string; readonly model: string; readonly created: number }
  readonly #lineByLine: boolean
  #warnings: readonly Warning[]

  constructor(id: string, model: string, created: Date, { lineByLine, warnings = [] }: EventStreamOptions) {
    this.#base = { id, model, created: Math.floor(created.getTime() / 1000) }
    this.#lineByLine = lineByLine
    this.#warnings = warnings
  }

  /** Writes an event; the event with the sources is the last frame, and ends the stream. */
  write(event: ResearchEvent): void {
    if (this.body.writableEnded || this.body.destroyed) return
    if (event.kind === "failed") {
      this.#frame("error", {
        id: this.#base.id,
        object: "error",
        error: "An error occurred while streaming the research task",
      })
      this.body.end()
      return
    }
    this.#frame(CHUNK, {
      id: this.#base.id,
      object: CHUNK,
      model: this.#base.model,
      created: this.#base.created,
      choices: [{ delta: { role: "assistant", ...deltaOf(event) } }],
      ...presentWarnings(this.#warnings),
    })
    this.#warnings = []
    if (event.kind === "sources") {
      if (!this.body.destroyed) this.body.end("event: done\n\n")
    }
  }

  /** A reader that stops reading is disconnected from the stream. */
  #frame(event: string, data: object): void {
    if (this.body.readableLength + this.body.writableLength > MOST_UNREAD) {
      this.body.destroy(new Error("The events of a report were not read."))
      return
    }
    const [named, given] = [`event: ${event}\n`, `data: ${JSON.stringify(data)}\n\n`]
    this.body.write(named + given)
    if (!this.#lineByLine || event !== CHUNK) return
    this.body.write(` ${named}\n`)
    this.body.write(` ${given}`)
  }
}

function deltaOf(event: Exclude<ResearchEvent, { kind: "failed" }>): object {
  switch (event.kind) {
    case "call":
      return { tool_calls: { type: "tool_call", tool_call: [presentStep(event.step)] } }
    case "response":
      return { tool_calls: { type: "tool_response", tool_response: [presentStep(event.step)] } }
    case "content":
      return { content: event.content }
    case "sources":
      return {
        sources: event.sources.map(presentSource),
        ...(event.degraded?.length && { degraded: event.degraded }),
      }
    default:
      return event satisfies never
  }
}

const presentStep = ({ name, id, about, queries, sources, parent }: Step) => ({
  name,
  id,
  arguments: about,
  ...(queries && { queries }),
  ...(sources && { sources: sources.map(presentSource) }),
  ...(parent !== undefined && { parent_tool_call_id: parent }),
})
