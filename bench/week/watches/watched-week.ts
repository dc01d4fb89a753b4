import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { stringify } from "yaml"

import { pause } from "#base/flow/pause.ts"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"
import { startMailServer } from "#crawler/testing/mail-server.ts"

import { startReceiver } from "../../../api/watches/testing/receiver.ts"
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
/** Watched as a page, and asked for; something becomes of them each day. */
const WATCHED = { workshop: "hammer", garden: "spade" } as const
/** Kills of a day, and the longest pause before each. */
const KILLS = 3
const KILL_WITHIN_MS = 2500
/** How long a day's changes may take to be told, before they count as lost: longer than a watched question waits for vectors. */
const TOLD_WITHIN_MS = 15 * 60_000
const LOOK_MS = 300
const EMAIL = "watcher@example.com"
/** What is killed: each by its command line. */
const VICTIMS = [/api\/main\.ts/, /crawler\/main\.ts/, /crawler\/[\w/-]*worker\.ts/]

export interface WatchedWeek {
  readonly verdicts: readonly WatchVerdict[]
  /** Processes that were killed. */
  readonly kills: number
  /** Webhooks that came again under the same id. */
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
  /** Of what happens, and of when what is killed. */
  readonly seed: number
  /** Whether a question is watched, too: then all wait for vectors, as long as the machine takes for them. */
  readonly asks: boolean
  /** Of the appliance, beside its own. */
  readonly settings?: Readonly<Record<string, string>>
  /** What happens, for people who watch. */
  readonly say?: (text: string) => void
}

