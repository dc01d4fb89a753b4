import { type ChildProcess, fork } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { answerTo, nextMessage, runMeasured, stopProcess } from "../measure.ts"
import { atTheEnd } from "./checkout.ts"
import type { Spent } from "./meter.ts"

const METER = join(import.meta.dirname, "meter.ts")

/** One of the two checkouts. */
export interface Side {
  readonly root: string
  /** A separate folder for files. */
  readonly scratch: string
}

/** A turn's figures, keyed by the names of its lines. */
export type Figures = Readonly<Record<string, number>>

/** One start of a checkout's processes. */
export interface Run extends AsyncDisposable {
  turn(): Promise<Figures>
}

/** The Node binary in a checkout's packages. */
const nodeOf = ({ root }: Side): string => {
  const own = join(root, "node_modules/.bin/node")
  return existsSync(own) ? own : process.execPath
}

/** Each side has its own compile cache, so it finds no code that an earlier run compiled, and nothing is written to the checkout. */
const envOf = ({ scratch }: Side, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_COMPILE_CACHE: join(scratch, "compiled"),
  FOSSICK_LOG_LEVEL: "error",
  FOSSICK_HANDBOOK: "off",
  ...env,
})

/** Runs a program to its end. @returns its last line, parsed as JSON */
export async function runOnce<T>(side: Side, program: string, args: readonly string[]): Promise<T> {
  const { lastLine } = await runMeasured(nodeOf(side), [program, ...args], envOf(side))
  return JSON.parse(lastLine) as T
}

/** Starts a program of the checkout with the meter loaded. The program ends with this process. */
export function startOwn(side: Side, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const [program = "", ...rest] = args
  const child = fork(join(side.root, program), rest, {
    execPath: nodeOf(side),
    execArgv: ["--import", METER],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: envOf(side, env),
  })
  const forget = atTheEnd(() => child.kill())
  child.once("exit", forget)
  return child
}

/** Processor milliseconds used so far by a program that has the meter loaded, without its children. */
export const cpuMsOf = async (child: ChildProcess): Promise<number> =>
  (await answerTo<Spent>(child, "cpu", "cpu")).microseconds / 1000

/** Starts a program that sends a message when it is ready, then answers each message with the figures of a turn. */
export async function startTurns(side: Side, program: string, args: readonly string[]): Promise<Run> {
  const child = fork(program, [side.root, ...args], {
    execPath: nodeOf(side),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: envOf(side),
  })
  await nextMessage(child)
  return {
    turn: () => answerTo<Figures>(child, "turn"),
    [Symbol.asyncDispose]: () => stopProcess(child),
  }
}
