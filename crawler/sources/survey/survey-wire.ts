import { sourceYaml } from "../file/source-yaml.ts"
import type { Tried } from "../../reporting/why/try/try-page.ts"
import { proposalNote } from "./proposal-note.ts"
import type { Survey } from "./survey.ts"

/** How many characters of a page's text are shown. */
export const SHOWN_CHARS = 600

/** A survey in machine-readable form, the same for the command and the admin API. */
export function surveyOnWire(survey: Survey) {
  const {
    asked,
    url,
    outcome,
    detail,
    title,
    robots,
    program,
    source,
    rendering,
    sitemap,
    login,
    estimate,
    pages,
  } = survey
  return {
    asked,
    url,
    outcome,
    detail,
    title,
    robots: robots && {
      allowed: robots.refusal === null,
      detail: robots.refusal,
      delay_ms: robots.delayMs,
      sitemaps: robots.sitemaps,
    },
    program: program && {
      name: program.name,
      version: program.version,
      evidence: program.evidence,
      recipe: program.recipe,
    },
    source,
    yaml: sourceYaml(source, proposalNote(survey)),
    rendering: rendering && {
      rendering: rendering.rendering,
      because: rendering.because,
      browser_missing: rendering.missing,
      characters: rendering.characters.plain,
      characters_in_browser: rendering.characters.rendered,
    },
    sitemap: sitemap && { url: sitemap.url, pages: sitemap.total, found_by_runs: sitemap.isFound },
    feeds: survey.feeds,
    languages: survey.languages,
    login: login && {
      url: login.url,
      needed: login.isNeeded,
      user_field: login.user,
      password_field: login.password,
      hidden_fields: login.hidden,
      plain: login.isPlain,
    },
    obstacles: survey.obstacles,
    notes: survey.notes,
    estimate: estimate && {
      pages: estimate.pages,
      from: estimate.from,
      delay_ms: estimate.delayMs,
      seconds: estimate.seconds,
    },
    pages: pages.map(triedInBrief),
    requests: survey.requests,
    took_ms: survey.tookMs,
  }
}

/** A page as it would be indexed, with the beginning of its text. */
export const triedInBrief = ({ url, outcome, detail, page }: Tried) => ({
  url,
  outcome,
  detail,
  title: page?.title ?? null,
  language: page?.language ?? null,
  characters: page?.markdown.length ?? 0,
  text: page?.markdown.slice(0, SHOWN_CHARS) ?? null,
})
