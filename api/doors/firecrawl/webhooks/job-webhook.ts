import { FieldReader, type Fields, isFields } from "../../../server/wire/fields.ts"
import { MAX_URL_CHARS } from "../scrape-request.ts"

/** What a receiver may be told of a job. */
export const JOB_EVENTS = ["started", "page", "completed", "failed"] as const

export type JobEvent = (typeof JOB_EVENTS)[number]

/** Who is told of a job, as it is kept with its request. */
export interface JobWebhook {
  readonly url: string
  readonly events: readonly JobEvent[]
  /** The caller's own, handed back with each message. */
  readonly metadata: Fields
}

const MAX_METADATA_CHARS = 10_000

/** Reads the field `webhook`, an address or an object. @throws ApiError 400 naming the field */
export function readWebhook(body: FieldReader): JobWebhook | null {
  const given = body.any("webhook")
  const part =
    typeof given === "string" ? new FieldReader({ url: given }, "webhook.") : body.object("webhook")
  if (part === undefined) return null
  const url = part.requiredString("url", MAX_URL_CHARS)
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw part.refusal("url", "Must be an http or https address.")
  }
  const names: readonly string[] = part.strings("events", 100, 100) ?? JOB_EVENTS
  const events = JOB_EVENTS.filter((event) => names.includes(event))
  if (events.length < new Set(names).size) {
    throw part.refusal("events", `Must be a list of ${JOB_EVENTS.join(", ")}.`)
  }
  const metadata = part.any("metadata") ?? {}
  if (!isFields(metadata) || JSON.stringify(metadata).length > MAX_METADATA_CHARS) {
    throw part.refusal("metadata", `Must be an object of at most ${MAX_METADATA_CHARS} characters.`)
  }
  part.only([{}], ["headers"], "Receivers know a message by its signature.")
  part.end()
  return { url, events, metadata }
}
