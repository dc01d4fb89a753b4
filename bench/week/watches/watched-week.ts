import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { stringify } from "yaml"

import { pause } from "#base/flow/pause.ts"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"
import { startMailServer } from "#crawler/testing/mail-server.ts"

import { startReceiver } from "../../../api/services/watches/testing/receiver.ts"
import { processTree } from "../../measure.ts"
import { WeekAppliance } from "../appliance.ts"
import { ownSite, Stand } from "../world.ts"
import { chance } from "#base/testing/chance.ts"
import { happen } from "./changes.ts"
import { Manual } from "./manual.ts"
import { judge, ofFeed, ofMails, type Telling, type WatchVerdict } from "./told.ts"

const SITES = {
  workshop: [
    "hammer",
    "chisel",
    "lathe",
    "anvil",
    "plane",
    "mallet",
    "gouge",
    "clamp",
    "square",
    "spokeshave",
  ],
  garden: ["spade", "rake", "hoe", "trowel"],
} as const
type SiteName = keyof typeof SITES
const NAMES = Object.keys(SITES) as SiteName[]
/** Pages that are watched, one as a page and one by a question; both change each day. */
const WATCHED = { workshop: "hammer", garden: "spade" } as const
/** Number of kills per day, and the longest pause before each. */
const KILLS = 3
const KILL_WITHIN_MS = 2500
/** How long reports of a day's changes may take before they count as lost: longer than a watched question waits for vectors. */
const TOLD_WITHIN_MS = 15 * 60_000
const LOOK_MS = 300
const EMAIL = "watcher@example.com"
/** The processes to kill, each by its command line. */
const VICTIMS = [/api\/main\.ts/, /crawler\/main\.ts/, /crawler\/[\w/-]*worker\.ts/]

export interface WatchedWeek {
  readonly verdicts: readonly WatchVerdict[]
  /** Number of killed processes. */
  readonly kills: number
  /** Number of webhooks that arrived again with the same id. */
  readonly repeated: number
}

interface Shown {
  readonly id: string
  readonly feed_url: string
  readonly ready_at: string | null
  readonly webhook_secret: string
  readonly deliveries?: readonly { readonly state: string }[]
}

export interface WatchedWeekOptions {
  readonly days: number
  /** Seed that decides what happens, and what is killed when. */
  readonly seed: number
  /** Whether a question is watched too. In that case everything waits for vectors, for as long as the machine takes to make them. */
  readonly asks: boolean
  /** Settings of the appliance, in addition to the default ones. */
  readonly settings?: Readonly<Record<string, string>>
  /** Receives progress messages for people who are watching. */
  readonly say?: (text: string) => void
}

/** Plays the given number of days in a folder. */
export async function playWatchedWeek(
  folder: string,
  { days, seed, asks, settings = {}, say = () => {} }: WatchedWeekOptions,
): Promise<WatchedWeek> {
  await using cleanup = new AsyncDisposableStack()
  const week = await begin(folder, settings, chance(seed).next, cleanup)
  await week.watch(asks)
  for (let number = 1; number <= days; number++) {
    week.change(number)
    await Promise.all([week.crawl(), week.killSome()])
    const deadline = Date.now() + TOLD_WITHIN_MS
    await until(async () => (await week.isTold()) || Date.now() > deadline, LOOK_MS)
    const { expected, kills } = week
    say(`day ${number}: ${expected.source.length} changes of the source so far, ${kills} processes killed`)
  }
  const verdicts = await week.verdicts()
  const messages = week.messages()
  if (!messages.every(({ isGenuine }) => isGenuine)) throw new Error("a webhook was not signed by its watch")
  const repeated = messages.length - new Set(messages.map(({ id }) => id)).size
  return { verdicts, kills: week.kills, repeated }
}

/** Starts the sites and an appliance that has crawled them. */
async function begin(
  folder: string,
  settings: Readonly<Record<string, string>>,
  roll: () => number,
  cleanup: AsyncDisposableStack,
): Promise<Week> {
  const mail = cleanup.use(await startMailServer())
  const manuals = { workshop: new Manual(SITES.workshop, 410), garden: new Manual(SITES.garden, 410) }
  const stands = new Map<SiteName, Stand>()
  for (const name of NAMES) {
    const stand = cleanup.use(new Stand(ownSite(name, "a manual", manuals[name].serve), 0))
    await stand.up()
    stands.set(name, stand)
  }
  const sources = NAMES.map((name) => ({
    name,
    seeds: stands.get(name)!.start,
    allowedNetworks: ["127.0.0.1"],
    removal: { maxShare: 1 },
  }))
  await writeFile(join(folder, "sources.yaml"), stringify({ sources }))
  const appliance = cleanup.use(
    new WeekAppliance(folder, {
      FOSSICK_PORT: String(await freePort()),
      FOSSICK_HANDBOOK: "off",
      FOSSICK_RETRY_DELAY_MS: "50",
      FOSSICK_MAX_WAIT_MS: "50",
      FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8",
      FOSSICK_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      FOSSICK_ALERT_FROM: "fossick@example.com",
      ...settings,
    }),
  )
  await appliance.start()
  const week = new Week({ appliance, manuals, stands, mail, roll, cleanup })
  await week.crawl()
  return week
}

interface WeekParts {
  readonly appliance: WeekAppliance
  readonly manuals: Readonly<Record<SiteName, Manual>>
  readonly stands: ReadonlyMap<SiteName, Stand>
  readonly mail: Awaited<ReturnType<typeof startMailServer>>
  readonly roll: () => number
  /** Closes the receivers. */
  readonly cleanup: AsyncDisposableStack
}

