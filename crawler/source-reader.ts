import { leadsToPrivate } from "./address-guard.ts"
import type { CrawlerConfig } from "./config.ts"
import { PageReader } from "./reader.ts"
import { requireBrowser } from "./render/find-browser.ts"
import type { Source } from "./sources/source.ts"

/**
 * The reader of a source's runs, which may reach what the source may. Whoever opens it closes it.
 * @throws Error when all pages are to be read in a browser and there is none.
 */
export async function openSourceReader(source: Source, config: CrawlerConfig): Promise<PageReader> {
  const { rendering } = source
  if (rendering === "browser") await requireBrowser(config.browserPath)
  return new PageReader(config, { allow: await allowance(source), rendering })
}

/**
 * Private networks that runs of a source may reach, beside `FOSSICK_ALLOWED_NETWORKS`. Who starts a crawl of a private
 * host means it; but only that host and port, and a public name is not trusted to stay public.
 */
export async function allowance(source: Pick<Source, "seeds" | "allowedNetworks">): Promise<string[]> {
  const seeds = await Promise.all(
    source.seeds.map(async (seed) => {
      const url = new URL(seed)
      if (!(await leadsToPrivate(url))) return []
      const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port
      return [`${url.hostname.replace(/\.$/, "")}:${port}`]
    }),
  )
  return [...source.allowedNetworks, ...seeds.flat()]
}
