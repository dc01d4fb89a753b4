import { migrate, type StateStore } from "#base/store/state-store.ts"

const STEPS = [
  // `at`: of the latest evidence; of the removal for what is removed. `spares`: the text stands at another address.
  // A page may belong to several sources, and each finds for itself that it is gone.
  `create table removal (
     url text not null, source text not null, state text not null, reason text not null, detail text,
     strikes integer not null, due integer not null, pinned integer not null default 0, spares integer not null default 0,
     job integer not null, at integer not null, keep_days real not null, expires_at integer, hash text,
     primary key (url, source)
   ) strict, without rowid;
   create index removal_state on removal (state, source);
   create index removal_source on removal (source);
   create table removed_page (
     url text not null, source text not null, page blob not null, primary key (url, source)
   ) strict;
   create table removal_run (job integer primary key, removed integer not null, held integer not null) strict;`,
]

export function migrateRemovals(db: StateStore): void {
  migrate(db, "removals", STEPS)
}
