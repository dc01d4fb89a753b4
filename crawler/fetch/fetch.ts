import { retryAfterMs } from "./retry-after.ts"
import type { IncomingHttpHeaders } from "node:http"
import { type PageUrl, routeOf, toPageUrl } from "#engine"
import type { Readers } from "#engine/index/page/readers.ts"
import type { QueuedAccount } from "#base/flow/memory/queued-budget.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { AddressGuard } from "./guard/address-guard.ts"
import { BlockedAddressError } from "./guard/blocked-address.ts"
import type { Extracted } from "../page/extract/extracted.ts"
import type { PlaceMarks } from "../page/extract/written-places.ts"
import { mediaType } from "../page/headers/media-type.ts"
import { ACCEPTED_ENCODINGS, decompress } from "./content-encoding.ts"
import { clientCertificateWanted, SecureConnectionError } from "./connect/certificate-error.ts"
import { ProxyError } from "./connect/outgoing-proxy.ts"
import { exchange } from "./exchange.ts"
import { codeOf, isUnknownName } from "./network-error.ts"
import { RedirectChain } from "./redirect-chain.ts"
import type { Session } from "./session.ts"
import { type CrawlOutcome, CUT_OFF, type FailureReason } from "../outcome.ts"

/** A failed outcome that also says whether the next visit might succeed. */
export type FetchFailure = Extract<CrawlOutcome, { kind: "failed" }> & { readonly transient: boolean }

/** A page's body, or the reason why there is none. */
export type FetchResult =
  | Fetched
  /** The copy that the validators identify is still valid. */
  | { readonly kind: "not-modified"; readonly url: PageUrl; readonly headers: IncomingHttpHeaders }
  | Extract<CrawlOutcome, { kind: "skipped" | "postponed" }>
  | FetchFailure

export interface Fetched {
  readonly kind: "fetched"
  /** The address after redirects. */
  readonly url: PageUrl
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The decompressed body, in a separate buffer that can be transferred or kept. */
  readonly body: Uint8Array
  /** The requests that led to the page. */
  readonly chain?: RedirectChain
  /** Says how much arrived before the connection ended. Left out if the whole body arrived. */
  readonly cutOff?: string
  /** Facts about the page from outside its body; they take precedence over the body's. Websites have none. */
  readonly facts?: PageFacts
  /** Who may read the page, according to the folder, repository or program it comes from; its own headers and tags restrict that further. Omitted for everyone. */
  readonly readers?: Readers
  /** How to link to places in the page, if it is text. Websites don't need this: their pages have their own anchors. */
  readonly marks?: PlaceMarks
}

/** The facts that the caller already knows about the page. Fields that are left out are taken from the page. */
export type PageFacts = Partial<
  Pick<Extracted, "title" | "description" | "author" | "publishedAt" | "language" | "type">
>

/** The part of a truncated response that arrived. */
export type CutOff = Pick<Fetched, "url" | "headers" | "body">

/** The validators that a site sent for a copy (RFC 9110 §8.8); `null` if it sent none. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

export const NO_VALIDATORS: Validators = { etag: null, lastModified: null }

export interface FetchOptions {
  readonly guard: AddressGuard
  readonly userAgent: string
  readonly maxBytes: number
  /** `FOSSICK_MAX_REDIRECTS`. */
  readonly maxRedirects: number
  /** Time for all hops together. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** The account from which memory for the body is reserved, both as the body arrives and as it is decompressed. */
  readonly memory?: QueuedAccount | undefined
  /** The validators of a stored copy: sent as If-None-Match and If-Modified-Since, but not to the target of a redirect. */
  readonly validators?: Validators | undefined
  /** Credentials and cookies, determined anew for each hop. */
  readonly session?: Session | undefined
  /** The chain to continue, with its addresses and cookies. Default: a new chain. */
  readonly after?: RedirectChain | undefined
  /** Whether the part of a truncated response that arrived is enough. Default: never. */
  readonly takesCutOff?: ((part: CutOff) => boolean) | undefined
  /** Called before a redirect is followed; if it returns an outcome, the visit ends with that outcome. */
  readonly onRedirect?: (to: PageUrl) => Promise<CrawlOutcomeOfRedirect | null>
  /** The Accept header. Default: pages and text. */
  readonly accept?: string
  /** Whether to download a body of this media type from this address. */
  readonly accepts: (type: string, url: PageUrl) => boolean
}

