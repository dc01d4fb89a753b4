import { UNRELATED } from "../questions/unrelated-questions.ts"

/** A question, and the fact that an answer to it must hold. */
export interface AnswerQuestion {
  readonly text: string
  /** Wordings of which one stands in any right answer: white space as single blanks, any letter case. */
  readonly facts: readonly string[]
}

/** Over the manuals in `testing/pages`; written from the pages, before any answer was seen. */
export const MANUAL_QUESTIONS: readonly AnswerQuestion[] = [
  { text: "at what size does sqlite checkpoint the WAL file automatically", facts: ["1000 pages"] },
  {
    text: "does WAL mode work over a network filesystem?",
    facts: ["does not work over a network filesystem", "will not work on a network filesystem"],
  },
  { text: "how do I switch an sqlite database to WAL mode", facts: ["journal_mode=WAL"] },
  {
    text: "what is a checkpoint in write-ahead logging",
    facts: ["Moving the WAL file transactions back into the database"],
  },
  { text: "when was write-ahead logging added to sqlite", facts: ["3.7.0", "2010-07-21"] },
  {
    text: "how many writers can there be at the same time in WAL mode",
    facts: ["only be one writer at a time"],
  },
  {
    text: "what is the maximum size of a VARCHAR in SQLite?",
    facts: ["does not enforce the length of a VARCHAR"],
  },
  { text: "how do I create an autoincrement column in sqlite", facts: ["INTEGER PRIMARY KEY"] },
  { text: "is SQLite threadsafe", facts: ["SQLite is threadsafe"] },
  { text: "may I sell software that contains sqlite without paying royalties", facts: ["public domain"] },
  {
    text: "the sqlite file did not shrink after I deleted rows, how do I make it smaller",
    facts: ["run the VACUUM command"],
  },
  {
    text: "how do I list all tables of an sqlite database",
    facts: [".tables", "SELECT name FROM sqlite_schema"],
  },
  { text: "what types of data does sqlite store", facts: ["INTEGER, REAL, TEXT, BLOB"] },
  { text: "what can be used instead of the online backup API since sqlite 3.27.0", facts: ["VACUUM INTO"] },
  { text: "how big is a WAL segment file of PostgreSQL", facts: ["16MB"] },
  { text: "what is the easiest way to take a base backup of a postgres server", facts: ["pg_basebackup"] },
  { text: "what must wal_level be set to for WAL archiving", facts: ["replica or higher"] },
  {
    text: "how often must every table be vacuumed to avoid transaction ID wraparound",
    facts: ["two billion transactions"],
  },
  {
    text: "why should VACUUM FULL be avoided",
    facts: ["ACCESS EXCLUSIVE", "runs much more slowly", "can take a long time"],
  },
  {
    text: "how do I restore a dump made by pg_dump",
    facts: ["psql -X dbname < dumpfile", "read by the psql program", "pg_restore"],
  },
  { text: "how do I dump all databases of a postgres cluster with the roles", facts: ["pg_dumpall"] },
  {
    text: "how do I make the server read pg_hba.conf again after editing it",
    facts: ["pg_ctl reload", "pg_reload_conf", "SIGHUP"],
  },
  {
    text: "what does the peer authentication method do",
    facts: ["operating system user name from the operating system"],
  },
  { text: "what does PostgreSQL do when it detects a deadlock", facts: ["aborting one of the transactions"] },
  { text: "what is the default isolation level in PostgreSQL", facts: ["Read Committed is the default"] },
  { text: "which lock does TRUNCATE take on a table", facts: ["ACCESS EXCLUSIVE"] },
  { text: "can a TRUNCATE be rolled back", facts: ["safely rolled back", "transaction-safe"] },
  { text: "what is a partial index", facts: ["an index built over a subset of a table"] },
  { text: "who can read a file made by mkstemp", facts: ["readable and writable only by the creating user"] },
  { text: "when is a Python TemporaryFile deleted", facts: ["destroyed as soon as it is closed"] },
  { text: "which environment variables decide where temporary files go", facts: ["TMPDIR"] },
  { text: "how should a file be opened for csv.writer", facts: ["newline=''"] },
  { text: "is it safe to open a shelf from an untrusted source", facts: ["insecure to load a shelf"] },
  { text: "what does fileinput read when no files are named", facts: ["sys.stdin"] },
]

