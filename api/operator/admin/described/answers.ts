import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { CHANNELS, NOTIFYING } from "#crawler/reporting/alerts/channels/registry.ts"
import { JOB_RESULTS, JOB_STATES } from "#crawler/job.ts"

import { ENDPOINTS } from "../../../identity/accounts/keys/key-scope.ts"
import { DELIVERY_STATES, NAMED_MODELS, REMOVAL_STATES, USE_PERIODS, VISITING } from "../schemas.ts"
import { feedbackSchema } from "../../usage/schema.ts"
import { paymentSchemas } from "../../../doors/x402/books/operations.ts"
import type { JsonSchema } from "../../../server/operation/operation.ts"
import { inlined, publishedBody } from "../../../server/operation/published.ts"
import {
  count,
  listOf,
  object,
  oneOf,
  orNull,
  ref,
  text,
  time,
  yesNo,
} from "../../../server/operation/schemas.ts"

// What the admin API takes for a source, and what it answers.

const written = inlined(
  JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve("#crawler/sources/sources.schema.json")), "utf8"),
  ) as JsonSchema,
  "#/$defs/source",
)
const fields = written["properties"] as Readonly<Record<string, JsonSchema>>
const { name: nameField, ...otherFields } = fields

const passage = object(
  { text: text("As it is searched."), headings: listOf(text()) },
  { optional: { shown: text("As results show it, where it holds code or a table.") } },
)

/** The name of a source that is declared. */
export const sourceNameField = nameField!

/** A source as it is declared; its name stands in the path, too. */
const source: JsonSchema = {
  ...written,
  required: ["seeds"],
  description: "What is crawled, how, and when: the fields of the file of sources.",
}

const sourceShown = object(
  {
    // A crawl of one address is filed under its host, which may be an address in brackets.
    name: { type: "string", description: nameField!["description"] },
    ...otherFields,
    login: orNull({
      type: "object",
      description: "How it logs in. Values that may be secrets are `(hidden)`, names of secrets are shown.",
    }),
  },
  { description: "Every field with its value: what was left out has its default." },
)

const SHIPPED = NAMED_MODELS.filter((name) => name !== "auto")

const page = { total: count("Of all, not only of those listed."), limit: count(), offset: count() }
const numbers = (description: string): JsonSchema => ({
  type: "object",
  additionalProperties: { type: "integer", minimum: 0 },
  description,
})

const modelName = object({
  name: orNull(oneOf(SHIPPED, "Of one that ships with Fossick.")),
  embedder: text("Id of the model, with a hash of its weights."),
})
const passagesASecond = orNull({
  type: "number",
  minimum: 0,
  description:
    "Passages that got their vectors in a second, over the last minute; null while none are made, or it is too early to tell.",
})
const modelState = object({
  model: object({
    in_use: orNull(modelName),
    setting: orNull(text("The model that the settings name, which wins.")),
    wanted: text("What was asked for: `auto`, a name or a folder."),
    chosen: orNull(oneOf(SHIPPED, "What `auto` has come to.")),
    because: text("Why this one, for people."),
    suited: orNull(
      oneOf(SHIPPED, "What would suit the languages of the pages, when `auto` has come to another one."),
    ),
    languages: orNull(numbers("Pages by language (ISO 639-1); empty for those whose language nobody knows.")),
    unread_questions: orNull(
      object(
        { count: count("Questions that the multilingual model would read."), of: count("The last ones.") },
        {
          description:
            "How many of the last 200 questions are in a language that the multilingual model reads and the current model doesn't. Null for fewer than 3, for up to 5 %, and while `FOSSICK_QUERY_LOG_DAYS` is 0.",
        },
      ),
    ),
    server_problem: orNull(text("Why the server of models gives no vectors at present.")),
  }),
  change: orNull(
    object({
      to: modelName,
      state: oneOf(["waiting", "building"], "`waiting`: it has not begun, as crawls go first."),
      pages: count("Pages taken over."),
      of_pages: orNull(count()),
      pages_without_vectors: orNull(count("Of those taken over.")),
      passages_without_vectors: orNull(count()),
      vectors_per_second: passagesASecond,
      seconds_left: orNull(count("Null when nobody can tell, and while pages are still taken over.")),
    }),
  ),
  available: listOf(
    object({
      name: orNull(oneOf(SHIPPED, "Null of one that does not ship with Fossick: ask for it by its folder.")),
      folder: text(),
      embedder: text(),
      dimensions: count("Of a vector."),
      scripts: orNull(listOf(text("Unicode name of a script."))),
    }),
  ),
})

