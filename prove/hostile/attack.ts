import { readJson } from "../../bench/data-files.ts"
import type { SourceSpec } from "#crawler/source.ts"
import { isShort } from "../proof.ts"
import type { FakeInternet } from "#crawler/testing/fake-internet.ts"
import type { TestSite } from "#crawler/testing/test-site.ts"
import type { PageReader } from "#crawler/fetch/visit/reader.ts"
import type { ServedApp } from "../../api/testing/serve-app.ts"
import type { PrivateService } from "./private-service.ts"

/** The targets of the attacks: real components, over sockets on this machine. */
export interface Arena {
  /** The attacker's site, which counts as public: `http://evil.example:<port>`. */
  readonly evil: TestSite
  /** A service in the private network that must not be reached: any request to it is a fault. */
  readonly inner: PrivateService
  /** A public site at {@link OUTER_ADDRESS}, on the same port as the private service. */
  readonly outer: TestSite
  readonly internet: FakeInternet
  /** Networks that may be reached: none, except when checking that the attacks would succeed otherwise. */
  readonly networks: readonly string[]
  /** Reads pages as live calls do. */
  readonly reader: PageReader
  /** Runs a source to its end, as the crawler process does. */
  readonly crawl: (source: SourceSpec) => Promise<unknown>
  /** The API. */
  readonly app: ServedApp
  /** An address of the attacker's site under a host name: `evil.example`, or another one that hasn't been looked up yet. */
  at(path: string, host?: string): string
  /** The size of heavy attacks: 1 is the full size given in their names. */
  readonly scale: number
}

/** An address that counts as public, and leads to {@link Arena.outer}. */
export const OUTER_ADDRESS = "93.184.215.20"
/** An address that counts as public, where nothing listens. */
export const SILENT_ADDRESS = "93.184.215.30"

/** One attack. */
export interface Attack {
  readonly name: string
  /** Number of entries of the list that the attack covers at once. Default 1. */
  readonly tries?: number
  /** Runs the attack. @returns what went wrong; null if the attack was repelled */
  readonly play: (arena: Arena) => Promise<string | null>
}

/** Attacks of one kind, and their required outcome. */
export interface Kind {
  readonly kind: string
  readonly must: string
  readonly attacks: readonly Attack[]
  /** n, if the attacks are so similar that a short run uses only every nth of them. Default: all. */
  readonly shortly?: number
}

/** Null if the condition holds; otherwise the fault. */
export const unless = (holds: boolean, fault: () => string): string | null => (holds ? null : fault())

/** All attacks, or in a short run every `nth`. */
export const fewer = <T>(all: readonly T[], scale: number, nth: number): readonly T[] =>
  isShort(scale) ? all.filter((_, at) => at % nth === 0) : all

const STRINGS = { elements: { type: "string" } } as const
const PAGES = { values: { type: "string" } } as const

/**
 * Lists of attack inputs. In addresses, `PORT` is the port of a service that listens at a private address; `LONG` is a
 * long run of letters; in pages, `SECRET` is the private service's origin and `AUTHORITY` its host and port; in
 * folders, `FOLDER` and `ROOT` are the folder around the data.
 */
export const CASES = readJson(new URL("cases.json", import.meta.url), {
  properties: {
    /** Forbidden addresses in all spellings. */
    forbiddenAddresses: STRINGS,
    /** Schemes that must never be used to read pages. */
    otherSchemes: STRINGS,
    redirects: STRINGS,
    liveAddresses: STRINGS,
    /** Names that lead out of a folder if they are treated as paths. */
    namesOfPaths: STRINGS,
    backupFolders: STRINGS,
    pathsUpwards: STRINGS,
    pollutions: STRINGS,
    pollutedQueries: STRINGS,
    patterns: STRINGS,
    /** Redirect addresses that a program asks for, and that the operating system would open immediately. */
    redirectUris: STRINGS,
    webhookAddresses: STRINGS,
    reboundNames: STRINGS,
    /** Text that runs if it is treated as markup, and then calls `evil`. */
    markup: STRINGS,
    /** HTML of pages that attempt an attack. */
    pageTries: PAGES,
    /** HTML of pages with attempts that only work over https or from this machine. */
    securePageTries: PAGES,
    /** HTML of pages with attempts that leave the page; each is a separate page. */
    leavingPageTries: PAGES,
  },
})
