import { traceSettings } from "#base/telemetry/traces/trace-settings.ts"
import { readFileSync } from "node:fs"
import { readCertificates } from "#base/process/authorities.ts"
import { integer, list, oneOf, onOff, type Setting, text, type Values } from "#base/settings.ts"
import { alertSettings } from "./alert-settings.ts"
import { parseRule } from "./fetch/guard/allowed-networks.ts"

const userAgent: Setting<string> = {
  name: "FOSSICK_USER_AGENT",
  default: "FossickBot",
  about: "Name the crawler gives itself; robots.txt groups are chosen by it.",
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
    "Private networks that may be read nevertheless: addresses, CIDR ranges, host names, `*.names`, each with an optional `:port`, separated by commas.",
})

const adminNetworks = onOff({
  name: "FOSSICK_ADMIN_NETWORKS",
  default: "on",
  about:
    "Whether admin keys may allow private networks for the sources that the console and the admin API declare, one address or network and port at a time; `off` also closes those that were allowed.",
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
    "Hosts whose owner you are, read as fast as private ones: without a pause or crawl-delay, and FOSSICK_FETCH_CONCURRENCY at once. Host names and `*.names`, each with an optional `:port`, separated by commas.",
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
    "Path of the Chromium or Chrome that reads pages made by JavaScript; empty looks for Playwright's own, then for the system's.",
  parse: (value) => value,
}

const officeConverter = text({
  name: "FOSSICK_OFFICE_CONVERTER",
  default: "",
  about:
    "Path of LibreOffice's `soffice`, which converts Office files of before 2007 so that they can be read; empty looks in the usual places; `off`: such files are not read.",
})

const apiSecrets = list({
  name: "FOSSICK_API_SECRETS",
  default: "",
  about:
    "Names of environment variables that sources made over the admin API may send as secrets, separated by commas. Those of the file of sources may use any, and files too.",
})

const caFile: Setting<string> = {
  name: "FOSSICK_CA_FILE",
  default: "",
  about:
    "File of certificate authorities in PEM, trusted beside those that come with Node.js in every secure connection of the appliance: pages, images, logins, live calls, the browser, webhooks, the language model, Meilisearch, OpenSearch.",
  parse(value) {
    if (value === "") return value
    try {
      readCertificates(value)
    } catch (error) {
      throw new Error(`must name a file of certificates in PEM: ${(error as Error).message}`, {
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
    "HTTP proxy through which the internet is reached, such as `http://user:password@proxy.example:3128`; empty reaches it directly.",
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
        "must be the http or https address of a proxy, without a path: http://user:password@host:port; %40 stands for @ in a password, %3A for :",
      )
    try {
      decodeURIComponent(`${url.username}:${url.password}`)
    } catch {
      throw new Error("has a % in user or password that must be written as %25")
    }
    return value
  },
}

const proxyPasswordFile: Setting<string> = {
  name: "FOSSICK_PROXY_PASSWORD_FILE",
  default: "",
  about: "File that holds the password for FOSSICK_PROXY, whose address then names the user alone.",
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
    "What is reached without FOSSICK_PROXY, beside private networks: entries as in FOSSICK_ALLOWED_NETWORKS.",
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
        "Who resolves names of hosts behind FOSSICK_PROXY: `here`, which checks the address and has the proxy connect to it, or `proxy`, for networks whose own name servers do not know the internet.",
    },
    "here",
    "proxy",
  ),
  ...alertSettings,
  jobs: integer(
    {
      name: "FOSSICK_JOBS",
      default: "0",
      about:
        "Jobs worked on at the same time; 0 means as many as the machine bears, by its processors and memory.",
    },
    0,
    100,
  ),
  fetchConcurrency: integer(
    {
      name: "FOSSICK_FETCH_CONCURRENCY",
      default: "32",
      about: "Pages fetched at the same time, all jobs and hosts together.",
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
      about: "Visits to an address that fails for a passing reason.",
    },
    1,
    20,
  ),
  retryDelayMs: integer(
    {
      name: "FOSSICK_RETRY_DELAY_MS",
      default: "5000",
      about: "Milliseconds before the second visit to a failing address; doubled for each further one.",
    },
    0,
    3_600_000,
  ),
  maxWaitMs: integer(
    {
      name: "FOSSICK_MAX_WAIT_MS",
      default: "300000",
      about: "Longest wait, in milliseconds, that a crawl grants a site that asks to come back later.",
    },
    0,
    86_400_000,
  ),
  readerThreads: integer(
    {
      name: "FOSSICK_READER_THREADS",
      default: "0",
      about: "Threads that read fetched pages; 0 means one less than the machine has processors, at least 1.",
    },
    0,
    256,
  ),
  readTimeoutMs: integer(
    {
      name: "FOSSICK_READ_TIMEOUT_MS",
      default: "15000",
      about: "Milliseconds to make sense of one fetched page.",
    },
    100,
    600_000,
  ),
  documentMemoryMb: integer(
    {
      name: "FOSSICK_DOCUMENT_MEMORY_MB",
      default: "512",
      about:
        "Memory, in megabytes, that the process which reads a PDF, Office file, book or page of more than 2 MB may take; one that needs more is given up.",
    },
    200,
    64_000,
  ),
  scanMemoryMb: integer(
    {
      name: "FOSSICK_SCAN_MEMORY_MB",
      default: "1000",
      about:
        "Memory, in megabytes, that the process which recognises the text of scans may take; past it, it is started again, and a page that takes it there three times is given up.",
    },
    500,
    64_000,
  ),
  imageMemoryMb: integer(
    {
      name: "FOSSICK_IMAGE_MEMORY_MB",
      default: "1000",
      about:
        "Memory, in megabytes, that the process which looks at images may take; past it, it is started again, and an image that takes it there three times is given up.",
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
        "Memory, in megabytes, that the browser may take with all its pages; past it, the largest page is given up.",
    },
    300,
    64_000,
  ),
  renderTimeoutMs: integer(
    {
      name: "FOSSICK_RENDER_TIMEOUT_MS",
      default: "20000",
      about: "Milliseconds for one page in the browser, from the moment there is room for it.",
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
        "`on`: the first start with an empty index crawls the appliance's own handbook, which leaves the results once other sources have pages; `always`: it stays among them; `off`: it is neither crawled nor among them.",
    },
    "on",
    "always",
    "off",
  ),
  sourcesFile: text({
    name: "FOSSICK_SOURCES_FILE",
    default: "",
    about:
      "File that declares the sources to crawl, applied at every start; when this is empty, `sources.yaml` in the working directory, if there is one.",
  }),
  jobHistoryDays: integer(
    {
      name: "FOSSICK_JOB_HISTORY_DAYS",
      default: "90",
      about: "Days for which a job that is over is remembered; the last one of each source is for ever.",
    },
    1,
    3650,
  ),
  readOnly: oneOf(
    {
      name: "FOSSICK_READ_ONLY",
      default: "off",
      about:
        "Whether the appliance only answers from what it holds: `on` has it crawl nothing, run no schedules, send no webhooks and sell no searches, and refuse live calls and changes over the admin API; `drill` also leaves the language model unasked, and says everywhere that it is a restore drill. `folder` is `on` as a start sets it by itself while the data folder cannot be written to.",
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
      "Whether the images of crawled pages are fetched once, after the crawl, to measure them and keep a thumbnail.",
  }),
  ...traceSettings,
}

/** Both go into a header of every request. */
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
  on: `This appliance is read-only (FOSSICK_READ_ONLY): it answers from what it holds, crawls nothing, and tells nobody anything.`,
  folder: `The data folder (FOSSICK_DATA_DIR) takes no writes, since it is read-only or its disk is full; so this appliance is read-only: it answers from what the folder holds, crawls nothing, tells nobody anything, and forgets what it counts. It goes on by itself once the folder can be written to.`,
  drill: `This is a restore drill, and not the appliance it was restored from: it answers from what it holds, crawls nothing, and sends nothing anywhere.`,
}

/** The notice that every user of a read-only appliance sees; null: it is not read-only. */
export const readOnlyNotice = (mode: Mode): string | null => (mode === "off" ? null : NOTICES[mode])
