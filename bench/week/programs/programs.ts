import { mkdir } from "node:fs/promises"
import { confluenceExport, fileShare } from "./files.ts"
import { blog, docsify, docusaurus, gitlabPages, mkdocs, reactApplication, sphinx } from "./generators.ts"
import { apacheManual, internalManual } from "./manuals.ts"
import { npmPackages } from "./packages.ts"
import type { RealSite } from "./site.ts"
import { readTexts, type Text } from "./texts.ts"
import { dokuWiki, mediaWiki } from "./wikis.ts"

/** The programs that were built, and those that could not be built, with the reasons. */
export interface Programs {
  readonly sites: readonly RealSite[]
  /** Texts that are not on any site. */
  readonly spare: readonly Text[]
  readonly missing: readonly { readonly name: string; readonly why: string }[]
}

/** Programs that no registry offers: named in every report, so that nobody assumes they were tested. */
const UNOBTAINABLE = [
  { name: "nextcloud", why: "no package registry carries Nextcloud" },
  {
    name: "confluence, sharepoint",
    why: "not free; a Confluence export is tried in its form, with texts of our own",
  },
]

/** Installs and builds every program below `folder`; existing ones are used unchanged. */
export async function buildPrograms(folder: string): Promise<Programs> {
  await mkdir(folder, { recursive: true })
  await npmPackages(folder)
  const texts = await readTexts(folder)
  let next = 0
  const share = (count: number): Text[] => texts.slice(next, (next += count))
  const builds: [string, () => Promise<RealSite>][] = [
    [
      "dokuwiki",
      byTexts(24, (own) =>
        dokuWiki(folder, { name: "dokuwiki", title: "Team wiki", texts: own, rewrite: 0 }),
      ),
    ],
    [
      "intranet",
      byTexts(18, (own) =>
        dokuWiki(folder, { name: "intranet", title: "Intranet", texts: own, rewrite: 2, closed: true }),
      ),
    ],
    ["mediawiki", byTexts(24, (own) => mediaWiki(folder, own))],
    ["sphinx", byTexts(24, (own) => sphinx(folder, own))],
    ["react", byTexts(14, (own) => reactApplication(folder, own))],
    ["blog", byTexts(24, (own) => blog(folder, own))],
    ["gitlab-pages", byTexts(20, (own) => gitlabPages(folder, own))],
    ["files", byTexts(12, (own) => fileShare(folder, own))],
    ["confluence", byTexts(14, (own) => confluenceExport(folder, own))],
    ["mkdocs", () => mkdocs(folder)],
    ["docsify-hash", () => docsify(folder, "hash")],
    ["docsify-history", () => docsify(folder, "history")],
    ["docusaurus", () => docusaurus(folder)],
    ["apache-manual", () => apacheManual(folder)],
    ["internal-manual", () => internalManual(folder)],
  ]
  const sites: RealSite[] = []
  const missing: { name: string; why: string }[] = [...UNOBTAINABLE]
  for (const [name, build] of builds) {
    try {
      sites.push(await build())
    } catch (error) {
      missing.push({ name, why: (error as Error).message })
    }
  }
  return { sites, missing, spare: texts.slice(next) }

  /** Assigns a site its share of the texts. The share stays the same even if another site cannot be built. */
  function byTexts(count: number, build: (own: Text[]) => Promise<RealSite>): () => Promise<RealSite> {
    const own = share(count)
    return () => build(own)
  }
}