const result = orNull(
  oneOf(
    JOB_RESULTS,
    "How it ended, for its operator: null while it is not over, and for one that was cancelled.",
  ),
)
const reason = orNull(text("One line why `result` is not `finished`."))
const changes = object(
  {
    new: count("Pages that came into the index."),
    changed: count("Pages whose text changed."),
    gone: count("Pages that left the index."),
  },
  { description: "What the run changed in the index." },
)
const checkedByCopy = object(
  {
    pages: count("Pages with the outcome `unchanged` for which the run downloaded only the markdown copy."),
    spared_bytes: count("Bytes by which those pages are larger than their copies."),
  },
  { description: "Downloads that markdown copies saved." },
)

const job = object({
  id: count(),
  source: text("Name of the source."),
  trigger: oneOf(["command", "run", "schedule", "api", "start"], "Who asked for it."),
  visits: oneOf(VISITING),
  state: oneOf(JOB_STATES),
  result,
  reason,
  created_at: time(),
  started_at: orNull(time()),
  ended_at: orNull(time()),
  queued: count("Addresses known and not yet visited."),
  waits: listOf(
    object({
      host: text("With its port, if that is not the usual one."),
      until: time(),
      why: text("Why its last visit brought nothing."),
    }),
    "Hosts whose next try it waits for.",
  ),
  outcomes: numbers("Visits by how they ended: `indexed`, `skipped:robots`, `failed:dns` and so on."),
  changes,
  checked_by_copy: checkedByCopy,
  removals: orNull(
    object({
      removed: count("Pages taken out of the index on its evidence."),
      held: count("Pages that waited for an answer when it ended."),
    }),
  ),
  note: orNull(text("What is to be known of its end.")),
  error: orNull(text("Why it failed.")),
})

const jobDetail: JsonSchema = {
  ...job,
  required: [...(job["required"] as string[]), "settings", "failures", "log"],
  properties: {
    ...(job["properties"] as object),
    settings: ref("SourceShown"),
    failures: listOf(object({ url: text(), outcome: text(), detail: orNull(text()) })),
    log: listOf(object({ at: time(), level: oneOf(["info", "warn", "error"]), text: text() })),
  },
}

const sourceEntry = object({
  name: text(),
  origin: oneOf(
    ["file", "api", "one-off"],
    "Where it was declared, and so can be changed; `one-off`: nowhere, it was only crawled.",
  ),
  paused: yesNo(),
  created_at: time(),
  updated_at: time(),
  next_run_at: orNull(time()),
  pages: count("Pages that the index holds for it."),
  pages_with_vectors: orNull(
    count("Those of them that have their vectors; null when the index cannot be asked."),
  ),
  last_result: orNull(
    object(
      {
        job_id: count(),
        result: oneOf(JOB_RESULTS),
        reason,
        ended_at: orNull(time()),
        new: count("Pages that came into the index."),
        changed: count("Pages whose text changed."),
        gone: count("Pages that left the index."),
        failed: count("Visits that failed."),
        skipped: count("Visits to addresses that the index is not to hold."),
      },
      { description: "Of the last run that is over and was not cancelled." },
    ),
  ),
  last_job: orNull(
    object({
      id: count(),
      state: oneOf(JOB_STATES),
      result,
      reason,
      created_at: time(),
      ended_at: orNull(time()),
      note: orNull(text()),
      error: orNull(text()),
    }),
  ),
  source: ref("SourceShown"),
})

const removal = object({
  url: text(),
  source: text(),
  state: oneOf(REMOVAL_STATES),
  reason: text("What was found: `not-found`, `gone`, `noindex` and the like."),
  detail: orNull(text()),
  strikes: count("Runs that found evidence, one after the other."),
  job_id: count("The run that found the latest evidence."),
  at: time(),
  kept_until: orNull(time("Until when it can be restored.")),
})

const removals = object({
  removals: listOf(removal),
  ...page,
  held: listOf(
    object({
      source: text(),
      pages: count(),
      of_pages: count("Pages of the source that the index holds."),
      reasons: numbers("Pages by reason."),
      job_id: count(),
      at: time(),
    }),
    "What waits for an answer, by source.",
  ),
})

const trace = object({
  url: text(),
  in_index: yesNo(),
  summary: text(),
  steps: listOf(
    object({
      name: text(),
      verdict: oneOf(["yes", "no", "note"]),
      text: text(),
      facts: { type: "object", description: "What the text was made of." },
    }),
  ),
})

