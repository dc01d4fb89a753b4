import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"

import { pause } from "#base/flow/pause.ts"
import { ORDINARY_MS } from "#base/store/clock/trusted-time.ts"
import { SHIPPED_MODELS } from "#engine/embedders/model-folder.ts"
import type { Appliance } from "../kills/appliance.ts"
import { damage, type DamagedCopy, type Harm, type Stores } from "./stores.ts"

const LOOK_MS = 200
/** In which an appliance that can go on does so, also on a machine that is busy. */
const PATIENCE_MS = 120_000
const MINUTE_MS = 60_000
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS
const CLOCK = new URL("./moved-clock.ts", import.meta.url).href

/** What came of a trouble. */
interface Told {
  readonly what: string
  readonly harm: string
  /** Words that name what is wrong; empty: nothing was said. */
  readonly said: string
  readonly wentOn: string
  readonly faults: readonly string[]
}

/** Something that befalls an appliance other than one damaged file. */
export interface Trouble {
  readonly what: string
  readonly harm: string
  /** @param copy of a filled folder, with an appliance that is not started */
  readonly meet: (stores: Stores, copy: DamagedCopy) => Promise<Pick<Told, "said" | "wentOn" | "faults">>
}

/** Of how many pages the right answer comes, of those that there are. */
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

/** Until it answers. @returns false when it ends instead */
async function isUp(appliance: Appliance): Promise<boolean> {
  while (appliance.isRunning) {
    if ((await appliance.call("/healthz")).status === 200) return true
    await pause(LOOK_MS)
  }
  return false
}

/** The line of a text in which this stands. */
const lineWith = (text: string, words: RegExp): string =>
  text
    .split("\n")
    .find((line) => words.test(line))
    ?.trim() ?? ""

/** Whether this system lets one have a file system of one's own (Linux, user namespaces). */
const mayMount = spawnSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs none /mnt"]).status === 0

/** A command in whose sight a folder is mounted so. */
const mounted = (folder: string, how: string): readonly string[] => [
  "unshare",
  "-rm",
  "sh",
  "-c",
  `${how} && shift && exec "$@"`,
  "sh",
  folder,
]

const READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"'

/** The data folder can be read, and not be written to. */
const readOnly: Trouble = {
  what: "data folder",
  harm: "read-only",
  async meet(stores, { appliance, folder }) {
    const faults: string[] = []
    const data = join(folder, "data")
    appliance.start({}, mounted(data, READ_ONLY))
    const wentOn = [(await isUp(appliance)) ? await found(stores, appliance) : "does not start"]
    const said = lineWith(
      `${appliance.output}\n${(await appliance.call("/readyz")).text}`,
      /read-only|written/i,
    )
    if (!said.includes(data)) faults.push(`the folder is not named: ${appliance.output.slice(-300)}`)
    await appliance.stop()
    appliance.start()
    if ((await isUp(appliance)) && (await within(() => isRight(stores, appliance))))
      wentOn.push("all found once it can be written to")
    else faults.push("it does not come back once the folder can be written to")
    return { said: said.replaceAll(folder, ""), wentOn: wentOn.join(", "), faults }
  },
}

/** The disk has no room left from the start on. */
const full: Trouble = {
  what: "disk",
  harm: "full",
  async meet(stores, { appliance, folder }) {
    const faults: string[] = []
    const data = join(folder, "data")
    // What was written, on a disk of its own, and then all of the rest of it.
    const how = `mkdir "$1.of" && mount --bind "$1" "$1.of" && mount -t tmpfs -o size=64m none "$1" && cp -a "$1.of/." "$1" && { dd if=/dev/zero of="$1/filled" bs=4k 2>/dev/null; true; }`
    appliance.start({ FOSSICK_MIN_FREE_MB: "10" }, mounted(data, how))
    const wentOn = [(await isUp(appliance)) ? await found(stores, appliance) : "does not start"]
    const said = lineWith(
      `${appliance.output}\n${(await appliance.call("/readyz")).text}`,
      /disk|MB (are|is) (free|left)/i,
    )
    if (said === "") faults.push(`nothing is said of the disk: ${appliance.output.slice(-300)}`)
    if (appliance.isRunning && !(await isRight(stores, appliance))) faults.push("not all is found")
    await appliance.stop()
    return { said: said.replaceAll(folder, ""), wentOn: wentOn.join(", "), faults }
  },
}
/** The wall clock is set while the appliance works, there and back. */
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
      if (!(await within(() => isRight(stores, appliance)))) faults.push(`not all is found ${when}`)
      if ((await appliance.call("/usage", undefined, { key: stores.key })).status !== 200)
        faults.push(`a key does not work ${when}`)
      const end = await stores.crawled(appliance)
      if (end !== "finished") faults.push(`a crawl ended as ${end} ${when}`)
      const ready = await appliance.call("/readyz")
      if (ready.status !== 200) faults.push(`it is not ready ${when}: ${ready.text.slice(0, 200)}`)
      const [doubt = ""] = /The clock says[^"]*/.exec(ready.text) ?? []
      said ||= doubt
      if ((doubt !== "") !== ahead > ORDINARY_MS)
        faults.push(`${doubt === "" ? "nothing is said of the clock" : doubt} ${when}`)
      // What is old by such a clock is there all the same.
      const { jobs: listed } = await appliance.ask<{ jobs: readonly unknown[] }>("/admin/jobs?limit=100")
      if (listed.length <= jobs) faults.push(`jobs are forgotten ${when}`)
      jobs = listed.length
      const signedIn = await fetch(`${appliance.url}/session`, {
        method: "POST",
        headers: { origin: appliance.url, "content-type": "application/json" },
        body: JSON.stringify({ key: stores.key }),
      })
      if (!signedIn.ok) faults.push(`nobody can sign in ${when}: ${await signedIn.text()}`)
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
    if (!(await isRight(stores, appliance))) faults.push("not all is found")
    await within(async () => !appliance.isRunning || appliance.output.includes(basename(file)))
    const said = lineWith(appliance.output, new RegExp(basename(file).replaceAll(".", "\\.")))
    if (said === "") faults.push(`the file is not named: ${appliance.output.slice(-300)}`)
    await appliance.stop()
    appliance.start()
    if ((await isUp(appliance)) && (await within(() => isRight(stores, appliance))))
      wentOn.push("all found with the model of before")
    else faults.push("it does not come back with the model of before")
    return { said: said.replaceAll(folder, ""), wentOn: wentOn.join(", "), faults }
  },
})

export const TROUBLES: readonly Trouble[] = [
  clockSet("ten years ahead, and back", [0, 10 * YEAR_MS, 0]),
  clockSet("ten years ahead from the start on, and back", [10 * YEAR_MS, 0]),
  clockSet("ten years back, and ahead again", [0, -10 * YEAR_MS, 0]),
  // On 28 March 2027 the clocks of Paris go from 2:00 to 3:00, on 31 October from 3:00 back to 2:00.
  clockSet(
    "over the beginning of summer time",
    [until("2027-03-28T00:59:55Z"), until("2027-03-28T01:00:05Z")],
    "Europe/Paris",
  ),
  clockSet(
    "over the end of summer time",
    [until("2027-10-31T00:59:55Z"), until("2027-10-31T01:00:05Z")],
    "Europe/Paris",
  ),
  ...(mayMount ? [readOnly, full] : []),
  model("onnx/model_quantized.onnx", "a flipped byte"),
  model("tokenizer.json", "a flipped byte"),
  model("config.json", "cut in half"),
  model("onnx/model_quantized.onnx", "removed"),
]
