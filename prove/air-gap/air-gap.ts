import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import type { Effort, Outcome, Proof } from "../proof.ts"
import { outsideIn } from "./outside.ts"

const INSIDE = join(import.meta.dirname, "inside.ts")

/** A part that was used inside the namespace, and its own report. */
export interface Used {
  readonly part: string
  readonly result: string
  readonly isGood: boolean
}

/** The result of a run in a network that has only the loopback device. */
export interface AirGap {
  readonly used: readonly Used[]
  /** Packets for which the namespace had no route: each is an attempt to get out. Null if not counted. */
  readonly withoutRoute: number | null
  /** Connections that left the machine, as seen by strace; null if it isn't installed or not permitted. */
  readonly outside: readonly string[] | null
  /** Number of all connections that strace saw. */
  readonly connections: number
}

/** Why the proof can't run on this machine; null if it can. */
export function whyNot(): string | null {
  if (process.platform !== "linux") return "network namespaces need Linux"
  const tried = spawnSync("unshare", ["-rn", "sh", "-c", "ip link set lo up"], { encoding: "utf8" })
  if (tried.error !== undefined) return "unshare is not installed"
  return tried.status === 0 ? null : `unshare is not permitted: ${tried.stderr.trim().slice(0, 200)}`
}

/** Starts the appliance in its own network namespace and uses it. */
export async function flyBlind({ tell }: Pick<Effort, "tell">): Promise<AirGap> {
  const folder = mkdtempSync(join(tmpdir(), "fossick-air-gap-"))
  try {
    const traces = join(folder, "trace")
    // A container may have strace but forbid its use.
    const isTraced =
      spawnSync("strace", ["-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "true"]).status === 0
    // Writes a file for each process, named after its id. With seccomp, processes are only stopped at these calls.
    const strace = [
      "strace",
      "-ff",
      "-qq",
      "--seccomp-bpf",
      "-e",
      "trace=connect,sendto,sendmsg,sendmmsg",
      "-o",
      traces,
    ]
    const line = ["ip link set lo up", `exec ${isTraced ? `${strace.join(" ")} ` : ""}"$0" "$1"`].join(" && ")
    const child = spawn("unshare", ["-rn", "sh", "-ec", line, process.execPath, INSIDE], {
      env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let [out, err] = ["", ""]
    child.stderr.on("data", (chunk) => (err += String(chunk)))
    child.stdout.on("data", (chunk) => (out += String(chunk)))
    const code = await new Promise((resolve) => child.once("close", resolve))
    const said = out.split("\n").findLast((one) => one.startsWith("{"))
    if (said === undefined)
      throw new Error(
        `the run in the namespace exited with code ${String(code)}: ${(err || out).slice(-1500)}`,
      )
    const { used, withoutRoute } = JSON.parse(said) as Pick<AirGap, "used" | "withoutRoute">
    for (const { part, result } of used) tell(`${part}: ${result}`)
    if (!isTraced) return { used, withoutRoute, outside: null, connections: 0 }
    const texts = readdirSync(folder)
      .filter((name) => name.startsWith("trace."))
      .map((name) => readFileSync(join(folder, name), "utf8"))
    const { outside, connections } = outsideIn(texts)
    return { used, withoutRoute, outside, connections }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Everything in a run that violates the promise. */
export const faultsOf = ({ used, withoutRoute, outside }: AirGap): readonly string[] => [
  ...used.filter(({ isGood }) => !isGood).map(({ part, result }) => `${part}: ${result}`),
  ...(outside ?? []).map((one) => `connection to another machine: ${one}`),
  ...(withoutRoute === null || withoutRoute === 0 ? [] : [`${withoutRoute} packets had no route`]),
]

export const proof: Proof = {
  title: "Air gap",
  promise:
    "Once installed, the appliance needs no network except the one its sources are on. It runs in a network namespace with nothing but the " +
    "loopback device, where it crawls a site, answers searches and research, reads a page live and serves the console. The connections that its " +
    "processes request (seen by `strace`) and the packets without a route are counted.",
  async run(effort): Promise<Outcome> {
    const impossible = whyNot()
    const columns = ["step", "result"]
    if (impossible !== null) return { columns, rows: [["not run on this machine", impossible]], faults: [] }
    const seen = await flyBlind(effort)
    return {
      columns,
      rows: [
        ...seen.used.map(({ part, result }) => [part, result] as const),
        [
          "connections requested",
          seen.outside === null ? "not counted: strace is not installed or not permitted" : seen.connections,
        ],
        ["of these, to other machines", seen.outside === null ? "not counted" : seen.outside.length],
        ["packets without a route", seen.withoutRoute ?? "not counted"],
      ],
      faults: faultsOf(seen),
    }
  },
}
