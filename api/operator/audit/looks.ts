import type { StateStore } from "#base/store/state-store.ts"
import type { Jobs } from "#crawler/jobs/jobs.ts"
import type { SourceTable } from "#crawler/sources/source-table.ts"
import { OpenedNetworks } from "#crawler/fetch/guard/opened-networks.ts"
import { withoutSecrets } from "#crawler/sources/shown-source.ts"
import { firstSourceFile, readFirstSource } from "#engine/lifecycle/filling/first-source.ts"
import { wantedModel } from "#engine/lifecycle/generations/generation-file.ts"

import { keyOnWire } from "../../identity/accounts/keys/key-wire.ts"
import { openKeyStore } from "../../identity/accounts/keys/keys.ts"
import { PersonStore } from "../../identity/people/person-store.ts"
import { PublicKeyStore } from "../../identity/accounts/public-keys/public-key-store.ts"
import { ApplianceName } from "../../faces/appliance-name.ts"
import { JudgedStore } from "../judging/judged-store.ts"
import { RuleStore } from "../rules/rule-store.ts"
import type { Looks } from "./auditing.ts"

/**
 * Objects of the admin API, in the form shown in an entry of the audit log. For objects not listed here, entries
 * contain only the fields of the request.
 */
export function openLooks({
  db,
  sources,
  jobs,
  engineConfig,
}: {
  readonly db: StateStore
  readonly sources: Pick<SourceTable, "get">
  readonly jobs: Pick<Jobs, "get">
  readonly engineConfig: { readonly dataDir: string; readonly engine: string }
}): Looks {
  const keys = openKeyStore(db, "")
  const people = new PersonStore(db)
  const publicKeys = new PublicKeyStore(db)
  const networks = new OpenedNetworks(db)
  const rules = new RuleStore(db)
  const judged = new JudgedStore(db)
  const name = new ApplianceName(db)
  const { dataDir, engine } = engineConfig
  return {
    async sources(id) {
      const entry = await sources.get(id)
      if (entry === null) return null
      // The source as specified: omitted fields have their default and don't count as a change.
      const { name: _, login, observers, ...spec } = entry.spec
      return {
        ...spec,
        ...withoutSecrets({ login: login ? entry.source.login : null }),
        ...(observers && withoutSecrets({ observers })),
        paused: entry.paused,
      }
    },
    async jobs(id) {
      const job = /^\d{1,15}$/.test(id) ? await jobs.get(Number(id)) : null
      return job && { state: job.state }
    },
    async keys(id) {
      const key = (await keys.list()).find((one) => one.id === id)
      return key === undefined ? null : keyOnWire(key)
    },
    async people(id) {
      const person = await people.get(id)
      // Listed by user name, so that an entry says which person it is about.
      return person && { [person.user]: person.disabledAt === null ? "enabled" : "disabled" }
    },
    "public-keys": (id) => publicKeys.get(id),
    async networks(id) {
      const entry = /^\d{1,15}$/.test(id) ? await networks.get(Number(id)) : null
      return entry && { network: entry.network, port: entry.port, host: entry.host }
    },
    rules: (id) => rules.get(id),
    "judged-questions": (id) => judged.get(id),
    appliance: async () => ({ name: await name.get() }),
    model: () => ({ model: wantedModel(dataDir, engine) }),
    vectors: async () => ({ first_source: await readFirstSource(firstSourceFile(dataDir)) }),
  }
}