type WatchName = "source" | "page" | "question"

interface Watch {
  readonly shown: Shown
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>
}

/** One appliance that watches its sites, with the changes on them and the notices sent. */
class Week {
  kills = 0
  /** The changes that each watch has to report. */
  readonly expected: Record<WatchName, Telling[]> = { source: [], page: [], question: [] }
  /** Changes that a watched question may report or leave out. */
  readonly #besides: Telling[] = []
  readonly #watches = new Map<WatchName, Watch>()
  readonly #parts: WeekParts

  constructor(parts: WeekParts) {
    this.#parts = parts
  }

  /** Watches a source, a page and, if `asks`, a question, and waits until all of them are ready. */
  async watch(asks: boolean): Promise<void> {
    const { stands, appliance } = this.#parts
    const asked = `how long does it take to clean the ${WATCHED.garden}`
    const subjects: Record<WatchName, object> = {
      // The site's front page lists the other pages, so it changes with them.
      source: { source: "workshop", exclude: ["/"] },
      page: { url: `${stands.get("workshop")!.url}/${WATCHED.workshop}` },
      question: { question: { query: asked, sources: ["garden"] } },
    }
    for (const name of ["source", "page", "question"] as const) {
      if (name === "question" && !asks) continue
      const { receiver, sign } = await this.#receiver()
      const body = { ...subjects[name], name, webhook: receiver.url, emails: [EMAIL] }
      const shown = await appliance.call<Shown>("/watches", body)
      sign(shown.webhook_secret)
      this.#watches.set(name, { shown, receiver })
    }
    const all = () => calm(() => appliance.call<{ watches: Shown[] }>("/watches"))
    await until(async () => (await all()).watches.every(({ ready_at }) => ready_at !== null), LOOK_MS)
  }

  /** A separate receiver for a watch, which gets the watch's secret once there is one. */
  async #receiver() {
    let secret = ""
    const receiver = this.#parts.cleanup.use(await startReceiver(() => secret))
    return { receiver, sign: (given: string) => void (secret = given) }
  }

  /** Makes a day's changes on the sites. */
  change(number: number): void {
    const { manuals, stands, roll } = this.#parts
    for (const name of NAMES) {
      const always = WATCHED[name]
      for (const { change, path } of happen(manuals[name], SITES[name], { number, roll, always })) {
        const telling = { change, url: `${stands.get(name)!.url}${path}` }
        if (name === "workshop") this.expected.source.push(telling)
        else (path === `/${always}` ? this.expected.question : this.#besides).push(telling)
        if (name === "workshop" && path === `/${always}`) this.expected.page.push(telling)
      }
    }
  }

  /** Runs each source until its run ends. */
  async crawl(): Promise<void> {
    const { appliance } = this.#parts
    for (const name of NAMES) await calm(() => appliance.call(`/admin/sources/${name}/run`, {}))
    await until(async () => {
      const runs = await calm(() => appliance.runs())
      return !runs.some(({ state }) => state === "queued" || state === "running")
    }, LOOK_MS)
  }

  async killSome(): Promise<void> {
    const { appliance, roll } = this.#parts
    for (let time = 0; time < KILLS; time++) {
      await pause(Math.floor(roll() * KILL_WITHIN_MS))
      const [pid] = await processesOf(appliance, VICTIMS[Math.floor(roll() * VICTIMS.length)]!)
      if (pid === undefined) continue
      process.kill(pid, "SIGKILL")
      this.kills++
    }
  }

  /** The reports of each watch so far, over each channel. */
  async verdicts(): Promise<readonly WatchVerdict[]> {
    const { appliance, mail } = this.#parts
    const verdicts: WatchVerdict[] = []
    for (const [name, { shown, receiver }] of this.#watches) {
      const truth = { expected: this.expected[name], ...(name === "question" && { mayTell: this.#besides }) }
      const feed = await calm(async () => await (await fetch(shown.feed_url)).text())
      const mails = mail.received.map(({ text }) => text)
      const path = `/watches/${shown.id}/entries?limit=1000`
      const { entries } = await calm(() => appliance.call<{ entries: Telling[] }>(path))
      verdicts.push(
        judge({ watch: name, way: "entries" }, entries, truth),
        judge({ watch: name, way: "feed" }, ofFeed(feed), truth),
        judge({ watch: name, way: "webhook" }, receiver.entries(), truth),
        judge({ watch: name, way: "e-mail" }, ofMails(mails, shown.id), truth),
      )
    }
    return verdicts
  }

  /** Whether everything that happened so far has been reported, and no message is on its way. */
  async isTold(): Promise<boolean> {
    if ((await this.verdicts()).some(({ lost }) => lost.length > 0)) return false
    for (const { shown } of this.#watches.values()) {
      const { deliveries = [] } = await calm(() => this.#parts.appliance.call<Shown>(`/watches/${shown.id}`))
      if (deliveries.some(({ state }) => state !== "delivered")) return false
    }
    return true
  }

  /** All messages that the receivers got. */
  messages() {
    return [...this.#watches.values()].flatMap(({ receiver }) => receiver.messages)
  }
}

/** Retries until the API, which may be down at the moment, answers. */
async function calm<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      // `fetch` failed, or the API is starting.
      if (!(error instanceof TypeError) && !/: (502|503) /.test(String(error))) throw error
      await pause(LOOK_MS)
    }
  }
}

/** Ids of processes whose command line matches. */
async function processesOf(appliance: WeekAppliance, pattern: RegExp): Promise<readonly number[]> {
  const found: number[] = []
  for (const pid of processTree(appliance.pid)) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
    if (pattern.test(command)) found.push(pid)
  }
  return found
}
