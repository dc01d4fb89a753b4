import type { PageUrl } from "#engine"
import { refreshTarget, withRefreshLink } from "../../page/refresh-target.ts"
import type { Visit, VisitOptions } from "../../reading.ts"
import type { SourceLogin } from "../login/source-login.ts"
import type { RedirectChain } from "../redirect-chain.ts"

/** The result of one fetch, including its redirects, and of reading the page. `chain`: the fetch's requests; null when nothing was fetched. */
export interface Step {
  readonly visit: Visit
  readonly chain: RedirectChain | null
}

/** Makes a visit that follows immediate refreshes like redirects, with all the checks of a redirect. */
export async function throughRefreshes(
  start: PageUrl,
  options: VisitOptions,
  login: Pick<SourceLogin, "generation" | "isLoginPage" | "session"> | null,
  step: (url: PageUrl, options: VisitOptions, after: RedirectChain | undefined) => Promise<Step>,
  renew: (generation: number) => Promise<void>,
): Promise<Visit> {
  let url = start
  let after: RedirectChain | undefined
  let isRenewed = false
  for (;;) {
    const generation = login?.generation ?? 0
    const asked = after === undefined ? options : { ...options, validators: undefined }
    const { visit, chain } = await step(url, asked, after)
    if (visit.kind !== "read" || chain === null) return after ? named(visit, url) : visit
    const next = refreshTarget(visit.reading)
    // A page without text that reloads itself may only be checking whether its cookie is sent back.
    const isReload = next === visit.reading.url
    if (next === null || (isReload && chain.hasMade(next, login?.session)))
      return { kind: "read", reading: withRefreshLink(visit.reading) }
    if (login?.isLoginPage(next) === true && !login.isLoginPage(start)) {
      if (isRenewed) {
        const detail = "sends its readers to the login form"
        return { kind: "failed", because: "http-status", detail, transient: false }
      }
      await renew(generation)
      isRenewed = true
      url = start
      after = undefined
      continue
    }
    const outcome = chain.has(next) ? null : await options.onRedirect?.(next)
    if (outcome) return named(outcome, next)
    url = next
    after = chain
  }
}

/** Adds the address to a failure at another address, because reports contain only the address where the visit began. */
const named = <V extends Visit>(visit: V, url: PageUrl): V =>
  visit.kind === "failed" ? { ...visit, detail: `immediately leads to ${url}: ${visit.detail}` } : visit
