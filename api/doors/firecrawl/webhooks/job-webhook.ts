import { FieldReader, type Fields, isFields } from "../../../server/wire/fields.ts"
import { MAX_URL_CHARS } from "../scrape-request.ts"

/** Events of a job that a receiver may get. */
export const JOB_EVENTS = ["started", "page", "completed", "failed"] as const

export type JobEvent = (typeof JOB_EVENTS)[number]

/** The receiver of a job's events, as stored with its request. */
export interface JobWebhook {
  readonly url: string
  readonly events: readonly JobEvent[]
  /** The caller's own data, handed back with each message. */
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
  part.only([{}], ["headers"], "Receivers recognise a message by its signature.")
  part.end()
  return { url, events, metadata }
}
