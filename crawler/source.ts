import type { PageTopic } from "#engine"
import type { WrittenReaders } from "#engine/index/page/readers.ts"
import { defineSchedule, type Schedule } from "./jobs/tasks/schedule.ts"

/**
 * Which addresses belong to a crawl, relative to its start:
 * - `host`: the same host and port;
 * - `domain`: the registrable domain (public suffix list) with all its subdomains; hosts without one, such as addresses
 * and `localhost`, match like `host`;
 * - `prefix`: the same host and port, and a path that begins with the start's folder (up to its last `/`).
 */
export type Scope = "host" | "domain" | "prefix"

export const SCOPES: readonly Scope[] = ["host", "domain", "prefix"]

/**
 * - `http`: pages are read as sent by the server.
 * - `browser`: every page is loaded in a browser first.
 * - `auto`: only pages that arrive without content are loaded in a browser, if one can be found.
 */
export type Rendering = "http" | "browser" | "auto"

export const RENDERINGS: readonly Rendering[] = ["auto", "http", "browser"]

/**
 * Who declared a source. `operator`: a person at the machine, by a command or by the sources file; `api`: a caller with
 * an admin key.
 */
export type SourceAuthor = "operator" | "api"

/** What to crawl, how, and when. Every field is present: omitted fields have their defaults. */
export interface Source {
  /** 1 to 100 characters, unique; its pages are stored under this name. */
  readonly name: string
  /** Where every run starts: at least one absolute http(s) address. */
  readonly seeds: readonly string[]
  /**
   * Absolute path of a folder whose files are the source's pages. Their addresses are below the source's one seed,
   * which ends with `/`, and nothing is fetched there. Null when the pages come from websites.
   */
  readonly folder: string | null
  /** `posix`: file modes and access control lists apply, as well as readers files; `none`: only readers files apply. */
  readonly folderReaders: "posix" | "none"
  /**
   * Absolute path of an mbox, of a Maildir or of a folder of `.eml` files, whose threads and attachments are the
   * source's pages. Their addresses are below the source's one seed, which ends with `/`. Can also be a mailbox on a
   * mail server.
   */
  readonly mailbox: string | MailServer | null
  /**
   * Absolute path of an archive whose documents or pages become the source's pages: those from a zip, tar or ZIM file
   * have addresses below its one seed, those from a WARC file have their own addresses, below its seeds. Null if the
   * pages come from elsewhere.
   */
  readonly archive: string | null
  /** Whether the source's pages are documents that are sent to the appliance; these have their own addresses, or addresses below the source's one seed. */
  readonly documents: boolean
  /** A Git repository whose files are the source's pages, with addresses below the source's one seed. Null when the pages come from elsewhere. */
  readonly repository: Repository | null
  /** The addresses that belong to the source, relative to each seed. */
  readonly scope: Scope
  /** Patterns of addresses inside the scope; an address belongs to the source when any pattern matches. When empty, all match. */
  readonly include: readonly string[]
  /** Patterns of addresses that do not belong to the source, even if they match `include`. */
  readonly exclude: readonly string[]
  readonly limits: SourceLimits
  readonly rendering: Rendering
  readonly politeness: Politeness
  /**
   * Whether pages that ask not to be indexed are indexed anyway; a ban on following their links still applies. Meant
   * for operators who are responsible for the site: the admin API rejects it.
   */
  readonly ignoreNoindex: boolean
  /** Private networks that this source may reach, in addition to `FOSSICK_ALLOWED_NETWORKS`; the entries have the same form. */
  readonly allowedNetworks: readonly string[]
  readonly login: Login | null
  /** File of certificate authorities, in PEM, that are trusted in addition to the usual ones. */
  readonly caFile: string | null
  /** The client certificate that is presented to the sites of the seeds and of the login. */
  readonly clientCert: ClientCertificate | null
  readonly pages: PageDefaults
  /** The people who may read the source's pages; null for everybody. A page can be limited to fewer people, never opened to more. */
  readonly readers: WrittenReaders | null
  /** Additional logins that visit each page to find out who may read it; if empty, this isn't determined. */
  readonly observers: readonly Observer[]
  /** The number of days without a check after which a page is no longer treated as visible to an observer. */
  readonly observersMaxAgeDays: number
  /** Sitemaps and feeds to read in addition to those that the site lists; absolute addresses. */
  readonly sitemaps: readonly string[]
  readonly feeds: readonly string[]
  /** Null if the source runs only on request. */
  readonly schedule: Schedule | null
  readonly revisit: Revisit
  readonly removal: RemovalRules
  readonly webhooks: readonly Webhook[]
}

