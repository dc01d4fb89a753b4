import type { Setting } from "./settings.ts"

/** Space on a disk, as operators write it: megabytes (of 1,000,000 bytes), or percent of the disk. */
export type FreeSpace = number | { readonly percent: number }

const MB = 1_000_000
const UNITS: Readonly<Record<string, number>> = { "": 1, MB: 1, GB: 1000, TB: 1_000_000 }
const MOST_MB = 1_000_000_000

/** The number of bytes that `space` means on a disk of `totalBytes`. */
export const bytesOf = (space: FreeSpace, totalBytes: number): number =>
  typeof space === "number" ? space * MB : (space.percent / 100) * totalBytes

/** A setting such as `500`, `500MB`, `2GB` or `5%`. */
export const freeSpace = (setting: Omit<Setting<FreeSpace>, "parse">): Setting<FreeSpace> => ({
  ...setting,
  parse(value) {
    const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?) ?(%|[A-Z]*)$/.exec(value) ?? []
    const amount = Number(number)
    if (unit === "%" && amount < 100) return { percent: amount }
    const factor = UNITS[unit]
    if (number === "" || factor === undefined || amount * factor > MOST_MB) {
      throw new Error(
        "must be a number of megabytes (500), a size with a unit (2GB), or a percentage of the disk (5%)",
      )
    }
    return amount * factor
  },
})
