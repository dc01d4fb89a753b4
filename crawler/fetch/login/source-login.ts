import { toPageUrl } from "#engine"
import type { AddressGuard } from "../guard/address-guard.ts"
import type { FetchFailure, FetchResult } from "../fetch.ts"
import type { Source } from "../../source.ts"
import { hasFields, logInByForm } from "./log-in.ts"
import { readForms } from "./login-form.ts"
import { LoginError } from "./login-error.ts"
import { loginProblems } from "../secrets.ts"
import { CredentialSession } from "../session.ts"

export interface SourceLoginOptions {
  readonly source: Pick<Source, "seeds"> & { readonly login: NonNullable<Source["login"]> }
  /** Where to look up secrets that are written as `${NAME}`. */
  readonly env: NodeJS.ProcessEnv
  /**
   * Whether the login belongs to an observer. The pages that an observer sees may be forms for reasons other than a
   * lost session, so no response counts as a login form, and callers use {@link SourceLogin.isSignedIn} instead.
   * Default: false.
   */
  readonly isObserver?: boolean
}

/** What a login needs from its reader. */
export interface LoginReader {
  readonly guard: AddressGuard
  readonly userAgent: string
  readonly timeoutMs: number
  readonly maxRedirects: number
  readonly signal?: AbortSignal | undefined
  /** Sends a GET request with the session's headers. */
  fetch(url: string): Promise<FetchResult>
}

/** Maximum number of logins in a row with almost no pages in between. */
const MAX_VAIN_LOGINS = 5
/** Number of pages after which a login counts as worthwhile. */
const WORTHWHILE_PAGES = 20
/** Maximum size of a page with a form; pages with real forms are small. */
const MAX_FORM_BYTES = 1_000_000

/**
 * Keeps one run of a source logged in: logs in before the first visit, notices a page that asks for a login again, and
 * logs in again. Visits that encounter the form at the same time share one login.
 */
export class SourceLogin {
  readonly session: CredentialSession
  readonly #options: SourceLoginOptions
  /** Number of logins so far. */
  #count = 0
  #inProgress: Promise<void> | null = null
  #vain = 0
  #pages = 0
  /** Whether pages contain the form even for logged-in users. */
  #formIsEverywhere = false

  /** @throws LoginError naming a missing secret, or a field that contains a secret instead of naming it. */
  constructor(options: SourceLoginOptions) {
    const { source, env } = options
    this.#options = options
    const [problem] = loginProblems(source.login)
    if (problem) throw new LoginError(`${problem.path.join(".")} ${problem.message}`)
    const addresses = source.login.kind === "form" ? [...source.seeds, source.login.url] : source.seeds
    try {
      this.session = new CredentialSession(source.login, addresses, env)
    } catch (error) {
      throw new LoginError((error as Error).message, { cause: error })
    }
  }

  /** A number passed with each visit, so that a visit that began before the latest login does not cause another one. */
  get generation(): number {
    return this.#count
  }

