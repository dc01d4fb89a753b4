import { createReader, crawlerSettings, Jobs, Sources } from "#crawler"
import { Rereader } from "#crawler/upkeep/reread/rereader.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import { type Answer, article, html, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import { readSettings } from "#base/settings.ts"

import { readScope } from "../identity/accounts/keys/key-scope.ts"
import { sourceSites } from "../identity/accounts/reach/source-sites.ts"
import { openPageKnowledge } from "../services/pages/page-knowledge.ts"
import { type ServedAccounts, serveAccounts } from "./serve-accounts.ts"
import type { serveApp } from "./serve-app.ts"

export interface TwoSources extends AsyncDisposable {
  readonly site: TestSite
  readonly app: ServedAccounts
  /** A key that may see everything, and one that may see only the source `garden`. */
  readonly all: string
  readonly narrow: string
}

/**
 * Two sources on one site, `garden` and, below /vault/, `vault`, crawled into a real index, with the app over it and a
 * reader that may read the site live. The collection `seeds` contains `vault`.
 * @param answers additional pages of the site
 */
export async function serveTwoSources(
  answers: Readonly<Record<string, Answer>> = {},
  given: NonNullable<Parameters<typeof serveApp>[0]> = {},
): Promise<TwoSources> {
  const opened = new AsyncDisposableStack()
  const { dir, db, embedder, engine } = await openDataFolder(opened)
  const site = opened.use(
    await startTestSite({
      "/": article("Our garden", { links: ["/roses/", "/tulips", "/vault/"] }),
      "/roses/": html(
        `<html lang="en"><head><title>Roses</title><meta name="description" content="How roses are cared for."></head>
         <body><nav>Menu of the garden</nav><main><h1>Roses</h1><p>Roses are pruned in winter and fed in spring, each year again.</p>
         <p>See <a href="/tulips">tulips</a>. <img src="/rose.png" alt="A rose" width="200" height="200"></p></main></body></html>`,
      ),
      "/tulips": article("Tulips", { text: "Tulips are planted in autumn, before the first frost comes." }),
      "/vault/": article("Vault of seeds", {
        text: "The vault holds seeds of black tulips.",
        links: ["/vault/keys"],
      }),
      "/vault/keys": article("Keys of the vault", { text: "The keys of the vault hang behind the door." }),
      ...answers,
    }),
  )
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  await sources.put({ name: "garden", seeds: [site.url("/")], exclude: ["/vault/**"] })
  await sources.put({ name: "vault", seeds: [site.url("/vault/")], scope: "prefix" })
  for (const name of ["garden", "vault"]) await runSource(name, db, engine)
  const config = { ...readSettings(crawlerSettings, {}), allowedNetworks: [site.authority] }
  const reader = opened.use(createReader(config))
  const rereader = opened.use(new Rereader({ db, jobs, config, onProblem: () => {} }))
  const app = opened.use(
    await serveAccounts({
      dir,
      engine,
      reader,
      rereader,
      embedder,
      pages: openPageKnowledge(db, jobs),
      sites: sourceSites(db, jobs),
      sourceNames: async () => ["garden", "vault"],
      ...given,
    }),
  )
  await app.accounts.collections.set("seeds", ["vault"])
  return {
    site,
    app,
    all: await app.key(),
    narrow: await app.key({ scope: readScope({ sources: ["garden"] }) }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
