import type { Generated } from "kysely"
import { migrateFrontier } from "#crawler/crawl/frontier/frontier-schema.ts"
import { pageOrSourceTriggers } from "#crawler/crawl/frontier/source-pages.ts"
import { countStored, type StoredTable } from "../../../identity/accounts/storage/stored-use.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { dueIndex, outboxColumns } from "#base/work/outbox.ts"
import type { PageUrl } from "#engine"

import type { Change } from "../watch.ts"

/** A watch's record of a page is charged to the key of the first watch that saw this version. */
export const STORED_WATCHES: readonly StoredTable[] = [
  { table: "watch", key: "key", columns: ["subject", "name", "webhook", "emails"] },
  { table: "watch_seen", key: "key", columns: ["url", "title", "sources"] },
  { table: "watch_text", key: "key", columns: ["packed"] },
  { table: "watch_entry", key: "key", columns: ["url", "title", "sources", "diff"] },
]

export interface WatchTables {
  watch: {
    id: string
    key: string
    subject: string
    name: string
    changes: string
    webhook: string | null
    emails: string
    every_minutes: number
    paused: number
    created_at: number
    ready_at: Generated<number | null>
    looked_to: Generated<string>
    told_to: Generated<number>
    told_at: Generated<number | null>
  }
  watch_note: { seq: Generated<number>; url: PageUrl; at: number }
  watch_seen: {
    watch: string
    url: PageUrl
    hash: string
    title: string
    sources: string
    readers: string | null
    key: string
  }
  watch_text: { hash: string; packed: Uint8Array; key: string }
  watch_entry: {
    seq: Generated<number>
    id: string
    watch: string
    change: Change
    url: PageUrl
    title: string
    sources: string
    readers: string | null
    diff: string | null
    at: number
    key: string
  }
}

// `key` is the owner of a record, stored because bytes are counted per key.
const STEPS: readonly Step[] = [
  (words) => {
    const { lastingId, text, integer, blob, strict, keyed, now } = words
    return `create table watch (
     id ${text} primary key, key ${text} not null, subject ${text} not null, name ${text} not null, changes ${text} not null, webhook ${text},
     emails ${text} not null, every_minutes ${integer} not null, paused ${integer} not null, created_at ${integer} not null,
     ready_at ${integer}, looked_to ${text} not null default '', told_to ${integer} not null default 0, told_at ${integer}
   ) ${keyed};
   create index watch_key on watch (key);
   create table watch_note (seq ${lastingId}, url ${text} not null, at ${integer} not null) ${strict};
   create table watch_seen (
     watch ${text} not null references watch (id) on delete cascade, url ${text} not null, hash ${text} not null, title ${text} not null,
     sources ${text} not null, key ${text} not null default '', primary key (watch, url)
   ) ${keyed};
   create index watch_seen_url on watch_seen (url);
   create index watch_seen_hash on watch_seen (hash);
   create table watch_text (hash ${text} primary key, packed ${blob} not null, key ${text} not null default '') ${strict};
   create table watch_entry (
     seq ${lastingId}, id ${text} not null unique, watch ${text} not null references watch (id) on delete cascade,
     change ${text} not null, url ${text} not null, title ${text} not null, sources ${text} not null, diff ${text}, at ${integer} not null,
     key ${text} not null default ''
   ) ${strict};
   create index watch_entry_watch on watch_entry (watch, seq);
   create table watch_delivery (
     ${outboxColumns(words)}, watch ${text} not null references watch (id) on delete cascade, kind ${text} not null,
     first_entry ${integer} not null, last_entry ${integer} not null
   ) ${strict};
   ${dueIndex("watch_delivery")};
   create index watch_delivery_watch on watch_delivery (watch, seq);
   ${pageOrSourceTriggers(
     words,
     "watch_page",
     "exists (select 1 from watch)",
     // Uses this machine's clock, because notes wait until index readers see the writes of the crawl.
     (url) => `insert into watch_note (url, at) values (${url}, ${now})`,
   )};
   ${STORED_WATCHES.map((stored) => countStored(words, stored)).join(";\n")}`
  },
  ({ text }) => `alter table watch_seen add column readers ${text};
   alter table watch_entry add column readers ${text}`,
]

/** Creates the tables, and triggers that note changes to pages as long as there is a watch. */
export function migrateWatches(db: StateStore): void {
  // The frontier is migrated first, because the triggers use its tables.
  migrateFrontier(db)
  migrate(db, "watches", STEPS)
}
