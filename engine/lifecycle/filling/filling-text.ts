import { aboutSeconds } from "#base/text/duration.ts"
import type { EngineStats } from "../../engine.ts"
import { secondsLeft } from "./filling-rate.ts"

type Waiting = Pick<EngineStats, "pagesWithoutVectors" | "passagesWithoutVectors" | "vectorsPerSecond">

/** How many pages are waiting for vectors, and for how much longer: `5210 pages wait for vectors (38000 passages, 180 a second, about 4 min left)`. */
export function fillingText(stats: Waiting): string {
  const { pagesWithoutVectors: pages, passagesWithoutVectors: passages, vectorsPerSecond: rate } = stats
  const left = secondsLeft(stats)
  const speed = rate === null ? "" : `, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} a second`
  const time = left === null ? "" : `, about ${aboutSeconds(left)} left`
  return `${pagesWaitText(pages)} (${passages} ${passages === 1 ? "passage" : "passages"}${speed}${time})`
}

export const pagesWaitText = (pages: number): string =>
  `${pages} ${pages === 1 ? "page is waiting" : "pages are waiting"} for vectors`