/** The Git repository to read, and which of its files. */
export interface Repository {
  /** The address in a form that `git clone` accepts, with http(s), or an absolute path. */
  readonly url: string
  /** A branch or tag; null for the default branch. */
  readonly ref: string | null
  /** Folders and files, relative to the top of the repository. Only these files, and files below these folders, become pages; if the list is empty, all files become pages. */
  readonly paths: readonly string[]
  /** The name of a secret, as in a {@link Login}; null if no token is needed. */
  readonly token: string | null
  /** The user name sent with the token; null for the one that the forge expects. */
  readonly user: string | null
}

/** A mailbox on a mail server that speaks IMAP. */
export interface MailServer {
  /** `imaps://host`, or `imap://host` for a connection secured by STARTTLS; with a port if it is not the usual one. */
  readonly server: string
  readonly user: string
  /** The name of a secret, as in a {@link Login}. */
  readonly password: string
  /** Only these folders are read, under the server's names for them; if empty, all except spam, trash and drafts. */
  readonly folders: readonly string[]
}

/** The limits for one run; null for no limit. */
export interface SourceLimits {
  readonly pages: number
  /** Maximum number of link steps from a seed. */
  readonly depth: number
  /** Maximum size of all bodies read, decompressed, in bytes. */
  readonly bytes: number | null
  readonly minutes: number | null
}

/** How politely a source is visited. Null means that the global setting applies. */
export interface Politeness {
  /** Maximum number of pages fetched from one host at the same time. */
  readonly concurrency: number | null
  /** Milliseconds between requests to one host. */
  readonly delayMs: number | null
  /** Whether robots.txt, crawl-delay, noindex and nofollow are obeyed. */
  readonly robots: boolean | null
}

/**
 * Facts that a source declares about its pages. Topic and `safe` apply to all of them, whatever the pages say; country
 * and language apply to pages that don't state their own. Null means that each page decides.
 */
export interface PageDefaults {
  readonly topic: PageTopic | null
  /** ISO 3166-1 alpha-2, lower case. */
  readonly country: string | null
  /** ISO 639-1, lower case. */
  readonly language: string | null
  readonly safe: boolean | null
}

/** Values that name a secret (`${NAME}` from the environment, `file:/path`) are resolved only when they are used. */
export type Login =
  | { readonly kind: "basic"; readonly user: string; readonly password: string }
  | { readonly kind: "headers"; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "cookies"; readonly cookies: Readonly<Record<string, string>> }
  | {
      readonly kind: "form"
      /** The address of the page with the form. */
      readonly url: string
      /** The fields to fill in, by name; hidden ones (CSRF tokens) are sent with the page's values. */
      readonly fields: Readonly<Record<string, string>>
      /** Text that appears only on pages for a logged-in user; null if any response except an error is accepted. */
      readonly proof: string | null
    }

/** A login that can see some of a source's pages, and represents the people who can see the same pages. */
export interface Observer {
  /** Unique in its source. */
  readonly name: string
  /** `same`: the source's own login, which sees every page. `none`: without a login. */
  readonly login: Login | "same" | "none"
  /** The people who may read the pages that the login sees. */
  readonly readers: "everybody" | { readonly allow: readonly string[] }
}

/** A client certificate. Each field names its secret: `${NAME}` from the environment, `file:/path`. */
export interface ClientCertificate {
  /** The certificate, and those of the intermediate authorities. */
  readonly cert: string
  readonly key: string
  /** The passphrase of an encrypted key. */
  readonly passphrase: string | null
}

/** How soon a page is visited again: sooner when it changes, later when it does not. */
export interface Revisit {
  readonly minHours: number
  readonly maxHours: number
}

export interface RemovalRules {
  /** The largest share of the source's pages, from 0 to 1, that a run may remove without waiting for the operator. */
  readonly maxShare: number
  /** Days for which a removed page can be restored. */
  readonly keepDays: number
}

export interface Webhook {
  readonly url: string
  readonly events: readonly ("finished" | "changed" | "alert")[]
  /** The secret for signing the body; names a secret like the values of a {@link Login}. */
  readonly secret: string | null
}

/** The fields a source needs; {@link defineSource} fills in the rest. */
export type SourceSpec = Pick<Source, "seeds"> &
  Partial<
    Omit<
      Source,
      | "limits"
      | "politeness"
      | "clientCert"
      | "pages"
      | "schedule"
      | "revisit"
      | "removal"
      | "webhooks"
      | "repository"
      | "mailbox"
    >
  > & {
    readonly mailbox?: string | (Omit<MailServer, "folders"> & Partial<MailServer>) | null
    readonly repository?: (Pick<Repository, "url"> & Partial<Repository>) | null
    readonly limits?: Partial<SourceLimits>
    readonly politeness?: Partial<Politeness>
    readonly clientCert?: (Omit<ClientCertificate, "passphrase"> & Partial<ClientCertificate>) | null
    readonly pages?: Partial<PageDefaults>
    readonly schedule?: Partial<Schedule> | null
    readonly revisit?: Partial<Revisit>
    readonly removal?: Partial<RemovalRules>
    readonly webhooks?: readonly (Pick<Webhook, "url"> & Partial<Webhook>)[]
  }

