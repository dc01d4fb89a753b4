/** A question as a reader would ask it, and what answers it. */
export interface SectionQuestion {
  readonly text: string
  /** Gain by section (`page#heading`): 2 answers the question, 1 helps. */
  readonly answers: Readonly<Record<string, 1 | 2>>
}

/** Over the handbook and seven manual pages; written from their headings, before any search was made. */
export const SECTION_QUESTIONS: readonly SectionQuestion[] = [
  { text: "how do I get a new key when I have lost mine", answers: { "docs/api-keys.md#I lost the key": 2 } },
  {
    text: "which address do I give the LangChain tool so that it asks my own server",
    answers: {
      "docs/tavily-clients.md#LangChain, Python: langchain-tavily": 2,
      "docs/tavily-clients.md#LangChain, JavaScript: @langchain/tavily": 2,
    },
  },
  {
    text: "copy the index to another disk, to be safe",
    answers: {
      "docs/backup-and-restore.md#Back up and restore": 2,
      "docs/backup-and-restore.md#Copy the folder instead": 1,
    },
  },
  {
    text: "a page I crawled does not come up, what should I check",
    answers: {
      "docs/troubleshooting.md#A page is missing from the results": 2,
      "docs/why-is-a-page-missing.md#Why is a page missing?": 2,
    },
  },
  {
    text: "another program already listens on the port",
    answers: { 'docs/troubleshooting.md#"Port 8080 is taken"': 2 },
  },
  {
    text: "a model that understands German and French",
    answers: {
      "docs/embedding-models.md#Other languages": 2,
      "docs/embedding-models.md#Use another model": 1,
    },
  },
  {
    text: "make all vectors again after changing the model",
    answers: {
      "docs/embedding-models.md#Re-embed the index": 2,
      "docs/troubleshooting.md#Another model made the vectors": 1,
      "docs/embedding-models.md#How long it takes": 1,
    },
  },
  {
    text: "start at boot under systemd",
    answers: {
      "docs/run-as-a-service.md#The service": 2,
      "docs/run-as-a-service.md#Run Fossick as a service": 1,
    },
  },
  {
    text: "crawl every night at three",
    answers: {
      "docs/schedule-a-crawl.md#Write the schedule": 2,
      "docs/schedule-a-crawl.md#Without a file of sources": 1,
    },
  },
  { text: "does it phone home", answers: { "docs/privacy.md#Every outbound connection": 2 } },
  {
    text: "are the questions of users written to the log",
    answers: { "docs/privacy.md#What the log says": 2 },
  },
  {
    text: "index a company wiki at 10.0.0.5",
    answers: {
      "docs/private-networks.md#Crawl an intranet": 2,
      "docs/private-networks.md#Allow more hosts": 1,
    },
  },
  {
    text: "does it obey robots.txt and how long does it wait between two requests",
    answers: { "docs/crawl-a-site.md#How polite it is": 2, "docs/sources.md#politeness": 1 },
  },
  { text: "interrupt a crawl and continue it later", answers: { "docs/crawl-a-site.md#Stop and go on": 2 } },
  {
    text: "what does 0.7 beside a result tell me",
    answers: { "docs/ranking-and-scores.md#What the score means": 2 },
  },
  {
    text: "two processes want to write at once",
    answers: { "docs/troubleshooting.md#The index is open elsewhere": 2 },
  },
  {
    text: "have answers written by a language model in Ollama",
    answers: { "docs/answers.md#With a model of your own": 2 },
  },
  {
    text: "how is an answer put together when there is no language model",
    answers: { "docs/answers.md#Without a model": 2 },
  },
  { text: "prompt injection by hostile web pages", answers: { "docs/answers.md#Pages that give orders": 2 } },
  {
    text: "list all addresses of a website",
    answers: { "docs/extract-crawl-map-api.md#Map: the addresses of a site": 2 },
  },
  {
    text: "search in the shell, without a server",
    answers: {
      "docs/search-from-the-command-line.md#Search from the command line": 2,
      "docs/search-from-the-command-line.md#Options": 1,
    },
  },
  { text: "only results from one host and what is below it", answers: { "docs/search-api.md#Domains": 2 } },
  { text: "nothing older than a week", answers: { "docs/search-api.md#Dates": 2 } },
  { text: "leave out pages with a certain word", answers: { "docs/search-api.md#Operators": 2 } },
  {
    text: "install a newer version without losing data",
    answers: { "docs/upgrade.md#Upgrade": 2, "docs/upgrade.md#Go back": 1 },
  },
  { text: "how much memory and disk does it take", answers: { "docs/what-fossick-is.md#What you need": 2 } },
  {
    text: "no icons or tracking pixels among the pictures",
    answers: { "docs/images.md#What is left out": 2 },
  },
  {
    text: "remove a column from an existing sqlite table",
    answers: { "sqlite/faq#Frequently Asked Questions": 2 },
  },
  {
    text: "why does the file not shrink after I delete everything",
    answers: { "sqlite/faq#Frequently Asked Questions": 2 },
  },
  { text: "how long can a VARCHAR be in sqlite", answers: { "sqlite/faq#Frequently Asked Questions": 2 } },
  {
    text: "does one sqlite connection see what another has not committed",
    answers: { "sqlite/isolation#Isolation Between Database Connections": 2, "sqlite/isolation#Summary": 1 },
  },
  {
    text: "rows are changed while a SELECT still steps through them",
    answers: {
      "sqlite/isolation#No Isolation Between Operations On The Same Database Connection": 2,
      "sqlite/isolation#Summary": 1,
    },
  },
  {
    text: "readers keep their snapshot while somebody writes in WAL mode",
    answers: { "sqlite/isolation#Isolation And Concurrency": 2 },
  },
  {
    text: "load a database file into memory",
    answers: { "sqlite/backup#Example 1: Loading and Saving In-Memory Databases": 2 },
  },
  {
    text: "copy a database in use a few pages at a time",
    answers: { "sqlite/backup#Example 2: Online Backup of a Running Database": 2 },
  },
  {
    text: "empty a table and start its identity columns anew",
    answers: {
      "postgresql/sql-truncate#Parameters": 2,
      "postgresql/sql-truncate#Examples": 2,
      "postgresql/sql-truncate#Description": 1,
    },
  },
  {
    text: "is emptying a table safe for concurrent snapshots",
    answers: { "postgresql/sql-truncate#Notes": 2 },
  },
  { text: "which privilege does TRUNCATE need", answers: { "postgresql/sql-truncate#Notes": 2 } },
  {
    text: "index only the orders that are not billed yet",
    answers: { "postgresql/indexes-partial#11.8. Partial Indexes": 2 },
  },
  {
    text: "uniqueness among some of the rows only",
    answers: { "postgresql/indexes-partial#11.8. Partial Indexes": 2 },
  },
  {
    text: "read a dump back in with psql",
    answers: { "postgresql/backup-dump#26.1.1. Restoring the Dump": 2 },
  },
  {
    text: "dump a whole cluster with roles and tablespaces",
    answers: { "postgresql/backup-dump#26.1.2. Using pg_dumpall": 2 },
  },
  {
    text: "compress or split an output file that is too large",
    answers: { "postgresql/backup-dump#26.1.3. Handling Large Databases": 2 },
  },
  {
    text: "what are dirty reads and phantom reads",
    answers: { "postgresql/transaction-iso#13.2. Transaction Isolation": 2 },
  },
  {
    text: "an UPDATE waits for another and then looks at the WHERE clause again",
    answers: { "postgresql/transaction-iso#13.2.1. Read Committed Isolation Level": 2 },
  },
  {
    text: "could not serialize access due to concurrent update",
    answers: {
      "postgresql/transaction-iso#13.2.2. Repeatable Read Isolation Level": 2,
      "postgresql/transaction-iso#13.2.3. Serializable Isolation Level": 1,
    },
  },
  {
    text: "predicate locks and the result of running one after the other",
    answers: { "postgresql/transaction-iso#13.2.3. Serializable Isolation Level": 2 },
  },
]
