/** A task for research, and the pages that a good report on it rests on. */
export interface ResearchQuestion {
  readonly input: string
  /** Pages of `research-corpus.ts`, by their paths. */
  readonly pages: readonly string[]
}

/** Tasks over the project's handbook and the manual pages beside the benches. Each needs two pages or more. */
export const RESEARCH_QUESTIONS: readonly ResearchQuestion[] = [
  {
    input: "How does Fossick keep its index fresh, and what happens to pages that are gone?",
    pages: ["docs/fresh-pages", "docs/removed-pages", "docs/schedule-a-crawl"],
  },
  {
    input: "What must an operator do to crawl a site behind a login whose pages are made by JavaScript?",
    pages: ["docs/logins", "docs/javascript-pages"],
  },
  {
    input: "Which outbound connections does Fossick make, and how does it protect a private network?",
    pages: ["docs/privacy", "docs/private-networks"],
  },
  {
    input: "How are search results ranked, what does the score mean, and what do the search depths do?",
    pages: ["docs/ranking-and-scores", "docs/search-api"],
  },
  {
    input: "How can I find out why a page is missing from the results, and how can it be put back?",
    pages: ["docs/why-is-a-page-missing", "docs/removed-pages", "docs/troubleshooting"],
  },
  {
    input:
      "How are answers to questions made, with and without a language model, and which settings do they need?",
    pages: ["docs/answers", "docs/settings"],
  },
  {
    input: "Compare the sources file and the admin API for managing what is crawled",
    pages: ["docs/sources", "docs/admin-api"],
  },
  {
    input:
      "Which Python and JavaScript clients of Tavily work with Fossick and where do they differ from Tavily?",
    pages: ["docs/tavily-clients", "docs/search-api"],
  },
  {
    input:
      "How does Fossick recognise duplicates and endless rows of pages, and what does a visit of an unchanged page cost?",
    pages: ["docs/duplicates", "docs/fresh-pages"],
  },
  {
    input: "Which file formats are read, what are their limits, and how are images handled?",
    pages: ["docs/file-formats", "docs/images"],
  },
  {
    input: "How do I start Fossick, run it as a service and reach it from other machines?",
    pages: ["docs/getting-started", "docs/run-as-a-service"],
  },
  {
    input: "How are crawls scheduled and how are other systems told of their end?",
    pages: ["docs/schedule-a-crawl", "docs/webhooks"],
  },
  {
    input: "What is the difference between extract, crawl, map and search in the API?",
    pages: ["docs/extract-crawl-map-api", "docs/search-api"],
  },
  {
    input:
      "How can the embedding model be changed, and what happens to the vectors and to searches meanwhile?",
    pages: ["docs/embedding-models", "docs/troubleshooting"],
  },
  {
    input: "What backup methods exist for PostgreSQL: pg_dump, file system backups and continuous archiving?",
    pages: ["postgresql/backup-dump", "postgresql/continuous-archiving"],
  },
  {
    input: "How do SQLite and PostgreSQL isolate transactions from each other?",
    pages: ["sqlite/isolation", "postgresql/transaction-iso"],
  },
  {
    input: "How does SQLite keep a commit atomic, and how does the write-ahead log change that?",
    pages: ["sqlite/atomiccommit", "sqlite/wal"],
  },
  {
    input: "Backing up a running database: compare SQLite and PostgreSQL",
    pages: ["sqlite/backup", "postgresql/backup-dump"],
  },
  {
    input: "How does PostgreSQL lock tables and rows, and which isolation levels can transactions have?",
    pages: ["postgresql/explicit-locking", "postgresql/transaction-iso"],
  },
  {
    input: "Why is a PostgreSQL query slow: how do EXPLAIN, partial indexes and vacuuming help?",
    pages: ["postgresql/using-explain", "postgresql/indexes-partial", "postgresql/routine-vacuuming"],
  },
  {
    input: "Can several processes read and write one SQLite database at the same time?",
    pages: ["sqlite/faq", "sqlite/wal", "sqlite/isolation"],
  },
  {
    input:
      "How does VACUUM in PostgreSQL prevent transaction ID wraparound, and what does TRUNCATE do that DELETE does not?",
    pages: ["postgresql/routine-vacuuming", "postgresql/sql-truncate"],
  },
  {
    input:
      "How does client authentication in PostgreSQL work, and which privileges does a backup with pg_dump need?",
    pages: ["postgresql/auth-pg-hba-conf", "postgresql/backup-dump"],
  },
  {
    input: "What do crawl outcomes mean and how polite is the crawler to the sites it reads?",
    pages: ["docs/crawl-a-site", "docs/why-is-a-page-missing"],
  },
]