type CrawlOutcomeOfRedirect = Exclude<FetchResult, Fetched | { kind: "not-modified" }>

class Timeout extends Error {}

const HOST_FAULTS = new Set<FailureReason>(["blocked-address", "dns", "refused", "tls", "timeout"])

/** Requests a page with GET; handles redirects, limits and decompression. Whatever the site does is returned as a value; the promise rejects only on a bug. */
export async function fetchPage(url: PageUrl, options: FetchOptions): Promise<FetchResult> {
  const abort = new AbortController()
  const timer = setTimeout(() => {
    abort.abort(new Timeout())
  }, options.timeoutMs)
  const cancel = () => {
    abort.abort()
  }
  if (options.signal?.aborted) cancel()
  options.signal?.addEventListener("abort", cancel)
  try {
    return await followed(url, options, abort.signal)
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener("abort", cancel)
  }
}

async function followed(start: PageUrl, options: FetchOptions, signal: AbortSignal): Promise<FetchResult> {
  const chain = RedirectChain.from(options.after)
  let url = start
  let status = 0
  for (;;) {
    const credentials = chain.headersFor(new URL(url), options.session)
    // A request to the same address with different cookies may get a different response.
    if (!chain.add(url, credentials)) return failed("redirect-loop", `redirect loop back to ${url}`)
    if (chain.length > options.maxRedirects + 1) {
      return failed("redirect-loop", `more than ${options.maxRedirects} redirects, the last to ${url}`)
    }
    const asked = url === start ? options : { ...options, validators: undefined }
    const result = await hop(url, credentials, chain, asked, signal)
    if (result.kind !== "redirect") return url === start ? result : afterRedirect(result, url, status)
    const next = redirected(result.location, url)
    if (next === null)
      return failed(
        "http-status",
        `redirects to ${JSON.stringify(result.location)}, which isn't an http or https address`,
      )
    const outcome = chain.has(next) ? null : await options.onRedirect?.(next)
    if (outcome) return afterRedirect(outcome, next, result.status)
    url = next
    status = result.status
  }
}

/** Mentions the redirect in a failure's details, because the user sees a different address and does not know the host that failed. */
function afterRedirect(result: FetchResult, url: PageUrl, status: number): FetchResult {
  if (result.kind !== "failed" || !HOST_FAULTS.has(result.because)) return result
  const what = status === 301 || status === 308 ? "moved" : "redirects"
  return { ...result, detail: `${what} to ${url} (${status}): ${result.detail}` }
}

/** A location without a fragment inherits the fragment of the redirecting address (RFC 9110 §10.2.2). */
function redirected(location: string, from: PageUrl): PageUrl | null {
  return toPageUrl(location.includes("#") ? location : location + routeOf(from), from)
}

type Hop = FetchResult | { readonly kind: "redirect"; readonly location: string; readonly status: number }

