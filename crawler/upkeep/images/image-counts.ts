import type { Count } from "#base/store/rows/counts.ts"

/** Every use of an image on a page. */
const USES = `(select json_extract(value, '$.url') as url, site, source from page_images, json_each(page_images.images))`
const countedBy = (column: string): string =>
  `select image.id as image, uses.${column}, count(*) as pages from ${USES} as uses join image using (url) group by 1, 2`
const anew = (table: string, should: string): Count => ({
  of: table,
  is: `select * from ${table}`,
  should,
  mend: `delete from ${table}; insert into ${table} ${should}`,
})
const USED = `select image.id, (select count(*) from ${USES} as uses where uses.url = image.url) as uses from image`

/** How many pages contain each image: totals of `page_images`, which has one row per page. */
export const IMAGE_COUNTS: readonly Count[] = [
  anew("image_site", "select site, count(*) as pages from page_images group by site"),
  anew("image_use", countedBy("site")),
  anew("image_source", countedBy("source")),
  {
    of: "image",
    is: "select id, uses from image",
    should: USED,
    mend: `update image set uses = anew.uses from (${USED}) as anew where anew.id = image.id and anew.uses <> image.uses`,
  },
]
