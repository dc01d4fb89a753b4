import type { PageUrl } from "#engine"
import { UNREACHABLE_HOST } from "../../fetch/concealed.ts"
import { shownOutcome } from "../../outcome-name.ts"
import type { LookedAt } from "./polite-visits.ts"
import type { LoginForm } from "./login-look.ts"
import type { RenderingLook } from "./rendering-look.ts"
import type { SiteLook } from "./site-look.ts"
import type { SitemapLook } from "./sitemap-look.ts"
import type { Tried } from "../../reporting/why/try/try-page.ts"

/** An obstacle to a crawl. */
export interface Obstacle {
  readonly kind:
    | "address"
    | "browser"
    | "certificate"
    | "empty"
    | "login"
    | "network"
    | "noindex"
    | "pages"
    | "robots"
    | "server"
    | "sitemap"
  readonly text: string
  /** What the operator can do about it; `null` if nothing helps. */
  readonly help: string | null
}

/** Whether a connection failed because of the certificate, and not because the other side doesn't use TLS. */
export const isUntrusted = (detail: string): boolean => /certificate|CERT_/i.test(detail)

/** Why the first page couldn't be read, and how to fix it. */
export function obstacleOf(
  visit: Exclude<LookedAt["visit"], { kind: "read" | "unmodified" }>,
  asked: PageUrl,
): Obstacle {
  const { host } = new URL(asked)
  if (visit.kind === "postponed")
    return { kind: "server", text: "The site asks crawlers to come back later.", help: "Try again later." }
  const detail = "detail" in visit && visit.detail ? visit.detail : "no reason given"
  if (visit.kind === "skipped" && visit.because === "robots")
    return {
      kind: "robots",
      text: `${detail}.`,
      help: "If the site is yours, use --ignore-robots (ignore_robots). The source then gets politeness: { robots: false }.",
    }
  const because = visit.because
  if (because === "tls" && !isUntrusted(detail))
    return {
      kind: "server",
      text: `Can't connect securely to ${host}.`,
      help: `If the site has no https, use http://${host}/ instead.`,
    }
  if (because === "tls") {
    const [what = detail, advice = null] = detail.split("; ", 2)
    const help =
      advice ??
      "if it was issued by your own authority, set FOSSICK_CA_FILE or the source's caFile to the authority's PEM file"
    return {
      kind: "certificate",
      text: `Its certificate is not trusted: ${what}.`,
      help: `${help.slice(0, 1).toUpperCase()}${help.slice(1)}.`,
    }
  }
  if (because === "blocked-address") {
    const [what = detail, remedy] = detail.split("; ", 2)
    return {
      kind: "network",
      text: `${what}.`,
      help:
        remedy === undefined
          ? null
          : `If it is yours, an admin can allow its network under Add a source in the console. Or add ${host} to FOSSICK_ALLOWED_NETWORKS, or to the source's allowedNetworks in the sources file.`,
    }
  }
  if (because === "dns")
    return {
      kind: "address",
      text: `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}.`,
      help:
        detail === UNREACHABLE_HOST
          ? "Check the spelling. To allow a host in a private network, set FOSSICK_ALLOWED_NETWORKS."
          : "Check the spelling, and that the machine or container that runs Fossick can resolve the name.",
    }
  if (because === "refused")
    return {
      kind: "server",
      text: `Can't connect to ${host}: ${detail}.`,
      help: "Check the port, and that the site is running. In a container, localhost is the container itself.",
    }
  if (because === "timeout")
    return {
      kind: "server",
      text: `${host} did not answer in time.`,
      help: "Check the address, and that no firewall blocks the machine that runs Fossick.",
    }
  const status = visit.kind === "failed" ? visit.status : undefined
  if (status === 401)
    return {
      kind: "login",
      text: "It asks for a user and a password (401).",
      help: "The proposal logs in with basic authentication. Set the secret it names. See Crawl behind a login for tokens and cookies.",
    }
  if (status === 403)
    return {
      kind: "server",
      text: "It refuses the crawler (403).",
      help: "It may require a login, or allow only some addresses or programs. Ask its operator.",
    }
  return { kind: "server", text: `It could not be read: ${detail}.`, help: null }
}

