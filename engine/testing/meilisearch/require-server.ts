/** Without a real server, answers would come from the recorded conversation, which only covers the contract suite. */
export default function requireServer(): void {
  if (process.env["MEILI_URL"]) return
  throw new Error(
    "These tests need a Meilisearch server: MEILI_URL=<its address> npm run test:meilisearch (its key in MEILI_KEY).",
  )
}
