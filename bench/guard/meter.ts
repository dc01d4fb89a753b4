// Loaded before a program of a checkout: answers "cpu" with the processor time used so far by all its threads, which
// /proc reports only to a hundredth of a second.

/** Microseconds. */
export interface Spent {
  readonly kind: "cpu"
  readonly microseconds: number
}

process.on("message", (message) => {
  if (message !== "cpu") return
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: "cpu", microseconds: user + system } satisfies Spent)
})
// Without this, the listener would keep the program alive.
process.channel?.unref()
