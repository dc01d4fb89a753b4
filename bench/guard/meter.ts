// Loaded before a program of a checkout: answers each message with the processor microseconds of all its threads until now.
process.on("message", () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicroseconds: user + system })
})
// It ends as it would without.
process.channel?.unref()
