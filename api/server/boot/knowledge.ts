import { sourceResults } from "#crawler/reporting/alerts/source-results.ts"
import { OtherForms } from "#crawler/crawl/duplicates/other-forms.ts"
import { HANDBOOK_SOURCE } from "#crawler/handbook-source.ts"
import { findableNames, sourceNames } from "#crawler/sources/source-names.ts"
import type { Engine } from "#engine"

import { sourceSites } from "../../identity/accounts/reach/source-sites.ts"
import { ApplianceName } from "../../faces/appliance-name.ts"
import { type MissKnowledge, openMissKnowledge } from "../../services/misses/miss-knowledge.ts"
import { openPageKnowledge, type PageKnowledge } from "../../services/pages/page-knowledge.ts"
import { handbookKey } from "../../identity/public-keys/handbook-key.ts"
import type { State } from "./open-state.ts"

/** The state's records about sources, pages and the appliance. */
export function knowledgeOf({ db, accountsDb, jobs, outage }: State, engine: Engine) {
  const name = new ApplianceName(accountsDb)
  const forms = new OtherForms(db)
  const pages = openPageKnowledge(db, jobs)
  const misses = openMissKnowledge(db, jobs, engine, async () =>
    (await sourceNames(db)).filter((source) => source !== HANDBOOK_SOURCE),
  )
  return {
    forms: { of: outage.without((...asked: Parameters<typeof forms.of>) => forms.of(...asked), []) },
    pages: {
      // Without these, an answer might wrongly say that a page is missing.
      standingFor: (url, sources) => outage.ask(() => pages.standingFor(url, sources)),
      spellingsOf: (url) => outage.ask(() => pages.spellingsOf(url)),
      visits: outage.without((url, sources) => pages.visits(url, sources), {
        checkedAt: null,
        changedAt: null,
      }),
      sources: outage.remembered(() => pages.sources()),
      content: (name) => outage.ask(() => pages.content(name)),
    } satisfies PageKnowledge,
    misses: {
      ...misses,
      missing: (url, view) => outage.ask(() => misses.missing(url, view)),
      sources: outage.without((names) => misses.sources(names), []),
      unread: outage.without((names) => misses.unread(names), []),
      names: outage.remembered((asked) => misses.names(asked)),
      isUnfilled: outage.without(() => misses.isUnfilled(), false),
      leads: outage.without((...asked) => misses.leads(...asked), []),
    } satisfies MissKnowledge,
    sites: outage.remembered(sourceSites(db, jobs)),
    sourceNames: outage.remembered(() => findableNames(db)),
    sourceResults: (limit: number) => sourceResults(db, jobs, limit),
    handbookKey: outage.remembered(handbookKey(db)),
    applianceName: outage.remembered(() => name.get()),
  }
}
