import type { Survey } from "./survey.ts"

/** Characters of a page's text that are shown. */
export const SHOWN_CHARS = 600

/** A survey as programs get it, from the command and from the admin API alike. */
export function surveyOnWire(survey: Survey) {
  const { asked, url, outcome, detail, program, source, rendering, sitemap, login, estimate, pages } = survey
  return {
    asked,
    url,
    outcome,
    detail,
    program: program && {
      name: program.name,
      version: program.version,
      evidence: program.evidence,
      recipe: program.recipe,
    },
    source,
    rendering: rendering && {
      rendering: rendering.rendering,
      because: rendering.because,
      browser_missing: rendering.missing,
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
    pages: pages.map(({ url: address, outcome: end, detail: why, page }) => ({
      url: address,
      outcome: end,
      detail: why,
      title: page?.title ?? null,
      language: page?.language ?? null,
      characters: page?.markdown.length ?? 0,
      text: page?.markdown.slice(0, SHOWN_CHARS) ?? null,
    })),
    requests: survey.requests,
    took_ms: survey.tookMs,
  }
}
