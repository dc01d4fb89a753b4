import { setFlagsFromString } from "node:v8"
import { Worker, type WorkerOptions } from "node:worker_threads"

/**
 * Number of calls of an imported function after which V8 compiles a separate wrapper for it
 * (`--wasm-wrapper-tiering-budget`, default 1,000), set so high that this never happens. In Node 24 such wrappers are
 * shared by all threads, and if one is freed while another thread compiles, the process ends (`Check failed:
 * jit_page.has_value()`, or SIGSEGV; nodejs/node#64500). Node uses WebAssembly to strip the types of every module in
 * each thread, which is why there are enough calls.
 */
const NEVER = 2 ** 31 - 1

let isSet = false

/**
 * A crash report contains the environment of each thread, even if the process itself excludes it; a thread with the
 * process's environment would therefore reveal all its secrets. In the report, a thread started with this flag has an
 * empty environment.
 */
const WITHOUT_ENVIRONMENT = "--report-exclude-env"

/**
 * The environment of threads and processes that handle content made by strangers: the folder of compiled code, which
 * halves their startup time, and nothing else.
 */
export function bareEnvironment(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/** Starts a thread that runs `program`, with only the Node.js flags in `execArgv`. All threads are started here. */
export function startThread(program: URL, options?: WorkerOptions): Worker {
  if (!isSet) setFlagsFromString(`--wasm-wrapper-tiering-budget=${NEVER}`)
  isSet = true
  return new Worker(program, { ...options, execArgv: [...(options?.execArgv ?? []), WITHOUT_ENVIRONMENT] })
}
