/** Fields of a record that say what Fossick knows of a page beside its text; programs that don't know them pass over them (WARC 1.1, §4). */
export const FACT_FIELDS = {
  title: "Fossick-Title",
  description: "Fossick-Description",
  author: "Fossick-Author",
  language: "Fossick-Language",
  publishedAt: "Fossick-Published",
  type: "Fossick-Type",
} as const
