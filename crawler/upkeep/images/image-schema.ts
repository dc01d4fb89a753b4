import type { Generated } from "kysely"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import type { PageUrl } from "#engine"
import type { Junk } from "./read-image.ts"

export interface ImageTables {
  image: {
    id: Generated<number>
    url: string
    host: string
    alt: string | null
    own: number
    rank: number
    uses: Generated<number>
    state: Generated<"read" | "broken" | "unreadable" | null>
    due: Generated<number>
    tries: Generated<number>
    width: Generated<number | null>
    height: Generated<number | null>
    format: Generated<string | null>
    bytes: Generated<number | null>
    frames: Generated<number | null>
    hash: Generated<string | null>
    junk: Generated<Junk | null>
    detail: Generated<string | null>
    looked_at: Generated<number | null>
    thumbnail_sum: Generated<number | null>
  }
  image_use: { image: number; site: string; pages: number }
  page_images: { url: PageUrl; site: string; images: string; source: Generated<string> }
  image_site: { site: string; pages: number }
  image_source: { image: number; source: string; pages: number }
}

/** The columns of an image that has not been examined yet. */
export const UNREAD = { state: null, tries: 0, due: 0 } as const

// `page_images`, `image_use` and `image_source` store the same facts in both directions, so that neither a page's
// change nor counting the pages of a site that contain an image needs a scan. Ids are never reused because thumbnails
// are named after them.
const STEPS: readonly Step[] = [
  ({ lastingId, integer, text, strict, keyed }) =>
    `create table image (
     id ${lastingId},
     url ${text} not null unique, host ${text} not null, alt ${text},
     own ${integer} not null, rank ${integer} not null, uses ${integer} not null default 0,
     state ${text}, due ${integer} not null default 0, tries ${integer} not null default 0,
     width ${integer}, height ${integer}, format ${text}, bytes ${integer}, frames ${integer}, hash ${text}, junk ${text}, detail ${text},
     looked_at ${integer},
     -- CRC-32 of the thumbnail's file.
     thumbnail_sum ${integer}
   ) ${strict};
   create index image_unread on image (host, rank, id) where state is null;
   create index image_due on image (due) where state is null;
   create index image_unused on image (id) where uses = 0;
   create table image_use (
     image ${integer} not null references image (id) on delete cascade, site ${text} not null, pages ${integer} not null,
     primary key (image, site)
   ) ${keyed};
   -- An image is fetched as the sources may whose pages carry it.
   create table page_images (
     url ${text} primary key, site ${text} not null, images ${text} not null, source ${text} not null default ''
   ) ${keyed};
   create table image_site (site ${text} primary key, pages ${integer} not null) ${keyed};
   create table image_source (
     image ${integer} not null references image (id) on delete cascade, source ${text} not null, pages ${integer} not null,
     primary key (image, source)
   ) ${keyed};`,
]

export function migrateImages(db: StateStore): void {
  migrate(db, "images", STEPS)
}
