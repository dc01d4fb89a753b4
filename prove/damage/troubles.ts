import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"

import { pause } from "#base/flow/pause.ts"
import { ORDINARY_MS } from "#base/store/clock/trusted-time.ts"
import { SHIPPED_MODELS } from "#engine/shipped-models.ts"
import type { Appliance } from "../kills/appliance.ts"
import {
  fail,
  full,
  makeRoom,
  makeWritable,
  mayFail,
  mayMount,
  ownDisk,
  readOnly,
  sameDisk,
  type Through,
} from "./mounts.ts"
import { damage, type DamagedCopy, type Harm, type Stores } from "./stores.ts"

const LOOK_MS = 200
/** Time within which an appliance that can continue must do so, even on a busy machine. */
const PATIENCE_MS = 120_000
const MINUTE_MS = 60_000
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS
const CLOCK = new URL("./moved-clock.ts", import.meta.url).href

/** Lets a disk of only a few megabytes count as having enough free space. */
const SMALL_DISK = { FOSSICK_MIN_FREE_MB: "10" }

/** The result of a problem. */
interface Told {
  readonly what: string
  readonly harm: string
  /** The message that names the problem; empty if there was none. */
  readonly said: string
  readonly wentOn: string
  readonly faults: readonly string[]
}

/** A problem that an appliance can have, other than one damaged file. */
export interface Trouble {
  readonly what: string
  readonly harm: string
  /** @param copy a copy of a filled folder, with an appliance that isn't started */
  readonly meet: (stores: Stores, copy: DamagedCopy) => Promise<Pick<Told, "said" | "wentOn" | "faults">>
}

/** How many questions are answered correctly, out of how many. */
async function found(stores: Stores, appliance: Appliance): Promise<string> {
  const answers = await stores.answers(appliance)
  const count = (is: string) => answers.filter((one) => one.is === is).length
  const refused = count("refused")
  return `${count("right")} of ${answers.length} found${refused > 0 ? `, ${refused} refused` : ""}`
}

const isRight = async (stores: Stores, appliance: Appliance): Promise<boolean> =>
  (await stores.answers(appliance)).every(({ is }) => is === "right")

async function within(isSo: () => Promise<boolean>): Promise<boolean> {
  for (const since = performance.now(); performance.now() - since < PATIENCE_MS; await pause(LOOK_MS))
    if (await isSo()) return true
  return false
}

/** Waits until the appliance answers. @returns false if it exits instead */
async function isUp(appliance: Appliance): Promise<boolean> {
  while (appliance.isRunning) {
    if ((await appliance.call("/healthz")).status === 200) return true
    await pause(LOOK_MS)
  }
  return false
}

/** The line of a text that contains these words. */
const lineWith = (text: string, words: RegExp): string =>
  text
    .split("\n")
    .find((line) => words.test(line))
    ?.trim() ?? ""

/** The beginning of a line that names the problem. */
const named = (text: string, words: RegExp, folder: string): string => {
  const line = lineWith(text, words)
  return line.slice(Math.max(0, line.search(words) - 40)).replaceAll(folder, "")
}

/** The faults of an appliance that can read but not write its data folder. */
async function readsAlone(
  stores: Stores,
  { appliance, folder }: DamagedCopy,
  said: RegExp,
): Promise<string[]> {
  const data = join(folder, "data")
  const faults: string[] = []
  // The calls are made more than once, because the first ones might be answered from memory.
  for (let times = 0; times < 3; times++)
    if (!(await isRight(stores, appliance)))
      faults.push(`not every page is found: ${await found(stores, appliance)}`)
  for (const [what, status] of [
    ["usage", (await appliance.call("/usage", undefined, { key: stores.key })).status],
    ["a stored page", await stores.storedPage(appliance)],
    ["a thumbnail", await stores.thumbnail(appliance)],
  ])
    if (status !== 200) faults.push(`${what} gets ${status}`)
  const ready = await appliance.call("/readyz")
  if (ready.status !== 200 || !ready.text.includes("FOSSICK_DATA_DIR"))
    faults.push(`readiness does not name the folder: ${ready.status} ${ready.text.slice(0, 300)}`)
  for (const [path, body] of [
    ["/admin/keys", { role: "search" }],
    ["/admin/sources/more", { seeds: "https://example.com/" }],
  ] as const) {
    const method = path === "/admin/keys" ? "POST" : "PUT"
    const { status, text } = await appliance.call(path, body, { method })
    const isClear = (status === 503 || status === 403) && errorIn(text).includes("FOSSICK_DATA_DIR")
    if (!isClear) faults.push(`${method} ${path} gets ${status}: ${text.slice(0, 200)}`)
  }
  if (!(await within(async () => lineWith(appliance.output, said).includes(data))))
    faults.push(`the folder is not named: ${appliance.output.slice(-300)}`)
  if (/ended unexpectedly/.test(appliance.output))
    faults.push(`a process ended: ${appliance.output.slice(-300)}`)
  return faults
}

