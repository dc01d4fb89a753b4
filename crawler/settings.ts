import { traceSettings } from "#base/telemetry/traces/trace-settings.ts"
import { readFileSync } from "node:fs"
import { readCertificates } from "#base/process/authorities.ts"
import { integer, list, oneOf, onOff, type Setting, text, type Values } from "#base/settings.ts"
import { alertSettings } from "./alert-settings.ts"
import { parseRule } from "./fetch/guard/allowed-networks.ts"

const userAgent: Setting<string> = {
  name: "FOSSICK_USER_AGENT",
  default: "FossickBot",
  about: "The crawler's name; it also selects the group in robots.txt.",
  parse: headerText,
}

const contactUrl: Setting<string> = {
  name: "FOSSICK_CONTACT_URL",
  default: "",
  about: "Address of a page about your crawler, sent with its name so that site owners can reach you.",
  parse: headerText,
}

const networks = list({
  name: "FOSSICK_ALLOWED_NETWORKS",
  default: "",
  about:
    "Private networks that may be crawled: addresses, CIDR ranges, host names, `*.names`, each with an optional `:port`, separated by commas.",
})

const adminNetworks = onOff({
  name: "FOSSICK_ADMIN_NETWORKS",
  default: "on",
  about:
    "Whether admin keys may allow private networks for sources declared in the console or over the admin API, one address or network and port at a time; `off` also closes networks that were allowed.",
})

const webhookNetworks = list({
  name: "FOSSICK_WEBHOOK_NETWORKS",
  default: "",
  about: "Private networks that webhooks may be sent to; entries as in FOSSICK_ALLOWED_NETWORKS.",
})

const ownHosts = list({
  name: "FOSSICK_OWN_HOSTS",
  default: "",
  about:
    "Hosts that you own, crawled as fast as private ones: without a pause or crawl-delay, and with FOSSICK_FETCH_CONCURRENCY pages at once. Host names and `*.names`, each with an optional `:port`, separated by commas.",
})

const checkedNetworks = (setting: typeof networks): typeof networks => ({
  ...setting,
  parse(value) {
    const entries = setting.parse(value)
    for (const entry of entries) parseRule(entry)
    return entries
  },
})

const browserPath: Setting<string> = {
  name: "FOSSICK_BROWSER_PATH",
  default: "",
  about:
    "Path to the Chromium or Chrome that renders JavaScript pages. If empty, Fossick uses Playwright's, then the system's.",
  parse: (value) => value,
}

const officeConverter = text({
  name: "FOSSICK_OFFICE_CONVERTER",
  default: "",
  about:
    "Path to LibreOffice's `soffice`, which converts Office files from before 2007. If empty, Fossick looks in the usual places; with `off`, it doesn't read these files.",
})

const apiSecrets = list({
  name: "FOSSICK_API_SECRETS",
  default: "",
  about:
    "Environment variables that sources created over the admin API may use as secrets, separated by commas. Sources in the sources file may use any variable, and files too.",
})

const caFile: Setting<string> = {
  name: "FOSSICK_CA_FILE",
  default: "",
  about:
    "PEM file of certificate authorities to trust in addition to those that come with Node.js, for every secure connection of the appliance: pages, images, logins, live calls, the browser, webhooks, the language model, Meilisearch, OpenSearch.",
  parse(value) {
    if (value === "") return value
    try {
      readCertificates(value)
    } catch (error) {
      throw new Error(`must name a PEM file of certificates: ${(error as Error).message}`, {
        cause: error,
      })
    }
    return value
  },
}

const proxy: Setting<string> = {
  name: "FOSSICK_PROXY",
  default: "",
  about:
    "HTTP proxy to reach the internet through, such as `http://user:password@proxy.example:3128`; empty for a direct connection.",
  secret: true,
  parse(value) {
    if (value === "") return value
    const url = URL.parse(value)
    if (
      url === null ||
      !/^https?:$/.test(url.protocol) ||
      url.pathname !== "/" ||
      url.search !== "" ||
      url.hash !== ""
    )
      throw new Error(
        "must be the http or https address of a proxy, without a path: http://user:password@host:port; in a password, write @ as %40 and : as %3A",
      )
    try {
      decodeURIComponent(`${url.username}:${url.password}`)
    } catch {
      throw new Error("has a % in the user or password that must be written as %25")
    }
    return value
  },
}

