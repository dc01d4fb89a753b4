import { environment } from "#base/settings.ts"
import { leadsToPrivate } from "../fetch/address-guard.ts"
import type { CrawlerConfig } from "../config.ts"
import { SourceLogin } from "../login/source-login.ts"
import { PageReader } from "./reader.ts"
import { requireBrowser } from "../render/find-browser.ts"
import type { Source } from "../source.ts"

/**
 * The reader of a source's runs, which may reach what the source may, logged in where the source has a login. Whoever
 * opens it closes it.
 * @param env where secrets that the login names `${NAME}` are. Default: the process's, with `fossick.env` under it.
 * @throws LoginError when the site does not let us in.
 * @throws Error when all pages are to be read in a browser and there is none.
 */
export async function openSourceReader(
  source: Source,
  config: CrawlerConfig,
  env: NodeJS.ProcessEnv = environment(),
): Promise<PageReader> {
  const { rendering, login } = source
  if (rendering === "browser") await requireBrowser(config.browserPath)
  const allow = await allowance(source)
  if (login === null) return new PageReader(config, { allow, rendering })
  const reader = new PageReader(config, {
    allow,
    rendering,
    login: new SourceLogin({ source: { seeds: source.seeds, login }, env }),
  })
  try {
    await reader.logIn()
    return reader
  } catch (error) {
    await reader[Symbol.asyncDispose]()
    throw error
  }
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
