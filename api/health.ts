/** Looks at one part of the appliance: null when it is well, else what is wrong and what to do. */
export type Check = () => Promise<string | null>

export interface Health {
  readonly ready: boolean
  /** By name of the part: "ok" or the problem. */
  readonly checks: Readonly<Record<string, string>>
}

/** Longest time a check may take: whoever asks for readiness is not kept waiting. */
const CHECK_MS = 5000

/** Runs all checks side by side. */
export async function healthOf(checks: Readonly<Record<string, Check>>): Promise<Health> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, string]> => [
      name,
      (await outcome(check)) ?? "ok",
    ]),
  )
  return { ready: results.every(([, result]) => result === "ok"), checks: Object.fromEntries(results) }
}

async function outcome(check: Check): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, CHECK_MS, `did not answer within ${CHECK_MS / 1000} seconds`)
  })
  try {
    return await Promise.race([check(), late])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(timer)
  }
}
