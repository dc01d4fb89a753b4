import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { startCheapVectors } from "#engine/testing/model-server.ts"

import { type Effort, type Outcome, type Proof, settingsOf } from "../proof.ts"
import { sendSignal } from "../running/send-signal.ts"
import { FILE_SETTINGS, SECRET_SETTINGS } from "./given.ts"
import { startCollector, startEchoMail, startEchoPostgres, startEchoServer } from "./hostile-server.ts"
import { type Kept, keptIn } from "./kept.ts"
import { MarkedAppliance, PATIENCE, quiet, type Used } from "./marked-appliance.ts"
import { callEverything } from "./marked-calls.ts"
import { runCommands } from "./marked-commands.ts"
import {
  markedSettings,
  type SettingsParts,
  writeClientCertificate,
  writePeers,
  writeSources,
} from "./marked-settings.ts"
import { Marks } from "./marks.ts"
import { declareProviders } from "./sign-on.ts"

const asFile = promisify(execFile)

export interface Leaks {
  /** Secrets that were found, and their places. */
  readonly found: readonly string[]
  /** Number of texts and files that were searched. */
  readonly places: number
  readonly secrets: number
  readonly used: readonly Used[]
  /** Settings that can contain a secret, or name a file with one, and weren't given any. */
  readonly missing: readonly string[]
  /** Secrets that the appliance creates for itself and that a backup contains, by name. */
  readonly kept: readonly string[]
}

/** Gives an appliance secrets wherever possible, uses them in every way, and looks for them in its output and its files. */
export async function leaks({ tell, scale }: Pick<Effort, "tell" | "scale">): Promise<Leaks> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), "fossick-secrets-"))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const collector = opened.use(await startCollector())
  const echo = opened.use(await startEchoServer())
  const mail = opened.use(await startEchoMail())
  const postgres = opened.use(await startEchoPostgres())
  // A short run starts only a few commands, each of which is a process, and creates no vectors.
  const isShort = scale < 1
  const vectors = isShort
    ? { ...settingsOf({ scale }), ...opened.use(await startCheapVectors()).settings }
    : {}
  const [givenDir, reports] = [join(folder, "given"), join(folder, "reports")]
  for (const one of [givenDir, reports]) await mkdir(one)
  const marks = new Marks()
  const parts = { servers: { echo, mail, collector }, marks, folder, givenDir, reports, vectors }
  const appliance = await setUp(parts, tell, isShort)
  await declareProviders(opened, folder, appliance, marks)
  const backup = join(folder, "backup.tar")
  await appliance.run("text", async (pids) => {
    await callEverything(appliance, echo, marks)
    await runCommands({ ...parts, appliance, postgres, backup, isShort })
    await haveReportsWritten(appliance, reports, pids)
  })
  await killInTheMidst(appliance, echo.url)
  for (const [at, body] of collector.bodies.entries()) appliance.keep(`traces ${at}`, body)
  appliance.saw("traces are sent", collector.bodies.length > 1)
  const kept = await keptInBackup(appliance, folder, backup)
  await keepFiles(appliance, folder, givenDir)
  const own = new Marks()
  for (const [name, secret] of kept.secrets) own.add(`the appliance's own secret "${name}"`, secret)
  return {
    found: foundIn(appliance.places, marks, own),
    places: appliance.places.length,
    secrets: marks.names.length + own.names.length,
    used: appliance.used,
    missing: [...SECRET_SETTINGS, ...FILE_SETTINGS].filter((name) => !appliance.wasGiven.has(name)),
    kept: [...kept.secrets.keys()],
  }
}

/** An appliance with its secrets, its sources, and keys for callers that send none. */
async function setUp(parts: SettingsParts, tell: Effort["tell"], isShort: boolean): Promise<MarkedAppliance> {
  const { folder, marks } = parts
  await writeClientCertificate(parts)
  await writePeers(parts)
  await writeSources(parts)
  const appliance = new MarkedAppliance(folder, await markedSettings(parts), marks, tell)
  const applied = await appliance.fossick({}, "sources", "apply", "sources.yaml")
  appliance.saw("sources are declared", applied.code === 0)
  if (applied.code !== 0) throw new Error(applied.out)
  for (const [name, setting] of [
    ["key for SearXNG searches", "FOSSICK_SEARXNG_KEY"],
    ["key for callers who are not signed in", "FOSSICK_OPEN_KEY"],
  ] as const) {
    // A short run uses the same key for both settings.
    const made = isShort ? appliance.env["FOSSICK_SEARXNG_KEY"] : undefined
    const key = made ?? (await appliance.makeKey())
    appliance.env[setting] = key
    marks.add(name, key)
  }
  return appliance
}

