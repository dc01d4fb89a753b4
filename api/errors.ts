import { failedToWrite, isUnwritable } from "#base/disk-space.ts"
import { Refusal } from "#base/errors.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"
import { EngineError, type EngineErrorCode } from "#engine/errors.ts"

/** An error response: a status and a message for the caller. No other detail leaves the process. */
export class ApiError extends Refusal {
  readonly status: number
  /** Additional fields in the envelope, besides `error`. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(null, message)
    this.name = "ApiError"
    this.status = status
    this.fields = fields
    this.headers = headers
  }
}

/** The caller's input cannot be served; `message` names the field and the allowed values. */
export const badRequest = (message: string): Refusal => new Refusal("wrong", message)

const unavailable: Readonly<Partial<Record<EngineErrorCode, string>>> = {
  ENGINE_UNAVAILABLE: "The index cannot be read right now. Try again shortly.",
  ENGINE_CLOSED: "The appliance is stopping. Try again shortly.",
  EMBEDDER_MISMATCH:
    "The index was made with another embedding model. Run `fossick index upgrade` on the server to rebuild it.",
  MODEL_UNAVAILABLE: "The embedding model cannot be loaded; the server's log says why.",
  INDEX_FORMAT_TOO_NEW: "The index was written by a newer version of the server.",
  INDEX_FORMAT_TOO_OLD:
    "The index was written by an older version of the server; the server's log says what to do.",
}

const UNWRITABLE =
  "The server's disk is full, read-only or failing, so nothing can be stored in its data folder (FOSSICK_DATA_DIR). Searches still work. Try again once its operator has made room or made the folder writable."

const STATE_AWAY = "The server that keeps the state cannot be reached. Try again once it is back."

/** Seconds after which a caller may retry when there was no room. */
const RETRY_SECONDS = 10

const REFUSALS: Readonly<
  Record<NonNullable<Refusal["because"]>, (message: string, problems: Refusal["problems"]) => ApiError>
> = {
  wrong: (message) => new ApiError(400, message),
  denied: (message) => new ApiError(403, message),
  // The text is used for requests with a single address: Tavily's clients look for the number in it.
  forbidden: (message) => new ApiError(403, `[403] ${message}`),
  missing: (message) => new ApiError(404, message),
  conflict: (message) => new ApiError(409, message),
  unfit: (message, problems) => new ApiError(422, message, { problems }),
  crowded: (message) => new ApiError(429, message, {}, { "Retry-After": "30" }),
  // Tavily's clients interpret this status as a limit of their plan.
  full: (message) => new ApiError(432, message),
  busy: (message) => new ApiError(503, message, {}, { "Retry-After": String(RETRY_SECONDS) }),
}

/** The response callers get for `error`: the only place where failures become statuses. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Refusal && error.because !== null)
    return REFUSALS[error.because](error.message, error.problems)
  if (error instanceof EngineError) {
    // The message names a file in the data folder and the command that repairs it, and nothing else about the machine.
    if (error.code === "INDEX_DAMAGED") return new ApiError(503, error.message)
    const message = unavailable[error.code]
    if (message !== undefined) return new ApiError(503, message)
  }
  // Leaves out the error's own message, which names the folder.
  if (isUnwritable(error) || failedToWrite(error)) return new ApiError(503, UNWRITABLE)
  // Leaves out the error's own message, which names the server.
  if (isStateAway(error)) return new ApiError(503, STATE_AWAY, {}, { "Retry-After": "5" })
  return new ApiError(500, "Internal Server Error")
}

/** The body of every error response. */
export const envelope = (message: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  detail: { error: message, ...fields },
})

/** `There is no source "x"; did you mean "y"?` as the message of a field: `is unknown: there is no source …`. */
export const unknownMessage = (text: string): string =>
  `is unknown: ${text.charAt(0).toLowerCase()}${text.slice(1)}`