const tried = object({
  url: text(),
  source: text(),
  belongs: yesNo("Whether a run of the source would visit it."),
  outcome: text("As runs record it: `indexed`, `skipped:noindex`, `failed:http-status`."),
  detail: orNull(text()),
  robots: object({ obeyed: yesNo(), allowed: orNull(yesNo()), detail: orNull(text()) }),
  reading: orNull(
    object({
      url: text("After redirects."),
      status: count(),
      content_type: text(),
      bytes: count(),
      canonical: orNull(text()),
      noindex: yesNo(),
      nofollow: yesNo(),
      links: object({ total: count(), followed: count(), nofollow: count(), outside: count() }),
      feeds: listOf(text()),
      note: orNull(text()),
    }),
  ),
  page: orNull(
    object({
      title: text(),
      description: orNull(text()),
      language: orNull(text()),
      author: orNull(text()),
      published_at: orNull(time()),
      topic: orNull(text()),
      country: orNull(text()),
      unsafe: yesNo(),
      images: listOf(object({ url: text(), description: orNull(text()) })),
      favicon: orNull(text()),
      markdown: text(),
      passages: listOf(passage),
    }),
  ),
  took_ms: { type: "number", minimum: 0 },
})

const pagesInBrief = listOf(
  object({
    url: text(),
    outcome: text(),
    detail: orNull(text()),
    title: orNull(text()),
    language: orNull(text()),
    characters: count(),
    text: orNull(text("The beginning, as it would be indexed.")),
  }),
  "Up to five, as they read.",
)

const draftProblems = listOf(
  object({ field: text("`limits.pages`; empty for the whole."), message: text() }),
  "Why it cannot be declared over the API; empty: it can.",
)

const crawlSize = {
  pages: count("Addresses that earlier runs know; before the first run the most that its limits let in."),
  pages_known: yesNo("Whether earlier runs know them."),
  seconds: count("About so long does a run over all of it take, by the pauses that its hosts are given."),
  delay_ms: count("The longest pause between two requests to one of its hosts."),
}

const proposal = object({
  asked: text(),
  url: orNull(text("Where it leads; null when nothing could be read.")),
  outcome: text("How the first visit ended, as runs record it."),
  detail: orNull(text()),
  title: orNull(text("Of the first page.")),
  robots: orNull(
    object(
      {
        allowed: yesNo("Whether it lets this crawler read that page."),
        detail: orNull(text()),
        delay_ms: orNull({ type: "number", minimum: 0, description: "Pause that it asks for." }),
        sitemaps: listOf(text(), "It names."),
      },
      { description: "What robots.txt says; null when it could not be read, or does not count." },
    ),
  ),
  program: orNull(
    object({
      name: text("`MediaWiki`, `Docusaurus`, or what the page calls its generator."),
      version: orNull(text()),
      evidence: listOf(text(), "How it shows."),
      recipe: orNull(text("Its section of the handbook's page Recipes.")),
    }),
  ),
  source: { ...source, description: "The source that fits, with what differs from the defaults." },
  yaml: text("The same as a file of sources would have it."),
  rendering: orNull(
    object({
      rendering: oneOf(["auto", "browser"]),
      because: text(),
      browser_missing: orNull(text("A browser is needed and there is none: what to install.")),
      characters: count("Of the first page's text without scripts."),
      characters_in_browser: orNull(count("With them; null when no browser looked.")),
    }),
  ),
  sitemap: orNull(
    object({
      url: text(),
      pages: count("Those of the source that it lists."),
      found_by_runs: yesNo("Else the source names it."),
    }),
  ),
  feeds: listOf(text()),
  languages: listOf(
    object({
      language: text("ISO 639-1."),
      from: oneOf(["page", "hreflang", "address"]),
      path: orNull(text("What the addresses of its pages begin with.")),
    }),
  ),
  login: orNull(
    object({
      url: text("Of the page with the form."),
      needed: yesNo("Nothing can be read without it."),
      user_field: orNull(text()),
      password_field: text(),
      hidden_fields: listOf(text(), "Sent as the page has them, such as a CSRF token."),
      plain: yesNo("It can be sent as it stands."),
    }),
  ),
  obstacles: listOf(
    object({
      kind: oneOf([
        "address",
        "browser",
        "certificate",
        "empty",
        "login",
        "network",
        "noindex",
        "pages",
        "robots",
        "server",
        "sitemap",
      ]),
      text: text(),
      help: orNull(text("What helps.")),
    }),
    "What stands in the way.",
  ),
  notes: listOf(text(), "What is to be known of its program."),
  estimate: orNull(
    object({
      pages: count(),
      from: oneOf(["sitemap", "links"], "`links`: there are at least so many."),
      delay_ms: { type: "number", minimum: 0 },
      seconds: count("Of a full crawl."),
    }),
  ),
  pages: pagesInBrief,
  requests: count("Made to the site."),
  took_ms: { type: "number", minimum: 0 },
})