/** Makes Node.js write the reports that it writes when a process crashes, or when it is asked for one. */
async function haveReportsWritten(
  appliance: MarkedAppliance,
  reports: string,
  pids: readonly number[],
): Promise<void> {
  for (const pid of pids) sendSignal(pid, "SIGUSR2")
  for (let tries = 0; tries < PATIENCE && (await readdir(reports)).length < pids.length; tries += 1)
    await quiet()
  appliance.saw("reports of the processes are written", (await readdir(reports)).length >= pids.length)
  for (const pid of pids) {
    const command = await readFile(`/proc/${pid}/cmdline`).catch(() => Buffer.alloc(0))
    appliance.keep(`arguments of a process`, command)
  }
}

/** Logs JSON lines, and kills processes in the middle of their work. */
async function killInTheMidst(appliance: MarkedAppliance, site: string): Promise<void> {
  await appliance.run("json", async (pids) => {
    await appliance.post("/search", { query: "pumps", include_answer: true })
    await appliance.post("/extract", { urls: [`${site}/basic`] })
    for (const name of ["basic", "proxied"]) await appliance.runSource(name)
    for (const pid of pids.slice(1)) sendSignal(pid, "SIGABRT")
    for (let tries = 0; tries < PATIENCE && !(await appliance.isUp()); tries += 1) await quiet()
    appliance.saw("it works again after its processes were killed", await appliance.isUp())
  })
}

async function keptInBackup(appliance: MarkedAppliance, folder: string, backup: string): Promise<Kept> {
  const unpacked = join(folder, "unpacked")
  await mkdir(unpacked)
  await asFile("tar", ["-xf", backup, "-C", unpacked, "state.db"])
  const kept = keptIn(join(unpacked, "state.db"))
  appliance.saw(
    `secrets are in no other column of a backup${kept.others.map((one) => `, but ${one}`).join("")}`,
    kept.others.length === 0,
  )
  return kept
}

/** Searches everything that is left: the data folder, the backup, the export, the reports. */
async function keepFiles(appliance: MarkedAppliance, folder: string, givenDir: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && !file.startsWith(givenDir) && !/^core\b/.test(entry.name))
      appliance.keep(file.slice(folder.length), await readFile(file))
  }
}

/** The places where an appliance's own secrets may be. */
const STATE = new RegExp("^/(?:data/state\\.db(?:-wal|-shm)?|unpacked/state\\.db|backup\\.tar)$")

const foundIn = (places: MarkedAppliance["places"], marks: Marks, own: Marks): string[] =>
  places.flatMap(([where, bytes]) =>
    [...marks.in(bytes), ...(STATE.test(where) ? [] : own.in(bytes))].map((what) => `${what} in ${where}`),
  )

export const proof: Proof = {
  title: "Secrets",
  promise:
    "No secret that you give the appliance appears in its output or its files. An appliance gets recognisable secrets everywhere it accepts one: " +
    "in every setting that can hold one, in files, and through named variables. It uses each of them against servers that accept it and " +
    "against servers that reject it and echo it back. The secrets include OAuth codes and tokens, those of an identity provider, passwords of PostgreSQL and OpenSearch servers that refuse " +
    "them or are unreachable, keys of peers, tokens of feeds, and secrets that sign webhooks. Then its logs, errors, answers, metrics, traces, " +
    "console calls, exports, backups, Node crash reports and all its files are searched for each secret, plain and encoded: for URLs, forms and " +
    "JSON, in hexadecimal and in base64. Secrets that the appliance generates for itself, such as its signing keys, may appear only in its state and " +
    "in [backups](backup-and-restore.md#what-is-in-it) of it.",
  async run(effort): Promise<Outcome> {
    const { found, places, secrets, used, missing } = await leaks(effort)
    return {
      columns: ["secrets", "outputs and files searched", "found"],
      rows: [[secrets, places, found.length]],
      faults: [
        ...found,
        ...used.filter(({ isGood }) => !isGood).map(({ part }) => `not done: ${part}`),
        ...missing.map((name) => `no secret was given for ${name}`),
      ],
    }
  },
}