export interface Seen {
  readonly look: SiteLook
  readonly pages: readonly Tried[]
  readonly rendering: RenderingLook | null
  readonly sitemap: SitemapLook | null
  /** The number of pages in the sitemap that belong to the source. */
  readonly listedTotal: number
  readonly isNeeded: boolean
  /** Whether the site tells crawlers to stay away but belongs to the operator: the proposal then reads it anyway. */
  readonly isClosedOwn: boolean
  readonly form: LoginForm | null
  readonly trusted: boolean
}

/** Obstacles on a site whose first page could be read. */
export function pageObstacles(seen: Seen): Obstacle[] {
  const { look, pages, rendering, sitemap, listedTotal, isNeeded, isClosedOwn, form, trusted } = seen
  const found: Obstacle[] = []
  if (isNeeded && form !== null) found.push(loginObstacle(form, trusted))
  if (rendering?.missing) {
    found.push({
      kind: "browser",
      text: `Its pages need a browser (${rendering.because}).`,
      help: `${rendering.missing}.`,
    })
  }
  if (isClosedOwn) {
    found.push({
      kind: "noindex",
      text: "The first page asks not to be indexed (noindex).",
      help: `The site is in your own network, so the proposal indexes it anyway: ${look.reading.extracted.robots.nofollow ? "politeness: { robots: false }" : "ignoreNoindex: true"}. Remove that if the site isn't yours.`,
    })
  }
  const asking = pages.filter(({ outcome }) => outcome === "skipped:noindex")
  if (
    !isNeeded &&
    !isClosedOwn &&
    (asking.length > 0 || (pages.length === 0 && look.reading.extracted.robots.noindex))
  ) {
    found.push({
      kind: "noindex",
      text: `${asking.length} of ${pages.length} pages ask not to be indexed (noindex).`,
      help: "If the site is yours, set ignoreNoindex: true in the sources file. The pages are then indexed; nofollow still applies.",
    })
  }
  if (!isNeeded && !isClosedOwn && look.reading.extracted.robots.nofollow) {
    found.push({
      kind: "robots",
      text: "The first page asks crawlers not to follow its links (nofollow).",
      help:
        listedTotal > 0
          ? "Its pages are found through its sitemap."
          : "If the site is yours, set politeness: { robots: false } in the sources file, or add a sitemap to the site.",
    })
  }
  if (sitemap !== null && listedTotal === 0) {
    found.push({
      kind: "sitemap",
      text: `The sitemap ${sitemap.url} lists no pages of this source. Its addresses are on other hosts or paths, such as ${sitemap.pages[0]}.`,
      help: "The crawl follows links instead. If the site is built with the wrong base address, correct it.",
    })
  }
  for (const page of pages) found.push(...troubleWith(page))
  return found
}

function loginObstacle({ url, isPlain }: LoginForm, trusted: boolean): Obstacle {
  const opened = trusted ? "" : " (its name must be listed in FOSSICK_API_SECRETS)"
  return {
    kind: "login",
    text: `Nothing can be read without a login at ${url}.`,
    help: isPlain
      ? `Set the secret that the proposal names${opened}, and the user name. Then check a page with fossick try.`
      : "Fossick can't submit this form. Log in with a token (kind: headers) or a session cookie (kind: cookies).",
  }
}

/** Reports pages that no run would index, except for the outcomes reported above. */
function* troubleWith({ url, outcome, detail }: Tried): Generator<Obstacle> {
  if (outcome === "indexed" || outcome === "unchanged" || outcome === "skipped:noindex") return
  const kind = outcome === "skipped:empty" ? "empty" : outcome === "skipped:robots" ? "robots" : "pages"
  yield {
    kind,
    text: `${url}: ${shownOutcome(outcome)}${detail === null ? "" : ` (${detail})`}.`,
    help: null,
  }
}
