/** Milliseconds between checks. Measured: a decoder that writes as fast as it can takes 20 to 40 MB more in this time, even on a busy machine. */
const WATCH_MS = 20

/** Calls `onOver` when this process uses more than `memoryMb`, whatever the memory is used for. Doesn't keep the process alive. */
export function watchMemory(memoryMb: number, onOver: () => void): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > memoryMb * 1024 * 1024) onOver()
  }, WATCH_MS).unref()
}
