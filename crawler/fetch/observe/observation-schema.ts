import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import type { PageUrl } from "#engine"

export interface ObservationTables {
  /**
   * The result of an observer's last visit to a page. `identity`, `reason` and `text` are as in {@link Observation};
   * `shown` is 1 or 0; `at` is in milliseconds since 1970.
   */
  observation: {
    source: string
    url: PageUrl
    observer: string
    identity: string
    shown: number
    reason: string
    text: string
    at: number
  }
}

const STEPS: readonly Step[] = [
  ({ integer, text, keyed }) =>
    `create table observation (
     source ${text} not null, url ${text} not null, observer ${text} not null, identity ${text} not null, shown ${integer} not null,
     reason ${text} not null, text ${text} not null, at ${integer} not null, primary key (source, url, observer)
   ) ${keyed}`,
]

export function migrateObservations(db: StateStore): void {
  migrate(db, "observations", STEPS)
}
