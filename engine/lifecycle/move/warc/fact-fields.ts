/** Fields of a record that contain the facts about a page. Programs that don't know them ignore them (WARC 1.1, §4). */
export const FACT_FIELDS = {
  title: "Fossick-Title",
  description: "Fossick-Description",
  author: "Fossick-Author",
  language: "Fossick-Language",
  publishedAt: "Fossick-Published",
  type: "Fossick-Type",
} as const
