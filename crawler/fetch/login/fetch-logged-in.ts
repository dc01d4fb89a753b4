import type { PageUrl } from "#engine"
import type { FetchOptions, FetchResult } from "../fetch.ts"
import type { LoginReader, SourceLogin } from "./source-login.ts"

type OnRedirect = NonNullable<FetchOptions["onRedirect"]>

interface LoggedInFetch {
  /** Called for every redirect that does not lead to the login form. */
  readonly onRedirect: FetchOptions["onRedirect"] | undefined
  /** Fetches the page once. */
  readonly attempt: (onRedirect: OnRedirect) => Promise<FetchResult>
  /** Returns the reader used to log in again. */
  readonly reader: () => LoginReader
}

/**
 * Fetches a page of a site with a login, and fetches it again after a new login if the first response asks for one.
 * Logout addresses are skipped.
 * @throws LoginError when the site does not accept the new login
 */
export async function fetchLoggedIn(
  login: SourceLogin,
  url: PageUrl,
  how: LoggedInFetch,
): Promise<FetchResult> {
  if (login.endsSession(url)) return { kind: "skipped", because: "logout" }
  const { generation } = login
  const first = await fetchOnce(login, url, how)
  if (!first.isSignedOut) return first.result
  await login.renew(generation, how.reader())
  const second = await fetchOnce(login, url, how)
  if (!second.isSignedOut) return second.result
  // This is either a login box that even logged-in users see, or a page that this user may not see.
  if (second.result.kind === "fetched" && second.result.url === url) {
    login.noteFormEverywhere()
    return second.result
  }
  const detail = "the site asks for a login although the crawler is logged in"
  return { kind: "failed", because: "http-status", detail, transient: false }
}

/** A redirect to the login form is not followed, whatever robots.txt says about the form. */
async function fetchOnce(
  login: SourceLogin,
  url: PageUrl,
  { onRedirect, attempt }: LoggedInFetch,
): Promise<{ readonly result: FetchResult; readonly isSignedOut: boolean }> {
  let isSentToForm = false
  const result = await attempt(async (to) => {
    if (!login.isLoginPage(to) || login.isLoginPage(url)) return (await onRedirect?.(to)) ?? null
    isSentToForm = true
    return {
      kind: "failed",
      because: "http-status",
      detail: "redirects to the login form",
      transient: false,
    }
  })
  const isSignedOut = isSentToForm || login.isSignedOut(url, result)
  if (!isSignedOut && result.kind === "fetched") login.notePage()
  return { result, isSignedOut }
}
