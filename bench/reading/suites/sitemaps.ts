// Forms of sitemaps, read by the code that /map uses.
import type { PageUrl } from "#engine"
import type { SiteFiles } from "#crawler/crawl/listings/site-sitemaps.ts"
import type { Fetched } from "#crawler/fetch/fetch.ts"
import type { SitemapOptions } from "#crawler/reading.ts"
import { rightOrWrong, rightRow } from "../scoring.ts"
import { suite } from "../suite.ts"
import { type Form, FORMS, SITE, wantedOf } from "./sitemap-forms.ts"

type PagesOf = (
  site: PageUrl,
  files: SiteFiles,
  options: Pick<SitemapOptions, "limit">,
) => Promise<readonly PageUrl[]>

export const sitemaps = suite({
  name: "sitemaps",
  folder: null,
  goal: "16 of 16",
  cases: async () =>
    FORMS.map((form) => ({ name: form.name, input: form.file, url: `${SITE}/listed`, wanted: form })),
  reader: async (code) => {
    const { pagesOfSitemaps } = await code.load<{ pagesOfSitemaps: PagesOf }>(
      "crawl/listings/site-sitemaps.ts",
    )
    return ({ input, url, wanted }) => {
      const body = async (file: PageUrl) =>
        file === url ? input : (wanted.others?.[new URL(file).pathname] ?? null)
      const load = async (file: PageUrl): Promise<Fetched | null> => {
        const bytes = await body(file)
        return bytes && { kind: "fetched", url: file, status: 200, headers: {}, body: bytes }
      }
      // `body` is for older checkouts, whose code accepts only the bytes.
      const files = { named: async () => [url], body, load }
      return pagesOfSitemaps(`${SITE}/` as PageUrl, files, { limit: 100 })
    }
  },
  judge: ({ wanted }: { readonly wanted: Form }, pages) => {
    const expected = wantedOf(wanted)
    const isRight = pages.length === expected.length && pages.every((one, i) => one === expected[i])
    return rightOrWrong(isRight, `${pages.join(" ") || "none"}, wanted ${expected.join(" ")}`)
  },
  rows: (marks) => [rightRow("forms", marks)],
  listBelow: 1,
})
