import type { Measure } from "./ground.ts"
import { crawl, recrawl } from "./lines/crawling.ts"
import { advanced, answer, question } from "./lines/questions.ts"
import { reading } from "./lines/reading.ts"
import { resting } from "./lines/resting.ts"
import { vectors } from "./lines/vectors.ts"

/** To add a measure, add a file in `lines/` and its name here. */
export const MEASURES: readonly Measure[] = [
  reading,
  crawl,
  recrawl,
  vectors,
  question,
  advanced,
  answer,
  resting,
]

/** Names of all lines, in the order of the table. */
export const LINES: readonly string[] = MEASURES.flatMap(({ lines }) => lines.map(({ name }) => name))
