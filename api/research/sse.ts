import { PassThrough } from "node:stream"

import type { ResearchEvent, Step } from "./events.ts"
import type { Source } from "./evidence.ts"

/** A source as it stands on the wire. */
export const presentSource = ({ title, url, favicon }: Source) => ({ title, url, favicon })

/** Frames that clients of OpenAI's streamed chat completions read, as `text/event-stream` (HTML Living Standard, 9.2). */
export class EventStream {
  readonly body = new PassThrough()
  readonly #base: { readonly id: string; readonly model: string; readonly created: number }

  constructor(id: string, model: string, created: Date) {
    this.#base = { id, model, created: Math.floor(created.getTime() / 1000) }
  }

  /** Writes what happened; the sources are the last frame, and end the stream. */
  write(event: ResearchEvent): void {
    if (this.body.writableEnded) return
    if (event.kind === "failed") {
      this.#frame("error", {
        id: this.#base.id,
        object: "error",
        error: "An error occurred while streaming the research task",
      })
      this.body.end()
      return
    }
    this.#frame("chat.completion.chunk", {
      id: this.#base.id,
      object: "chat.completion.chunk",
      model: this.#base.model,
      created: this.#base.created,
      choices: [{ delta: { role: "assistant", ...deltaOf(event) } }],
    })
    if (event.kind === "sources") {
      this.body.end("event: done\n\n")
    }
  }

  /** In two writes: some readers take every chunk that arrives for a line. */
  #frame(event: string, data: object): void {
    this.body.write(`event: ${event}\n`)
    this.body.write(`data: ${JSON.stringify(data)}\n\n`)
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
      return { sources: event.sources.map(presentSource) }
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