const delivery = object({
  id: text(),
  source: orNull(text("Null: it tells of a backup.")),
  job_id: orNull(count()),
  event: oneOf(["finished", "changed", "alert"]),
  url: text(),
  state: oneOf(DELIVERY_STATES),
  attempts: count(),
  created_at: time(),
  last_attempt_at: orNull(time()),
  next_attempt_at: orNull(time()),
  last_status: orNull(count()),
  last_error: orNull(text()),
})

const alert = object({
  about: oneOf(["source", "backup"]),
  name: text(),
  run_id: count("Number of the latest bad run: of a job, or of a backup."),
  result: text("How it ended."),
  reason: orNull(text()),
  bad_runs: count("Runs in a row that went wrong."),
  since: time(),
  told_at: orNull(time()),
})

const noticeFields = {
  id: text(),
  recipient: text(),
  subject: text(),
  state: oneOf(DELIVERY_STATES),
  attempts: count(),
  created_at: time(),
  last_attempt_at: orNull(time()),
  next_attempt_at: orNull(time()),
  last_error: orNull(text()),
}

const feedbackFields = publishedBody(feedbackSchema)["properties"] as Readonly<Record<string, JsonSchema>>

const feedback = object(
  { feedback_id: text(), at: time(), key_id: text("Of the key that gave it.") },
  { optional: feedbackFields, description: "The fields that came, as they came." },
)

