import type { IncomingHttpHeaders } from "node:http"
import { SecureConnectionError } from "../connect/certificate-error.ts"
import { ProxyError } from "../connect/outgoing-proxy.ts"
import type { AddressGuard } from "../guard/address-guard.ts"
import { decodeText } from "../../page/charset.ts"
import { charsetParameter, mediaType } from "../../page/headers/media-type.ts"
import { ACCEPTED_ENCODINGS, decompress } from "../content-encoding.ts"
import { exchange } from "../exchange.ts"
import type { Login } from "../../source.ts"
import { LoginError } from "./login-error.ts"
import { type LoginForm, readForms } from "./login-form.ts"
import { resolveValues } from "../secrets.ts"
import type { CredentialSession } from "../session.ts"

type FormLogin = Extract<Login, { kind: "form" }>

export interface LogInOptions {
  readonly session: CredentialSession
  readonly guard: AddressGuard
  readonly userAgent: string
  readonly env: NodeJS.ProcessEnv
  /** Time limit for all requests together. */
  readonly timeoutMs: number
  readonly maxRedirects: number
  readonly signal?: AbortSignal | undefined
}

/** Maximum size of a page. Forms and the pages after them are small. */
const MAX_BYTES = 5_000_000

interface Answer {
  readonly url: URL
  readonly status: number
  readonly html: string
}

/**
 * Fills in a login form and sends it as a browser would: the page's other fields unchanged, cookies kept, redirects
 * followed.
 * @throws LoginError when the login fails; its message contains no value that was filled in.
 */
export async function logInByForm(login: FormLogin, options: LogInOptions): Promise<void> {
  const { session, env } = options
  const filledIn = resolved(login, env)
  session.clear()
  const requests = new Requests(options)
  const page = await requests.send(new URL(login.url))
  if (page.status >= 400) throw new LoginError(`${login.url} answered ${page.status}`)
  const form = formFor(filledIn, page, login.url)
  const action = new URL(form.action)
  if (!session.covers(action))
    throw new LoginError(`the form on ${login.url} submits to another site, ${action.origin}`)
  if (form.method === "get")
    throw new LoginError(`the form on ${login.url} would put the password into the address`)
  const values = new URLSearchParams([...form.values])
  for (const [name, value] of Object.entries(filledIn)) values.set(name, value)
  const answer = await requests.send(action, values.toString(), page.url)
  if (answer.status >= 400)
    throw new LoginError(
      `${action.origin}${action.pathname} answered ${answer.status} when the form was submitted`,
    )
  if (login.proof !== null && answer.html.includes(login.proof)) return
  if (readForms(answer.html, answer.url.href).some((other) => hasFields(other, filledIn)))
    throw new LoginError(`the site shows the form on ${login.url} again: the user or password may be wrong`)
  if (login.proof !== null)
    throw new LoginError(
      `the page behind the form on ${login.url} doesn't contain the text that proves the login`,
    )
}

function resolved(login: FormLogin, env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    return resolveValues(login.fields, env)
  } catch (error) {
    throw new LoginError((error as Error).message, { cause: error })
  }
}

function formFor(fields: Readonly<Record<string, string>>, page: Answer, url: string): LoginForm {
  const forms = readForms(page.html, page.url.href)
  const form = forms.find((one) => hasFields(one, fields))
  if (form) return form
  const names = [...new Set(forms.flatMap((one) => [...one.names]))].slice(0, 20)
  const has = names.length === 0 ? "it has no fields" : `it has ${names.join(", ")}`
  throw new LoginError(`no form on ${url} has the fields ${Object.keys(fields).join(", ")}; ${has}`)
}

/** Whether a form has all of the fields. */
export function hasFields(form: LoginForm, fields: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(fields).every((name) => form.names.has(name))
}

class Requests {
  readonly #options: LogInOptions
  readonly #signal: AbortSignal

  constructor(options: LogInOptions) {
    this.#options = options
    const timeout = AbortSignal.timeout(options.timeoutMs)
    this.#signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
  }

  async send(start: URL, post?: string, referrer?: URL): Promise<Answer> {
    let url = start
    let body = post
    for (let hops = 0; hops <= this.#options.maxRedirects; hops += 1) {
      const answer = await this.#hop(url, body, referrer)
      const { status, headers } = answer
      const location = status >= 300 && status < 400 ? headers.location : undefined
      const next =
        location === undefined ? null : URL.parse(Buffer.from(location, "latin1").toString("utf8"), url.href)
      if (next === null) return { url, status, html: await this.#text(answer) }
      if (next.protocol !== "http:" && next.protocol !== "https:")
        throw new LoginError(`${placeOf(url)} redirects to an address that isn't http or https`)
      // The filled-in values are sent again only if the redirect asks for it, and never to another site.
      if (!(status === 307 || status === 308)) body = undefined
      else if (body !== undefined && next.origin !== url.origin)
        throw new LoginError(`${placeOf(url)} redirects the submitted form to another site, ${next.origin}`)
      url = next
    }
    throw new LoginError(`${placeOf(start)} redirects more than ${this.#options.maxRedirects} times`)
  }

  async #hop(url: URL, post: string | undefined, referrer: URL | undefined) {
    const { session, guard, userAgent } = this.#options
    const headers: Record<string, string> = {
      "user-agent": userAgent,
      accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
      "accept-encoding": ACCEPTED_ENCODINGS,
      ...session.headersFor(url),
    }
    if (post !== undefined) {
      headers["content-type"] = "application/x-www-form-urlencoded"
      // Frameworks that protect their forms compare these headers with their own address.
      headers["origin"] = url.origin
      if (referrer) headers["referer"] = referrer.href
    }
    let dispatcher
    try {
      dispatcher = guard.dispatcherFor(url)
    } catch (error) {
      throw unreachable(url, error as Error)
    }
    const answer = await exchange(dispatcher, url, {
      headers,
      ...(post === undefined ? {} : { post }),
      maxBytes: MAX_BYTES,
      signal: this.#signal,
      wants: () => true,
    })
    if (answer.kind === "too-large") throw new LoginError(`${placeOf(url)} is larger than ${MAX_BYTES} bytes`)
    if (answer.kind === "error") throw unreachable(url, answer.error)
    if (answer.kind === "cut-off") throw new LoginError(`the answer from ${placeOf(url)} was cut off`)
    session.noteSetCookie(url, answer.headers["set-cookie"])
    return answer
  }

  async #text(answer: { readonly headers: IncomingHttpHeaders; readonly body: Uint8Array }): Promise<string> {
    const type = answer.headers["content-type"]
    if (!/^(?:$|text\/|application\/(?:xhtml|json))/.test(mediaType(type))) return ""
    const whole = await decompress(answer.body, answer.headers["content-encoding"], MAX_BYTES)
    return whole.kind === "body" ? decodeText(whole.body, charsetParameter(type)) : ""
  }
}

function unreachable(url: URL, error: Error): LoginError {
  const code = (error as NodeJS.ErrnoException).code
  const isTold = error instanceof SecureConnectionError || error instanceof ProxyError
  const why = isTold ? error.message : (code ?? error.message)
  return new LoginError(`${placeOf(url)} cannot be reached (${why})`, { cause: error })
}

/** The address without its query, where sites put data that others should not see. */
function placeOf(url: URL): string {
  return `${url.origin}${url.pathname}`
}
