/** A question as a reader would ask it, and the page of the documentation site that answers it. */
export interface DocumentationQuestion {
  readonly text: string
  /** Path of the page below the site's root. */
  readonly answer: string
}

/** Questions over the manuals; written before any search was made, from what the pages explain. */
export const DOCUMENTATION_QUESTIONS: readonly DocumentationQuestion[] = [
  {
    text: "bring a postgres server back to the state it had just before a table was dropped by mistake",
    answer: "postgresql/continuous-archiving.html",
  },
  {
    text: "how do I read the plan tree with estimated costs and actual times of a slow query",
    answer: "postgresql/using-explain.html",
  },
  {
    text: "is disk space given back to the operating system after deleting many rows in postgres",
    answer: "postgresql/routine-vacuuming.html",
  },
  {
    text: "which file says what hosts may connect to the database server and how they must prove who they are",
    answer: "postgresql/auth-pg-hba-conf.html",
  },
  {
    text: "two transactions wait for each other's rows, which of them is aborted?",
    answer: "postgresql/explicit-locking.html",
  },
  {
    text: "what are the drawbacks of write-ahead logging against a rollback journal in sqlite",
    answer: "sqlite/wal.html",
  },
  {
    text: "what keeps an sqlite database whole when the power fails in the middle of a write",
    answer: "sqlite/atomiccommit.html",
  },
  {
    text: "copy a live sqlite database to another file while programs go on using it",
    answer: "sqlite/backup.html",
  },
  {
    text: "read the rows of a comma-separated spreadsheet export in Python",
    answer: "python/library/csv.html",
  },
  {
    text: "make a scratch file in Python that deletes itself when it is closed",
    answer: "python/library/tempfile.html",
  },
  {
    text: "find the commit that introduced a bug by halving the history again and again",
    answer: "git/git-bisect.html",
  },
  {
    text: "put half-finished changes aside to get back to a clean working directory",
    answer: "git/git-stash.html",
  },
]
