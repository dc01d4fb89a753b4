import { escapeHtml } from "../../faces/handbook/escape-html.ts"

/** A result on the page. */
interface Shown {
  readonly url: string
  readonly title: string
  readonly content: string
}

const WEAK = "<p>No good matches. These are the closest pages:</p>\n"

/**
 * A page with the form and the results, marked up like SearXNG's theme `simple`, for people and for programs that read
 * such pages.
 * @param isWeak whether none of the results is likely to answer the question
 */
export function searchPage(
  query: string,
  results: readonly Shown[] | null,
  next: number | null,
  isWeak = false,
): string {
  const items = (results ?? []).map(
    ({ url, title, content }) => `<article class="result result-default category-general">
<a href="${escapeHtml(url)}" class="url_header" rel="noreferrer">${escapeHtml(url)}</a>
<h3><a href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(title)}</a></h3>
<p class="content">${escapeHtml(content)}</p>
</article>`,
  )
  const more =
    next === null
      ? ""
      : `<form id="pagination" method="get" action="search"><input type="hidden" name="q" value="${escapeHtml(query)}"><button name="pageno" value="${next}">Next page</button></form>`
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="robots" content="noindex"><title>${escapeHtml(query === "" ? "Search" : query)}</title></head>
<body>
<form id="search" method="get" action="search" role="search"><input id="q" name="q" type="search" value="${escapeHtml(query)}" autofocus><button>Search</button></form>
<main id="results"><div id="urls">
${items.length === 0 ? (results === null ? "" : "<p>No matches.</p>") : `${isWeak ? WEAK : ""}${items.join("\n")}`}
</div>${more}</main>
</body>
</html>
`
}