const proxyPasswordFile: Setting<string> = {
  name: "FOSSICK_PROXY_PASSWORD_FILE",
  default: "",
  about: "File that contains the password for FOSSICK_PROXY, whose address then contains only the user.",
  parse(value) {
    if (value === "") return value
    try {
      readFileSync(value)
    } catch (error) {
      throw new Error(`must name a file that can be read (${(error as NodeJS.ErrnoException).code})`, {
        cause: error,
      })
    }
    return value
  },
}

const proxyExcept = list({
  name: "FOSSICK_PROXY_EXCEPT",
  default: "",
  about:
    "Networks reached without FOSSICK_PROXY, in addition to private networks; entries as in FOSSICK_ALLOWED_NETWORKS.",
})

/** Settings of the crawler. */
export const crawlerSettings = {
  apiSecrets,
  userAgent,
  contactUrl,
  allowedNetworks: checkedNetworks(networks),
  adminNetworks,
  ownHosts: checkedNetworks(ownHosts),
  webhookNetworks: checkedNetworks(webhookNetworks),
  caFile,
  proxy,
  proxyPasswordFile,
  proxyExcept: checkedNetworks(proxyExcept),
  proxyLookup: oneOf(
    {
      name: "FOSSICK_PROXY_LOOKUP",
      default: "here",
      about:
        "Where host names are resolved if FOSSICK_PROXY is set: `here` checks the address and has the proxy connect to it; `proxy` is for networks whose name servers don't resolve internet names.",
    },
    "here",
    "proxy",
  ),
  ...alertSettings,
  jobs: integer(
    {
      name: "FOSSICK_JOBS",
      default: "0",
      about: "Jobs that run at the same time; 0 means as many as the machine's processors and memory allow.",
    },
    0,
    100,
  ),
  fetchConcurrency: integer(
    {
      name: "FOSSICK_FETCH_CONCURRENCY",
      default: "32",
      about: "Pages fetched at the same time, across all jobs and hosts.",
    },
    1,
    1000,
  ),
  hostConcurrency: integer(
    {
      name: "FOSSICK_HOST_CONCURRENCY",
      default: "1",
      about: "Pages fetched from one foreign host at the same time.",
    },
    1,
    100,
  ),
  hostDelayMs: integer(
    {
      name: "FOSSICK_HOST_DELAY_MS",
      default: "1000",
      about:
        "Milliseconds between two requests to one foreign host; a longer crawl-delay in robots.txt wins. Loopback and FOSSICK_ALLOWED_NETWORKS are read without delay.",
    },
    0,
    600_000,
  ),
  timeoutMs: integer(
    {
      name: "FOSSICK_FETCH_TIMEOUT_MS",
      default: "30000",
      about: "Milliseconds for one visit, redirects included.",
    },
    100,
    600_000,
  ),
  maxBytes: integer(
    {
      name: "FOSSICK_MAX_PAGE_BYTES",
      default: "10000000",
      about: "Largest body read, in bytes, before and after decompression.",
    },
    1000,
    1_000_000_000,
  ),
  maxRedirects: integer(
    { name: "FOSSICK_MAX_REDIRECTS", default: "10", about: "Redirects followed for one page." },
    0,
    50,
  ),
  maxTries: integer(
    {
      name: "FOSSICK_MAX_TRIES",
      default: "3",
      about: "How many times an address that fails for a temporary reason is tried.",
    },
    1,
    20,
  ),
  retryDelayMs: integer(
    {
      name: "FOSSICK_RETRY_DELAY_MS",
      default: "5000",
      about: "Milliseconds before the second try of a failing address; doubled for each further try.",
    },
    0,
    3_600_000,
  ),
  maxWaitMs: integer(
    {
      name: "FOSSICK_MAX_WAIT_MS",
      default: "300000",
      about: "Longest wait, in milliseconds, when a site asks the crawler to come back later.",
    },
    0,
    86_400_000,
  ),
  readerThreads: integer(
    {
      name: "FOSSICK_READER_THREADS",
      default: "0",
      about:
        "Threads that read fetched pages; 0 means one fewer than the machine has processors, at least 1.",
    },
    0,
    256,
  ),
  readTimeoutMs: integer(
    {
      name: "FOSSICK_READ_TIMEOUT_MS",
      default: "15000",
      about: "Milliseconds to extract the content of one fetched page.",
    },
    100,
    600_000,
  ),
  documentMemoryMb: integer(
    {
      name: "FOSSICK_DOCUMENT_MEMORY_MB",
      default: "512",
      about:
        "Memory limit, in megabytes, of the process that reads a PDF, Office file, book, or page of more than 2 MB; a file that needs more is skipped.",
    },
    200,
    64_000,
  ),
  scanMemoryMb: integer(
    {
      name: "FOSSICK_SCAN_MEMORY_MB",
      default: "1000",
      about:
        "Memory limit, in megabytes, of the process that recognises the text of scans; above the limit it is restarted, and a page that exceeds it three times is skipped.",
    },
    500,
    64_000,
  ),
  imageMemoryMb: integer(
    {
      name: "FOSSICK_IMAGE_MEMORY_MB",
      default: "1000",
      about:
        "Memory limit, in megabytes, of the process that reads images; above the limit it is restarted, and an image that exceeds it three times is skipped.",
    },
    200,
    64_000,
  ),
  officeConverter,
  browserPath,
  browserPages: integer(
    {
      name: "FOSSICK_BROWSER_PAGES",
      default: "2",
      about: "Pages open in the browser at the same time; the rest wait.",
    },
    1,
    32,
  ),
  browserMemoryMb: integer(
    {
      name: "FOSSICK_BROWSER_MEMORY_MB",
      default: "1000",
      about:
        "Memory limit, in megabytes, of the browser with all its pages; above the limit the largest page is closed.",
    },
    300,
    64_000,
  ),
  renderTimeoutMs: integer(
    {
      name: "FOSSICK_RENDER_TIMEOUT_MS",
      default: "20000",
      about: "Milliseconds for one page in the browser, not counting the wait for a free place.",
    },
    1000,
    600_000,
  ),
  robots: onOff({
    name: "FOSSICK_ROBOTS",
    default: "on",
    about: "Whether robots.txt, crawl-delay, noindex and nofollow are obeyed.",
  }),
  handbook: oneOf(
    {
      name: "FOSSICK_HANDBOOK",
      default: "on",
      about:
        "`on`: the first start with an empty index crawls the appliance's own handbook, which disappears from results once other sources have pages; `always`: it stays in results; `off`: it isn't crawled and isn't in results.",
    },
    "on",
    "always",
    "off",
  ),
  sourcesFile: text({
    name: "FOSSICK_SOURCES_FILE",
    default: "",
    about:
      "File that declares the sources to crawl, applied at every start. If empty, `sources.yaml` in the working directory, if it exists.",
  }),
  jobHistoryDays: integer(
    {
      name: "FOSSICK_JOB_HISTORY_DAYS",
      default: "90",
      about: "Days to keep the record of a finished job; the last job of each source is always kept.",
    },
    1,
    3650,
  ),
  readOnly: oneOf(
    {
      name: "FOSSICK_READ_ONLY",
      default: "off",
      about:
        "Whether the appliance is read-only. `on`: it doesn't crawl, run schedules, send webhooks or sell searches, and refuses live calls and changes over the admin API. `drill`: it doesn't ask the language model either, and says everywhere that it is a restore drill. `folder`: set at startup if the data folder can't be written to; otherwise like `on`.",
    },
    "off",
    "on",
    "drill",
    "folder",
  ),
  images: onOff({
    name: "FOSSICK_IMAGES",
    default: "on",
    about:
      "Whether the images of crawled pages are fetched once, after the crawl, to measure them and store a thumbnail.",
  }),
  ...traceSettings,
}

