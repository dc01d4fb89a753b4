import { type Calls, type ErrorAnswer, TEXT_CALLS } from "./calls.ts"

export type * from "./calls.ts"

/** A call by its method and path, such as `GET /admin/jobs/{id}`. */
export type Call = keyof Calls

/** The appliance's answer to a successful call. */
export type AnswerOf<C extends Call> = Calls[C]["answer"]

/** The arguments of a call: its `path`, `query` and `body`, if it has any. */
export type GivenTo<C extends Call> = Calls[C]["given"] & CallOptions

export interface CallOptions {
  /** Aborts the call. Without it, there is no time limit. */
  readonly signal?: AbortSignal | undefined
  /** Additional headers for the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The arguments are optional if the call needs none. */
type Given<C extends Call> = {} extends Calls[C]["given"] ? [given?: GivenTo<C>] : [given: GivenTo<C>]

/** One problem with a body: a field and what is wrong with it, or only a description. */
export type Problem = NonNullable<ErrorAnswer["detail"]["problems"]>[number]

/** An error answer from the appliance. If the appliance cannot be reached, the error from `fetch` passes through unchanged. */
export class FossickError extends Error {
  override readonly name = "FossickError"
  /** The HTTP status. */
  readonly status: number
  /** The appliance's description of the error; also the `message` of this error. */
  readonly detail: string
  /** For a 422: the problems, field by field. */
  readonly problems: readonly Problem[]
  /** The headers, including `Retry-After` for a 429 and `X-Request-Id`, which identifies the call in the log. */
  readonly headers: Headers

  constructor({ status, headers }: Response, detail: string, problems: readonly Problem[] = []) {
    super(detail)
    this.status = status
    this.detail = detail
    this.problems = problems
    this.headers = headers
  }
}

/** Typed calls to an appliance. */
export class FossickClient {
  readonly #address: string
  readonly #key: string | undefined

  /**
   * @param url address of the appliance, such as `http://localhost:8080`; if it has a path, the calls are made below
   * that path
   * @param key an API key; calls to `/admin` need one with the role `admin`
   * @throws TypeError when `url` isn't an http or https address
   */
  constructor({ url, key }: { readonly url: string | URL; readonly key?: string | undefined }) {
    const address = URL.parse(String(url))
    if (address === null || !/^https?:$/.test(address.protocol)) {
      throw new TypeError("url must be an http or https address")
    }
    this.#address = address.origin + address.pathname.replace(/\/+$/, "")
    this.#key = key
  }

  /**
   * @throws FossickError for an error response
   * @throws TypeError from `fetch` if the appliance cannot be reached
   */
  async call<C extends Call>(call: C, ...[given]: Given<C>): Promise<AnswerOf<C>> {
    const response = await this.#ask(call, given)
    const text = await response.text()
    if (TEXT_CALLS.has(call)) return text
    const answer = asJson(text)
    if (answer === undefined) throw new FossickError(response, "The answer is not from a Fossick appliance.")
    return answer as AnswerOf<C>
  }

  /**
   * Makes a call and returns its unread response, for calls that stream, such as `POST /research` with `stream`.
   * @throws as `call`
   */
  async stream<C extends Call>(call: C, ...[given]: Given<C>): Promise<Response> {
    return await this.#ask(call, given)
  }

  async #ask(call: string, given: AnyGiven = {}): Promise<Response> {
    const [method = "", template = ""] = call.split(" ")
    const { path = {}, query = {}, body, signal, headers } = given
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) parameters.set(name, String(value))
    }
    const search = parameters.size === 0 ? "" : `?${parameters.toString()}`
    const response = await fetch(this.#address + filled(template, path) + search, {
      method,
      headers: {
        Accept: "*/*",
        ...(this.#key !== undefined && { Authorization: `Bearer ${this.#key}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    })
    if (!response.ok) throw await refusal(response)
    return response
  }
}

type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

interface AnyGiven extends CallOptions {
  readonly path?: Values
  readonly query?: Values
  readonly body?: unknown
}

function filled(template: string, path: Values): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(path[name] ?? "")
    // Such a path segment would turn the address into that of a different call.
    if (["", ".", ".."].includes(value)) throw new TypeError(`${name} must not be "${value}"`)
    return encodeURIComponent(value)
  })
}

async function refusal(response: Response): Promise<FossickError> {
  const body = asJson(await response.text()) as Partial<ErrorAnswer> | null | undefined
  const { error, problems } = { ...body?.detail }
  // A proxy in front of the appliance has its own error format.
  const detail = typeof error === "string" ? error : `The server responded with status ${response.status}.`
  return new FossickError(response, detail, Array.isArray(problems) ? problems : [])
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
