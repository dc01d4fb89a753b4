import { join } from "node:path"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { migrate, openStateStore, type StateStore } from "#base/store/state-store.ts"
import { KnownAddresses } from "./frontier/known-addresses.ts"
import { OLD_CRAWLER_STEPS } from "./testing/old-crawler-steps.ts"
import { aliasOf, TextStore } from "./duplicates/text-store.ts"
import { Removals } from "./removals/removals.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { Jobs } from "./jobs/jobs.ts"

// State of the time when a page belonged to one source (of jobs and known addresses `jobs.test.ts` tells).
const OLD_STATE = `
  insert into schema_version values ('removals', 1), ('duplicates', 1);
  create table removal (
    url text primary key, source text not null, state text not null, reason text not null, detail text,
    strikes integer not null, due integer not null, pinned integer not null default 0, spares integer not null default 0,
    job integer not null, at integer not null, keep_days real not null, expires_at integer, hash text
  ) strict, without rowid;
  create index removal_state on removal (state, source);
  create index removal_source on removal (source);
  create table removed_page (url text primary key, page blob not null) strict;
  create table removal_run (job integer primary key, removed integer not null, held integer not null) strict;
  insert into removal values ('https://a.example/gone', 'docs', 'removed', 'gone', '410', 1, 1, 0, 0, 1, 5, 30, 9000000000000, 'h');
  insert into removed_page values ('https://a.example/gone', x'00');
  create table page_text (
    id integer primary key, url text not null unique, source text not null, job integer not null,
    since integer not null, exact text not null, lines text not null, similar text, words integer not null,
    title text not null, images text not null, canonical text, form text not null, own integer not null
  ) strict;
  create index page_text_lines on page_text (source, lines, own);
  create index page_text_form on page_text (source, form);
  create index page_text_canonical on page_text (canonical) where canonical is not null;
  create table page_band (
    band integer not null, page integer not null references page_text (id), primary key (band, page)
  ) strict, without rowid;
  create table page_alias (url text primary key, of text not null, evidence text not null) strict, without rowid;
  create index page_alias_of on page_alias (of);
  create table address_pair (
    site text not null, difference text not null, page text not null, value text not null,
    agrees integer not null, seen_at integer not null,
    primary key (site, difference, page, value, agrees)
  ) strict, without rowid;
  insert into page_text values
    (7, 'https://a.example/', 'docs', 1, 1, 'e', 'l', '0123456789abcdef', 500, 'T', '', null, 'f', 1);
  insert into page_band values (11, 7), (12, 7);
  insert into page_alias values ('https://a.example/index', 'https://a.example/', 'same text');`

test("state of an older version is taken over: what is kept of removed pages, of texts, and of other addresses", () => {
  using folder = temporaryFolder()
  const db = openStateStore(folder.path)
  try {
    db.exec(OLD_STATE)
    void new Jobs(db)
    const removals = new Removals(db)
    expect(removals.list("removed")).toMatchObject([{ source: "docs", detail: "410" }])
    expect(removals.restore({ source: "docs" })).toBe(1)
    const texts = new TextStore(db, "docs")
    const [page, other] = ["https://a.example/", "https://a.example/index"] as PageUrl[]
    expect(texts.get(page!)).toMatchObject({ title: "T", words: 500 })
    expect(texts.aliasOf(other!)).toEqual({ url: other, of: page, evidence: "same text" })
    expect(aliasOf(db, other!)).toEqual(texts.aliasOf(other!))
    expect(new TextStore(db, "elsewhere").get(page!)).toBeNull()
    expect(db.prepare("select count(*) as n from page_band").get()).toEqual({ n: 2 })
    expect(db.prepare("pragma foreign_key_check").all()).toEqual([])
  } finally {
    db.close()
  }
})

/** What the store holds: all tables, indexes and triggers as they were made. */
const schemaOf = (db: StateStore) =>
  db
    .prepare("select name, sql from sqlite_master where name not like 'sqlite_%' order by name")
    .all()
    .map(({ name, sql }) => [name, sql === null ? null : String(sql).replaceAll(/\s+/g, " ")])

test.each(Array.from({ length: OLD_CRAWLER_STEPS.length + 1 }, (_, version) => version))(
  "tables of jobs and addresses that were one part at version %i come to be what new ones are",
  (version) => {
    using folder = temporaryFolder()
    using fresh = openStateStore(join(folder.path, "new"))
    using old = openStateStore(join(folder.path, "old"))
    migrate(old, "crawler", OLD_CRAWLER_STEPS.slice(0, version))
    for (const db of [fresh, old]) void new Jobs(db)
    expect(schemaOf(old)).toEqual(schemaOf(fresh))
    expect(old.prepare("select * from schema_version order by part").all()).toEqual(
      fresh.prepare("select * from schema_version order by part").all(),
    )
    // And nothing is done twice, whoever comes first.
    expect(() => new KnownAddresses(old)).not.toThrow()
    expect(() => new Jobs(old)).not.toThrow()
  },
)

test("addresses are taken over with what was known of them, and an older version refuses the file", () => {
  using folder = temporaryFolder()
  using db = openStateStore(folder.path)
  migrate(db, "crawler", OLD_CRAWLER_STEPS)
  db.exec(
    `insert into known_address (url, source, job, outcome, hash, visited_at)
     values ('https://a.example/', 'docs', 1, 'indexed', 'h', 5)`,
  )
  const known = new KnownAddresses(db)
  expect(known.get("https://a.example/" as PageUrl, "docs")).toMatchObject({ hash: "h", outcome: "indexed" })
  expect(new Jobs(db).list()).toEqual([])
  expect(known.pages()).toBe(1)
  expect(() => {
    migrate(db, "crawler", OLD_CRAWLER_STEPS)
  }).toThrow(/written by a newer Fossick/)
})
