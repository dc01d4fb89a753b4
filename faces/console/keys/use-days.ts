import type { AnswerOf } from "../../../api/client/client.ts"

export type Use = AnswerOf<"GET /admin/usage">["usage"][number]

/** Number of days shown. */
export const DAYS = 30

const DAY_MS = 86_400_000
/** Usage is counted by UTC day. */
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" })

/** Usage on each of the most recent days, including days without a call. */
export function byDay(
  usage: readonly Use[],
  of: (use: Use) => number,
  { key, now = Date.now() }: { readonly key: string | null; readonly now?: number },
): readonly { readonly label: string; readonly value: number }[] {
  const sums = new Map<string, number>()
  for (const use of usage) {
    if (key === null || use.key_id === key) sums.set(use.time, (sums.get(use.time) ?? 0) + of(use))
  }
  return Array.from({ length: DAYS }, (_, index) => {
    const time = now - (DAYS - 1 - index) * DAY_MS
    return { label: DAY.format(time), value: sums.get(new Date(time).toISOString().slice(0, 10)) ?? 0 }
  })
}

/** A key's usage in these days. */
export function sumOf(
  usage: readonly Use[],
  key: string,
): { readonly calls: number; readonly credits: number } {
  let [calls, credits] = [0, 0]
  for (const use of usage) {
    if (use.key_id !== key) continue
    calls += use.calls
    credits += use.credits
  }
  return { calls, credits }
}
