import type { Logger } from "pino"
import { pause } from "../flow/pause.ts"
import { EXIT_AGAIN, EXIT_LOCKED, EXIT_NO_ROOM, type WorkerProcess } from "../process/worker-process.ts"

export interface RepeatWorkerOptions {
  /** Starts a process that works until there is nothing left to do, and then ends. */
  readonly start: () => Promise<Pick<WorkerProcess, "exited" | "stop">>
  /** Whether there is anything to do. Called often, so it must be cheap. */
  readonly hasWork: () => Promise<boolean>
  /** Whether a running process has to stop for now to make way for other work. Default: never. */
  readonly isBusy?: () => Promise<boolean>
  /** Whether the pause grows after a process ends with this code. Default: after any code but 0. */
  readonly isFailure?: (code: number | null) => boolean
  readonly onExit?: (code: number | null) => void
  /** Name for the log, such as "the image process". */
  readonly called: string
  /** Milliseconds between checks for work. */
  readonly pollMs: number
  /** Milliseconds before a process is restarted after a failure: doubled with each further failure in a row, up to a limit. */
  readonly pauseMs: number
  readonly maxPauseMs: number
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Until the signal is aborted, runs work in a separate process whenever there is any, so that its memory is freed afterwards. */
export async function repeatWorker(options: RepeatWorkerOptions): Promise<void> {
  const { start, hasWork, isFailure = () => true, onExit, called, pollMs, pauseMs, maxPauseMs } = options
  const { log, signal } = options
  let failures = 0
  while (!signal.aborted) {
    if (!(await hasWork())) {
      await pause(pollMs, signal)
      continue
    }
    const code = await ended(await start(), options)
    onExit?.(code)
    if (code === EXIT_AGAIN) continue
    failures = code === 0 || !isFailure(code) ? 0 : failures + 1
    if (code === 0 || signal.aborted) continue
    const ms = Math.min(pauseMs * 2 ** Math.max(0, failures - 1), maxPauseMs)
    // The process itself reports a locked index or a full disk.
    if (code !== EXIT_LOCKED && code !== EXIT_NO_ROOM)
      log.error({ code, ms }, `${called} failed and will be restarted in {ms} ms`)
    await pause(ms, signal)
  }
}

/** @returns the code that a process ended with; 0 when it had to make way. */
async function ended(
  child: Pick<WorkerProcess, "exited" | "stop">,
  { isBusy, pollMs, signal }: RepeatWorkerOptions,
): Promise<number | null> {
  const over = new AbortController()
  const exited = child.exited.finally(() => over.abort())
  const stop = () => void child.stop()
  signal.addEventListener("abort", stop, { once: true })
  try {
    if (isBusy === undefined) return await exited
    while (!over.signal.aborted) {
      await pause(pollMs, over.signal)
      if (over.signal.aborted || !(await isBusy())) continue
      await child.stop()
      return 0
    }
    return await exited
  } finally {
    signal.removeEventListener("abort", stop)
  }
}
