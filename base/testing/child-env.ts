/** The environment that tests give to every process they start: with the compile cache it starts in half the time. */
export const CHILD_ENV: Readonly<Record<string, string>> = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
