import { aboutSeconds } from "#base/text/duration.ts"
import { printable } from "#base/text/printable.ts"
import { countText } from "../../reporting/why/dates-and-counts.ts"
import type { Survey } from "./survey.ts"

/** Describes an estimate: `1,020 pages of the sitemap, about 17 min`. */
export function estimateText({ pages, from, delayMs, seconds }: NonNullable<Survey["estimate"]>): string {
  const known = from === "sitemap" ? countText(pages, "page") : `at least ${countText(pages, "page")}`
  const pause = delayMs === 0 ? "without pauses" : `with a pause of ${delayMs / 1000} s`
  return `${known}, ${from === "sitemap" ? "about" : "at least"} ${timeText(seconds)} ${pause}`
}

/** Rounded to whole minutes from one minute on, because it is only an estimate. */
const timeText = (seconds: number): string => aboutSeconds(seconds)

/** The comment above the source, describing how it was generated. */
export function proposalNote({ program, estimate, login, source }: Survey): string {
  const made = program === null ? "" : `${[program.name, program.version].filter(Boolean).join(" ")}; `
  const size = estimate === null ? "none of its pages could be read yet" : estimateText(estimate)
  const secret = /\$\{\w+\}/.exec(JSON.stringify(source.login ?? ""))?.[0]
  const lines = [`${made}${size}`]
  if (secret)
    lines.push(`Set ${secret.slice(2, -1)} in fossick.env or the environment, and fill in the user below`)
  else if (login?.isPlain)
    lines.push(
      `A login may show more: form at ${login.url}, fields ${[login.user, login.password].filter(Boolean).join(", ")}`,
    )
  return printable(lines.join("\n"))
}
