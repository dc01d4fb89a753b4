import { setFlagsFromString } from "node:v8"
import { Worker, type WorkerOptions } from "node:worker_threads"

/**
 * Calls of an imported function after which V8 compiles a wrapper of its own for it (`--wasm-wrapper-tiering-budget`, default
 * 1,000): never. In Node 24 such wrappers are shared by all threads, and one that is freed while another thread compiles ends the
 * process (`Check failed: jit_page.has_value()`, or SIGSEGV; nodejs/node#64500). Node strips the types of every module with
 * WebAssembly in each thread, which is why there are enough calls.
 */
const NEVER = 2 ** 31 - 1

let isSet = false

/**
 * A crash report contains the environment of each thread, even if the process itself excludes it, and with the process's own
 * environment all its secrets. A thread started with this has an empty one.
 */
const WITHOUT_ENVIRONMENT = "--report-exclude-env"

/**
 * The environment of threads and processes that work on what strangers made: the folder of compiled code, with which they start in half
 * the time, and nothing else.
 */
export function bareEnvironment(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/** A thread that runs `program`; with no flags of Node.js but those of `execArgv`. All threads are started here. */
export function startThread(program: URL, options?: WorkerOptions): Worker {
  if (!isSet) setFlagsFromString(`--wasm-wrapper-tiering-budget=${NEVER}`)
  isSet = true
  return new Worker(program, { ...options, execArgv: [...(options?.execArgv ?? []), WITHOUT_ENVIRONMENT] })
}
