/** The tables of runs: a step of those of judged questions. */
export const RUN_STEPS = `create table judged_run (
     id integer primary key autoincrement,
     state text not null,
     at integer not null,
     touched_at integer not null,
     ended_at integer,
     depth text not null,
     note text not null,
     generation text not null,
     embedder text not null,
     pages integer not null,
     rules_version integer not null,
     rules_digest text not null,
     questions integer not null,
     asked integer not null,
     ndcg real,
     hit1 real,
     hit3 real,
     problem text
   ) strict;
   create table judged_mark (
     question_id text not null,
     run integer not null,
     ndcg real not null,
     rank integer,
     primary key (question_id, run)
   ) strict, without rowid;
   create index judged_mark_by_run on judged_mark (run)`
