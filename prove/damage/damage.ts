import { execFile } from "node:child_process"
import { basename, join } from "node:path"

import { pause } from "#base/flow/pause.ts"
import { FOSSICK } from "../../command/testing/fossick.ts"
import { type Effort, type Outcome, type Proof, settingsOf } from "../proof.ts"
import { type DamagedCopy, type Harm, HARMS, Stores } from "./stores.ts"
import { type Trouble, TROUBLES } from "./troubles.ts"
import { chance } from "#base/testing/chance.ts"

const LOOK_MS = 200
/** Time within which an appliance that repairs itself must be done, even on a busy machine. */
const HEALED_MS = 60_000
/** The file that holds the keys. */
const STATE = join("data", "state.db")
/** Maximum number of characters shown of a message that names a file. */
const SHOWN = 160

/** The result of one damaged file, or of another problem. */
interface Case {
  readonly file: string
  readonly harm: string
  readonly said: string
  readonly wentOn: string
  readonly faults: readonly string[]
}

/**
 * Damages the files of an appliance one after the other, causes other problems, and records what the appliance says and
 * what still works.
 * @param stores files that aren't changed: each case has a copy
 * @param only runs only cases whose name, "file, damage", contains this
 */
export async function damageCases(
  stores: Stores,
  { scale, seed, tell }: Effort,
  only: RegExp = /(?:)/,
): Promise<Case[]> {
  const random = chance(seed)
  const all = [
    ...stores
      .kinds()
      .flatMap((file) => HARMS.map((harm) => ({ file, harm, run: () => damagedCase(stores, file, harm) }))),
    ...TROUBLES.map((trouble) => ({
      file: trouble.what,
      harm: trouble.harm,
      run: () => troubledCase(stores, trouble),
    })),
  ]
    .filter(({ file, harm }) => only.test(`${file}, ${harm}`))
    .map((one) => ({ ...one, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
  const cases: Case[] = []
  for (const { file, harm, run } of all.slice(0, Math.max(1, Math.round(all.length * scale)))) {
    // Cases run one after the other, because each has its own appliance.
    // oxlint-disable-next-line no-await-in-loop
    const one = await run()
    cases.push(one)
    tell(
      `${file}, ${harm}: ${one.wentOn}; ${one.said}${one.faults.length === 0 ? "" : `; NOT KEPT: ${one.faults.join("; ")}`}`,
    )
  }
  return cases.toSorted((a, b) => (a.file < b.file ? -1 : 1))
}

async function troubledCase(stores: Stores, { what, harm, meet }: Trouble): Promise<Case> {
  await using copy = await stores.copy()
  const { said, wentOn, faults } = await meet(stores, copy)
  return { file: what, harm, said: cut(said) || "none: nothing is wrong", wentOn, faults }
}

async function damagedCase(stores: Stores, file: string, harm: Harm): Promise<Case> {
  if (file.startsWith("backups/")) return await damagedBackup(stores, file, harm)
  await using copy = await stores.damaged(file, harm)
  const victim = new Victim(stores, copy, file)
  copy.appliance.start()
  const isUp = await victim.isUp()
  if (isUp) await victim.lookAround()
  else victim.wentOn.push("does not start")
  victim.listen(copy.appliance.output)
  if (!isUp || !(await victim.isRight())) await victim.repair()
  const { said, wentOn, faults } = victim
  // A damaged file that is never named in a message must be one that wasn't needed.
  if (said === "" && wentOn[0] !== "all found")
    faults.push(`no message names the file: ${copy.appliance.output.slice(-SHOWN)}`)
  return {
    file,
    harm,
    said: said || "none: the file is not needed, or is recreated",
    wentOn: wentOn.join(", "),
    faults,
  }
}

/** An appliance with one damaged file. */
class Victim {
  /** The first message that names the file. */
  said = ""
  readonly wentOn: string[] = []
  readonly faults: string[] = []
  readonly #stores: Stores
  readonly #copy: DamagedCopy
  readonly #file: string

  constructor(stores: Stores, copy: DamagedCopy, file: string) {
    this.#stores = stores
    this.#copy = copy
    this.#file = file
  }

  listen(text: string): void {
    this.said ||= naming(text.replaceAll(this.#copy.folder, ""), this.#file)
  }

  async isRight(): Promise<boolean> {
    return (await this.#stores.answers(this.#copy.appliance)).every(({ is }) => is === "right")
  }

  /** @returns false if it exits instead */
  async isUp(): Promise<boolean> {
    const { appliance } = this.#copy
    while (appliance.isRunning) {
      if ((await appliance.call("/healthz")).status === 200) return true
      await pause(LOOK_MS)
    }
    return false
  }

  /** Records which parts still work, and whether the appliance repairs itself. */
  async lookAround(): Promise<void> {
    const { appliance } = this.#copy
    const first = await this.#stores.answers(appliance)
    const ready = (await appliance.call("/readyz")).text
    const refusals = first.map((one) => (one.is === "refused" ? one.said : ""))
    for (const text of [...refusals, ready, appliance.output]) this.listen(text)
    const count = (is: string) => first.filter((one) => one.is === is).length
    const isWhole = count("right") === first.length
    this.wentOn.push(isWhole ? "all found" : `${count("right")} of ${first.length} found`)
    if (count("refused") > 0) this.wentOn.push(`${count("refused")} refused`)
    // Pages aren't found, and no message says why.
    if (count("wrong") > 0 && this.said === "")
      this.faults.push(`${count("wrong")} searches were answered wrongly, without a message`)
    if ((await appliance.call("/usage", undefined, { key: this.#stores.key })).status !== 200) {
      // Keys exist nowhere else, so a message must say how to restore them.
      const isTold = this.#file === STATE && ready.includes("fossick restore")
      if (isTold) this.wentOn.push("keys are lost, and a message says how to restore them")
      else this.faults.push("a key no longer works")
    }
    const thumbnail = await this.#stores.thumbnail(appliance)
    if (thumbnail !== 200)
      this.wentOn.push(thumbnail === 404 ? "thumbnail recreated" : `thumbnail gets ${thumbnail}`)
    if (!isWhole && (await this.#isHealed())) this.wentOn.push("repaired automatically")
  }

  /** Repairs with the doctor, then restores lost pages with a crawl. */
  async repair(): Promise<void> {
    const { appliance } = this.#copy
    await appliance.stop()
    const repair = await fossick(this.#copy, "doctor", "--repair")
    this.listen(repair.text)
    appliance.start()
    const isBack = (await this.isUp()) && (await this.#isHealed())
    // Only a person can write such a file again, so a message must say what is wrong with it.
    const doctor = isBack || !repair.ok ? repair : await fossick(this.#copy, "doctor")
    this.listen(doctor.text)
    if (isBack) this.wentOn.push("repaired by doctor --repair")
    else if (doctor.ok)
      this.faults.push(`it is not repaired, and the doctor finds nothing: ${doctor.text.slice(-SHOWN)}`)
    else this.wentOn.push("the doctor says how to repair it")
    // Lost pages still exist on their site.
    if (isBack || !appliance.isRunning) return
    await this.#stores.crawl(appliance)
    if (await this.#isHealed()) this.wentOn.push("found again after the next crawl")
    else this.faults.push("the next crawl does not repair it")
  }

  async #isHealed(): Promise<boolean> {
    for (const since = performance.now(); performance.now() - since < HEALED_MS; await pause(LOOK_MS)) {
      if (await this.isRight()) return true
    }
    return false
  }
}

/** Damage to a backup is detected when the backup is checked. */
async function damagedBackup(stores: Stores, file: string, harm: Harm): Promise<Case> {
  await using copy = await stores.damaged(file, harm)
  const { ok, text } = await fossick(copy, "restore", join(copy.folder, file), "--verify")
  const said = cut(text.trim().replaceAll(copy.folder, ""))
  return { file, harm, said, wentOn: "refused", faults: ok ? ["it is accepted as a whole backup"] : [] }
}

/** Runs a command on a copy. */
function fossick(
  { appliance, folder }: DamagedCopy,
  ...args: readonly string[]
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const how = { env: appliance.settings, cwd: folder }
  return new Promise((resolve) => {
    execFile(process.execPath, [FOSSICK, ...args], how, (error, out, err) =>
      resolve({ ok: error === null, text: out + err }),
    )
  })
}

/** The words in which a text names a file, or its table or folder; empty if it doesn't. */
function naming(text: string, file: string): string {
  const names = [basename(file), ...file.split("/").filter((part) => part.endsWith(".lance"))]
  const line = text.split(/\n|(?<=\.) (?=[A-Z])/).find((one) => names.some((name) => one.includes(name)))
  if (line === undefined) return ""
  const at = Math.max(
    0,
    Math.min(...names.map((name) => line.indexOf(name)).filter((where) => where >= 0)) - 40,
  )
  const words = line.slice(at).replace(/^\{"detail":\{"error":"/, "")
  return cut((at === 0 ? words : words.replace(/^\S*\s/, "")).trim())
}

/** The beginning of a message, cut after a whole word. */
const cut = (text: string): string =>
  text.length <= SHOWN ? text : `${text.slice(0, SHOWN).replace(/\s+\S*$/, "")} …`

/** Removes names and times that differ in every run. */
const short = (text: string): string =>
  text
    .replace(/^\d\d:\d\d:\d\d /, "")
    .replaceAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[01]{20}[0-9a-f]+|\d{15,}|\d{4}-\d\d-\d\dT[\d-]+Z/g,
      "…",
    )

export const proof: Proof = {
  title: "Damaged files",
  promise:
    "A damaged file is repaired or named, and no search silently returns wrong results. An appliance crawls, creates a key, a thumbnail and a backup, " +
    "and stops. Then one file of each kind that it wrote has a byte flipped, is cut in half or is removed, and the appliance starts again. The " +
    "damage must be repaired automatically or by `fossick doctor --repair`, or the doctor must say how to repair it. Keys work, unless `state.db` " +
    "itself is missing or unreadable; then a message says how to restore it. Disk faults are tested too: the data folder is read-only or its disk " +
    "is full from the start, or the disk fails in use and Linux makes it read-only. Searches, stored pages and thumbnails continue, requests that " +
    "need to write get 503 or 403 with the setting that names the folder, readiness names it too, and no process ends. Work continues once the " +
    "folder is writable: automatically or, after a disk failure, with a restart. Finally, the model's files are damaged, and the wall clock is " +
    "moved forward and back, and across both the start and the end of summer time. Each problem must be named, everything that can continue must do so, and " +
    "every page must be found once the problem is fixed.",
  async run(effort: Effort): Promise<Outcome> {
    await using stores = await Stores.fill(settingsOf(effort))
    const cases = await damageCases(stores, effort)
    return {
      columns: ["file", "damage", "message", "result"],
      rows: cases.map(({ file, harm, said, wentOn }) => [short(file), harm, short(said), wentOn]),
      faults: cases.flatMap(({ file, harm, faults }) => faults.map((fault) => `${file}, ${harm}: ${fault}`)),
    }
  },
}