async function hop(
  url: PageUrl,
  credentials: Readonly<Record<string, string>>,
  chain: RedirectChain,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Hop> {
  const target = new URL(url)
  let dispatcher
  try {
    dispatcher = options.guard.dispatcherFor(target)
  } catch (error) {
    return failureOf(error as Error, options)
  }
  const { accepts } = options
  const answer = await exchange(dispatcher, target, {
    headers: { ...requestHeaders(options), ...credentials },
    maxBytes: options.maxBytes,
    memory: options.memory,
    signal,
    wants: (status, headers) => status < 300 && accepts(mediaType(headers["content-type"]), url),
  })
  if (answer.kind === "too-large") return tooLarge(options.maxBytes)
  if (answer.kind === "error") {
    return failureOf(signal.aborted ? (signal.reason as Error) : answer.error, options)
  }
  const { status, headers } = answer
  chain.noteSetCookie(target, headers["set-cookie"], options.session)
  if (status === 304 && options.validators) return { kind: "not-modified", url, headers }
  if ([301, 302, 303, 307, 308].includes(status) && headers.location !== undefined) {
    // Servers send UTF-8 here, although headers are officially Latin-1.
    return { kind: "redirect", location: Buffer.from(headers.location, "latin1").toString("utf8"), status }
  }
  if (status === 429 || status === 503) {
    const wait = retryAfterMs(headers["retry-after"], Date.now())
    return { kind: "postponed", until: new Date(steadyNow() + wait), status }
  }
  if (status >= 300) {
    const isTransient = status >= 500 || status === 408
    return { ...failed("http-status", `the site answered ${status}`, isTransient), status }
  }
  const type = mediaType(headers["content-type"])
  if (!accepts(type, url)) return { kind: "skipped", because: "unsupported-type", detail: type }
  const cutOff = answer.kind === "cut-off" ? cutOffText(answer.body.byteLength, headers) : null
  const whole = await decompress(answer.body, headers["content-encoding"], options.maxBytes, options.memory)
  if (whole.kind === "too-large") return tooLarge(options.maxBytes)
  if (whole.kind === "bad-encoding") return failed("bad-encoding", cutOff ?? whole.detail, true)
  const { body } = whole
  const fetched = { kind: "fetched", url, status, headers, body, chain } as const
  if (cutOff === null) return fetched
  if (options.takesCutOff?.(fetched) !== true) return failed("bad-encoding", cutOff, true)
  return { ...fetched, cutOff }
}

function cutOffText(bytes: number, headers: IncomingHttpHeaders): string {
  const promised = headers["content-length"]
  return `${CUT_OFF} after ${bytes} ${promised === undefined ? "bytes" : `of ${promised} bytes`}`
}

function requestHeaders(options: FetchOptions): Record<string, string> {
  const { etag = null, lastModified = null } = options.validators ?? {}
  return {
    "user-agent": options.userAgent,
    accept: options.accept ?? "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.8,*/*;q=0.1",
    "accept-encoding": ACCEPTED_ENCODINGS,
    ...(etag === null ? {} : { "if-none-match": etag }),
    ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
  }
}

const MAX_VALIDATOR_CHARS = 500

/** The validators of a response. Values that cannot be sent back in a header are left out. */
export function validatorsOf(headers: IncomingHttpHeaders): Validators {
  const kept = (value: string | undefined) =>
    value !== undefined && value.length <= MAX_VALIDATOR_CHARS && /^[\x20-\x7e]+$/.test(value) ? value : null
  return { etag: kept(headers.etag), lastModified: kept(headers["last-modified"]) }
}

function tooLarge(maxBytes: number): FetchResult {
  return { kind: "skipped", because: "too-large", detail: `more than ${maxBytes} bytes` }
}

function failed(because: FailureReason, detail: string, transient = false): FetchFailure {
  return { kind: "failed", because, detail, transient }
}

const LOST_CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ENETUNREACH: "the network cannot be reached",
  EHOSTUNREACH: "the host cannot be reached",
  UND_ERR_SOCKET: "the connection was closed",
}

function failureOf(error: Error, options: FetchOptions): FetchFailure {
  const blocked = [error, error.cause].find((one) => one instanceof BlockedAddressError)
  if (blocked) return failed("blocked-address", blocked.message)
  if (error instanceof Timeout) return failed("timeout", `no answer within ${options.timeoutMs} ms`, true)
  if (options.signal?.aborted) return failed("cancelled", "the caller stopped waiting")
  if (error instanceof ProxyError) return failed("refused", error.message, error.transient)
  const code = codeOf(error)
  if (isUnknownName(error))
    return failed("dns", `the host name cannot be resolved (${code})`, code === "EAI_AGAIN")
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") {
    return failed("timeout", "the connection timed out", true)
  }
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    return failed("timeout", "the site stopped answering", true)
  }
  // Since TLS 1.3 this alert may arrive after the connection has been made (RFC 8446 §4.4.2).
  const wanted = error instanceof SecureConnectionError ? null : clientCertificateWanted(error)
  if (wanted !== null || isTlsError(code, error))
    return failed("tls", `no secure connection: ${wanted ?? withoutPlaces(error.message)}`)
  const lost = LOST_CODES[code]
  if (lost !== undefined) return failed("refused", lost, true)
  return failed("http-status", `invalid HTTP answer: ${error.message}`)
}

/** Returns only the reason, without the thread id, the codes and the source code location that OpenSSL puts around it. */
const withoutPlaces = (message: string): string =>
  /^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(message)?.[1] ?? message

function isTlsError(code: string, error: Error): boolean {
  return (
    /ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO/.test(code) ||
    /certificate/i.test(error.message)
  )
}
