import type { Generated } from "kysely"
import type { PageUrl } from "#engine"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

export interface ReadersTables {
  /**
   * `readers`: the `PageReaders` for a label, as JSON, as written by `normalReaders`. `seen_at`: when pages with the
   * label were last written or counted.
   */
  reader_rule: { id: Generated<number>; label: string; readers: string; seen_at: number }
  /** `readers`: the `Readers` of a source, as JSON; without a row, everybody may read its pages. */
  source_readers: { source: string; readers: string }
  /** Pages in the index that no one may read. */
  page_for_nobody: { source: string; url: PageUrl }
}

const STEPS: readonly Step[] = [
  ({ lastingId, text, strict, keyed }) =>
    `create table reader_rule (id ${lastingId}, label ${text} not null unique, readers ${text} not null) ${strict};
   create table source_readers (source ${text} primary key, readers ${text} not null) ${keyed};`,
  ({ text, keyed }) =>
    `create table page_for_nobody (url ${text} not null, source ${text} not null, primary key (url, source)) ${keyed};
   create index page_for_nobody_source on page_for_nobody (source, url);`,
  ({ integer }) =>
    `alter table reader_rule add column seen_at ${integer} not null default 0;
   create index reader_rule_seen on reader_rule (seen_at);`,
]

export function migrateReaders(db: StateStore): void {
  migrate(db, "readers", STEPS)
}