  /**
   * Logs in, or requests the first seed to see whether the credentials are accepted.
   * @throws LoginError saying why the login failed
   */
  async start(reader: LoginReader): Promise<void> {
    const { login } = this.#options.source
    if (login.kind !== "form") {
      await this.#checkSeed(reader)
      return
    }
    await this.renew(this.#count, reader)
    if (this.#options.isObserver !== true || (await this.isSignedIn(reader)) === true) return
    throw new LoginError(
      `${this.#seed} doesn't contain the text that proves the login, although the site accepted the form`,
    )
  }

  /**
   * Whether the first seed indicates a session: it contains the proof for a form's login, or else is neither a refusal
   * nor a form. `null` if it could not be fetched.
   */
  async isSignedIn(reader: LoginReader): Promise<boolean | null> {
    const { login } = this.#options.source
    const answer = await reader.fetch(this.#seed)
    if (answer.kind === "postponed") return null
    if (answer.kind === "failed" && (answer.status ?? 0) < 400) return null
    if (answer.kind === "failed" && answer.transient) return null
    if (login.kind !== "form") return !isRefused(answer) && !this.#isLedAway(answer)
    return answer.kind === "fetched" && login.proof !== null && Buffer.from(answer.body).includes(login.proof)
  }

  get #seed(): string {
    return this.#options.source.seeds[0] ?? ""
  }

  /**
   * Logs in again, unless another visit has done so since `generation`. Credentials that cannot be renewed are tried
   * again on the first seed.
   * @throws LoginError if logging in fails, or if the session never lasts
   */
  async renew(generation: number, reader: LoginReader): Promise<void> {
    const { source, env } = this.#options
    const { login } = source
    if (login.kind !== "form") {
      await this.#checkSeed(reader)
      return
    }
    if (generation !== this.#count) return
    this.#inProgress ??= (async () => {
      this.#vain = this.#pages >= WORTHWHILE_PAGES ? 0 : this.#vain + 1
      this.#pages = 0
      if (this.#vain > MAX_VAIN_LOGINS)
        throw new LoginError(
          `the site ended the session ${MAX_VAIN_LOGINS} times, each time within a few pages`,
        )
      await logInByForm(login, { ...reader, session: this.session, env })
      this.#count += 1
    })().finally(() => {
      this.#inProgress = null
    })
    await this.#inProgress
  }

  /** Whether users who are not logged in are sent to `url`: it is the page with the form, or is on a site that is only for logging in. */
  isLoginPage(url: string): boolean {
    const { login, seeds } = this.#options.source
    if (login.kind !== "form" || this.#options.isObserver === true) return false
    const page = new URL(login.url)
    const other = new URL(url)
    if (other.origin !== page.origin) return false
    return other.pathname === page.pathname || !seeds.some((seed) => new URL(seed).origin === page.origin)
  }

  /** Whether a response to a request for `asked` means that the session has ended. */
  isSignedOut(asked: string, result: FetchResult): boolean {
    if (this.#options.isObserver === true) return false
    if (this.isLoginPage(asked) || !this.session.covers(new URL(asked))) return false
    const { kind } = this.#options.source.login
    // A gateway's credentials don't affect forms behind the gateway, such as those of a site that is not public yet.
    if (kind !== "form") return kind === "cookies" && isLedToForm(asked, result)
    if (result.kind === "failed") return result.status === 401
    if (result.kind !== "fetched") return false
    return this.isLoginPage(result.url) || (!this.#formIsEverywhere && this.#holdsForm(result))
  }

  /** Must be called after a page has been read. */
  notePage(): void {
    this.#pages += 1
  }

  /** Must be called when a page contains the form even right after a login. */
  noteFormEverywhere(): void {
    this.#formIsEverywhere = true
  }

  /** Whether visiting `url` would end the session. */
  endsSession(url: string): boolean {
    const { kind } = this.#options.source.login
    if (kind !== "form" && kind !== "cookies") return false
    const { pathname, search } = new URL(url)
    return this.session.covers(new URL(url)) && SIGN_OUT.test(`${pathname}${search}`)
  }

  async #checkSeed(reader: LoginReader): Promise<void> {
    const seed = this.#seed
    const answer = await reader.fetch(seed)
    if (isRefused(answer))
      throw new LoginError(`the site rejected the credentials: ${seed} answered ${answer.status}`)
    if (this.#isLedAway(answer))
      throw new LoginError(`${seed} leads to a form that asks for a password: the session may have expired`)
  }

  #isLedAway(answer: FetchResult): boolean {
    const { login } = this.#options.source
    return login.kind === "cookies" && isLedToForm(toPageUrl(this.#seed) ?? this.#seed, answer)
  }

  #holdsForm({ body, url, headers }: Extract<FetchResult, { kind: "fetched" }>): boolean {
    const { login } = this.#options.source
    if (login.kind !== "form" || body.byteLength > MAX_FORM_BYTES) return false
    if (!/html/.test(headers["content-type"] ?? "")) return false
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    if (!Object.keys(login.fields).every((name) => bytes.includes(name))) return false
    return readForms(bytes.toString("latin1"), url).some((form) => hasFields(form, login.fields))
  }
}

const isRefused = (answer: FetchResult): answer is FetchFailure =>
  answer.kind === "failed" && [401, 403, 407].includes(answer.status ?? 0)

/** Whether a request for `asked` was redirected to another page, which asks for a password. */
function isLedToForm(asked: string, result: FetchResult): boolean {
  if (result.kind !== "fetched" || result.url === asked || result.body.byteLength > MAX_FORM_BYTES)
    return false
  if (!/html/.test(result.headers["content-type"] ?? "")) return false
  return PASSWORD_INPUT.test(Buffer.from(result.body).toString("latin1"))
}

const PASSWORD_INPUT = /<input\s[^<>]*type\s*=\s*["']?password/i

/** Matches logout links, which every page contains for a logged-in user. */
const SIGN_OUT =
  /[/=_.-](?:log|sign)[-_]?(?:out|off)(?:$|[/?&=._-])|[/=](?:abmelden|deconnexion|cerrar-sesion)(?:$|[/?&])/i