/** Over the project's own handbook, `docs`; written from its pages, before any answer was seen. */
export const HANDBOOK_QUESTIONS: readonly AnswerQuestion[] = [
  { text: "how do I schedule a crawl?", facts: ["sources.yaml"] },
  { text: "which port does fossick listen on", facts: ["8080", "FOSSICK_PORT"] },
  { text: "how do I back up fossick", facts: ["Stop the appliance, copy the folder"] },
  {
    text: "I lost my API key, what now",
    facts: ["Start with a key of your own choice", "remove the made keys"],
  },
  { text: "how is the API key stored", facts: ["SHA-256"] },
  { text: "how do I crawl an intranet site", facts: ["fossick crawl --", "just works"] },
  { text: "how do I allow addresses of a private network", facts: ["FOSSICK_ALLOWED_NETWORKS"] },
  { text: "how long may a crawl call take behind a reverse proxy", facts: ["150 seconds", "180s"] },
  { text: "how do I use another embedding model", facts: ["FOSSICK_MODEL"] },
  { text: "what is the maximum length of a passage", facts: ["500 characters"] },
  { text: "how many results can a search return at most", facts: ["0 to 50"] },
  {
    text: "what happens to pages that answer 404 when a site is crawled again",
    facts: ["leave the index", "leaves the index"],
  },
  { text: "does fossick obey robots.txt", facts: ["obeys robots.txt", "obey robots.txt"] },
  { text: "how do I stop a crawl and go on later", facts: ["Ctrl-C stops cleanly"] },
  {
    text: "what does the score of a result mean",
    facts: ["estimate of the chance", "how sure Fossick is", "calibrated"],
  },
  { text: "can fossick read PDF files", facts: ["unsupported-type"] },
  { text: "where does fossick keep its data", facts: ["index-data"] },
  { text: "how do I search for an exact phrase on the command line", facts: ["double quotes"] },
  { text: "which version of Node.js do I need", facts: ["Node.js 20"] },
  { text: "how do I upgrade to a new version", facts: ["git pull", "fetch the new version"] },
  { text: "does fossick send statistics to anybody", facts: ["no statistics", "sent to no one"] },
  { text: "how long is the pause between two requests to one site", facts: ["one second", "1000"] },
  { text: "the start says that port 8080 is taken", facts: ["Choose another port", "FOSSICK_PORT=8090"] },
  { text: "how do I connect the python client", facts: ["api_base_url", "base URL"] },
  { text: "how many addresses may one extract call name", facts: ["1 to 20"] },
  {
    text: "what does the outcome blocked-address mean",
    facts: ["address guard refused", "on a private network"],
  },
]

/** What nobody would find in either. */
export const UNRELATED_QUESTIONS: readonly string[] = [
  ...UNRELATED,
  "what is the capital of Australia",
  "how many calories are in an apple",
  "when does the summer sale start",
  "symptoms of iron deficiency",
  "how do vaccines work",
  "what year did the Berlin wall fall",
]

/** Near the subject of the pages, and answered by none of them. */
export const NEAR_QUESTIONS: readonly string[] = [
  "how do I configure LDAP single sign-on for fossick",
  "what does a fossick enterprise licence cost",
  "how do I write a trigger function in PL/pgSQL",
  "how do I set up logical replication between two postgres servers",
  "what is the syntax of a window function in sqlite",
  "how do I parse JSON in Python",
  "how do I make an HTTP request with Python asyncio",
  "how do I install PostgreSQL on Windows",
  "who founded the company behind fossick",
  "how do I connect to sqlite from Java",
]
