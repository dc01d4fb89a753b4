import { sourceResults } from "#crawler/reporting/alerts/source-results.ts"
import { OtherForms } from "#crawler/crawl/duplicates/other-forms.ts"
import { HANDBOOK_SOURCE } from "#crawler/handbook-source.ts"
import { findableNames, sourceNames } from "#crawler/sources/source-names.ts"
import type { Engine } from "#engine"

import { sourceSites } from "../../identity/accounts/reach/source-sites.ts"
import { ApplianceName } from "../../faces/appliance-name.ts"
import { openMissKnowledge } from "../../services/misses/miss-knowledge.ts"
import { openPageKnowledge } from "../../services/pages/page-knowledge.ts"
import { handbookKey } from "../../identity/public-keys/handbook-key.ts"
import type { State } from "./open-state.ts"

/** What the state knows of sources, of pages and of the appliance. */
export function knowledgeOf({ db, accountsDb, jobs }: State, engine: Engine) {
  const name = new ApplianceName(accountsDb)
  return {
    forms: new OtherForms(db),
    pages: openPageKnowledge(db, jobs),
    misses: openMissKnowledge(db, jobs, engine, async () =>
      (await sourceNames(db)).filter((source) => source !== HANDBOOK_SOURCE),
    ),
    sites: sourceSites(db, jobs),
    sourceNames: () => findableNames(db),
    sourceResults: (limit: number) => sourceResults(db, jobs, limit),
    handbookKey: handbookKey(db),
    applianceName: () => name.get(),
  }
}
