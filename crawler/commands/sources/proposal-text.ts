import { estimateText } from "../../sources/survey/proposal-note.ts"
import type { Survey } from "../../sources/survey/survey.ts"
import type { Tried } from "../../reporting/why/try/try-page.ts"
import { countText } from "../../reporting/why/dates-and-counts.ts"
import { toPlainText } from "../../page/extract/markdown/plain-text.ts"
import { shownOutcome } from "../../outcome-name.ts"

const TEXT_CHARS = 240
const SHOWN_LANGUAGES = 12

/** The findings as text: the site, its obstacles, and its pages as the crawler reads them. */
export function proposalText(survey: Survey): string {
  const facts = factsOf(survey).filter((fact): fact is [string, string] => fact[1] !== null)
  const width = Math.max(...facts.map(([name]) => name.length))
  const lines = [
    survey.url ?? survey.asked,
    ...facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
  ]
  if (survey.obstacles.length > 0) {
    lines.push("", "Obstacles")
    for (const { text, help } of survey.obstacles) {
      lines.push(`  ${text}`)
      if (help !== null) lines.push(`    ${help}`)
    }
  }
  lines.push(...pagesText(survey.pages))
  return `${lines.join("\n")}\n`
}

/** The pages' text in human-readable form. */
export function pagesText(pages: readonly Tried[]): string[] {
  if (pages.length === 0) return []
  const head = `${countText(pages.length, "page")} as Fossick reads ${pages.length === 1 ? "it" : "them"}`
  const each = pages.flatMap(({ url, page, outcome, detail }) => {
    const end = `${shownOutcome(outcome)}${detail === null ? "" : ` (${detail})`}`
    return [
      `  ${page?.title || "(no title)"}`,
      `    ${url}`,
      `    ${page === null ? end : beginningOf(page.markdown)}`,
    ]
  })
  return ["", head, ...each]
}

function factsOf(survey: Survey): [string, string | null][] {
  const { program, rendering, sitemap, feeds, languages, login, estimate } = survey
  return [
    ["read", survey.outcome === "indexed" ? null : `no: ${shownOutcome(survey.outcome)}`],
    [
      "made with",
      program && `${[program.name, program.version].filter(Boolean).join(" ")} (${program.evidence[0]})`,
    ],
    ["recipe", program?.recipe ? `docs/recipes.md#${program.recipe}` : null],
    [
      "browser",
      rendering && `${rendering.rendering === "browser" ? "needed" : "not needed"}: ${rendering.because}`,
    ],
    [
      "sitemap",
      sitemap
        ? `${sitemap.url}: ${sitemap.total === 0 ? "no pages of this source" : countText(sitemap.total, "page")}`
        : survey.url === null
          ? null
          : "none found",
    ],
    ["feeds", feeds.length === 0 ? null : feeds.join(", ")],
    ["languages", languagesText(languages)],
    ["login", login && loginText(login)],
    ["full crawl", estimate && estimateText(estimate)],
    ...survey.notes.map((note): [string, string] => ["note", note]),
  ]
}

function languagesText(languages: Survey["languages"]): string | null {
  if (languages.length === 0) return null
  const shown = languages
    .slice(0, SHOWN_LANGUAGES)
    .map(({ language, path }) => (path === null ? language : `${language} (${path})`))
    .join(", ")
  const more = languages.length > SHOWN_LANGUAGES ? `, and ${languages.length - SHOWN_LANGUAGES} more` : ""
  const advice =
    languages.filter(({ path }) => path !== null).length > 1 ? "; exclude the ones you don't want" : ""
  return shown + more + advice
}

function loginText({ url, user, password, hidden, isNeeded }: NonNullable<Survey["login"]>): string {
  const fields = [user, password].filter((field) => field !== null).join(", ")
  const sent = hidden.length === 0 ? "" : `; ${hidden.join(", ")} sent unchanged`
  return `${isNeeded ? "needed" : "possible"}, at ${url}: fields ${fields}${sent}`
}

function beginningOf(markdown: string): string {
  const text = toPlainText(markdown.slice(0, TEXT_CHARS * 10))
    .replace(/\s+/g, " ")
    .trim()
  return text.length <= TEXT_CHARS ? text : `${text.slice(0, TEXT_CHARS).replace(/\s+\S*$/, "")} …`
}
