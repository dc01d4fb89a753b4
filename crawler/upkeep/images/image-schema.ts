import { migrate, type StateStore } from "#base/store/state-store.ts"

// `page_images`, `image_use` and `image_source` say the same thing from both ends, so that neither a page's change nor the
// question how many pages of a site carry an image needs a search. Ids are never used again: thumbnails are named by
// them.
const STEPS = [
  `create table image (
     id integer primary key autoincrement,
     url text not null unique, host text not null, alt text,
     own integer not null, rank integer not null, uses integer not null default 0,
     state text, due integer not null default 0, tries integer not null default 0,
     width integer, height integer, format text, bytes integer, frames integer, hash text, junk text, detail text,
     looked_at integer,
     -- CRC-32 of the thumbnail's file.
     thumbnail_sum integer
   ) strict;
   create index image_unread on image (host, rank, id) where state is null;
   create index image_due on image (due) where state is null;
   create index image_unused on image (id) where uses = 0;
   create table image_use (
     image integer not null references image (id) on delete cascade, site text not null, pages integer not null,
     primary key (image, site)
   ) strict, without rowid;
   -- An image is fetched as the sources may whose pages carry it.
   create table page_images (
     url text primary key, site text not null, images text not null, source text not null default ''
   ) strict, without rowid;
   create table image_site (site text primary key, pages integer not null) strict, without rowid;
   create table image_source (
     image integer not null references image (id) on delete cascade, source text not null, pages integer not null,
     primary key (image, source)
   ) strict, without rowid;`,
]

export function migrateImages(db: StateStore): void {
  migrate(db, "images", STEPS)
}