/** Plays so many days in a folder. */
export async function playWatchedWeek(
  folder: string,
  { days, seed, asks, settings = {}, say = () => {} }: WatchedWeekOptions,
): Promise<WatchedWeek> {
  await using cleanup = new AsyncDisposableStack()
  const roll = chance(seed).next
  const mail = cleanup.use(await startMailServer())
  const manuals = { workshop: new Manual(SITES.workshop, 410), garden: new Manual(SITES.garden, 410) }
  const names = Object.keys(SITES) as SiteName[]
  const stands = new Map<SiteName, Stand>()
  for (const name of names) {
    const stand = cleanup.use(new Stand(ownSite(name, "a manual", manuals[name].serve), 0))
    await stand.up()
    stands.set(name, stand)
  }
  const sources = names.map((name) => ({
    name,
    seeds: stands.get(name)!.start,
    allowedNetworks: ["127.0.0.1"],
    removal: { maxShare: 1 },
  }))
  await writeFile(join(folder, "sources.yaml"), stringify({ sources }))
  const port = await freePort()
  const appliance = cleanup.use(
    new WeekAppliance(folder, {
      FOSSICK_PORT: String(port),
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
  await crawl()

  const asked = `how long does it take to clean the ${WATCHED.garden}`
  const kinds = {
    // Its front page lists the others, and so changes with them.
    source: { source: "workshop", exclude: ["/"] },
    page: { url: `${stands.get("workshop")!.url}/${WATCHED.workshop}` },
    question: { question: { query: asked, sources: ["garden"] } },
  }
  const watches = new Map<
    keyof typeof kinds,
    { shown: Shown; receiver: Awaited<ReturnType<typeof receiving>> }
  >()
  for (const [name, subject] of Object.entries(kinds)) {
    if (name === "question" && !asks) continue
    const receiver = await receiving()
    const body = { ...subject, name, webhook: receiver.url, emails: [EMAIL] }
    const shown = await appliance.call<Shown>("/watches", body)
    receiver.sign(shown.webhook_secret)
    watches.set(name as keyof typeof kinds, { shown, receiver })
  }
  await until(async () => (await all()).every(({ ready_at }) => ready_at !== null), LOOK_MS)

  const expected: Record<keyof typeof kinds, Telling[]> = { source: [], page: [], question: [] }
  const besides: Telling[] = []
  let kills = 0
  for (let number = 1; number <= days; number++) {
    for (const name of names) {
      const always = WATCHED[name]
      for (const { change, path } of happen(manuals[name], SITES[name], { number, roll, always })) {
        const telling = { change, url: `${stands.get(name)!.url}${path}` }
        if (name === "workshop") expected.source.push(telling)
        else (path === `/${always}` ? expected.question : besides).push(telling)
        if (name === "workshop" && path === `/${always}`) expected.page.push(telling)
      }
    }
    await Promise.all([crawl(), killing()])
    const deadline = Date.now() + TOLD_WITHIN_MS
    await until(async () => (await isTold()) || Date.now() > deadline, LOOK_MS)
    say(`day ${number}: ${expected.source.length} changes of the source so far, ${kills} processes killed`)
  }

  const verdicts = await judged()
  const messages = [...watches.values()].flatMap(({ receiver }) => receiver.messages)
  if (!messages.every(({ isGenuine }) => isGenuine)) throw new Error("a webhook was not signed by its watch")
  return { verdicts, kills, repeated: messages.length - new Set(messages.map(({ id }) => id)).size }

  /** A receiver of its own for a watch, which knows its secret once there is one. */
  async function receiving() {
    let secret = ""
    const receiver = cleanup.use(await startReceiver(() => secret))
    return { ...receiver, sign: (given: string) => void (secret = given) }
  }

  async function all(): Promise<readonly Shown[]> {
    return (await calm(() => appliance.call<{ watches: Shown[] }>("/watches"))).watches
  }

  async function entriesOf(id: string): Promise<readonly Telling[]> {
    return (await calm(() => appliance.call<{ entries: Telling[] }>(`/watches/${id}/entries?limit=1000`)))
      .entries
  }

  /** What each watch has told so far, in each way. */
  async function judged(): Promise<readonly WatchVerdict[]> {
    const verdicts: WatchVerdict[] = []
    for (const [name, { shown, receiver }] of watches) {
      const truth = { expected: expected[name], ...(name === "question" && { mayTell: besides }) }
      const feed = await calm(async () => await (await fetch(shown.feed_url)).text())
      const mails = mail.received.map(({ text }) => text)
      verdicts.push(
        judge({ watch: name, way: "entries" }, await entriesOf(shown.id), truth),
        judge({ watch: name, way: "feed" }, ofFeed(feed), truth),
        judge({ watch: name, way: "webhook" }, receiver.entries(), truth),
        judge({ watch: name, way: "e-mail" }, ofMails(mails, shown.id), truth),
      )
    }
    return verdicts
  }

  /** Whether all that happened so far is told, and no message is under way. */
  async function isTold(): Promise<boolean> {
    if ((await judged()).some(({ lost }) => lost.length > 0)) return false
    for (const { shown } of watches.values()) {
      const { deliveries = [] } = await calm(() => appliance.call<Shown>(`/watches/${shown.id}`))
      if (deliveries.some(({ state }) => state !== "delivered")) return false
    }
    return true
  }

  /** A run of each source, to its end. */
  async function crawl(): Promise<void> {
    for (const name of names) await calm(() => appliance.call(`/admin/sources/${name}/run`, {}))
    await until(async () => {
      const runs = await calm(() => appliance.runs())
      return !runs.some(({ state }) => state === "queued" || state === "running")
    }, LOOK_MS)
  }

  /** Asks until the API, which may be dead just now, answers. */
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

  async function killing(): Promise<void> {
    for (let time = 0; time < KILLS; time++) {
      await pause(Math.floor(roll() * KILL_WITHIN_MS))
      const [pid] = await victims(VICTIMS[Math.floor(roll() * VICTIMS.length)]!)
      if (pid === undefined) continue
      process.kill(pid, "SIGKILL")
      kills++
    }
  }

  async function victims(pattern: RegExp): Promise<readonly number[]> {
    const found: number[] = []
    for (const pid of processTree(appliance.pid)) {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
      if (pattern.test(command)) found.push(pid)
    }
    return found
  }
}