export const adminSchemas = {
  Appliance: object({
    name: orNull(text("Shown on its pages; null: it has none.")),
    is_new: yesNo("Nothing was ever declared or crawled, its own handbook apart."),
  }),
  Source: source,
  SourceShown: sourceShown,
  SourceEntry: sourceEntry,
  SourceList: object({ sources: listOf(ref("SourceEntry")), ...page }),
  SourceDeleted: object({ name: text(), deleted: { const: true }, remove_pages: yesNo() }),
  NextRuns: object({
    name: text(),
    paused: yesNo(),
    schedule: orNull({ type: "object" }),
    next_runs: listOf(time()),
  }),
  FullCrawl: object({ name: text(), ...crawlSize }),
  SourceWritten: object({
    name: text(),
    origin: oneOf(["file", "api", "one-off"]),
    source: { ...source, description: "With what differs from the defaults." },
    yaml: text("As a file of sources would have it."),
  }),
  SourcePreview: object({
    name: orNull(text("Null when it has none.")),
    exists: orNull(oneOf(["file", "api"], "Where a source of this name is declared; null: there is none.")),
    yaml: text("As a file of sources would have it."),
    problems: draftProblems,
    closed_addresses: listOf(
      text(),
      "Its private addresses that are not open: `POST /admin/networks` can open them.",
    ),
    fits_file: yesNo("Whether a file of sources can have it, with what only the API refuses."),
    full_crawl: orNull(object(crawlSize, { description: "Null while it is no source." })),
  }),
  SourceTrial: object({
    problems: draftProblems,
    login: orNull(
      object({
        kind: oneOf(["basic", "headers", "cookies", "form"]),
        error: orNull(text("Why the site lets nobody in; null: it does.")),
      }),
    ),
    pages: pagesInBrief,
    requests: count("Made to the site, its login apart."),
    took_ms: { type: "number", minimum: 0 },
  }),
  Job: job,
  JobDetail: jobDetail,
  JobAddresses: object({
    addresses: listOf(object({ url: text(), outcome: text(), detail: orNull(text()) })),
    counted: count("Visits that ended so, listed or not."),
    limit: count(),
    next: orNull(text("What to send as `after` for those behind; null: there are no more.")),
  }),
  JobsStarted: object({ jobs: listOf(ref("Job")) }),
  JobList: object({ jobs: listOf(ref("Job")), ...page }),
  Removals: removals,
  RemovalsAnswered: object({ source: text(), pages: count() }),
  RemovalsRestored: object({ pages: count() }),
  Trace: trace,
  Tried: tried,
  PageState: object({
    url: text(),
    page: orNull(
      object(
        {
          title: text(),
          description: orNull(text()),
          language: orNull(text()),
          author: orNull(text()),
          published_at: orNull(time()),
          crawled_at: time(),
          topic: orNull(text()),
          type: text("What it is written in: `html`, `pdf`."),
          unsafe: yesNo("For adults: left out of safe searches."),
          sources: listOf(text()),
          characters: count("Of its text."),
          images: count(),
          passages: listOf(passage, "In their order, up to 200."),
          passages_total: count(),
        },
        { description: "As the index holds it; null: it does not." },
      ),
    ),
    other_forms: listOf(object({ url: text(), format: text() }), "The same document in other formats."),
    known: listOf(
      object({
        source: text(),
        outcome: text("Of the last visit."),
        detail: orNull(text()),
        job_id: orNull(count()),
        depth: count("Link steps from a seed."),
        found_how: text("`seed`, `link`, `sitemap`, `feed`, `llms`, `redirect`, `canonical`."),
        found_on: orNull(text()),
        first_seen: time(),
        visited_at: time(),
        changed_at: orNull(time()),
        due_at: orNull(time("Null: it is due now.")),
      }),
      "What each source knows of it.",
    ),
    linked_from: object({
      pages: listOf(object({ url: text(), source: text() }), "Up to 50."),
      all: yesNo("Whether these are all."),
    }),
  }),
  PageRecrawl: object({ url: text(), jobs: listOf(ref("Job")) }),
  Alerts: object({
    alerts: listOf(alert),
    mails: listOf(object(noticeFields)),
    notifications: listOf(
      object({
        channel: oneOf(NOTIFYING),
        ...noticeFields,
        recipient: text("The host: topics are secrets."),
      }),
      "Messages by channels other than e-mail and webhooks.",
    ),
  }),
  AlertsTested: object({
    tested: listOf(
      object({
        by: oneOf(CHANNELS.map(({ name }) => name)),
        to: text("The recipient, or the host of the webhook or of ntfy."),
        error: orNull(text("Why it was not taken; null: it was.")),
      }),
    ),
  }),
  Proposal: proposal,
  DeliveryList: object({ deliveries: listOf(delivery), ...page }),
  DeliveryRetried: object({ id: text(), state: { const: "waiting" } }),
  IndexState: object({
    index: object({
      engine: text("Where it is kept: `embedded`, `meilisearch` or `opensearch`."),
      embedder: text("Id of the model that makes its vectors."),
      dimensions: count("Of a vector."),
      pages: count(),
      passages: count(),
      pages_without_vectors: count("Pages found by their words only, until their vectors are made."),
      passages_without_vectors: count("Passages of those pages; on Meilisearch about."),
      vectors_per_second: passagesASecond,
      seconds_left: orNull(
        count("Until all have their vectors, as things go; 0 when all have, null when nobody can tell."),
      ),
    }),
    machine: object({
      disk_free_bytes: orNull(count("On the disk of the data folder; null where nobody knows.")),
      disk_bytes: orNull(count("All of it.")),
      memory_free_bytes: count("In a container, within its limit."),
      memory_bytes: count("All of it."),
      process_memory_bytes: count("Taken by the process that answers; crawls have one of their own."),
    }),
  }),
  ModelState: modelState,
  KeyUsage: object({
    usage: listOf(
      object({
        time: text("Day or month, in UTC."),
        key_id: text(),
        calls: count(),
        credits: count(),
        endpoints: object(
          Object.fromEntries(ENDPOINTS.map((name) => [name, object({ calls: count(), credits: count() })])),
        ),
      }),
    ),
    days: count(),
    by: oneOf([...USE_PERIODS]),
  }),
  GrantList: object({
    grants: listOf(
      object({
        id: text(),
        client_id: text(),
        client_name: text("What the program calls itself."),
        key_id: text("Of the key with which it was let in."),
        collections: orNull(listOf(text(), "It is held to; null: all that the key may see.")),
        created_at: time(),
        used_at: orNull(time()),
        revoked_at: orNull(time()),
      }),
    ),
  }),
  GrantRevoked: object({ id: text(), revoked: { const: true } }),
  FeedbackList: object({ feedback: listOf(feedback), ...page }),
  PageRequestList: object({
    requests: listOf(
      object({
        id: text(),
        url: orNull(text("The page that is missing; null when only a question is known.")),
        query: orNull(text("What was looked for the last time.")),
        comment: orNull(text("Of the last time.")),
        keys: count("That asked for it."),
        first_at: time(),
        last_at: time(),
        in_index: yesNo("True once the index holds it."),
      }),
    ),
    ...page,
  }),
  PageRequestSettled: object({ id: text(), settled: { const: true } }),
  ...paymentSchemas,
}