/** Checks a value that becomes part of a header of every request. */
function headerText(value: string): string {
  if (/[^\x20-\x7e]/.test(value)) throw new Error("must be printable ASCII")
  return value
}

export type CrawlerConfig = Values<typeof crawlerSettings>

/** The user agent of requests: `FossickBot/1.0 (+https://…)`. */
export function userAgentHeader(config: CrawlerConfig): string {
  return config.contactUrl === ""
    ? `${config.userAgent}/1.0`
    : `${config.userAgent}/1.0 (+${config.contactUrl})`
}

type Mode = CrawlerConfig["readOnly"]

const NOTICES: Readonly<Record<Exclude<Mode, "off">, string>> = {
  on: `This appliance is read-only (FOSSICK_READ_ONLY): it answers from its index, crawls nothing and sends nothing.`,
  folder: `The data folder (FOSSICK_DATA_DIR) can't be written to, because it is read-only or its disk is full. Until it can, this appliance is read-only: it answers from its index, crawls nothing, sends nothing, and doesn't store its counts.`,
  drill: `This is a restore drill, not the appliance it was restored from: it answers from its index, crawls nothing and sends nothing.`,
}

/** The notice shown to every user of a read-only appliance; null if it is not read-only. */
export const readOnlyNotice = (mode: Mode): string | null => (mode === "off" ? null : NOTICES[mode])