/** The text of a refusal in the API's error format; empty if the response isn't one. */
function errorIn(text: string): string {
  try {
    return (JSON.parse(text) as { detail?: { error?: string } }).detail?.error ?? ""
  } catch {
    return ""
  }
}

/** The last line of an appliance's output that is not about a call. */
const lastWords = ({ output }: Appliance): string =>
  output
    .split("\n")
    .filter((line) => !/ (?:GET|POST|PUT) \//.test(line))
    .join("\n")
    .slice(-1000)

/** Whether the appliance finds every page, creates keys and crawls. */
async function goesOn(stores: Stores, appliance: Appliance): Promise<boolean> {
  const makesKeys = async () => (await appliance.call("/admin/keys", { role: "search" })).status === 201
  if (!(await within(makesKeys)) || !(await within(() => isRight(stores, appliance)))) return false
  return (await stores.crawled(appliance)) === "finished"
}

/** The data folder isn't writable at first, and is later made writable. */
const unwritable = (
  harm: string,
  parts: {
    readonly what: string
    readonly through: (folder: string) => Through
    readonly settings?: Readonly<Record<string, string>>
    readonly said: RegExp
    readonly mend: (pid: number, folder: string) => unknown
  },
): Trouble => ({
  what: parts.what,
  harm,
  async meet(stores, copy) {
    const { appliance, folder } = copy
    const data = join(folder, "data")
    appliance.start(parts.settings, parts.through(data))
    if (!(await isUp(appliance)))
      return { said: "", wentOn: "", faults: [`it does not start: ${lastWords(appliance)}`] }
    await within(() => isRight(stores, appliance))
    const wentOn = [await found(stores, appliance)]
    const faults = await readsAlone(stores, copy, parts.said)
    const words = named(appliance.output, parts.said, folder)
    parts.mend(appliance.pid!, data)
    if (await goesOn(stores, appliance)) wentOn.push("continues once the folder is writable")
    else faults.push(`it does not continue once the folder is writable: ${lastWords(appliance)}`)
    await appliance.stop()
    return { said: words, wentOn: wentOn.join(", "), faults }
  },
})

/** The disk fails while the appliance is running, and Linux makes it read-only. */
const failing: Trouble = {
  what: "data folder",
  harm: "read-only after its disk failed in use",
  async meet(stores, copy) {
    const { appliance, folder } = copy
    const data = join(folder, "data")
    appliance.start(SMALL_DISK, ownDisk(data))
    if (!(await isUp(appliance)) || !(await within(() => isRight(stores, appliance))))
      return {
        said: "",
        wentOn: "",
        faults: [`it does not start before the failure: ${lastWords(appliance)}`],
      }
    fail(data)
    const wentOn = [await found(stores, appliance)]
    const said = /is read-only/
    const faults = await readsAlone(stores, copy, said)
    const words = named(appliance.output, said, folder)
    await appliance.stop()
    appliance.start(SMALL_DISK, sameDisk(data))
    if ((await isUp(appliance)) && (await goesOn(stores, appliance)))
      wentOn.push("continues after a restart on the repaired disk")
    else faults.push(`it does not work on the repaired disk: ${lastWords(appliance)}`)
    await appliance.stop()
    return { said: words, wentOn: wentOn.join(", "), faults }
  },
}

/** The wall clock is set forward or back while the appliance is running, and then restored. */
const clockSet = (harm: string, steps: readonly number[], zone = "UTC"): Trouble => ({
  what: "wall clock",
  harm,
  async meet(stores, { appliance, folder }) {
    const faults: string[] = []
    const file = join(folder, "clock")
    const [begin = 0, ...sets] = steps
    writeFileSync(file, String(begin))
    appliance.start({ NODE_OPTIONS: `--import=${CLOCK}`, PROOF_CLOCK: file, TZ: zone })
    if (!(await isUp(appliance)))
      return { said: "", wentOn: "does not start", faults: [appliance.output.slice(-300)] }
    let [said, jobs] = ["", 0]
    for (const [at, ahead] of [begin, ...sets].entries()) {
      writeFileSync(file, String(ahead))
      const when = at === 0 ? "at the start" : `after the clock was set ${at === 1 ? "once" : `${at} times`}`
      if (!(await within(() => isRight(stores, appliance)))) faults.push(`not every page is found ${when}`)
      if ((await appliance.call("/usage", undefined, { key: stores.key })).status !== 200)
        faults.push(`a key does not work ${when}`)
      const end = await stores.crawled(appliance)
      if (end !== "finished") faults.push(`a crawl ended as ${end} ${when}`)
      const ready = await appliance.call("/readyz")
      if (ready.status !== 200) faults.push(`it is not ready ${when}: ${ready.text.slice(0, 200)}`)
      const [doubt = ""] = /The clock says[^"]*/.exec(ready.text) ?? []
      said ||= doubt
      if ((doubt !== "") !== ahead > ORDINARY_MS)
        faults.push(`${doubt === "" ? "no message about the clock" : doubt} ${when}`)
      // Data that would be too old by this clock is still there.
      const { jobs: listed } = await appliance.ask<{ jobs: readonly unknown[] }>("/admin/jobs?limit=100")
      if (listed.length <= jobs) faults.push(`jobs are missing ${when}`)
      jobs = listed.length
      const signedIn = await fetch(`${appliance.url}/session`, {
        method: "POST",
        headers: { origin: appliance.url, "content-type": "application/json" },
        body: JSON.stringify({ key: stores.key }),
      })
      if (!signedIn.ok) faults.push(`signing in fails ${when}: ${await signedIn.text()}`)
      else await signedIn.body?.cancel()
    }
    return { said, wentOn: faults.length === 0 ? "all found, all crawled" : "", faults }
  },
})

/** Milliseconds from now until this moment. */
const until = (moment: string): number => Date.parse(moment) - Date.now()

/** A file of the model is damaged. */
const model = (file: string, harm: Harm): Trouble => ({
  what: `model: ${file}`,
  harm,
  async meet(stores, { appliance, folder }) {
    const faults: string[] = []
    const own = join(folder, "models", basename(SHIPPED_MODELS.english))
    mkdirSync(own, { recursive: true })
    cpSync(SHIPPED_MODELS.english, own, { recursive: true })
    damage(join(own, file), harm)
    const settings = { FOSSICK_EMBEDDINGS_URL: "", FOSSICK_EMBEDDINGS_MODEL: "", FOSSICK_MODEL: own }
    appliance.start(settings)
    const wentOn = [(await isUp(appliance)) ? await found(stores, appliance) : "does not start"]
    if (!(await isRight(stores, appliance))) faults.push("not every page is found")
    await within(async () => !appliance.isRunning || appliance.output.includes(basename(file)))
    const said = lineWith(appliance.output, new RegExp(basename(file).replaceAll(".", "\\.")))
    if (said === "") faults.push(`the file is not named: ${appliance.output.slice(-300)}`)
    await appliance.stop()
    appliance.start()
    if ((await isUp(appliance)) && (await within(() => isRight(stores, appliance))))
      wentOn.push("all found with the previous model")
    else faults.push("it does not work with the previous model")
    return { said: said.replaceAll(folder, ""), wentOn: wentOn.join(", "), faults }
  },
})

export const TROUBLES: readonly Trouble[] = [
  clockSet("ten years forward, then back", [0, 10 * YEAR_MS, 0]),
  clockSet("ten years ahead from the start, then back", [10 * YEAR_MS, 0]),
  clockSet("ten years back, then forward", [0, -10 * YEAR_MS, 0]),
  // In Paris, clocks go from 2:00 to 3:00 on 28 March 2027, and from 3:00 back to 2:00 on 31 October.
  clockSet(
    "across the start of summer time",
    [until("2027-03-28T00:59:55Z"), until("2027-03-28T01:00:05Z")],
    "Europe/Paris",
  ),
  clockSet(
    "across the end of summer time",
    [until("2027-10-31T00:59:55Z"), until("2027-10-31T01:00:05Z")],
    "Europe/Paris",
  ),
  ...(mayMount
    ? [
        unwritable("read-only from the start", {
          what: "data folder",
          through: readOnly,
          said: /cannot be written to/,
          mend: makeWritable,
        }),
        unwritable("full from the start", {
          what: "disk",
          through: full,
          settings: SMALL_DISK,
          said: /cannot be written to/,
          mend: makeRoom,
        }),
      ]
    : []),
  ...(mayFail ? [failing] : []),
  model("onnx/model_quantized.onnx", "a flipped byte"),
  model("tokenizer.json", "a flipped byte"),
  model("config.json", "cut in half"),
  model("onnx/model_quantized.onnx", "removed"),
]
