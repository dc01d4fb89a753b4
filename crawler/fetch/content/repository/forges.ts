import { percentDecoded } from "#base/text/percent-decoded.ts"
import type { PlaceMarks } from "../../../page/extract/written-places.ts"
import type { Repository } from "../../../source.ts"

/** A program that displays repositories on the web. */
interface Forge {
  /** Whether a host is known to run this program. */
  isAt(host: string): boolean
  /** The path from a repository's page to its files. @param ref null for the default branch */
  files(ref: string | null): string | null
  /** The user name to send with a token. */
  readonly user: string
  /** The part of a page's address between the repository and the branch. */
  readonly tree: RegExp
  /** How addresses of the forge refer to places in a file. */
  readonly marks: PlaceMarks
  /** Whether groups of repositories may be nested. */
  readonly hasSubgroups: boolean
}

/** Whether a host is named after a program that it probably runs: `gitlab.acme.example`, but not `github.blog`. */
const isNamed = (program: string, host: string): boolean =>
  new RegExp(`^(?:${program})\\.[^.]+\\.[^.]`).test(host)

/** First path segments of a forge's own pages, which aren't owners of repositories. */
const OWN_PAGES =
  /^\/(?:about|admin|api|apps|collections|dashboard|enterprise|explore|features|groups|help|login|marketplace|orgs|public|search|settings|solutions|sponsors|topics|user|users|workspace)\//

const encoded = (ref: string): string => ref.split("/").map(encodeURIComponent).join("/")

const LINES: PlaceMarks = { line: "L", heading: "" }

const FORGES: readonly Forge[] = [
  {
    isAt: (host) => host === "github.com" || isNamed("github", host),
    files: (ref) => `/blob/${encoded(ref ?? "HEAD")}/`,
    user: "x-access-token",
    tree: /^\/(?:tree|blob)\//,
    marks: LINES,
    hasSubgroups: false,
  },
  {
    isAt: (host) => host === "gitlab.com" || isNamed("gitlab", host),
    files: (ref) => `/-/blob/${encoded(ref ?? "HEAD")}/`,
    user: "oauth2",
    tree: /^\/-\/(?:tree|blob)\//,
    marks: LINES,
    hasSubgroups: true,
  },
  {
    // Addresses of this forge have no placeholder for the default branch.
    isAt: (host) => host === "codeberg.org" || host === "gitea.com" || isNamed("gitea|forgejo", host),
    files: (ref) => (ref === null ? null : `/src/branch/${encoded(ref)}/`),
    user: "git",
    tree: /^\/src\/branch\//,
    marks: LINES,
    hasSubgroups: false,
  },
  {
    isAt: (host) => host === "bitbucket.org",
    files: (ref) => `/src/${encoded(ref ?? "HEAD")}/`,
    user: "x-token-auth",
    tree: /^\/src\//,
    marks: { line: "lines-", heading: "markdown-header-" },
    hasSubgroups: false,
  },
]

const forgeOf = ({ hostname }: URL): Forge | undefined => FORGES.find((forge) => forge.isAt(hostname))

/** The user name to send with a token to a host. */
export const userFor = (url: URL): string => forgeOf(url)?.user ?? "git"

/** The address below which a forge displays a repository's files; `null` if unknown. */
export function filesAt({ url, ref }: Pick<Repository, "url" | "ref">): string | null {
  const at = URL.parse(url)
  const below = at && forgeOf(at)?.files(ref)
  return at && below ? `${at.origin}${at.pathname.replace(/(?:\.git)?\/*$/, "")}${below}` : null
}

/** How addresses below a seed refer to places in files; `null` if unknown. On unknown hosts, this is recognized from the form of the seed. */
export function marksAt(seed: string): PlaceMarks | null {
  const url = new URL(seed)
  const at = forgeOf(url)
  if (at !== undefined) return at.marks
  return /\/(?:blob|src\/(?:branch|commit|tag))\//.test(url.pathname) ? LINES : null
}

/** The repository at an address that ends with `.git`, or that is a repository's page on a known forge; otherwise `null`. */
export function repositoryAt(address: string): Pick<Repository, "url" | "ref" | "paths"> | null {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") return null
  if (/\.git\/?$/.test(url.pathname)) return { url: url.href.replace(/\/$/, ""), ref: null, paths: [] }
  const forge = forgeOf(url)
  if (forge === undefined || OWN_PAGES.test(url.pathname)) return null
  const page = forge.hasSubgroups
    ? /^((?:\/(?!-(?:\/|$))[^/]+){2,}?)(\/-\/.*)?\/?$/.exec(url.pathname)
    : /^((?:\/[^/]+){2})(\/.+)?$/.exec(url.pathname.replace(/\/$/, ""))
  if (page === null) return null
  const [, own = "", rest = ""] = page
  const whole = { url: `${url.origin}${own}.git`, ref: null, paths: [] }
  if (rest === "") return whole
  if (!forge.tree.test(rest)) return null
  // A branch name with a slash looks like a branch and a folder.
  const [ref, ...path] = rest
    .replace(forge.tree, "")
    .split("/")
    .map((part) => percentDecoded(part))
  if (!ref || path.includes(null)) return null
  return { ...whole, ref, paths: path.length === 0 ? [] : [path.join("/")] }
}