/** The fields that determine what kind of content the source has; a source with none of them reads websites. */
export const CONTENT_FIELDS = [
  "folder",
  "mailbox",
  "repository",
  "archive",
  "documents",
] as const satisfies readonly (keyof Source)[]

export type ContentField = (typeof CONTENT_FIELDS)[number]

/**
 * Fields that an admin key may set, too. The others read files on the machine, or connect to servers with the
 * operator's secrets.
 */
export const CONTENT_FOR_ADMINS: readonly ContentField[] = ["documents"]

/** The fields of {@link CONTENT_FIELDS} that are set. */
export const contentFieldsOf = (source: { readonly [Field in ContentField]?: unknown }): ContentField[] =>
  // A stored job can be older than a field.
  CONTENT_FIELDS.filter((field) => (source[field] ?? false) !== false)

/** Settings for content other than websites: it has no links to follow and no robots rules, and a small page limit would leave out pages at random. */
const OF_CONTENT = {
  scope: "prefix",
  rendering: "http",
  limits: { pages: 1_000_000, depth: 0 },
  politeness: { robots: false },
} as const

const wholeRepository = ({
  url,
  ref = null,
  paths = [],
  token = null,
  user = null,
}: NonNullable<SourceSpec["repository"]>): Repository => ({ url, ref, paths, token, user })

const wholeMailbox = (mailbox: NonNullable<SourceSpec["mailbox"]> | null): Source["mailbox"] =>
  mailbox === null || typeof mailbox === "string" ? mailbox : { folders: [], ...mailbox }

/** Completes a source; without a name, it is named after the host of its first seed. */
export function defineSource(spec: SourceSpec): Source {
  const [first] = spec.seeds
  if (first === undefined) throw new Error("a source needs at least one seed")
  const given = contentFieldsOf(spec).length === 0 ? null : OF_CONTENT
  return {
    name: spec.name ?? new URL(first).hostname,
    seeds: spec.seeds,
    folder: spec.folder ?? null,
    folderReaders: spec.folderReaders ?? "none",
    mailbox: wholeMailbox(spec.mailbox ?? null),
    archive: spec.archive ?? null,
    documents: spec.documents ?? false,
    repository: spec.repository ? wholeRepository(spec.repository) : null,
    scope: given?.scope ?? spec.scope ?? "host",
    include: spec.include ?? [],
    exclude: spec.exclude ?? [],
    limits: { pages: 10_000, depth: 10, bytes: null, minutes: null, ...given?.limits, ...spec.limits },
    rendering: given?.rendering ?? spec.rendering ?? "auto",
    politeness: { concurrency: null, delayMs: null, robots: null, ...spec.politeness, ...given?.politeness },
    ignoreNoindex: spec.ignoreNoindex ?? false,
    allowedNetworks: spec.allowedNetworks ?? [],
    login: spec.login ?? null,
    caFile: spec.caFile ?? null,
    clientCert: spec.clientCert ? { passphrase: null, ...spec.clientCert } : null,
    pages: { topic: null, country: null, language: null, safe: null, ...spec.pages },
    readers: spec.readers ?? null,
    observers: spec.observers ?? [],
    observersMaxAgeDays: spec.observersMaxAgeDays ?? 7,
    sitemaps: spec.sitemaps ?? [],
    feeds: spec.feeds ?? [],
    schedule: spec.schedule ? defineSchedule(spec.schedule) : null,
    revisit: { minHours: 1, maxHours: 30 * 24, ...spec.revisit },
    removal: { maxShare: 0.1, keepDays: 30, ...spec.removal },
    webhooks: (spec.webhooks ?? []).map((webhook) => ({ events: ["finished"], secret: null, ...webhook })),
  }
}

/**
 * A source with the settings that runs apply. Only the operator, who is responsible for it, may ignore a site's
 * requests to crawlers or have files on the machine read: a source from the API obeys its sites and reads no folder,
 * regardless of its fields.
 */
export function sourceBy(author: SourceAuthor, spec: SourceSpec): Source {
  const source = defineSource(spec)
  if (author === "operator") return source
  const { politeness } = source
  const obeying = { ...politeness, robots: politeness.robots || null }
  const refused = contentFieldsOf(source).filter((field) => !CONTENT_FOR_ADMINS.includes(field))
  const cleared = Object.fromEntries(refused.map((field) => [field, null]))
  return { ...source, ...cleared, politeness: obeying, ignoreNoindex: false }
}
