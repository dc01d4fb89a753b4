// Generated from the OpenAPI document by `npm run generate:client`; a test compares them. Edit the document, not this file.
export type ErrorAnswer = {
  readonly detail: {
    /** What is wrong, in words: the field, and what is allowed. */
    readonly error: string
    /** With 422: every field that is wrong. */
    readonly problems?: readonly ({
      /** The field, such as `limits.pages`; empty for the whole body. */
      readonly field: string
      readonly message: string
    } | string)[] | undefined
    /** With 400 for an extraction: every address. */
    readonly failed_results?: readonly FailedResult[] | undefined
    readonly miss?: Miss | undefined
  }
}

export type SearchAnswer = {
  readonly query: string
  readonly follow_up_questions: readonly string[] | null
  /** Cited sentences, with `include_answer`. */
  readonly answer: string | null
  /** Addresses, or `{url, description}` with `include_image_descriptions`. */
  readonly images: readonly (string | {
    readonly url: string
    /** Empty when the page has none. */
    readonly description: string
  })[]
  /** Best first. */
  readonly results: readonly SearchResult[]
  /** Seconds. */
  readonly response_time: number
  /** Also in the header `X-Request-Id`. */
  readonly request_id: string
  /** The query with misspelt words corrected; left out when there were none, or when no result contains a corrected word. */
  readonly corrected_query?: string | undefined
  /** The peers of this search; left out when there were none. */
  readonly peers?: readonly ({
    readonly name: string
    /** `late`: did not answer in time. `resting`: not asked, since it failed before and has not recovered. */
    readonly state: "answered" | "late" | "failed" | "resting"
    /** Pages that it returned, before they were merged with the others. */
    readonly results: number
    /** Why it returned none, as the rest of a sentence whose subject is the peer. */
    readonly because?: string | undefined
  })[] | undefined
  /** With `include_evidence`. */
  readonly evidence?: {
    /** Version of the format that appliances exchange. */
    readonly version: number
    readonly reach: number
    readonly nowhere: number
  } | undefined
  /** With `include_word_statistics`, for keys that reach all pages. */
  readonly word_statistics?: {
    /** Pages in the index. */
    readonly pages: number
    readonly words: readonly ({
      /** As stored in the index. */
      readonly word: string
      /** Pages that contain it. */
      readonly pages: number
    })[]
  } | undefined
  /** With `include_facets`: how many of the matching pages have each value. A filter on a field is ignored when that field is counted. */
  readonly facets?: readonly ({
    readonly field: "source" | "domain" | "path" | "version" | "language" | "type" | "topic" | "published"
    /** Most frequent first, at most 50. */
    readonly values: readonly ({
      /** With `published`, a year; with `path`, a folder, together with its site if there are several: `//docs.example.com/guide`. */
      readonly value: string
      /** Pages. */
      readonly count: number
    })[]
    /** Pages that were counted. */
    readonly pages: number
    /** False when more pages match and only the best were counted. */
    readonly exact: boolean
  })[] | undefined
  /** Why nothing was found; left out when a result is likely to answer. */
  readonly miss?: {
    /** The most likely cause, from what crawls recorded. */
    readonly cause: "not-crawled" | "out-of-scope" | "robots" | "noindex" | "removed" | "not-found" | "login-failed" | "logout" | "other-address" | "trap" | "unreadable" | "unreachable" | "lost" | "filter" | "reach" | "no-match"
    /** The cause in words. */
    readonly text: string
    /** The address in question. */
    readonly url?: string | undefined
    /** Title of the page while it was in the index. */
    readonly title?: string | undefined
    /** When the page was removed or last visited. */
    readonly at?: string | undefined
    /** Why the page was removed. */
    readonly reason?: string | undefined
    /** The page's address in the index. */
    readonly held_as?: string | undefined
    /** Parameters that excluded all results. */
    readonly filters?: readonly string[] | undefined
    /** The explanation that `fossick why` gives; only with an admin key. */
    readonly detail?: string | undefined
    /** Other pages that look relevant but are not in the index. */
    readonly others?: readonly Miss[] | undefined
  } | undefined
  /** How complete the searched sources are; given with `explain` and when nothing was found. */
  readonly coverage?: {
    /** True when every source searched holds all the pages that its rules allow, with vectors; false if one doesn't, or if that is unknown. */
    readonly complete: boolean
    /** The sources searched; empty for keys limited to domains, which can't see source names. */
    readonly sources: readonly ({
      readonly name: string
      readonly pages: number
      readonly complete: boolean
      /** The time as of which it is complete; null when it is incomplete. */
      readonly complete_as_of: string | null
      /** Why it is incomplete: `never-run`, `running`, `login-failed`, `failed`, `cancelled`, `limit`, `depth`, `unread`, `rules-changed`, `unfollowed`. */
      readonly incomplete: string | null
      /** When a crawl last found one of its pages. */
      readonly checked_at: string | null
      /** Addresses that were visited but are not in the index, by cause. */
      readonly kept_out: { readonly [name: string]: number }
      /** Pages found by words alone until they have vectors. */
      readonly waiting_for_vectors: number
      /** Pages in the index whose responses were cut off after the page was complete. */
      readonly cut_off?: number | undefined
    })[]
    readonly complete_as_of?: string | undefined
    /** Number of sources that were searched but are not listed. */
    readonly more_sources?: number | undefined
  } | undefined
  /** What `auto_parameters` chose. */
  readonly auto_parameters?: {
    readonly search_depth?: string | undefined
    readonly topic?: string | undefined
    readonly time_range?: string | undefined
    readonly include_domains?: string | readonly string[] | undefined
    readonly include_domains_mode?: string | undefined
  } | undefined
  /** Parts that this answer was made without, because they were late, busy or out of order; left out for a complete answer. `index`: the index is being rebuilt, so no page could be found. `meaning`: pages were judged by their words alone. `order`: there was no time to reread all pages with close scores. `reranker`: pages were ranked without the reranker. `pages`: long pages were read only in part. `peers`: not all peers answered. `answer_meaning`: the answer was chosen by words alone. `answer_reranker`: the unit reader did not read all pieces from which the answer was chosen. `language_model`: the language model did not answer, so the answer consists of the pages' own sentences. `coverage`: how complete the index is could not be determined. `state`: the server that keeps the state could not be reached, so keys, sources and rules are a few minutes old, and page details other than the text are missing. */
  readonly degraded?: readonly ("index" | "meaning" | "order" | "reranker" | "pages" | "peers" | "answer_meaning" | "answer_reranker" | "language_model" | "coverage" | "state")[] | undefined
  readonly usage?: Usage | undefined
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type SearchResult = {
  /** Id of this result in this answer. */
  readonly id: string
  readonly title: string
  readonly url: string
  /** The most relevant passages, joined by ` [...] `: plain text with fenced code and Markdown tables. */
  readonly content: string
  /** The chance that the page is relevant. */
  readonly score: number
  /** The whole page, if requested. */
  readonly raw_content: string | null
  /** Format of the page. */
  readonly type: "html" | "text" | "markdown" | "pdf" | "docx" | "pptx" | "xlsx" | "odt" | "odp" | "ods" | "rtf" | "epub" | "asciidoc" | "rst" | "org-mode" | "notebook" | "openapi" | "code" | "picture"
  /** ISO 639-1 code; null when unknown. */
  readonly language: string | null
  /** Name of the peer that the page came from; left out for this appliance's own pages. */
  readonly peer?: string | undefined
  /** With `include_evidence`: what another appliance needs to rank and show the page. */
  readonly evidence?: {
    readonly words: number
    readonly best_passage: number
    readonly meaning: number
    readonly late: number
    readonly rerank: number
    readonly has_vectors: boolean
    /** Whether it contains the phrases that the query quotes. */
    readonly holds_phrases: boolean
    readonly lacks_numbers: number
    readonly fingerprint: {
      readonly exact: string | null
      readonly similar: string | null
    }
    readonly passages: readonly ({
      readonly text: string
      readonly headings: readonly string[]
      /** Position in the page, from 0. */
      readonly position: number
      readonly shown?: string | undefined
      readonly anchor?: string | undefined
      readonly page?: string | undefined
      readonly begins_under?: string | undefined
    })[]
    readonly description: string | null
    readonly author: string | null
    readonly published_at: string | null
    readonly fetched_at: string
    readonly topic: "news" | "finance" | null
    readonly country: string | null
    readonly unsafe: boolean
    readonly is_listing: boolean
    readonly images: readonly ({
      readonly url: string
      readonly description: string | null
    })[]
    readonly favicon: string | null
  } | undefined
  /** When a crawl last found the page, changed or not. */
  readonly checked_at?: string | undefined
  /** The sources that the page belongs to, starting with the one that read it last; left out when the key may not see them. */
  readonly sources?: readonly string[] | undefined
  /** The collections that contain any of these sources; omitted if empty. */
  readonly collections?: readonly string[] | undefined
  /** Where the best passage is; left out when no heading, page or anchor is known. */
  readonly section?: {
    /** The nearest heading above the passage; null when there is none. */
    readonly heading: string | null
    /** In a PDF or a presentation: the page or slide, or the first and last one, as numbered in the document: `12`, `iv`, `12–13`. */
    readonly page?: string | undefined
    /** The page's address with the anchor of this section; left out when there is none. */
    readonly url?: string | undefined
  } | undefined
  /** In a PDF or a presentation: where each passage of `content` is, in order; left out when unknown. */
  readonly pages?: readonly ({
    /** As in `section`. */
    readonly page: string
    /** The page's address with the anchor of this section; left out when there is none. */
    readonly url?: string | undefined
  })[] | undefined
  /** Address of the site's icon. */
  readonly favicon?: string | null | undefined
  /** In the format of HTTP headers: `Tue, 11 Mar 2025 17:00:00 GMT`. */
  readonly published_date?: string | null | undefined
  /** Addresses, or `{url, description}` with `include_image_descriptions`. */
  readonly images?: readonly (string | {
    readonly url: string
    /** Empty when the page has none. */
    readonly description: string
  })[] | undefined
  readonly explain?: Explanation | undefined
  /** True when the shown text gives orders to language models; otherwise left out. */
  readonly addresses_models?: boolean | undefined
  /** The same document in other formats; omitted if empty. */
  readonly other_forms?: readonly ({
    readonly url: string
    /** The file extension in its address: `pdf`, `epub`, `html`. */
    readonly format: string
  })[] | undefined
  /** Other results with the same content; omitted if empty. */
  readonly copies?: readonly ({
    readonly url: string
    readonly title: string
  })[] | undefined
  /** Other results that are this page in another language; omitted if empty. */
  readonly translations?: readonly ({
    readonly url: string
    readonly title: string
    /** ISO 639-1. */
    readonly language: string | null
  })[] | undefined
  /** Other results that are this page in another version of the documentation; omitted if empty. */
  readonly versions?: readonly ({
    readonly url: string
    readonly title: string
  })[] | undefined
}

export type Explanation = {
  readonly depth: string
  /** This part of the score, before calibration. */
  readonly lexical: number
  /** This part of the score, before calibration. */
  readonly passage: number
  /** This part of the score, before calibration. */
  readonly vector: number
  /** This part of the score, before calibration. */
  readonly late: number
  /** This part of the score, before calibration. */
  readonly rerank: number
  /** This part of the score, before calibration. */
  readonly fused: number
  readonly boost: number
  /** The operator's rules that affected the result. */
  readonly rules?: readonly ({
    readonly id: string
    readonly kind: "synonym" | "pin" | "boost"
    /** For a synonym: the other question that was also searched for. */
    readonly question?: string | undefined
    readonly factor?: number | undefined
    readonly position?: number | undefined
  })[] | undefined
  /** Why the search used words alone, if it did. */
  readonly words_alone?: string | undefined
  /** Why the reranker was not used, if one is set and was not used. */
  readonly not_reranked?: string | undefined
}

/** Why nothing was found. */
export type Miss = {
  /** The most likely cause, from what crawls recorded. */
  readonly cause: "not-crawled" | "out-of-scope" | "robots" | "noindex" | "removed" | "not-found" | "login-failed" | "logout" | "other-address" | "trap" | "unreadable" | "unreachable" | "lost" | "filter" | "reach" | "no-match"
  /** The cause in words. */
  readonly text: string
  /** The address in question. */
  readonly url?: string | undefined
  /** Title of the page while it was in the index. */
  readonly title?: string | undefined
  /** When the page was removed or last visited. */
  readonly at?: string | undefined
  /** Why the page was removed. */
  readonly reason?: string | undefined
  /** The page's address in the index. */
  readonly held_as?: string | undefined
  /** Parameters that excluded all results. */
  readonly filters?: readonly string[] | undefined
  /** The explanation that `fossick why` gives; only with an admin key. */
  readonly detail?: string | undefined
}

export type Usage = {
  /** Credits that this call cost. */
  readonly credits: number
}

export type Warning = {
  readonly code: "unknown-field" | "no-effect" | "shortened" | "left-out" | "stale" | "unread" | "language" | "outage"
  /** What happened, and what to do instead. */
  readonly text: string
  /** The field of the request. */
  readonly field?: string | undefined
  /** The page in question. */
  readonly url?: string | undefined
}

export type ExtractAnswer = {
  readonly results: readonly ({
    /** As given in the request. */
    readonly url: string
    readonly title: string
    /** The page, or with `query` its most relevant passages. */
    readonly raw_content: string
    readonly images: readonly string[]
    /** Address of the site's icon. */
    readonly favicon?: string | null | undefined
    /** True when the shown text gives orders to language models; otherwise left out. */
    readonly addresses_models?: boolean | undefined
  })[]
  readonly failed_results: readonly FailedResult[]
  /** Seconds. */
  readonly response_time: number
  /** Also in the header `X-Request-Id`. */
  readonly request_id: string
  readonly usage?: Usage | undefined
  /** Parts that this answer was made without, because they were late, busy or out of order; left out for a complete answer. `index`: the index is being rebuilt, so no page could be found. `meaning`: pages were judged by their words alone. `order`: there was no time to reread all pages with close scores. `reranker`: pages were ranked without the reranker. `pages`: long pages were read only in part. `peers`: not all peers answered. `answer_meaning`: the answer was chosen by words alone. `answer_reranker`: the unit reader did not read all pieces from which the answer was chosen. `language_model`: the language model did not answer, so the answer consists of the pages' own sentences. `coverage`: how complete the index is could not be determined. `state`: the server that keeps the state could not be reached, so keys, sources and rules are a few minutes old, and page details other than the text are missing. */
  readonly degraded?: readonly ("index" | "meaning" | "order" | "reranker" | "pages" | "peers" | "answer_meaning" | "answer_reranker" | "language_model" | "coverage" | "state")[] | undefined
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type FailedResult = {
  /** As given in the request. */
  readonly url: string
  /** Why it could not be read. */
  readonly error: string
  readonly miss?: Miss | undefined
}

export type CrawlAnswer = {
  /** The start address, as given in the request. */
  readonly base_url: string
  readonly results: readonly ({
    readonly url: string
    readonly raw_content: string
    readonly images: readonly string[]
    /** Address of the site's icon. */
    readonly favicon?: string | null | undefined
    /** True when the shown text gives orders to language models; otherwise left out. */
    readonly addresses_models?: boolean | undefined
  })[]
  /** Seconds. */
  readonly response_time: number
  /** Also in the header `X-Request-Id`. */
  readonly request_id: string
  readonly usage?: Usage | undefined
  /** Parts that this answer was made without, because they were late, busy or out of order; left out for a complete answer. `index`: the index is being rebuilt, so no page could be found. `meaning`: pages were judged by their words alone. `order`: there was no time to reread all pages with close scores. `reranker`: pages were ranked without the reranker. `pages`: long pages were read only in part. `peers`: not all peers answered. `answer_meaning`: the answer was chosen by words alone. `answer_reranker`: the unit reader did not read all pieces from which the answer was chosen. `language_model`: the language model did not answer, so the answer consists of the pages' own sentences. `coverage`: how complete the index is could not be determined. `state`: the server that keeps the state could not be reached, so keys, sources and rules are a few minutes old, and page details other than the text are missing. */
  readonly degraded?: readonly ("index" | "meaning" | "order" | "reranker" | "pages" | "peers" | "answer_meaning" | "answer_reranker" | "language_model" | "coverage" | "state")[] | undefined
  /** Pages that did not fit in the memory for live calls, if any. */
  readonly failed_results?: readonly FailedResult[] | undefined
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type MapAnswer = {
  /** The start address, as given in the request. */
  readonly base_url: string
  /** Addresses found. */
  readonly results: readonly string[]
  /** Seconds. */
  readonly response_time: number
  /** Also in the header `X-Request-Id`. */
  readonly request_id: string
  readonly usage?: Usage | undefined
  /** Parts that this answer was made without, because they were late, busy or out of order; left out for a complete answer. `index`: the index is being rebuilt, so no page could be found. `meaning`: pages were judged by their words alone. `order`: there was no time to reread all pages with close scores. `reranker`: pages were ranked without the reranker. `pages`: long pages were read only in part. `peers`: not all peers answered. `answer_meaning`: the answer was chosen by words alone. `answer_reranker`: the unit reader did not read all pieces from which the answer was chosen. `language_model`: the language model did not answer, so the answer consists of the pages' own sentences. `coverage`: how complete the index is could not be determined. `state`: the server that keeps the state could not be reached, so keys, sources and rules are a few minutes old, and page details other than the text are missing. */
  readonly degraded?: readonly ("index" | "meaning" | "order" | "reranker" | "pages" | "peers" | "answer_meaning" | "answer_reranker" | "language_model" | "coverage" | "state")[] | undefined
  /** Pages that did not fit in the memory for live calls, if any. */
  readonly failed_results?: readonly FailedResult[] | undefined
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type Suggestions = {
  /** Best first: texts that begin with the words, then texts that contain all of them. */
  readonly suggestions: readonly ({
    /** The title or heading, as on the page. */
    readonly text: string
    readonly kind: "title" | "heading"
    /** Its address. */
    readonly url: string
  })[]
  /** Seconds. */
  readonly response_time: number
  /** Also in the header `X-Request-Id`. */
  readonly request_id: string
  /** Questions that several keys with the same reach have asked, if the operator stores questions; omitted if there are none. */
  readonly questions?: readonly string[] | undefined
}

export type StoredPage = {
  /** Address of the page in the index, which may differ from the one asked for. */
  readonly url: string
  readonly title: string
  readonly description: string | null
  readonly author: string | null
  /** The sources it belongs to, starting with the one that read it last; empty if the key may not see them. */
  readonly sources: readonly string[]
  /** The collections that contain any of these. */
  readonly collections: readonly string[]
  /** Format of the page. */
  readonly type: "html" | "text" | "markdown" | "pdf" | "docx" | "pptx" | "xlsx" | "odt" | "odp" | "ods" | "rtf" | "epub" | "asciidoc" | "rst" | "org-mode" | "notebook" | "openapi" | "code" | "picture"
  /** ISO 639-1. */
  readonly language: string | null
  /** When it was published, according to the page. */
  readonly published_at: string | null
  /** When a crawl read this text. */
  readonly crawled_at: string
  /** When a crawl first saw the current text; null if unknown. */
  readonly changed_at: string | null
  /** When a crawl last found the page, changed or not. */
  readonly checked_at: string
  readonly format: "markdown" | "text" | "html"
  /** Heading of this section; null for the whole page. */
  readonly section: string | null
  /** The text, from `offset` on. */
  readonly content: string
  /** Where `content` begins. */
  readonly offset: number
  /** Length of the whole page or section, of which `content` can be a part. */
  readonly total_chars: number
  /** `offset` for the rest; null at the end. */
  readonly next_offset: number | null
  /** Seconds. */
  readonly response_time: number
  /** Also in the header `X-Request-Id`. */
  readonly request_id: string
  /** True when the shown text gives orders to language models; otherwise left out. */
  readonly addresses_models?: boolean | undefined
  readonly usage?: Usage | undefined
}

export type SourcesInIndex = {
  /** The operator's description of the index. */
  readonly about: string | null
  /** The sources that the key may see, by name. */
  readonly sources: readonly ({
    readonly name: string
    /** Pages in the index; null for a key that is limited to domains. */
    readonly pages: number | null
    /** Where its crawls start, without parameters. */
    readonly starts: readonly string[]
    /** When a crawl last found one of its pages; null if none did, and for a key that is limited to domains. */
    readonly checked_at: string | null
  })[]
  /** Seconds. */
  readonly response_time: number
  /** Also in the header `X-Request-Id`. */
  readonly request_id: string
}

export type Document = {
  readonly id: string
  /** Where people open it. */
  readonly url: string
  /** The title as sent; null if it comes from the content. */
  readonly title: string | null
  /** Media type as sent; empty if the content decides. */
  readonly type: string
  /** Size of the content. */
  readonly bytes: number
  /** As sent. */
  readonly updated_at: string | null
  /** When this version arrived. */
  readonly received_at: string
  /** As sent. */
  readonly metadata: { readonly [name: string]: unknown }
  /** Who may read it, among the readers of its source. Omitted or null: all of them. */
  readonly readers: {
    /** Any of these may read it: `user:NAME`, `group:NAME` or `signed-in`. Omitted: everyone; empty: no one. */
    readonly allow?: readonly string[] | undefined
    /** None of these may read it, whatever `allow` says. */
    readonly deny?: readonly string[] | undefined
  } | null
}

export type ResearchTask = {
  /** Id of the task. */
  readonly request_id: string
  readonly created_at: string
  readonly status: "pending"
  /** As given. */
  readonly input: string
  /** What `auto` chose. */
  readonly model: "mini" | "pro"
  /** Seconds. */
  readonly response_time: number
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type ResearchReport = {
  /** Id of the task. */
  readonly request_id: string
  readonly created_at: string
  readonly status: "completed"
  readonly content: string | { readonly [name: string]: unknown }
  /** In the order of their first citation. */
  readonly sources: readonly ResearchSource[]
  /** Seconds. */
  readonly response_time: number
  /** Values in the form that no page gives; they are null. */
  readonly missing?: readonly string[] | undefined
  /** Why a value is missing, if known, by its path. */
  readonly missing_reasons?: { readonly [name: string]: string } | undefined
  /** Parts that this answer was made without, because they were late, busy or out of order; left out for a complete answer. `index`: the index is being rebuilt, so no page could be found. `meaning`: pages were judged by their words alone. `order`: there was no time to reread all pages with close scores. `reranker`: pages were ranked without the reranker. `pages`: long pages were read only in part. `peers`: not all peers answered. `answer_meaning`: the answer was chosen by words alone. `answer_reranker`: the unit reader did not read all pieces from which the answer was chosen. `language_model`: the language model did not answer, so the answer consists of the pages' own sentences. `coverage`: how complete the index is could not be determined. `state`: the server that keeps the state could not be reached, so keys, sources and rules are a few minutes old, and page details other than the text are missing. */
  readonly degraded?: readonly ("index" | "meaning" | "order" | "reranker" | "pages" | "peers" | "answer_meaning" | "answer_reranker" | "language_model" | "coverage" | "state")[] | undefined
  readonly usage?: Usage | undefined
} | {
  /** Id of the task. */
  readonly request_id: string
  readonly status: "failed"
  /** Why it failed. */
  readonly error: string
  /** Seconds. */
  readonly response_time: number
}

export type ResearchSource = {
  readonly title: string
  /** Address of the page; for an attached file, `file:` and its name. */
  readonly url: string
  /** Address of the site's icon. */
  readonly favicon: string | null
  /** In a PDF or a presentation: the pages or slides that the report cites, as numbered in the document; omitted if unknown. */
  readonly pages?: readonly string[] | undefined
  /** True when the shown text gives orders to language models; otherwise left out. */
  readonly addresses_models?: boolean | undefined
}

export type ResearchInProgress = {
  /** Id of the task. */
  readonly request_id: string
  readonly status: "pending" | "in_progress"
  readonly progress: {
    /** Searches made so far. */
    readonly searches: number
    /** Pages and files with statements. */
    readonly sources: number
    /** Statements found. */
    readonly findings: number
  }
  /** Seconds. */
  readonly response_time: number
}

export type Watch = {
  readonly id: string
  /** Empty if it has none. */
  readonly name: string
  readonly changes: readonly ("new" | "changed" | "gone")[]
  readonly webhook: string | null
  readonly emails: readonly string[]
  readonly every_minutes: number
  readonly paused: boolean
  /** Id of the key that owns the watch. */
  readonly key_id: string
  readonly created_at: string
  /** When the watch had seen all existing pages. It reports changes since then; null until then. */
  readonly ready_at: string | null
  /** Pages that the watch covers now. */
  readonly pages_seen: number
  /** Address of its Atom feed. Anyone with this address can read it. */
  readonly feed_url: string
  /** For a watched question: a body of `/search`. */
  readonly question?: { readonly [name: string]: unknown } | undefined
  /** For a watched source: its name. */
  readonly source?: string | undefined
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  /** For a watched page: its address. */
  readonly url?: string | undefined
}

export type WatchMade = {
  readonly id: string
  /** Empty if it has none. */
  readonly name: string
  readonly changes: readonly ("new" | "changed" | "gone")[]
  readonly webhook: string | null
  readonly emails: readonly string[]
  readonly every_minutes: number
  readonly paused: boolean
  /** Id of the key that owns the watch. */
  readonly key_id: string
  readonly created_at: string
  /** When the watch had seen all existing pages. It reports changes since then; null until then. */
  readonly ready_at: string | null
  /** Pages that the watch covers now. */
  readonly pages_seen: number
  /** Address of its Atom feed. Anyone with this address can read it. */
  readonly feed_url: string
  /** Signs its webhooks, as in Standard Webhooks; shown only here. */
  readonly webhook_secret: string
  /** For a watched question: a body of `/search`. */
  readonly question?: { readonly [name: string]: unknown } | undefined
  /** For a watched source: its name. */
  readonly source?: string | undefined
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  /** For a watched page: its address. */
  readonly url?: string | undefined
}

export type WatchWithDeliveries = {
  readonly id: string
  /** Empty if it has none. */
  readonly name: string
  readonly changes: readonly ("new" | "changed" | "gone")[]
  readonly webhook: string | null
  readonly emails: readonly string[]
  readonly every_minutes: number
  readonly paused: boolean
  /** Id of the key that owns the watch. */
  readonly key_id: string
  readonly created_at: string
  /** When the watch had seen all existing pages. It reports changes since then; null until then. */
  readonly ready_at: string | null
  /** Pages that the watch covers now. */
  readonly pages_seen: number
  /** Address of its Atom feed. Anyone with this address can read it. */
  readonly feed_url: string
  /** Messages from the last week, newest first. */
  readonly deliveries: readonly WatchDelivery[]
  /** For a watched question: a body of `/search`. */
  readonly question?: { readonly [name: string]: unknown } | undefined
  /** For a watched source: its name. */
  readonly source?: string | undefined
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  /** For a watched page: its address. */
  readonly url?: string | undefined
}

export type WatchDelivery = {
  /** The `webhook-id`; the same for every attempt. */
  readonly id: string
  readonly kind: "webhook" | "email"
  readonly receiver: string
  /** Number of the first entry in the message. */
  readonly first_entry: number
  readonly last_entry: number
  readonly state: "waiting" | "delivered" | "given-up"
  readonly attempts: number
  readonly created_at: string
  readonly last_attempt_at: string | null
  /** Null once the message has been delivered or given up. */
  readonly next_attempt_at: string | null
  readonly last_status: number | null
  readonly last_error: string | null
}

export type WatchEntry = {
  /** Increases from entry to entry. */
  readonly seq: number
  /** The same in the feed and in messages. */
  readonly id: string
  readonly change: "new" | "changed" | "gone"
  readonly url: string
  readonly title: string
  /** What changed in its Markdown, as a unified diff; null if the earlier text was not stored. */
  readonly diff: string | null
  /** When the change was found in the index. */
  readonly at: string
}

export type UsageReport = {
  readonly key: {
    /** Credits that the key of this call has used. */
    readonly usage: number
    /** Credits that the key may use; null for no limit. */
    readonly limit: number | null
    /** Credits. */
    readonly search_usage: number
    /** Credits. */
    readonly extract_usage: number
    /** Credits. */
    readonly crawl_usage: number
    /** Credits. */
    readonly map_usage: number
    /** Credits. */
    readonly research_usage: number
  }
  readonly account: {
    readonly current_plan: string
    /** Credits that all keys used, up to the plan's limit. */
    readonly plan_usage: number
    /** Credits of the plan; null for no limit. */
    readonly plan_limit: number | null
    /** Credits that all keys used beyond the plan's limit. */
    readonly paygo_usage: number
    /** Credits that may be used beyond the plan's limit; null for no limit. */
    readonly paygo_limit: number | null
    /** Credits. */
    readonly search_usage: number
    /** Credits. */
    readonly extract_usage: number
    /** Credits. */
    readonly crawl_usage: number
    /** Credits. */
    readonly map_usage: number
    /** Credits. */
    readonly research_usage: number
  }
}

export type CallLog = {
  /** Newest first; without questions and results. */
  readonly logs: readonly ({
    /** `2026-08-06T13:14:34.739000+00:00` */
    readonly timestamp: string
    readonly endpoint: "search" | "extract" | "crawl" | "map" | "research"
    readonly depth: string | null
    /** Seconds. */
    readonly response_time: number
    /** Credits. */
    readonly credits: number
    /** Last characters of the key. */
    readonly api_key: string
    readonly request_id: string
    /** Id of the person that the key acted for. */
    readonly person?: string | undefined
  })[]
  readonly count: number
  /** Seconds. */
  readonly response_time: number
  readonly request_id: string
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type FeedbackTaken = {
  readonly success: true
  readonly feedback_id: string
  /** Seconds. */
  readonly response_time: number
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type PageRequestTaken = {
  readonly success: true
  /** Id of the request, the same for the same address or question. */
  readonly id: string
  /** Seconds. */
  readonly response_time: number
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type KeysGenerated = {
  /** Shown only here. */
  readonly keys: readonly string[]
  /** `2026-02-25T01:14:45Z` */
  readonly expires_at: string
  /** `2026-02-24T15:14:45`, in UTC. */
  readonly created: string
  readonly message: string
  /** Identifies these keys for `/deactivate-keys`. */
  readonly request_id: string
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type KeysDeactivated = {
  readonly message: string
  /** Parts of the request that the answer does not honour; omitted if empty. */
  readonly warnings?: readonly Warning[] | undefined
}

export type KeyInfo = {
  readonly name: string
  /** `2026-02-24T15:14:45`, in UTC; null for the key in `FOSSICK_API_KEY`. */
  readonly created: string | null
  /** A time, or `never`. */
  readonly expires_at: string
  readonly key_type: "development" | "production"
  readonly status: "active" | "deactivated"
}

export type Session = {
  /** Name of the appliance; null if it has none. */
  readonly appliance_name: string | null
  /** Whether the cookie sent with this call belongs to a session. */
  readonly signed_in: boolean
  /** Whether people may search without signing in. */
  readonly is_open: boolean
  /** Role of the key or the person. */
  readonly role: "search" | "write" | "operator" | "admin" | null
  /** User name of the person at their identity provider; null for a session that began with a key. */
  readonly user: string | null
  /** Last characters of the key that began the session. */
  readonly key_hint: string | null
  /** When the session ends; null without a session, and for a person whom a proxy vouches for with each call. */
  readonly expires_at: string | null
  /** How to sign in. */
  readonly ways: readonly ({
    /** `POST /session` with an API key. */
    readonly kind: "key"
  } | {
    /** A page on another site that signs people in. */
    readonly kind: "link"
    /** Name of the page. */
    readonly name: string
    /** Address of the page. */
    readonly url: string
  })[]
  /** After signing out: where the person can also sign out at their identity provider; otherwise null. */
  readonly sign_out_url: string | null
}

export type Appliance = {
  /** Name shown on the appliance's pages; null if it has none. */
  readonly name: string | null
  /** Whether only the appliance's own handbook has been declared or crawled so far. */
  readonly is_new: boolean
}

export type SourceList = {
  readonly sources: readonly SourceEntry[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type SourceEntry = {
  readonly name: string
  /** Where the source was declared and can be changed; `one-off`: crawled without being declared. */
  readonly origin: "file" | "api" | "one-off"
  readonly paused: boolean
  readonly created_at: string
  readonly updated_at: string
  readonly next_run_at: string | null
  /** Whether each change to its content starts a run; such a source has no schedule. */
  readonly watched: boolean
  /** Pages of the source in the index. */
  readonly pages: number
  /** Pages that no one may read: their readers name no one, or everyone they name is also denied. */
  readonly pages_for_nobody: number
  /** Pages of the source that have vectors; null if the index cannot be reached. */
  readonly pages_with_vectors: number | null
  /** Result of the last run that ended and was not cancelled. */
  readonly last_result: {
    readonly job_id: number
    readonly result: "finished" | "finished-with-problems" | "failed"
    /** Why `result` is not `finished`, in one line. */
    readonly reason: string | null
    readonly ended_at: string | null
    /** Pages added to the index. */
    readonly new: number
    /** Pages whose text changed. */
    readonly changed: number
    /** Pages removed from the index. */
    readonly gone: number
    /** Visits that failed. */
    readonly failed: number
    /** Visits to addresses that do not belong in the index. */
    readonly skipped: number
  } | null
  readonly last_job: {
    readonly id: number
    readonly state: "queued" | "running" | "paused" | "finished" | "failed" | "cancelled"
    /** How the job ended; null until it ends, and for a cancelled job. */
    readonly result: "finished" | "finished-with-problems" | "failed" | null
    /** Why `result` is not `finished`, in one line. */
    readonly reason: string | null
    readonly created_at: string
    readonly ended_at: string | null
    readonly note: string | null
    readonly error: string | null
  } | null
  readonly source: SourceShown
}

/** Every field with its value; fields that were left out have their defaults. */
export type SourceShown = {
  /** Unique name of the source. Letters, digits, spaces and ._:@-; not `handbook`. */
  readonly name: string
  /** Address or addresses where every run starts. */
  readonly seeds: string | readonly string[]
  /** Absolute path of a folder. Its files are the pages, with addresses below the seed. Only in the sources file. */
  readonly folder: string | null
  /** posix: people whom a file's mode and access control list allow to read it may read its page; none: only files named .fossick-readers.yaml count. */
  readonly folderReaders: "posix" | "none"
  /** Absolute path of an mbox, a Maildir or a folder of .eml files, or a mailbox on an IMAP server. Its threads and attachments are the pages, with addresses below the seed. Only in the sources file. */
  readonly mailbox: {
    /** imaps://host, or imap://host for STARTTLS; add :port unless it is the default. */
    readonly server: string
    /** User name on the server. */
    readonly user: string
    /** Reference to the password: ${NAME} or file:/path. */
    readonly password: string
    /** Folders to read, by their names on the server. Empty: all except spam, trash and drafts. */
    readonly folders?: string | readonly string[] | undefined
  } | string | null
  /** Absolute path of an archive (zip, tar, WARC, ZIM). The documents or pages in it are the pages. Only in the sources file. */
  readonly archive: string | null
  /** Whether the pages are documents that programs send to the appliance. Documents without an address get one below the seed. */
  readonly documents: boolean
  /** Git repository. Its files are the pages, with addresses below the seed. Only in the sources file. */
  readonly repository: {
    /** Address for `git clone`, over https, or an absolute path on this machine. */
    readonly url: string
    /** Branch or tag; null: the default branch. */
    readonly ref?: string | null | undefined
    /** Folders and files to read, relative to the root of the repository. Empty: all. */
    readonly paths?: string | readonly string[] | undefined
    /** Reference to the token for reading the repository: ${NAME} or file:/path; null: the repository is public. */
    readonly token?: string | null | undefined
    /** User name to send with the token; null: the one that the forge expects. */
    readonly user?: string | null | undefined
  } | string | null
  /** host: the same host and port as a seed; domain: all hosts of its domain; prefix: only below its folder. */
  readonly scope: "host" | "domain" | "prefix"
  /** Patterns; only addresses that match one of them are read. Empty: all in the scope. */
  readonly include: string | readonly string[]
  /** Patterns; addresses that match one of them are not read. */
  readonly exclude: string | readonly string[]
  /** Limits for one run. */
  readonly limits: {
    /** Maximum number of pages read. */
    readonly pages?: number | undefined
    /** Maximum number of links from a seed. */
    readonly depth?: number | undefined
    /** Maximum bytes of all bodies read, decompressed; null: no limit. */
    readonly bytes?: number | null | undefined
    /** Maximum duration of a run, in minutes; null: no limit. */
    readonly minutes?: number | null | undefined
  }
  /** http: pages as the server sends them; browser: every page in a browser; auto: only pages without content in a browser. */
  readonly rendering: "http" | "browser" | "auto"
  /** How politely hosts are crawled; null: according to the settings. */
  readonly politeness: {
    /** Pages fetched from one host at the same time. */
    readonly concurrency?: number | null | undefined
    /** Milliseconds between two requests to one host. */
    readonly delayMs?: number | null | undefined
    /** Whether robots.txt, crawl-delay, noindex and nofollow are obeyed. */
    readonly robots?: boolean | null | undefined
  }
  /** Whether pages that ask not to be indexed are indexed anyway; nofollow still applies. Only in the sources file, for sites that you own. */
  readonly ignoreNoindex: boolean
  /** Private networks this source may reach: addresses, CIDR ranges, host names, `*.names`, each with an optional `:port`. */
  readonly allowedNetworks: string | readonly string[]
  /** How the source logs in. Values that may be secret are shown as `(hidden)`, names of secrets as they are. */
  readonly login: { readonly [name: string]: unknown } | null
  /** Absolute path of a PEM file of certificate authorities to trust for this source, in addition to the usual ones and those in FOSSICK_CA_FILE. */
  readonly caFile: string | null
  /** Client certificate for the sites of the seeds and the login. All parts are given as references: `file:/path`, or `${NAME}` for an environment variable. */
  readonly clientCert: {
    readonly cert: string
    readonly key: string
    readonly passphrase?: string | null | undefined
  } | null
  /** What you know about the pages; null: what each page says about itself. */
  readonly pages: {
    /** Topic of all pages. */
    readonly topic?: "news" | "finance" | null | undefined
    /** Country of pages that don't state one: two letters (ISO 3166-1), lower case. */
    readonly country?: string | null | undefined
    /** Language of pages that don't state one: two letters (ISO 639-1), lower case. */
    readonly language?: string | null | undefined
    /** false: all pages are for adults; true: none are. */
    readonly safe?: boolean | null | undefined
  }
  /** Who may read the pages; null: everybody. A change takes effect at once. */
  readonly readers: {
    /** Who may read: user:NAME, group:NAME, or signed-in for everybody who has signed in. Omitted: everybody. */
    readonly allow?: string | readonly string[] | undefined
    /** Who may not read, even if allow includes them. */
    readonly deny?: string | readonly string[] | undefined
  } | null
  /** Further logins that visit each page to learn who may read it. */
  readonly observers: readonly ({ readonly [name: string]: unknown })[]
  /** Number of days without another look after which a page no longer counts as shown to an observer. */
  readonly observersMaxAgeDays: number
  /** Sitemaps to read in addition to those the site names. */
  readonly sitemaps: string | readonly string[]
  /** RSS and Atom feeds to read in addition to those the site names. */
  readonly feeds: string | readonly string[]
  /** When the source runs: a cron expression, or the fields below; null: only on request. */
  readonly schedule: string | {
    /** Five fields: minute, hour, day of month, month, day of week. */
    readonly cron?: string | null | undefined
    /** Hours from the start of one run to the start of the next. */
    readonly everyHours?: number | null | undefined
    /** Time zone for `cron`, such as Europe/Paris. */
    readonly timeZone?: string | undefined
    /** A run starts up to this many minutes late, at random. */
    readonly jitterMinutes?: number | undefined
  } | null
  /** How soon a page is read again: sooner if it changes, later if it doesn't. */
  readonly revisit: {
    /** Minimum hours until a page is read again. */
    readonly minHours?: number | undefined
    /** Maximum hours until a page is due again; the next run then reads it. */
    readonly maxHours?: number | undefined
  }
  /** How pages that are gone are removed from the index. */
  readonly removal: {
    /** If a run would remove more than this share of the source's pages (0 to 1), the removals wait for your approval. */
    readonly maxShare?: number | undefined
    /** Number of days for which a removed page can be restored. */
    readonly keepDays?: number | undefined
  }
  /** Addresses that are notified when runs end or pages change. */
  readonly webhooks: readonly ({
    /** Address that the messages are sent to. */
    readonly url: string
    /** finished: a run ended; changed: pages were added, changed or removed; alert: several runs in a row failed or had problems, or the source has recovered. */
    readonly events?: readonly ("finished" | "changed" | "alert")[] | undefined
    /** Reference to the secret that signs the messages: `${NAME}` for an environment variable, or `file:/path`. */
    readonly secret?: string | null | undefined
  })[]
}

/** What to crawl, how and when, in the fields of the sources file. */
export type Source = {
  /** Unique name of the source. Letters, digits, spaces and ._:@-; not `handbook`. */
  readonly name?: string | undefined
  /** Address or addresses where every run starts. */
  readonly seeds: string | readonly string[]
  /** Absolute path of a folder. Its files are the pages, with addresses below the seed. Only in the sources file. */
  readonly folder?: string | null | undefined
  /** posix: people whom a file's mode and access control list allow to read it may read its page; none: only files named .fossick-readers.yaml count. */
  readonly folderReaders?: "posix" | "none" | undefined
  /** Absolute path of an mbox, a Maildir or a folder of .eml files, or a mailbox on an IMAP server. Its threads and attachments are the pages, with addresses below the seed. Only in the sources file. */
  readonly mailbox?: {
    /** imaps://host, or imap://host for STARTTLS; add :port unless it is the default. */
    readonly server: string
    /** User name on the server. */
    readonly user: string
    /** Reference to the password: ${NAME} or file:/path. */
    readonly password: string
    /** Folders to read, by their names on the server. Empty: all except spam, trash and drafts. */
    readonly folders?: string | readonly string[] | undefined
  } | string | null | undefined
  /** Absolute path of an archive (zip, tar, WARC, ZIM). The documents or pages in it are the pages. Only in the sources file. */
  readonly archive?: string | null | undefined
  /** Whether the pages are documents that programs send to the appliance. Documents without an address get one below the seed. */
  readonly documents?: boolean | undefined
  /** Git repository. Its files are the pages, with addresses below the seed. Only in the sources file. */
  readonly repository?: {
    /** Address for `git clone`, over https, or an absolute path on this machine. */
    readonly url: string
    /** Branch or tag; null: the default branch. */
    readonly ref?: string | null | undefined
    /** Folders and files to read, relative to the root of the repository. Empty: all. */
    readonly paths?: string | readonly string[] | undefined
    /** Reference to the token for reading the repository: ${NAME} or file:/path; null: the repository is public. */
    readonly token?: string | null | undefined
    /** User name to send with the token; null: the one that the forge expects. */
    readonly user?: string | null | undefined
  } | string | null | undefined
  /** host: the same host and port as a seed; domain: all hosts of its domain; prefix: only below its folder. */
  readonly scope?: "host" | "domain" | "prefix" | undefined
  /** Patterns; only addresses that match one of them are read. Empty: all in the scope. */
  readonly include?: string | readonly string[] | undefined
  /** Patterns; addresses that match one of them are not read. */
  readonly exclude?: string | readonly string[] | undefined
  /** Limits for one run. */
  readonly limits?: {
    /** Maximum number of pages read. */
    readonly pages?: number | undefined
    /** Maximum number of links from a seed. */
    readonly depth?: number | undefined
    /** Maximum bytes of all bodies read, decompressed; null: no limit. */
    readonly bytes?: number | null | undefined
    /** Maximum duration of a run, in minutes; null: no limit. */
    readonly minutes?: number | null | undefined
  } | undefined
  /** http: pages as the server sends them; browser: every page in a browser; auto: only pages without content in a browser. */
  readonly rendering?: "http" | "browser" | "auto" | undefined
  /** How politely hosts are crawled; null: according to the settings. */
  readonly politeness?: {
    /** Pages fetched from one host at the same time. */
    readonly concurrency?: number | null | undefined
    /** Milliseconds between two requests to one host. */
    readonly delayMs?: number | null | undefined
    /** Whether robots.txt, crawl-delay, noindex and nofollow are obeyed. */
    readonly robots?: boolean | null | undefined
  } | undefined
  /** Whether pages that ask not to be indexed are indexed anyway; nofollow still applies. Only in the sources file, for sites that you own. */
  readonly ignoreNoindex?: boolean | undefined
  /** Private networks this source may reach: addresses, CIDR ranges, host names, `*.names`, each with an optional `:port`. */
  readonly allowedNetworks?: string | readonly string[] | undefined
  /** How to log in. Passwords are given as references: `${NAME}` for an environment variable, or `file:/path`. */
  readonly login?: null | {
    readonly kind?: "basic" | undefined
    readonly user: string
    readonly password: string
  } | {
    readonly kind?: "headers" | undefined
    readonly headers: { readonly [name: string]: string }
  } | {
    readonly kind?: "cookies" | undefined
    readonly cookies: { readonly [name: string]: string }
  } | {
    readonly kind?: "form" | undefined
    readonly url: string
    readonly fields: { readonly [name: string]: string }
    readonly proof?: string | null | undefined
  } | undefined
  /** Absolute path of a PEM file of certificate authorities to trust for this source, in addition to the usual ones and those in FOSSICK_CA_FILE. */
  readonly caFile?: string | null | undefined
  /** Client certificate for the sites of the seeds and the login. All parts are given as references: `file:/path`, or `${NAME}` for an environment variable. */
  readonly clientCert?: {
    readonly cert: string
    readonly key: string
    readonly passphrase?: string | null | undefined
  } | null | undefined
  /** What you know about the pages; null: what each page says about itself. */
  readonly pages?: {
    /** Topic of all pages. */
    readonly topic?: "news" | "finance" | null | undefined
    /** Country of pages that don't state one: two letters (ISO 3166-1), lower case. */
    readonly country?: string | null | undefined
    /** Language of pages that don't state one: two letters (ISO 639-1), lower case. */
    readonly language?: string | null | undefined
    /** false: all pages are for adults; true: none are. */
    readonly safe?: boolean | null | undefined
  } | undefined
  /** Who may read the pages; null: everybody. A change takes effect at once. */
  readonly readers?: {
    /** Who may read: user:NAME, group:NAME, or signed-in for everybody who has signed in. Omitted: everybody. */
    readonly allow?: string | readonly string[] | undefined
    /** Who may not read, even if allow includes them. */
    readonly deny?: string | readonly string[] | undefined
  } | null | undefined
  /** Additional logins that look at each page. If the site shows a page to an observer, the observer's readers may read it. Empty: readers are not learned this way. */
  readonly observers?: readonly ({
    /** Name that is unique within the source. */
    readonly name: string
    /** How the observer logs in: the fields of login; same: with the login of the source; none: the observer doesn't log in. */
    readonly login: "same" | "none" | null | {
      readonly kind?: "basic" | undefined
      readonly user: string
      readonly password: string
    } | {
      readonly kind?: "headers" | undefined
      readonly headers: { readonly [name: string]: string }
    } | {
      readonly kind?: "cookies" | undefined
      readonly cookies: { readonly [name: string]: string }
    } | {
      readonly kind?: "form" | undefined
      readonly url: string
      readonly fields: { readonly [name: string]: string }
      readonly proof?: string | null | undefined
    }
    /** Who may read the pages that the observer is shown: everybody, or allow with user:NAME, group:NAME or signed-in. */
    readonly readers: "everybody" | {
      readonly allow: string | readonly string[]
    }
  })[] | undefined
  /** Number of days without another look after which a page no longer counts as shown to an observer. */
  readonly observersMaxAgeDays?: number | undefined
  /** Sitemaps to read in addition to those the site names. */
  readonly sitemaps?: string | readonly string[] | undefined
  /** RSS and Atom feeds to read in addition to those the site names. */
  readonly feeds?: string | readonly string[] | undefined
  /** When the source runs: a cron expression, or the fields below; null: only on request. */
  readonly schedule?: string | {
    /** Five fields: minute, hour, day of month, month, day of week. */
    readonly cron?: string | null | undefined
    /** Hours from the start of one run to the start of the next. */
    readonly everyHours?: number | null | undefined
    /** Time zone for `cron`, such as Europe/Paris. */
    readonly timeZone?: string | undefined
    /** A run starts up to this many minutes late, at random. */
    readonly jitterMinutes?: number | undefined
  } | null | undefined
  /** How soon a page is read again: sooner if it changes, later if it doesn't. */
  readonly revisit?: {
    /** Minimum hours until a page is read again. */
    readonly minHours?: number | undefined
    /** Maximum hours until a page is due again; the next run then reads it. */
    readonly maxHours?: number | undefined
  } | undefined
  /** How pages that are gone are removed from the index. */
  readonly removal?: {
    /** If a run would remove more than this share of the source's pages (0 to 1), the removals wait for your approval. */
    readonly maxShare?: number | undefined
    /** Number of days for which a removed page can be restored. */
    readonly keepDays?: number | undefined
  } | undefined
  /** Addresses that are notified when runs end or pages change. */
  readonly webhooks?: readonly ({
    /** Address that the messages are sent to. */
    readonly url: string
    /** finished: a run ended; changed: pages were added, changed or removed; alert: several runs in a row failed or had problems, or the source has recovered. */
    readonly events?: readonly ("finished" | "changed" | "alert")[] | undefined
    /** Reference to the secret that signs the messages: `${NAME}` for an environment variable, or `file:/path`. */
    readonly secret?: string | null | undefined
  })[] | undefined
}

export type NextRuns = {
  readonly name: string
  readonly paused: boolean
  readonly schedule: { readonly [name: string]: unknown } | null
  readonly next_runs: readonly string[]
}

export type FullCrawl = {
  readonly name: string
  /** Addresses known from earlier runs; before the first run, the most that the source's limits allow. */
  readonly pages: number
  /** Whether `pages` comes from earlier runs. */
  readonly pages_known: boolean
  /** Estimated duration of a run over the whole source, from the pauses between requests to its hosts. */
  readonly seconds: number
  /** The longest pause between two requests to one of its hosts. */
  readonly delay_ms: number
}

export type Job = {
  readonly id: number
  /** Name of the source. */
  readonly source: string
  /** What started the job. */
  readonly trigger: "command" | "run" | "schedule" | "api" | "start"
  readonly visits: "all" | "due" | "failed"
  readonly state: "queued" | "running" | "paused" | "finished" | "failed" | "cancelled"
  /** How the job ended; null until it ends, and for a cancelled job. */
  readonly result: "finished" | "finished-with-problems" | "failed" | null
  /** Why `result` is not `finished`, in one line. */
  readonly reason: string | null
  readonly created_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  /** Known addresses that haven't been visited yet. */
  readonly queued: number
  /** Hosts that the job is waiting to try again. */
  readonly waits: readonly ({
    /** Host name, with its port unless that is the default one. */
    readonly host: string
    readonly until: string
    /** Why the last visit to the host failed. */
    readonly why: string
  })[]
  /** Visits by outcome: `indexed`, `skipped:robots`, `failed:dns` and so on. */
  readonly outcomes: { readonly [name: string]: number }
  /** Changes that the run made to the index. */
  readonly changes: {
    /** Pages added to the index. */
    readonly new: number
    /** Pages whose text changed. */
    readonly changed: number
    /** Pages removed from the index. */
    readonly gone: number
  }
  /** Downloads that markdown copies saved. */
  readonly checked_by_copy: {
    /** Pages with the outcome `unchanged` for which the run downloaded only the markdown copy. */
    readonly pages: number
    /** Bytes by which those pages are larger than their copies. */
    readonly spared_bytes: number
  }
  readonly removals: {
    /** Pages removed from the index because of this run. */
    readonly removed: number
    /** Removals that were waiting for an answer when the run ended. */
    readonly held: number
  } | null
  /** A note about how the run ended. */
  readonly note: string | null
  /** Why the run failed. */
  readonly error: string | null
}

export type JobsStarted = {
  readonly jobs: readonly Job[]
}

export type JobList = {
  readonly jobs: readonly Job[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type JobDetail = {
  readonly id: number
  /** Name of the source. */
  readonly source: string
  /** What started the job. */
  readonly trigger: "command" | "run" | "schedule" | "api" | "start"
  readonly visits: "all" | "due" | "failed"
  readonly state: "queued" | "running" | "paused" | "finished" | "failed" | "cancelled"
  /** How the job ended; null until it ends, and for a cancelled job. */
  readonly result: "finished" | "finished-with-problems" | "failed" | null
  /** Why `result` is not `finished`, in one line. */
  readonly reason: string | null
  readonly created_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  /** Known addresses that haven't been visited yet. */
  readonly queued: number
  /** Hosts that the job is waiting to try again. */
  readonly waits: readonly ({
    /** Host name, with its port unless that is the default one. */
    readonly host: string
    readonly until: string
    /** Why the last visit to the host failed. */
    readonly why: string
  })[]
  /** Visits by outcome: `indexed`, `skipped:robots`, `failed:dns` and so on. */
  readonly outcomes: { readonly [name: string]: number }
  /** Changes that the run made to the index. */
  readonly changes: {
    /** Pages added to the index. */
    readonly new: number
    /** Pages whose text changed. */
    readonly changed: number
    /** Pages removed from the index. */
    readonly gone: number
  }
  /** Downloads that markdown copies saved. */
  readonly checked_by_copy: {
    /** Pages with the outcome `unchanged` for which the run downloaded only the markdown copy. */
    readonly pages: number
    /** Bytes by which those pages are larger than their copies. */
    readonly spared_bytes: number
  }
  readonly removals: {
    /** Pages removed from the index because of this run. */
    readonly removed: number
    /** Removals that were waiting for an answer when the run ended. */
    readonly held: number
  } | null
  /** A note about how the run ended. */
  readonly note: string | null
  /** Why the run failed. */
  readonly error: string | null
  readonly settings: SourceShown
  readonly failures: readonly ({
    readonly url: string
    readonly outcome: string
    readonly detail: string | null
  })[]
  readonly log: readonly ({
    readonly at: string
    readonly level: "info" | "warn" | "error"
    readonly text: string
  })[]
}

export type JobAddresses = {
  readonly addresses: readonly ({
    readonly url: string
    readonly outcome: string
    readonly detail: string | null
  })[]
  /** All visits with this outcome, listed or not. */
  readonly counted: number
  readonly limit: number
  /** Value of `after` that gets the next part of the list; null at its end. */
  readonly next: string | null
}

export type Outcomes = {
  readonly outcomes: readonly ({
    readonly outcome: string
    readonly kind: "pages" | "postponed" | "skipped" | "failed"
    /** The meaning in a few words. */
    readonly meaning: string
  })[]
}

export type SourceDeleted = {
  readonly name: string
  readonly deleted: true
  readonly remove_pages: boolean
}

export type Proposal = {
  readonly asked: string
  /** Address after redirects; null if nothing could be read. */
  readonly url: string | null
  /** Outcome of the first visit, as recorded by runs. */
  readonly outcome: string
  readonly detail: string | null
  /** Title of the first page. */
  readonly title: string | null
  /** The rules of robots.txt; null if it could not be read or is ignored. */
  readonly robots: {
    /** Whether robots.txt lets this crawler read that page. */
    readonly allowed: boolean
    readonly detail: string | null
    /** Pause that robots.txt asks for. */
    readonly delay_ms: number | null
    /** Sitemaps listed in robots.txt. */
    readonly sitemaps: readonly string[]
  } | null
  readonly program: {
    /** `MediaWiki`, `Docusaurus` and so on, or the generator that the page names. */
    readonly name: string
    readonly version: string | null
    /** Evidence found on the site. */
    readonly evidence: readonly string[]
    /** Section about it on the handbook's Recipes page. */
    readonly recipe: string | null
  } | null
  /** The proposed source: only the fields that differ from their defaults. */
  readonly source: Source
  /** The same source as YAML for a sources file. */
  readonly yaml: string
  readonly rendering: {
    readonly rendering: "auto" | "browser"
    readonly because: string
    /** What to install if a browser is needed but missing. */
    readonly browser_missing: string | null
    /** Characters of the first page's text without scripts. */
    readonly characters: number
    /** The same with scripts; null if no browser was used. */
    readonly characters_in_browser: number | null
  } | null
  readonly sitemap: {
    readonly url: string
    /** Pages of the source that the sitemap lists. */
    readonly pages: number
    /** Whether runs find the sitemap; if not, it is listed in the proposed source. */
    readonly found_by_runs: boolean
  } | null
  readonly feeds: readonly string[]
  readonly languages: readonly ({
    /** ISO 639-1. */
    readonly language: string
    readonly from: "page" | "hreflang" | "address"
    /** Beginning of the addresses in this language. */
    readonly path: string | null
  })[]
  readonly login: {
    /** Address of the page with the login form. */
    readonly url: string
    /** Whether nothing can be read without a login. */
    readonly needed: boolean
    readonly user_field: string | null
    readonly password_field: string
    /** Fields sent with the page's own values, such as a CSRF token. */
    readonly hidden_fields: readonly string[]
    /** Whether the form is sent by POST to its own site, so that a source can log in with it. */
    readonly plain: boolean
  } | null
  /** Obstacles to a crawl. */
  readonly obstacles: readonly ({
    readonly kind: "address" | "browser" | "certificate" | "empty" | "login" | "network" | "noindex" | "pages" | "robots" | "server" | "sitemap"
    readonly text: string
    /** How to get past the obstacle. */
    readonly help: string | null
  })[]
  /** Notes about the software that the site runs on. */
  readonly notes: readonly string[]
  readonly estimate: {
    readonly pages: number
    /** `links`: the site has at least this many pages. */
    readonly from: "sitemap" | "links"
    readonly delay_ms: number
    /** Duration of a full crawl. */
    readonly seconds: number
  } | null
  /** Up to five pages, as a run would read them. */
  readonly pages: readonly ({
    readonly url: string
    readonly outcome: string
    readonly detail: string | null
    readonly title: string | null
    readonly language: string | null
    readonly characters: number
    /** Beginning of the text that would be indexed. */
    readonly text: string | null
  })[]
  /** Requests made to the site. */
  readonly requests: number
  readonly took_ms: number
}

export type SourcePreview = {
  /** Null if the draft has no name. */
  readonly name: string | null
  /** Where a source with this name is already declared, or null. */
  readonly exists: "file" | "api" | null
  /** The source as YAML for a sources file. */
  readonly yaml: string
  /** Why the source cannot be declared over the API; empty if it can. */
  readonly problems: readonly ({
    /** The field that is wrong, such as `limits.pages`; empty if the whole source is wrong. */
    readonly field: string
    readonly message: string
  })[]
  /** Private addresses of the source that are not open yet; `POST /admin/networks` can open them. */
  readonly closed_addresses: readonly string[]
  /** Whether it is allowed in a sources file, where some fields are allowed that the API refuses. */
  readonly fits_file: boolean
  /** Null while the draft is not a valid source. */
  readonly full_crawl: {
    /** Addresses known from earlier runs; before the first run, the most that the source's limits allow. */
    readonly pages: number
    /** Whether `pages` comes from earlier runs. */
    readonly pages_known: boolean
    /** Estimated duration of a run over the whole source, from the pauses between requests to its hosts. */
    readonly seconds: number
    /** The longest pause between two requests to one of its hosts. */
    readonly delay_ms: number
  } | null
}

export type SourceTrial = {
  /** Why the source cannot be declared over the API; empty if it can. */
  readonly problems: readonly ({
    /** The field that is wrong, such as `limits.pages`; empty if the whole source is wrong. */
    readonly field: string
    readonly message: string
  })[]
  readonly login: {
    readonly kind: "basic" | "headers" | "cookies" | "form"
    /** Why the login failed; null if it worked. */
    readonly error: string | null
  } | null
  /** Up to five pages, as a run would read them. */
  readonly pages: readonly ({
    readonly url: string
    readonly outcome: string
    readonly detail: string | null
    readonly title: string | null
    readonly language: string | null
    readonly characters: number
    /** Beginning of the text that would be indexed. */
    readonly text: string | null
  })[]
  /** Requests made to the site, not counting its login. */
  readonly requests: number
  readonly took_ms: number
}

export type SourceWritten = {
  readonly name: string
  readonly origin: "file" | "api" | "one-off"
  /** Only the fields that differ from their defaults. */
  readonly source: Source
  /** The source as YAML for a sources file. */
  readonly yaml: string
}

export type NetworkList = {
  /** Whether networks can be opened and the listed ones take effect; set by `FOSSICK_ADMIN_NETWORKS`. */
  readonly on: boolean
  readonly networks: readonly OpenedNetwork[]
}

export type OpenedNetwork = {
  readonly id: number
  /** Network in CIDR notation. */
  readonly network: string
  readonly port: number
  /** Host that the network was opened for. */
  readonly host: string
  readonly opened_at: string
}

export type NetworkLook = {
  readonly host: string
  readonly port: number
  readonly addresses: readonly string[]
  /** `none`: the host has no address. */
  readonly is: "private" | "public" | "none"
  /** Networks that can be opened for the host, narrowest first. */
  readonly choices: readonly string[]
  /** Whether the host is open already. */
  readonly open: boolean
}

export type NetworkClosed = {
  readonly id: number
  readonly closed: true
}

export type Removals = {
  readonly removals: readonly ({
    readonly url: string
    readonly source: string
    readonly state: "struck" | "held" | "approved" | "removed" | "restoring"
    /** Evidence found, such as `not-found`, `gone` or `noindex`. */
    readonly reason: string
    readonly detail: string | null
    /** Consecutive runs that found evidence. */
    readonly strikes: number
    /** The run that found the latest evidence. */
    readonly job_id: number
    readonly at: string
    /** Until when the page can be restored. */
    readonly kept_until: string | null
  })[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
  /** Removals waiting for an answer, by source. */
  readonly held: readonly ({
    readonly source: string
    readonly pages: number
    /** Pages of the source in the index. */
    readonly of_pages: number
    /** Pages by reason. */
    readonly reasons: { readonly [name: string]: number }
    readonly job_id: number
    readonly at: string
  })[]
}

export type RemovalsAnswered = {
  readonly source: string
  readonly pages: number
}

export type RemovalsRestored = {
  readonly pages: number
}

export type Trace = {
  readonly url: string
  readonly in_index: boolean
  readonly summary: string
  readonly steps: readonly ({
    readonly name: string
    readonly verdict: "yes" | "no" | "note"
    readonly text: string
    /** Values that the text was made from. */
    readonly facts: { readonly [name: string]: unknown }
  })[]
}

export type Tried = {
  readonly url: string
  readonly source: string
  /** Whether a run of the source would visit it. */
  readonly belongs: boolean
  /** Outcome as recorded by runs: `indexed`, `skipped:noindex`, `failed:http-status`. */
  readonly outcome: string
  readonly detail: string | null
  readonly robots: {
    readonly obeyed: boolean
    readonly allowed: boolean | null
    readonly detail: string | null
  }
  readonly reading: {
    /** Address after redirects. */
    readonly url: string
    readonly status: number
    readonly content_type: string
    readonly bytes: number
    readonly canonical: string | null
    readonly noindex: boolean
    readonly nofollow: boolean
    readonly links: {
      readonly total: number
      readonly followed: number
      readonly nofollow: number
      readonly outside: number
    }
    readonly feeds: readonly string[]
    readonly note: string | null
  } | null
  readonly page: {
    readonly title: string
    readonly description: string | null
    readonly language: string | null
    readonly author: string | null
    readonly published_at: string | null
    readonly topic: string | null
    readonly country: string | null
    readonly unsafe: boolean
    readonly images: readonly ({
      readonly url: string
      readonly description: string | null
    })[]
    readonly favicon: string | null
    readonly markdown: string
    readonly passages: readonly ({
      /** The text that is searched. */
      readonly text: string
      readonly headings: readonly string[]
      /** The text as shown in results, if it contains code or a table. */
      readonly shown?: string | undefined
    })[]
  } | null
  readonly took_ms: number
}

export type PageState = {
  readonly url: string
  /** The page as indexed; null if it isn't in the index. */
  readonly page: {
    readonly title: string
    readonly description: string | null
    readonly language: string | null
    readonly author: string | null
    readonly published_at: string | null
    readonly crawled_at: string
    readonly topic: string | null
    /** Format of the page: `html`, `pdf`. */
    readonly type: string
    /** Whether the page is for adults and left out of safe searches. */
    readonly unsafe: boolean
    readonly sources: readonly string[]
    /** Characters of its text. */
    readonly characters: number
    readonly images: number
    /** Up to 200 passages, in order. */
    readonly passages: readonly ({
      /** The text that is searched. */
      readonly text: string
      readonly headings: readonly string[]
      /** The text as shown in results, if it contains code or a table. */
      readonly shown?: string | undefined
    })[]
    readonly passages_total: number
  } | null
  /** The same document in other formats. */
  readonly other_forms: readonly ({
    readonly url: string
    readonly format: string
  })[]
  /** The page in each source that knows it. */
  readonly known: readonly ({
    readonly source: string
    /** Outcome of the last visit. */
    readonly outcome: string
    readonly detail: string | null
    readonly job_id: number | null
    /** Number of links from a seed. */
    readonly depth: number
    /** `seed`, `link`, `sitemap`, `feed`, `llms`, `redirect`, `canonical`, `content`. */
    readonly found_how: string
    readonly found_on: string | null
    readonly first_seen: string
    readonly visited_at: string
    readonly changed_at: string | null
    /** When the next visit is due; null if it is due now. */
    readonly due_at: string | null
  })[]
  readonly linked_from: {
    /** Up to 50 pages. */
    readonly pages: readonly ({
      readonly url: string
      readonly source: string
    })[]
    /** Whether the list is complete. */
    readonly all: boolean
  }
}

export type PageRecrawl = {
  readonly url: string
  readonly jobs: readonly Job[]
}

export type IndexState = {
  readonly index: {
    /** Where the index is kept: `embedded`, `meilisearch` or `opensearch`. */
    readonly engine: string
    /** Id of the model that makes the vectors. */
    readonly embedder: string
    /** Dimensions of a vector. */
    readonly dimensions: number
    readonly pages: number
    readonly passages: number
    /** Pages that searches find only by their words until they have vectors. */
    readonly pages_without_vectors: number
    /** Passages of those pages; approximate on Meilisearch. */
    readonly passages_without_vectors: number
    /** Passages embedded per second, over the last minute; null while none are embedded, or if it is too early to tell. */
    readonly vectors_per_second: number | null
    /** Estimated seconds until all pages have vectors; 0 if they all do, null without an estimate. */
    readonly seconds_left: number | null
  }
  readonly machine: {
    /** Free bytes on the data folder's disk; null if unknown. */
    readonly disk_free_bytes: number | null
    /** Size of that disk; null if unknown. */
    readonly disk_bytes: number | null
    /** Free memory; in a container, within its limit. */
    readonly memory_free_bytes: number
    /** Total memory. */
    readonly memory_bytes: number
    /** Memory of the process that answers; crawls run in another one. */
    readonly process_memory_bytes: number
  }
}

export type ModelState = {
  readonly model: {
    readonly in_use: {
      /** Name of a model that ships with Fossick; null for any other. */
      readonly name: "english" | "multilingual" | null
      /** Id of the model, with a hash of its weights. */
      readonly embedder: string
    } | null
    /** The model in the settings, which takes precedence; null if none is set. */
    readonly setting: string | null
    /** The requested model: `auto`, a name or a folder. */
    readonly wanted: string
    /** The model that `auto` chose. */
    readonly chosen: "english" | "multilingual" | null
    /** Why this model is used, in words. */
    readonly because: string
    /** The model that would suit the pages' languages, if `auto` chose another one. */
    readonly suited: "english" | "multilingual" | null
    /** Pages by language (ISO 639-1); an empty name for pages in an unknown language. */
    readonly languages: { readonly [name: string]: number } | null
    /** How many of the last 200 questions are in a language that the multilingual model reads and the current model doesn't. Null for fewer than 3, for up to 5 %, and while `FOSSICK_QUERY_LOG_DAYS` is 0. */
    readonly unread_questions: {
      /** Questions that only the multilingual model can read. */
      readonly count: number
      /** Recent questions that were checked. */
      readonly of: number
    } | null
    /** Why the model server isn't returning vectors; null if it is. */
    readonly server_problem: string | null
  }
  readonly change: {
    readonly to: {
      /** Name of a model that ships with Fossick; null for any other. */
      readonly name: "english" | "multilingual" | null
      /** Id of the model, with a hash of its weights. */
      readonly embedder: string
    }
    /** `waiting`: not started yet, because crawls go first. */
    readonly state: "waiting" | "building"
    /** Pages copied to the new index. */
    readonly pages: number
    readonly of_pages: number | null
    /** Copied pages that have no vectors yet. */
    readonly pages_without_vectors: number | null
    readonly passages_without_vectors: number | null
    /** Passages embedded per second, over the last minute; null while none are embedded, or if it is too early to tell. */
    readonly vectors_per_second: number | null
    /** Null without an estimate, and while pages are still being copied. */
    readonly seconds_left: number | null
  } | null
  readonly available: readonly ({
    /** Null for a model that does not ship with Fossick; request it by its folder. */
    readonly name: "english" | "multilingual" | null
    readonly folder: string
    readonly embedder: string
    /** Dimensions of a vector. */
    readonly dimensions: number
    readonly scripts: readonly string[] | null
  })[]
}

export type Alerts = {
  readonly alerts: readonly ({
    readonly about: "source" | "backup"
    readonly name: string
    /** Number of the latest bad run, of a job or a backup. */
    readonly run_id: number
    /** How that run ended. */
    readonly result: string
    readonly reason: string | null
    /** Consecutive bad runs. */
    readonly bad_runs: number
    readonly since: string
    readonly told_at: string | null
  })[]
  readonly mails: readonly ({
    readonly id: string
    readonly recipient: string
    readonly subject: string
    readonly state: "waiting" | "delivered" | "given-up"
    readonly attempts: number
    readonly created_at: string
    readonly last_attempt_at: string | null
    readonly next_attempt_at: string | null
    readonly last_error: string | null
  })[]
  /** Messages sent through channels other than e-mail and webhooks. */
  readonly notifications: readonly ({
    readonly channel: "ntfy"
    readonly id: string
    /** Only the host, since topics are secret. */
    readonly recipient: string
    readonly subject: string
    readonly state: "waiting" | "delivered" | "given-up"
    readonly attempts: number
    readonly created_at: string
    readonly last_attempt_at: string | null
    readonly next_attempt_at: string | null
    readonly last_error: string | null
  })[]
}

export type AlertsTested = {
  readonly tested: readonly ({
    readonly by: "email" | "ntfy" | "webhook"
    /** The recipient, or the host of the webhook or of ntfy. */
    readonly to: string
    /** Why the message was not accepted; null if it was. */
    readonly error: string | null
  })[]
}

export type DeliveryList = {
  readonly deliveries: readonly ({
    readonly id: string
    /** Null for a message about a backup. */
    readonly source: string | null
    readonly job_id: number | null
    readonly event: "finished" | "changed" | "alert"
    readonly url: string
    readonly state: "waiting" | "delivered" | "given-up"
    readonly attempts: number
    readonly created_at: string
    readonly last_attempt_at: string | null
    readonly next_attempt_at: string | null
    readonly last_status: number | null
    readonly last_error: string | null
  })[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type DeliveryRetried = {
  readonly id: string
  readonly state: "waiting"
}

export type FeedbackList = {
  readonly feedback: readonly ({
    readonly feedback_id: string
    readonly at: string
    /** Id of the key that sent the feedback. */
    readonly key_id: string
    /** Id of the request whose answer is rated; give this or `session_id`. */
    readonly request_id?: string | null | undefined
    /** Id of the session that is rated. */
    readonly session_id?: string | null | undefined
    /** A program's rating. */
    readonly agent_score?: number | string | null | undefined
    /** A person's rating. */
    readonly human_score?: number | string | null | undefined
    /** Further ratings. */
    readonly extra_scores?: readonly ({
      /** What was rated. */
      readonly label: string
      /** The rating. */
      readonly value: number | string
    })[] | null | undefined
    /** A comment. */
    readonly comment?: string | null | undefined
    /** The response that the program made from the answer. */
    readonly response_delivered?: string | null | undefined
    /** Ids of the results that were used. */
    readonly used_ids?: readonly string[] | null | undefined
    /** Addresses of the results that were used. */
    readonly used_urls?: readonly string[] | null | undefined
    /** Citations that were used. */
    readonly used_citations?: readonly string[] | null | undefined
    /** Ratings of single results. */
    readonly urls_scores?: readonly ({
      /** Id of the result; give this or `url`. */
      readonly id?: string | undefined
      /** Address of the result. */
      readonly url?: string | undefined
      /** A program's rating. */
      readonly agent_score?: number | string | undefined
      /** Further ratings. */
      readonly scores?: readonly ({
        /** What was rated. */
        readonly label: string
        /** The rating. */
        readonly value: number | string
      })[] | undefined
      /** A comment. */
      readonly comment?: string | undefined
    })[] | null | undefined
  })[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type PageRequestList = {
  readonly requests: readonly ({
    readonly id: string
    /** The missing page; null if the callers gave only a question. */
    readonly url: string | null
    /** The latest question. */
    readonly query: string | null
    /** The latest comment. */
    readonly comment: string | null
    /** Keys that asked for the page. */
    readonly keys: number
    readonly first_at: string
    readonly last_at: string
    /** Whether the index contains the page now. */
    readonly in_index: boolean
  })[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type PageRequestSettled = {
  readonly id: string
  readonly settled: true
}

export type GrantList = {
  readonly grants: readonly ({
    readonly id: string
    readonly client_id: string
    /** Name that the program gave itself. */
    readonly client_name: string
    /** Id of the key or person that gave the program access. */
    readonly key_id: string
    /** Collections the program may search; null for everything the key may search. */
    readonly collections: readonly string[] | null
    readonly created_at: string
    readonly used_at: string | null
    readonly revoked_at: string | null
  })[]
}

export type GrantRevoked = {
  readonly id: string
  readonly revoked: true
}

export type KeyUsage = {
  readonly usage: readonly ({
    /** Day or month, in UTC. */
    readonly time: string
    readonly key_id: string
    readonly calls: number
    readonly credits: number
    readonly endpoints: {
      readonly search: {
        readonly calls: number
        readonly credits: number
      }
      readonly extract: {
        readonly calls: number
        readonly credits: number
      }
      readonly crawl: {
        readonly calls: number
        readonly credits: number
      }
      readonly map: {
        readonly calls: number
        readonly credits: number
      }
      readonly research: {
        readonly calls: number
        readonly credits: number
      }
    }
  })[]
  readonly days: number
  readonly by: "day" | "month"
}

export type PaymentList = {
  readonly payments: readonly ({
    readonly at: string
    /** US dollars. */
    readonly amount_usd: string
    /** CAIP-2. */
    readonly network: string
    /** Contract address of the token. */
    readonly asset: string
    readonly payer: string
    readonly pay_to: string
    readonly transaction: string
    readonly x402_version: number
    readonly delivered_at: string | null
    readonly verify_ms: number
    readonly search_ms: number
    readonly settle_ms: number
  })[]
  /** Payments whose outcome is still unknown. */
  readonly open: number
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type PaymentDays = {
  readonly revenue: readonly ({
    readonly day: string
    /** CAIP-2. */
    readonly network: string
    readonly sales: number
    /** US dollars. */
    readonly usd: string
  })[]
  readonly outcomes: readonly ({
    readonly day: string
    readonly outcome: "sold" | "sold-undelivered" | "delivered-later" | "unpaid" | "unusable" | "bad-request" | "already-used" | "in-progress" | "limited" | "invalid" | "facilitator-unavailable" | "search-failed" | "overloaded" | "caller-gone" | "refused" | "unknown"
    readonly count: number
  })[]
}

export type Rules = {
  /** Increases with every change to a rule. */
  readonly version: number
  /** Sorted by id. */
  readonly rules: readonly Rule[]
}

export type Rule = {
  readonly id: string
  readonly kind: "synonym"
  /** Words or phrases with the same meaning. */
  readonly words?: readonly string[] | undefined
  /** With `to`: words or phrases that also find those in `to`. */
  readonly from?: readonly string[] | undefined
  /** With `from`: words or phrases that are also found. */
  readonly to?: readonly string[] | undefined
} | {
  readonly id: string
  readonly kind: "pin"
  /** The pin applies to any of these. */
  readonly questions: readonly string[]
  /** `equal` (the default): the question has exactly these words; `words`: it contains all of them in any form. */
  readonly match?: "equal" | "words" | undefined
  readonly url: string
  readonly position?: number | undefined
} | {
  readonly id: string
  readonly kind: "boost"
  readonly where: {
    readonly sources?: readonly string[] | undefined
    readonly domains?: readonly string[] | undefined
    readonly paths?: readonly string[] | undefined
    readonly languages?: readonly string[] | undefined
    readonly types?: readonly ("html" | "text" | "markdown" | "pdf" | "docx" | "pptx" | "xlsx" | "odt" | "odp" | "ods" | "rtf" | "epub" | "asciidoc" | "rst" | "org-mode" | "notebook" | "openapi" | "code" | "picture")[] | undefined
    readonly youngerThanDays?: number | undefined
    readonly olderThanDays?: number | undefined
  }
  readonly factor: number
}

export type ChangedRule = {
  /** Increases with every change to a rule. */
  readonly version: number
  readonly rule: Rule
}

export type RulePreview = {
  readonly questions: readonly ({
    readonly question: string
    readonly before: readonly ({
      readonly url: string
      readonly title: string
      readonly score: number
      /** Ids of the rules that affected it. */
      readonly rules: readonly string[]
      /** Parts of the score, as with `explain` in a search. */
      readonly parts: {
        readonly lexical: number
        readonly passage: number
        readonly vector: number
        readonly late: number
        readonly rerank: number
        readonly fused: number
        readonly boost: number
      }
    })[]
    readonly after: readonly ({
      readonly url: string
      readonly title: string
      readonly score: number
      /** Ids of the rules that affected it. */
      readonly rules: readonly string[]
      /** Parts of the score, as with `explain` in a search. */
      readonly parts: {
        readonly lexical: number
        readonly passage: number
        readonly vector: number
        readonly late: number
        readonly rerank: number
        readonly fused: number
        readonly boost: number
      }
    })[]
    /** Whether the pages or their order differ. */
    readonly changed: boolean
  })[]
}

export type RuleBody = {
  readonly id?: string | undefined
  readonly kind: "synonym"
  /** Words or phrases with the same meaning. */
  readonly words?: readonly string[] | undefined
  /** With `to`: words or phrases that also find those in `to`. */
  readonly from?: readonly string[] | undefined
  /** With `from`: words or phrases that are also found. */
  readonly to?: readonly string[] | undefined
} | {
  readonly id?: string | undefined
  readonly kind: "pin"
  /** The pin applies to any of these. */
  readonly questions: readonly string[]
  /** `equal` (the default): the question has exactly these words; `words`: it contains all of them in any form. */
  readonly match?: "equal" | "words" | undefined
  readonly url: string
  readonly position?: number | undefined
} | {
  readonly id?: string | undefined
  readonly kind: "boost"
  readonly where: {
    readonly sources?: readonly string[] | undefined
    readonly domains?: readonly string[] | undefined
    readonly paths?: readonly string[] | undefined
    readonly languages?: readonly string[] | undefined
    readonly types?: readonly ("html" | "text" | "markdown" | "pdf" | "docx" | "pptx" | "xlsx" | "odt" | "odp" | "ods" | "rtf" | "epub" | "asciidoc" | "rst" | "org-mode" | "notebook" | "openapi" | "code" | "picture")[] | undefined
    readonly youngerThanDays?: number | undefined
    readonly olderThanDays?: number | undefined
  }
  readonly factor: number
}

export type DeletedRule = {
  /** Increases with every change to a rule. */
  readonly version: number
  readonly id: string
  readonly deleted: true
}

export type Queries = {
  /** Whether questions are stored; see `FOSSICK_QUERY_LOG_DAYS`. */
  readonly enabled: boolean
  readonly report: "top" | "zero" | "low" | "slow"
  readonly queries: readonly ({
    readonly question: string
    /** How often it was asked. */
    readonly count: number
    /** How many keys asked it. */
    readonly keys: number
    /** Number of results in the last search. */
    readonly results: number
    readonly top_score: number
    /** Duration of the slowest answer. */
    readonly seconds: number
    readonly last_at: string
  })[]
  /** Number of different questions. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type DeletedQueries = {
  /** Number of searches deleted. */
  readonly deleted: number
}

export type VectorOrder = {
  /** In the order in which pages get vectors. */
  readonly order: readonly ("changed" | "asked" | "first" | "new")[]
  /** Source whose pages get vectors before others. */
  readonly first_source: string | null
}

export type Backups = {
  readonly plan: {
    /** Prefix of the file names. */
    readonly name: string
    readonly folder: string
    /** Number of files to keep. */
    readonly keep: number
    readonly schedule: {
      readonly cron: string | null
      readonly every_hours: number | null
      readonly time_zone: string
    } | null
    readonly next_run_at: string | null
  } | null
  /** Newest first. */
  readonly runs: readonly BackupRun[]
  /** The plan's existing files, newest first; null if this process cannot read the folder. */
  readonly files: readonly ({
    readonly path: string
    readonly bytes: number
    readonly made_at: string
  })[] | null
}

export type BackupRun = {
  readonly id: number
  readonly trigger: "schedule" | "command"
  readonly state: "queued" | "running" | "finished" | "failed"
  readonly asked_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  /** The file, once it is complete and checked. */
  readonly file: string | null
  readonly bytes: number | null
  readonly pages: number | null
  /** Why the backup failed. */
  readonly error: string | null
  readonly note: string | null
}

export type SettingList = {
  readonly settings: readonly ({
    /** Name in the environment and in the settings file. */
    readonly name: string
    readonly part: "api" | "crawler" | "engine" | "payments"
    readonly about: string
    /** Whether the value is secret and never shown. */
    readonly secret: boolean
    readonly from: "environment" | "file" | "default"
    /** The value as written; null for a secret. */
    readonly value: string | null
    /** The default; empty if there is none. */
    readonly default: string
  })[]
  readonly selling: {
    /** Whether searches are sold. */
    readonly on: boolean
    readonly missing: readonly string[]
  }
}

export type History = {
  readonly hours: number
  readonly from: string
  readonly to: string
  /** Seconds from one point to the next. */
  readonly step_seconds: number
  /** Memory of the machine or the container. */
  readonly memory_bytes: number
  /** Size of the data folder's disk. */
  readonly disk_bytes: number | null
  /** Oldest first; the last step is still in progress. Steps in which the appliance did not run are left out. */
  readonly points: readonly ({
    /** Start of the step. */
    readonly at: string
    /** Seconds that were measured. */
    readonly seconds: number
    /** Visits by crawls, whatever their outcome. */
    readonly visits: number
    readonly failed_visits: number
    /** Questions that were answered, through any API. */
    readonly answered: number
    /** Questions that were answered with 4xx. */
    readonly refused: number
    /** Questions that were answered with 5xx, or that the caller gave up on. */
    readonly failed: number
    /** Median time to answer, accurate to a tenth. */
    readonly median_ms: number | null
    /** 95th percentile of the time to answer, accurate to a tenth. */
    readonly slow_ms: number | null
    /** Pages in the index at the end of the step. */
    readonly pages: number | null
    readonly passages: number | null
    /** Memory of the process that answers. */
    readonly process_memory_bytes: number
    readonly memory_free_bytes: number
    readonly disk_free_bytes: number | null
  })[]
}

export type Freshness = {
  /** Indexed pages that crawls know. */
  readonly pages: number
  /** Visited in the last 24 hours. */
  readonly within_day: number
  /** Visited in the last 7 days. */
  readonly within_week: number
  /** Visited in the last 30 days. */
  readonly within_month: number
  /** The oldest of the last visits. */
  readonly oldest_at: string | null
}

export type AuditEntries = {
  /** Newest first. */
  readonly entries: readonly AuditEntry[]
  /** Days for which entries are kept. */
  readonly days: number
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type AuditEntry = {
  readonly id: number
  readonly at: string
  readonly who: {
    /** `key`: a call with an API key; `session`: a person who signed in; `command`: the command line. */
    readonly kind: "key" | "session" | "command"
    /** Id of the key; for the command line, the user on the machine. */
    readonly id: string
    /** Name of the key at the time; empty if it had none. */
    readonly name: string
  }
  /** The action, such as `PUT /admin/sources/{name}` or `fossick keys create`. */
  readonly action: string
  /** The changed object, such as `sources/docs`. */
  readonly object: string
  /** Status of the answer; null for the command line. */
  readonly status: number | null
  readonly changes: readonly ({
    readonly field: string
    /** The old value as short JSON without secrets; null if there was none, or if it is unknown. */
    readonly before: string | null
    /** The new value, in the same form. */
    readonly after: string | null
  })[]
  /** IP address of the caller; empty for the command line. */
  readonly address: string
}

export type OutboundHosts = {
  /** Most recently contacted first. */
  readonly hosts: readonly ({
    readonly purpose: "crawl" | "live" | "webhook" | "mail" | "oauth-client" | "sign-on" | "proxy" | "embeddings" | "reranker" | "chat" | "model-hub" | "engine" | "state" | "peer" | "payments" | "traces"
    /** Host name, with its port unless that is the default one. */
    readonly host: string
    readonly first_at: string
    readonly last_at: string
    /** Connections to sites and receivers, or answers from servers that the operator named. */
    readonly count: number
  })[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type JudgedQuestions = {
  /** Worst in the latest run first. */
  readonly questions: readonly ({
    /** The same for all spellings of the question that differ only in case and white space. */
    readonly id: string
    readonly question: string
    readonly pages: readonly ({
      readonly url: string
      readonly grade: number
    })[]
    readonly changed_at: string
    readonly latest: {
      /** Number of the run. */
      readonly run: number
      /** nDCG@10. */
      readonly ndcg: number
      /** Rank of the first expected page; null if none is among the first ten. */
      readonly rank: number | null
    } | null
    readonly before: {
      /** Number of the run. */
      readonly run: number
      /** nDCG@10. */
      readonly ndcg: number
      /** Rank of the first expected page; null if none is among the first ten. */
      readonly rank: number | null
    } | null
  })[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type JudgedQuestion = {
  /** The same for all spellings of the question that differ only in case and white space. */
  readonly id: string
  readonly question: string
  readonly pages: readonly ({
    readonly url: string
    readonly grade: number
  })[]
  readonly changed_at: string
}

export type JudgedFile = {
  readonly questions: readonly ({
    readonly question: string
    readonly pages: readonly ({
      readonly url: string
      /** How well the page answers the question; 1 by default. */
      readonly grade?: number | undefined
    })[]
  })[]
}

export type ImportedQuestions = {
  readonly added: number
  /** Questions whose pages changed. */
  readonly changed: number
  readonly deleted: number
  /** All questions after the import. */
  readonly total: number
}

export type JudgedPreview = {
  /** All judged questions. */
  readonly total: number
  readonly asked: number
  readonly before: {
    /** Mean nDCG@10. */
    readonly ndcg: number
    /** Share of questions with an expected page first. */
    readonly hit1: number
    /** Share of questions with an expected page among the first three. */
    readonly hit3: number
  }
  readonly after: {
    /** Mean nDCG@10. */
    readonly ndcg: number
    /** Share of questions with an expected page first. */
    readonly hit1: number
    /** Share of questions with an expected page among the first three. */
    readonly hit3: number
  }
  /** Questions whose pages would rank better. */
  readonly better: number
  readonly worse: number
  /** Questions that differ, biggest losses first. */
  readonly questions: readonly ({
    readonly id: string
    readonly question: string
    readonly before: {
      /** nDCG@10. */
      readonly ndcg: number
      /** Rank of the first expected page; null if none is among the first ten. */
      readonly rank: number | null
    }
    readonly after: {
      /** nDCG@10. */
      readonly ndcg: number
      /** Rank of the first expected page; null if none is among the first ten. */
      readonly rank: number | null
    }
  })[]
}

export type JudgedHistory = {
  /** The same for all spellings of the question that differ only in case and white space. */
  readonly id: string
  readonly question: string
  readonly pages: readonly ({
    readonly url: string
    readonly grade: number
  })[]
  readonly changed_at: string
  /** The newest run first. */
  readonly history: readonly ({
    readonly run: JudgedRun
    /** nDCG@10. */
    readonly ndcg: number
    /** Rank of the first expected page; null if none is among the first ten. */
    readonly rank: number | null
  })[]
}

export type JudgedRun = {
  readonly id: number
  /** `interrupted`: its process ended before it did. */
  readonly state: "running" | "finished" | "failed" | "cancelled" | "interrupted"
  readonly started_at: string
  readonly ended_at: string | null
  readonly depth: "ultra-fast" | "fast" | "basic" | "advanced"
  readonly note: string
  /** Number of questions to ask. */
  readonly questions: number
  /** Number of questions asked so far. */
  readonly asked: number
  /** Mean nDCG@10. */
  readonly ndcg: number | null
  /** Share of questions with an expected page first. */
  readonly hit1: number | null
  /** Share of questions with an expected page among the first three. */
  readonly hit3: number | null
  /** Name of the index's generation. */
  readonly generation: string
  /** Id of the model that made its vectors. */
  readonly embedder: string
  /** Pages in the index. */
  readonly pages: number
  readonly rules_version: number
  /** Digest of the rules, the same for the same rules. */
  readonly rules_digest: string
  /** Why the run failed, or which parts were missing when some questions were answered. */
  readonly problem: string | null
}

export type DeletedJudgedQuestion = {
  readonly id: string
  readonly deleted: true
}

export type JudgedRuns = {
  /** Newest first. */
  readonly runs: readonly JudgedRun[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type ComparedRun = {
  readonly run: JudgedRun
  readonly against: JudgedRun | null
  /** Biggest losses first. */
  readonly questions: readonly ({
    readonly id: string
    readonly question: string
    /** nDCG@10. */
    readonly ndcg: number
    /** Rank of the first expected page; null if none is among the first ten. */
    readonly rank: number | null
    readonly before: {
      /** nDCG@10. */
      readonly ndcg: number
      /** Rank of the first expected page; null if none is among the first ten. */
      readonly rank: number | null
    } | null
  })[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type DeletedJudgedRun = {
  readonly id: number
  readonly deleted: true
}

export type People = {
  /** Latest sign-in first. */
  readonly people: readonly Person[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type Person = {
  readonly id: string
  /** User name, as it appears after `user:` in the readers of pages. */
  readonly user: string
  /** Empty if the provider doesn't say. */
  readonly name: string
  /** Empty if the provider doesn't say. */
  readonly email: string
  /** Identity provider that vouches for the person. */
  readonly provider: string
  /** Groups of the person, as they appear after `group:` in the readers of pages. */
  readonly groups: readonly string[]
  /** What the person may do, as the role of a key; null if they may do nothing. */
  readonly role: "search" | "write" | "operator" | "admin" | null
  /** Why the person has no access; null if they have access. */
  readonly refusal: string | null
  /** First sign-in. */
  readonly first_seen_at: string
  /** Last sign-in. */
  readonly last_seen_at: string
  /** When the provider last vouched for the person. */
  readonly proved_at: string
  /** Whether the provider's confirmation is still valid: `fresh`: yes; `due`: yes, and the next call asks the provider again; `over`: not until the provider vouches for the person again. Null if no provider signs people in. */
  readonly proof: "fresh" | "due" | "over" | null
  /** When the person was disabled; null if they are not. */
  readonly disabled_at: string | null
  /** Browsers in which the person is signed in. */
  readonly sign_ins: number
}

export type SignIns = {
  /** One for each browser, newest first. */
  readonly sign_ins: readonly SignIn[]
}

export type SignIn = {
  readonly id: string
  readonly created_at: string
  readonly expires_at: string
}

export type SignInsEnded = {
  /** Id of the person. */
  readonly id: string
  readonly ended: number
}

export type SignInEnded = {
  /** Id of the sign-in. */
  readonly id: string
  readonly ended: true
}

export type Groups = {
  /** Most people first. */
  readonly groups: readonly Group[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type Group = {
  /** Name of the group, as it appears after `group:` in the readers of pages. */
  readonly name: string
  /** People in the group who have signed in. */
  readonly people: number
  /** Sources that name the group in their readers, or in those of some pages. */
  readonly sources: readonly string[]
}

export type PageReaders = {
  readonly url: string
  readonly in_index: boolean
  readonly title: string | null
  /** The rules that a reader has to pass, in order. */
  readonly rules: readonly ({
    /** `person`: whether they have any access; `role`: the sources that their role allows; `source`: the readers of a source; `page`: those of the page. */
    readonly kind: "person" | "role" | "source" | "page"
    readonly source: string | null
    /** Where the rule was found, in words. */
    readonly from: string | null
    /** Whether the rule lets the person in; null without `person` and `principals`. */
    readonly lets_in: boolean | null
    /** The rule in a sentence. */
    readonly text: string
  })[]
  /** What the site showed the observers; the readers of the page were learned from it. */
  readonly observed: readonly ({
    readonly source: string
    /** Name of the observer, as in the source. */
    readonly observer: string
    /** Whether the site showed the page to the observer. */
    readonly shown: boolean
    /** Why, in words. */
    readonly reason: string
    /** When the observer last looked. */
    readonly at: string
  })[]
  readonly effective: Readers | null
  /** Null without `person` and `principals`, or if the page isn't in the index. */
  readonly may_read: boolean | null
  /** The first rule that keeps them out, or null. */
  readonly because: string | null
  readonly asked: {
    /** The users and groups that they read as; null if they read every page. */
    readonly principals: readonly string[] | null
    /** Id of the person; null if principals were given. */
    readonly person: string | null
    readonly user: string | null
    /** Why they have no access; null if they have access. */
    readonly refusal: string | null
  } | null
  /** People who have signed in before and may read the page. */
  readonly people: {
    readonly total: number
    /** All people who have access. */
    readonly of: number
    /** Up to 20. */
    readonly users: readonly string[]
  }
}

export type Readers = {
  /** A reader must be in each list. Without a list, everybody may read; an empty list lets no one in. */
  readonly allow: readonly (readonly string[])[]
  /** None of these may read, whatever `allow` says. */
  readonly deny: readonly string[]
}

export type SeenBy = {
  readonly asked: {
    /** The users and groups that they read as; null if they read every page. */
    readonly principals: readonly string[] | null
    /** Id of the person; null if principals were given. */
    readonly person: string | null
    readonly user: string | null
    /** Why they have no access; null if they have access. */
    readonly refusal: string | null
  }
  readonly sources: readonly ({
    readonly source: string
    readonly reach: "all" | "some" | "none"
    /** Pages in the index. */
    readonly pages: number
    /** Pages that they may read. */
    readonly readable: number
    /** The rule of the source in words. */
    readonly text: string
  })[]
  /** Pages in the index. */
  readonly pages: number
  /** Pages that they may read. */
  readonly readable: number
  /** Some of the pages that they may read. */
  readonly sample: readonly ({
    readonly url: string
    readonly title: string
    readonly source: string
  })[]
}

export type PagesForNobody = {
  /** Sorted by source and address. */
  readonly pages: readonly ({
    readonly url: string
    readonly source: string
  })[]
  /** The number of all entries, not only of those listed. A page counts for each of its sources. */
  readonly total: number
}

export type ReadersMatrix = {
  /** Up to 100 sources, by name. */
  readonly sources: readonly ({
    readonly source: string
    readonly pages: number
  })[]
  readonly sources_total: number
  /** The first two rows are everybody and everybody who has signed in. */
  readonly rows: readonly ({
    /** `signed-in` or a group; null: people who search without signing in. */
    readonly principal: string | null
    /** People in the group. */
    readonly people: number | null
    /** One for each source, in their order. */
    readonly cells: readonly ({
      readonly reach: "all" | "some" | "none"
      readonly readable: number
    })[]
  })[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type ReadersPreview = {
  readonly source: string
  readonly before: Readers
  readonly after: Readers
  /** Pages of the source. */
  readonly pages: number
  /** Pages that gain at least one reader. */
  readonly pages_gained: number
  /** Pages that lose at least one reader. */
  readonly pages_lost: number
  /** People that readers can keep out: not admins, and not people without access. */
  readonly people: number
  /** People who could read more pages. */
  readonly gaining: {
    readonly total: number
    /** Up to 20. */
    readonly users: readonly string[]
  }
  /** People who could read fewer pages. */
  readonly losing: {
    readonly total: number
    /** Up to 20. */
    readonly users: readonly string[]
  }
  /** Pages that everybody may read, signed in or not. */
  readonly everybody: {
    readonly before: number
    readonly after: number
  }
  /** Pages that everybody who has signed in may read. */
  readonly signed_in: {
    readonly before: number
    readonly after: number
  }
  /** Reasons to check the change again: it opens more than a fifth of the pages, or lets in more than a fifth of the people. */
  readonly warnings: readonly string[]
}

export type SearchAs = {
  readonly asked: {
    /** The users and groups that they read as; null if they read every page. */
    readonly principals: readonly string[] | null
    /** Id of the person; null if principals were given. */
    readonly person: string | null
    readonly user: string | null
    /** Why they have no access; null if they have access. */
    readonly refusal: string | null
  }
  readonly results: readonly ({
    readonly url: string
    readonly title: string
    readonly score: number
    readonly sources: readonly string[]
    readonly text: string
  })[]
}

export type Keys = {
  /** Oldest first; the key in `FOSSICK_API_KEY` is not among them. */
  readonly keys: readonly Key[]
  /** Id of the key of this call; `operator` for the one in `FOSSICK_API_KEY`. */
  readonly current_key_id: string
  /** When the key in `FOSSICK_API_KEY` was last used. */
  readonly operator_last_used_at: string | null
  /** All collections. */
  readonly collections: readonly string[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export type Key = {
  /** Stable id, used in logs and usage. */
  readonly id: string
  readonly role: "search" | "write" | "operator" | "admin"
  /** Who or what the key is for; can be empty. */
  readonly name: string
  /** Last characters of the key; the rest isn't stored. */
  readonly ends_with: string
  readonly created_at: string
  /** When the key expires. */
  readonly expires_at: string | null
  /** When the key was disabled; null if it is enabled. */
  readonly disabled_at: string | null
  readonly may_make_keys: boolean
  /** Id of the key that made this one; null for keys made by the operator. */
  readonly made_by: string | null
  /** Credits that the key may use. */
  readonly credit_limit: number | null
  readonly limit_per: "month" | "total" | null
  /** Rate limits such as `search=100/m`; null for those in the settings. */
  readonly rate_limits: string | null
  /** The only endpoints that the key may call; null for all. */
  readonly endpoints: readonly ("search" | "extract" | "crawl" | "map" | "research")[] | null
  /** Sources whose pages the key sees; null for all. */
  readonly sources: readonly string[] | null
  /** Collections whose pages the key sees. */
  readonly collections: readonly string[] | null
  /** The only domains whose pages the key sees; null for all. */
  readonly domains: readonly string[] | null
  /** Users and groups that the key reads as, in addition to the pages that everybody may read; null if it reads every page. */
  readonly principals: readonly string[] | null
  /** Whether the key acts for people, each with that person's rights: `tokens` takes signed names, `headers` also plain ones. */
  readonly acts_for_people: "tokens" | "headers" | null
  /** Projects that the key may name; empty for any. */
  readonly projects: readonly string[]
  readonly status: "active" | "disabled" | "expired"
  /** When the key made its last counted call; only the day if that call is no longer in the log. */
  readonly last_used_at: string | null
  /** Sources of the key that no longer exist. */
  readonly gone_sources: readonly string[]
  readonly gone_collections: readonly string[]
}

export type NewKey = {
  /** The key itself, shown only here. */
  readonly key: string
  /** The secret that the key's service signs user names with (HS256), if the key acts for people. Shown only here. */
  readonly signing_secret: string | null
  /** Stable id, used in logs and usage. */
  readonly id: string
  readonly role: "search" | "write" | "operator" | "admin"
  /** Who or what the key is for; can be empty. */
  readonly name: string
  /** Last characters of the key; the rest isn't stored. */
  readonly ends_with: string
  readonly created_at: string
  /** When the key expires. */
  readonly expires_at: string | null
  /** When the key was disabled; null if it is enabled. */
  readonly disabled_at: string | null
  readonly may_make_keys: boolean
  /** Id of the key that made this one; null for keys made by the operator. */
  readonly made_by: string | null
  /** Credits that the key may use. */
  readonly credit_limit: number | null
  readonly limit_per: "month" | "total" | null
  /** Rate limits such as `search=100/m`; null for those in the settings. */
  readonly rate_limits: string | null
  /** The only endpoints that the key may call; null for all. */
  readonly endpoints: readonly ("search" | "extract" | "crawl" | "map" | "research")[] | null
  /** Sources whose pages the key sees; null for all. */
  readonly sources: readonly string[] | null
  /** Collections whose pages the key sees. */
  readonly collections: readonly string[] | null
  /** The only domains whose pages the key sees; null for all. */
  readonly domains: readonly string[] | null
  /** Users and groups that the key reads as, in addition to the pages that everybody may read; null if it reads every page. */
  readonly principals: readonly string[] | null
  /** Whether the key acts for people, each with that person's rights: `tokens` takes signed names, `headers` also plain ones. */
  readonly acts_for_people: "tokens" | "headers" | null
  /** Projects that the key may name; empty for any. */
  readonly projects: readonly string[]
  readonly status: "active" | "disabled" | "expired"
  /** When the key made its last counted call; only the day if that call is no longer in the log. */
  readonly last_used_at: string | null
  /** Sources of the key that no longer exist. */
  readonly gone_sources: readonly string[]
  readonly gone_collections: readonly string[]
}

export type DeletedKey = {
  readonly id: string
  readonly deleted: true
}

export type PublicKeys = {
  /** Oldest first. */
  readonly public_keys: readonly PublicKey[]
  /** The number of all entries, not only of those listed. */
  readonly total: number
}

export type PublicKey = {
  readonly id: string
  /** The key itself, which is not secret. */
  readonly key: string
  readonly name: string
  /** Source whose pages the key finds. */
  readonly source: string | null
  /** Collection whose pages the key finds. */
  readonly collection: string | null
  /** Origins of the web pages that may use the key. */
  readonly origins: readonly string[]
  /** Whether the key may ask for answers. */
  readonly answers: boolean
  /** Rate limits for each IP address; null for those in `FOSSICK_PUBLIC_RATE_LIMITS`. */
  readonly rate_limits: string | null
  /** Credits that all callers together may use in a calendar month; null for no limit. */
  readonly credits: number | null
  readonly created_at: string
  /** When the key was disabled; null if it is enabled. */
  readonly disabled_at: string | null
}

export type DeletedPublicKey = {
  readonly id: string
  readonly deleted: true
}

export type Health = {
  readonly status: "ok"
}

export type Readiness = {
  readonly status: "ready" | "degraded" | "not ready"
  /** By part of the appliance: `ok`, or what is wrong and what to do. */
  readonly checks: { readonly [name: string]: string }
  /** Problems that don't stop any part from working, and what to do about them. */
  readonly warnings?: readonly string[] | undefined
}

/** The form of a report: at most 60 values, nested at most 5 levels deep. */
export type OutputSchema = {
  readonly properties: { readonly [name: string]: OutputField }
  /** Names among `properties`. */
  readonly required?: readonly string[] | undefined
}

export type OutputField = {
  readonly type: "string" | "integer" | "number"
  /** What the value is; each costs a search. */
  readonly description?: string | undefined
} | {
  readonly type: "object"
  /** What the value is; each costs a search. */
  readonly description?: string | undefined
  readonly properties: { readonly [name: string]: OutputField }
  /** Names among `properties`. */
  readonly required?: readonly string[] | undefined
} | {
  readonly type: "array"
  /** What the value is; each costs a search. */
  readonly description?: string | undefined
  readonly items: OutputField
}

/** The parameters of each call, and its answer when it succeeds. */
export interface Calls {
  /** Search the index. */
  "POST /search": {
    readonly given: {
      readonly body: {
        /** What to look for. Supports `"a phrase"`, `-word`, `site:example.com` and `-site:example.com`. */
        readonly query: string
        /** How thorough the search is: words alone (`ultra-fast`, `fast`), words and meaning (`basic`, the default), or also a second look at the best passages (`advanced`, 2 credits). */
        readonly search_depth?: "basic" | "advanced" | "fast" | "ultra-fast" | null | undefined
        /** Ranks pages that are news, or about finance, higher. Default `general`. */
        readonly topic?: "general" | "news" | "finance" | null | undefined
        /** Maximum number of results; `auto` cuts the list where the scores drop. */
        readonly max_results?: number | "auto" | null | undefined
        /** Passages per page in `content`; `ultra-fast` ignores it. */
        readonly chunks_per_source?: number | null | undefined
        /** Only pages published within this time; not allowed with `start_date` or `end_date`. */
        readonly time_range?: "day" | "week" | "month" | "year" | "d" | "w" | "m" | "y" | null | undefined
        /** Only pages published on or after this day, in UTC. */
        readonly start_date?: string | null | undefined
        /** Only pages published on or before this day, in UTC. */
        readonly end_date?: string | null | undefined
        /** Older form of `time_range`: number of days back from now, with the topic `news`. */
        readonly days?: unknown
        /** Adds a cited `answer` and `follow_up_questions`; `true` means `basic`. */
        readonly include_answer?: boolean | "basic" | "advanced" | null | undefined
        /** Adds the whole page; `true` means `markdown`. */
        readonly include_raw_content?: boolean | "markdown" | "text" | null | undefined
        /** Adds images from the pages found. */
        readonly include_images?: boolean | null | undefined
        /** With `include_images`: each image as `{url, description}`. */
        readonly include_image_descriptions?: boolean | null | undefined
        /** Adds the address of the site's icon. */
        readonly include_favicon?: boolean | null | undefined
        /** Only pages on these domains, or these first: see `include_domains_mode`. A port (`localhost:8080`) limits the domain to that port. No wildcards, paths or public suffixes. */
        readonly include_domains?: string | readonly string[] | null | undefined
        /** Leaves out pages on these domains, written in the same way. */
        readonly exclude_domains?: string | readonly string[] | null | undefined
        /** `filter` (or `restrict`, the default) returns only pages from `include_domains`, `boost` (or `prefer`) ranks them higher. Requires `include_domains`. */
        readonly include_domains_mode?: "filter" | "boost" | "restrict" | "prefer" | null | undefined
        /** Only pages from these sources, and from those in `collections`. */
        readonly sources?: string | readonly string[] | null | undefined
        /** Only pages from the sources in these collections, and from `sources`. */
        readonly collections?: string | readonly string[] | null | undefined
        /** Only pages in these formats. */
        readonly types?: "html" | "text" | "markdown" | "pdf" | "docx" | "pptx" | "xlsx" | "odt" | "odp" | "ods" | "rtf" | "epub" | "asciidoc" | "rst" | "org-mode" | "notebook" | "openapi" | "code" | "picture" | readonly ("html" | "text" | "markdown" | "pdf" | "docx" | "pptx" | "xlsx" | "odt" | "odp" | "ods" | "rtf" | "epub" | "asciidoc" | "rst" | "org-mode" | "notebook" | "openapi" | "code" | "picture")[] | null | undefined
        /** Only pages that say they are about one of these topics; `topic` ranks them higher and keeps the others. */
        readonly topics?: "news" | "finance" | readonly ("news" | "finance")[] | null | undefined
        /** Only pages under these folders of any site (`/docs/guide`) or of one site (`//docs.example.com/guide`). A folder with a leading `!` is left out: `!/docs/1.0`. */
        readonly paths?: string | readonly string[] | null | undefined
        /** Only pages whose address names one of these versions: `3.12`, `v2`, `latest`. */
        readonly versions?: string | readonly string[] | null | undefined
        /** Ranks pages made in or for this country higher, with the topic `general`: its English name or its ISO 3166-1 alpha-2 code. */
        readonly country?: string | null | undefined
        /** Ranks pages in this language higher: an ISO 639-1 code or its English name. */
        readonly language?: string | null | undefined
        /** Drops pages in other languages. Requires `language`. */
        readonly filter_by_language?: boolean | null | undefined
        /** Drops adult pages and their images; `fast` and `ultra-fast` ignore it. */
        readonly safe_search?: boolean | null | undefined
        /** Chooses parameters that you leave out, based on the query. Your own values win. */
        readonly auto_parameters?: boolean | null | undefined
        /** Only pages that contain every quoted phrase of the query. */
        readonly exact_match?: boolean | null | undefined
        /** Adds `published_date`. */
        readonly include_published_date?: boolean | null | undefined
        /** Also drops pages whose date is unknown; adds `published_date`. */
        readonly filter_by_published_date?: boolean | null | undefined
        /** Adds `usage`, the credits that this call cost. */
        readonly include_usage?: boolean | null | undefined
        /** Maximum hours since a page was last checked. An older result is read again before it is returned, or left out. 0 reads every result again, -1 none. */
        readonly max_age_hours?: number | null | undefined
        /** The name of `max_age_hours` in @tavily/core. If both are given, the smaller one counts. */
        readonly max_hours?: number | null | undefined
        /** With `max_age_hours`: seconds that reading pages again may take. */
        readonly fetch_timeout?: number | null | undefined
        /** With `max_age_hours`: returns the index's version of a page that could not be read again, instead of leaving the page out. */
        readonly cache_fallback?: boolean | null | undefined
        /** Adds `facets`: how many of the matching pages have each value of these fields. */
        readonly include_facets?: "source" | "domain" | "path" | "version" | "language" | "type" | "topic" | "published" | readonly ("source" | "domain" | "path" | "version" | "language" | "type" | "topic" | "published")[] | null | undefined
        /** Adds the parts of each score; for keys with the role `admin`. */
        readonly explain?: boolean | null | undefined
        /** Adds `evidence`, which another appliance needs to rank these results among its own. */
        readonly include_evidence?: boolean | null | undefined
        /** Adds `word_statistics`: how many pages contain each word of the question; for keys that can see all pages. With `max_results` 0 the call is free. */
        readonly include_word_statistics?: boolean | null | undefined
        /** How many pages contain each word, in all the indexes searched together. Sets the weight of the words. */
        readonly word_statistics?: {
          /** Pages in the index. */
          readonly pages: number
          readonly words: readonly ({
            /** As stored in the index. */
            readonly word: string
            /** Pages that contain it. */
            readonly pages: number
          })[]
        } | null | undefined
      }
    }
    readonly answer: SearchAnswer
  }
  /** Read pages. */
  "POST /extract": {
    readonly given: {
      readonly body: {
        /** Addresses of the pages to read, at most 20; a single one can be a plain string. */
        readonly urls: string | readonly string[]
        /** What you are looking for. `raw_content` then holds the most relevant passages. */
        readonly query?: string | null | undefined
        /** With `query`: passages per page. */
        readonly chunks_per_source?: number | null | undefined
        /** `advanced` loads a page in a browser if it has no content otherwise. */
        readonly extract_depth?: "basic" | "advanced" | null | undefined
        /** Format of `raw_content`. */
        readonly format?: "markdown" | "text" | null | undefined
        /** Adds the addresses of the page's images. */
        readonly include_images?: boolean | null | undefined
        /** Adds the address of the site's icon. */
        readonly include_favicon?: boolean | null | undefined
        /** Adds `usage`, the credits that this call cost. */
        readonly include_usage?: boolean | null | undefined
        /** Seconds that the call may take: 10 by default, 30 with `extract_depth` `advanced`. */
        readonly timeout?: number | null | undefined
      }
    }
    readonly answer: ExtractAnswer
  }
  /** Walk a site and get the content of its pages. */
  "POST /crawl": {
    readonly given: {
      readonly body: {
        /** Address where the walk starts; `https://` can be left out. */
        readonly url: string
        /** Which pages you want, in your own words; the others are left out. */
        readonly instructions?: string | null | undefined
        /** How many links to follow from the start. */
        readonly max_depth?: number | null | undefined
        /** How many links to follow per page. */
        readonly max_breadth?: number | null | undefined
        /** Maximum number of pages. */
        readonly limit?: number | null | undefined
        /** Regular expressions; only pages whose path matches one. */
        readonly select_paths?: readonly string[] | null | undefined
        /** Regular expressions; only pages whose host matches one. */
        readonly select_domains?: readonly string[] | null | undefined
        /** Regular expressions; leaves out pages whose path matches one. */
        readonly exclude_paths?: readonly string[] | null | undefined
        /** Regular expressions; leaves out pages whose host matches one. */
        readonly exclude_domains?: readonly string[] | null | undefined
        /** Accepted from older clients: `Documentation`, `Blogs`, `About` and others. */
        readonly categories?: readonly string[] | null | undefined
        /** Whether results include addresses on other sites. */
        readonly allow_external?: boolean | null | undefined
        /** Adds `usage`, the credits that this call cost. */
        readonly include_usage?: boolean | null | undefined
        /** Seconds that the call may take; it then returns what it has found. */
        readonly timeout?: number | null | undefined
        /** With `instructions`: passages per page. */
        readonly chunks_per_source?: number | null | undefined
        /** `advanced` loads a page in a browser if it has no content otherwise. */
        readonly extract_depth?: "basic" | "advanced" | null | undefined
        /** Format of `raw_content`. */
        readonly format?: "markdown" | "text" | null | undefined
        /** Adds the addresses of the page's images. */
        readonly include_images?: boolean | null | undefined
        /** Adds the address of the site's icon. */
        readonly include_favicon?: boolean | null | undefined
      }
    }
    readonly answer: CrawlAnswer
  }
  /** Find the addresses of a site. */
  "POST /map": {
    readonly given: {
      readonly body: {
        /** Address where the walk starts; `https://` can be left out. */
        readonly url: string
        /** Which pages you want, in your own words; the others are left out. */
        readonly instructions?: string | null | undefined
        /** How many links to follow from the start. */
        readonly max_depth?: number | null | undefined
        /** How many links to follow per page. */
        readonly max_breadth?: number | null | undefined
        /** Maximum number of pages. */
        readonly limit?: number | null | undefined
        /** Regular expressions; only pages whose path matches one. */
        readonly select_paths?: readonly string[] | null | undefined
        /** Regular expressions; only pages whose host matches one. */
        readonly select_domains?: readonly string[] | null | undefined
        /** Regular expressions; leaves out pages whose path matches one. */
        readonly exclude_paths?: readonly string[] | null | undefined
        /** Regular expressions; leaves out pages whose host matches one. */
        readonly exclude_domains?: readonly string[] | null | undefined
        /** Accepted from older clients: `Documentation`, `Blogs`, `About` and others. */
        readonly categories?: readonly string[] | null | undefined
        /** Whether results include addresses on other sites. */
        readonly allow_external?: boolean | null | undefined
        /** Adds `usage`, the credits that this call cost. */
        readonly include_usage?: boolean | null | undefined
        /** Seconds that the call may take; it then returns what it has found. */
        readonly timeout?: number | null | undefined
      }
    }
    readonly answer: MapAnswer
  }
  /** Suggest titles and headings as a user types. */
  "GET /suggest": {
    readonly given: {
      readonly query: { readonly q: string; readonly limit?: number | undefined; readonly source?: string | undefined; readonly collection?: string | undefined; readonly key?: string | undefined }
    }
    readonly answer: Suggestions
  }
  /** Suggest in the format of browsers. */
  "GET /suggest/opensearch": {
    readonly given: {
      readonly query: { readonly q: string; readonly limit?: number | undefined; readonly source?: string | undefined; readonly collection?: string | undefined }
    }
    readonly answer: string
  }
  /** Read a page from the index. */
  "GET /pages": {
    readonly given: {
      readonly query: { readonly url: string; readonly format?: "markdown" | "text" | "html" | undefined; readonly section?: string | undefined; readonly offset?: number | undefined; readonly limit?: number | undefined; readonly include_usage?: boolean | undefined }
    }
    readonly answer: StoredPage
  }
  /** Read a page from the index by putting a prefix before its address. */
  "GET /read/{url}": {
    readonly given: {
      readonly path: { readonly url: string }
    }
    readonly answer: string
  }
  /** An image of a page, as a crawl saw it. */
  "GET /thumbnails": {
    readonly given: {
      readonly query: { readonly page: string; readonly image: string }
    }
    readonly answer: string
  }
  /** What the index contains, by source. */
  "GET /sources": {
    readonly given: {}
    readonly answer: SourcesInIndex
  }
  /** Open an original. */
  "GET /files/{source}/{path}": {
    readonly given: {
      readonly path: { readonly source: string; readonly path: string }
    }
    readonly answer: string
  }
  /** Send documents. */
  "POST /documents": {
    readonly given: {
      readonly body: {
        /** Name of the source of the documents. */
        readonly source: string
        /** Each has its content in exactly one of `text`, `markdown` and `html`. */
        readonly documents: readonly ({
          /** Id within the source: a document with the same id replaces this one. Omitted: the address, or else a hash of the document. */
          readonly id?: string | undefined
          /** Where people open it, below one of the seeds of its source. Omitted: the appliance shows the document. */
          readonly url?: string | undefined
          /** Omitted: taken from the content. */
          readonly title?: string | undefined
          /** The content as plain text. */
          readonly text?: string | undefined
          /** The content as Markdown. */
          readonly markdown?: string | undefined
          /** The content as HTML, read like a page. */
          readonly html?: string | undefined
          readonly author?: string | undefined
          /** ISO 639-1, such as `de`. */
          readonly language?: string | undefined
          /** When it was published; searches by time use this. */
          readonly published_at?: string | undefined
          /** When it was last changed. */
          readonly updated_at?: string | undefined
          /** Who may read it, among the readers of its source. Omitted or null: all of them. */
          readonly readers?: {
            /** Any of these may read it: `user:NAME`, `group:NAME` or `signed-in`. Omitted: everyone; empty: no one. */
            readonly allow?: readonly string[] | undefined
            /** None of these may read it, whatever `allow` says. */
            readonly deny?: readonly string[] | undefined
          } | null | undefined
          /** Anything to keep with the document. Lists and calls for one document return it. */
          readonly metadata?: { readonly [name: string]: unknown } | undefined
        })[]
        /** Whether to wait, up to a minute, until searches find the documents. */
        readonly wait?: boolean | undefined
      }
    }
    readonly answer: {
      readonly source: string
      readonly created: number
      readonly updated: number
      readonly unchanged: number
      /** With `wait`: whether a run applied the change within a minute. Null without `wait`. */
      readonly searchable: boolean | null
      /** In the order in which they were sent. */
      readonly documents: readonly ({
        readonly id: string
        readonly url: string
        readonly result: "created" | "updated" | "unchanged"
      })[]
    }
  }
  /** List the documents in a source. */
  "GET /documents": {
    readonly given: {
      readonly query: { readonly source: string; readonly after?: string | undefined; readonly limit?: number | undefined }
    }
    readonly answer: {
      readonly documents: readonly Document[]
      /** Number of documents in the source. */
      readonly total: number
      /** `after` for the next list; null at the end. */
      readonly next_after: string | null
    }
  }
  /** Change who may read documents. */
  "POST /documents/readers": {
    readonly given: {
      readonly body: {
        /** Name of the source of the documents. */
        readonly source: string
        readonly documents: readonly ({
          /** Id within the source: a document with the same id replaces this one. Omitted: the address, or else a hash of the document. */
          readonly id: string
          /** Who may read it, among the readers of its source. Omitted or null: all of them. */
          readonly readers: {
            /** Any of these may read it: `user:NAME`, `group:NAME` or `signed-in`. Omitted: everyone; empty: no one. */
            readonly allow?: readonly string[] | undefined
            /** None of these may read it, whatever `allow` says. */
            readonly deny?: readonly string[] | undefined
          } | null
        })[]
        /** Whether to wait, up to a minute, until searches apply the change. */
        readonly wait?: boolean | undefined
      }
    }
    readonly answer: {
      readonly source: string
      /** Ids of the documents that existed. */
      readonly documents: readonly string[]
      /** With `wait`: whether a run applied the change within a minute. Null without `wait`. */
      readonly searchable: boolean | null
    }
  }
  /** Delete several documents. */
  "POST /documents/delete": {
    readonly given: {
      readonly body: {
        /** Name of the source of the documents. */
        readonly source: string
        /** Ids of the documents to delete. */
        readonly ids: readonly string[]
        /** Whether to wait, up to a minute, until searches no longer find them. */
        readonly wait?: boolean | undefined
      }
    }
    readonly answer: {
      readonly source: string
      /** Ids of the documents that existed. */
      readonly deleted: readonly string[]
      /** With `wait`: whether a run applied the change within a minute. Null without `wait`. */
      readonly searchable: boolean | null
    }
  }
  /** Show a document. */
  "GET /documents/{source}/{id}": {
    readonly given: {
      readonly path: { readonly source: string; readonly id: string }
    }
    readonly answer: Document
  }
  /** Delete a document. */
  "DELETE /documents/{source}/{id}": {
    readonly given: {
      readonly path: { readonly source: string; readonly id: string }
    }
    readonly answer: {
      readonly id: string
      readonly deleted: true
    }
  }
  /** Create a report. */
  "POST /research": {
    readonly given: {
      readonly body: {
        /** What the report is about: a question, or a task in your own words. */
        readonly input: string
        /** How deep to go: `mini` answers the questions in the task, `pro` also follows up on the answers in two rounds, `auto` chooses based on the input. */
        readonly model?: "mini" | "pro" | "auto" | null | undefined
        /** Whether to stream server-sent events while the report is written. */
        readonly stream?: boolean | null | undefined
        /** The report as an object of this form: `properties`, each with a type and a description, and `required`. */
        readonly output_schema?: OutputSchema | null | undefined
        /** How sources are named in the text and listed below it. */
        readonly citation_format?: "numbered" | "mla" | "apa" | "chicago" | null | undefined
        /** Pages on these domains, subdomains included, rank higher; others still appear. */
        readonly include_domains?: readonly string[] | null | undefined
        /** Leaves out pages on these domains and their subdomains. */
        readonly exclude_domains?: readonly string[] | null | undefined
        /** Only pages from these sources, and from those in `collections`. */
        readonly sources?: string | readonly string[] | null | undefined
        /** Only pages from the sources in these collections, and from `sources`. */
        readonly collections?: string | readonly string[] | null | undefined
        /** Only pages in these formats. */
        readonly types?: "html" | "text" | "markdown" | "pdf" | "docx" | "pptx" | "xlsx" | "odt" | "odp" | "ods" | "rtf" | "epub" | "asciidoc" | "rst" | "org-mode" | "notebook" | "openapi" | "code" | "picture" | readonly ("html" | "text" | "markdown" | "pdf" | "docx" | "pptx" | "xlsx" | "odt" | "odp" | "ods" | "rtf" | "epub" | "asciidoc" | "rst" | "org-mode" | "notebook" | "openapi" | "code" | "picture")[] | null | undefined
        /** About how long: 250, 800 or 1,600 words. */
        readonly output_length?: "short" | "standard" | "long" | null | undefined
        /** Up to 5 of your own texts as sources, 80,000 words in total. */
        readonly files?: readonly ({
          /** A file name that ends in `.txt`, `.md` or `.json`. */
          readonly name: string
          /** The file in base64: text in UTF-8. */
          readonly data: string
          /** Encoding of `data`. */
          readonly type: "base64"
        })[] | null | undefined
      }
    }
    readonly answer: ResearchTask
  }
  /** Show a task and its report. */
  "GET /research/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly query?: { readonly include_usage?: string | undefined }
    }
    readonly answer: ResearchReport | ResearchInProgress
  }
  /** List watches. */
  "GET /watches": {
    readonly given: {
      readonly query?: { readonly all?: boolean | undefined }
    }
    readonly answer: {
      readonly watches: readonly Watch[]
    }
  }
  /** Watch a question, a source or a page. */
  "POST /watches": {
    readonly given: {
      readonly body: {
        /** A question, or a body of `/search`: watches the pages that it finds with a score of 0.25 or more. */
        readonly question?: string | { readonly [name: string]: unknown } | undefined
        /** Watches the pages of this source. */
        readonly source?: string | undefined
        /** Watches this page. */
        readonly url?: string | undefined
        /** With `source`: only addresses that match one of these patterns. */
        readonly include?: readonly string[] | undefined
        /** With `source`: skips addresses that match one of these patterns. */
        readonly exclude?: readonly string[] | undefined
        /** Shown in lists, feeds and messages. */
        readonly name?: string | undefined
        /** The changes to report. */
        readonly changes?: readonly ("new" | "changed" | "gone")[] | undefined
        /** Address that messages are sent to. */
        readonly webhook?: string | null | undefined
        /** E-mail addresses that messages are sent to. */
        readonly emails?: readonly string[] | undefined
        /** Minimum minutes between two messages; 0 sends them at once. */
        readonly every_minutes?: number | undefined
        /** Whether messages are held back; the feed continues. */
        readonly paused?: boolean | undefined
      }
    }
    readonly answer: WatchMade
  }
  /** Show a watch. */
  "GET /watches/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: WatchWithDeliveries
  }
  /** Change how a watch reports. */
  "PUT /watches/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body: {
        /** Shown in lists, feeds and messages. */
        readonly name?: string | undefined
        /** The changes to report. */
        readonly changes?: readonly ("new" | "changed" | "gone")[] | undefined
        /** Address that messages are sent to. */
        readonly webhook?: string | null | undefined
        /** E-mail addresses that messages are sent to. */
        readonly emails?: readonly string[] | undefined
        /** Minimum minutes between two messages; 0 sends them at once. */
        readonly every_minutes?: number | undefined
        /** Whether messages are held back; the feed continues. */
        readonly paused?: boolean | undefined
      }
    }
    readonly answer: Watch
  }
  /** Delete a watch. */
  "DELETE /watches/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: {
      readonly id: string
      readonly deleted: true
    }
  }
  /** What changed. */
  "GET /watches/{id}/entries": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly query?: { readonly after?: number | undefined; readonly limit?: number | undefined }
    }
    readonly answer: {
      readonly entries: readonly WatchEntry[]
      /** `after` for the next call. */
      readonly next_after: number
    }
  }
  /** What changed, as an Atom feed. */
  "GET /watches/{id}/feed": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly query: { readonly token: string }
    }
    readonly answer: string
  }
  /** Credits used and left. */
  "GET /usage": {
    readonly given: {}
    readonly answer: UsageReport
  }
  /** Answered calls. */
  "POST /logs": {
    readonly given: {
      readonly body?: {
        /** Maximum number of calls. */
        readonly limit?: number | null | undefined
        /** Calls on this day or later, in UTC. */
        readonly start_date?: string | null | undefined
        /** Calls on this day or earlier, in UTC. */
        readonly end_date?: string | null | undefined
        /** Only calls to these endpoints: search, extract, crawl, map, research. */
        readonly endpoints?: "search" | "extract" | "crawl" | "map" | "research" | readonly ("search" | "extract" | "crawl" | "map" | "research")[] | null | undefined
        /** Only calls for this project. */
        readonly project_id?: string | null | undefined
        /** Only calls with this key; keys with the role `search` never see others. */
        readonly filter_by_api_key?: boolean | null | undefined
      }
    }
    readonly answer: CallLog
  }
  /** Rate an answer. */
  "POST /feedback": {
    readonly given: {
      readonly body: {
        /** Id of the request whose answer is rated; give this or `session_id`. */
        readonly request_id?: string | null | undefined
        /** Id of the session that is rated. */
        readonly session_id?: string | null | undefined
        /** A program's rating. */
        readonly agent_score?: number | string | null | undefined
        /** A person's rating. */
        readonly human_score?: number | string | null | undefined
        /** Further ratings. */
        readonly extra_scores?: readonly ({
          /** What was rated. */
          readonly label: string
          /** The rating. */
          readonly value: number | string
        })[] | null | undefined
        /** A comment. */
        readonly comment?: string | null | undefined
        /** The response that the program made from the answer. */
        readonly response_delivered?: string | null | undefined
        /** Ids of the results that were used. */
        readonly used_ids?: readonly string[] | null | undefined
        /** Addresses of the results that were used. */
        readonly used_urls?: readonly string[] | null | undefined
        /** Citations that were used. */
        readonly used_citations?: readonly string[] | null | undefined
        /** Ratings of single results. */
        readonly urls_scores?: readonly ({
          /** Id of the result; give this or `url`. */
          readonly id?: string | undefined
          /** Address of the result. */
          readonly url?: string | undefined
          /** A program's rating. */
          readonly agent_score?: number | string | undefined
          /** Further ratings. */
          readonly scores?: readonly ({
            /** What was rated. */
            readonly label: string
            /** The rating. */
            readonly value: number | string
          })[] | undefined
          /** A comment. */
          readonly comment?: string | undefined
        })[] | null | undefined
      } & ({
        readonly request_id: string
      } | {
        readonly session_id: string
      })
    }
    readonly answer: FeedbackTaken
  }
  /** Ask the operator for a page that the index lacks. */
  "POST /page-requests": {
    readonly given: {
      readonly body: {
        /** The missing page; give this or `query`. */
        readonly url?: string | null | undefined
        /** What was searched for and not found. */
        readonly query?: string | null | undefined
        /** Why the page is wanted. */
        readonly comment?: string | null | undefined
      } & ({
        readonly url: string
      } | {
        readonly query: string
      })
    }
    readonly answer: PageRequestTaken
  }
  /** Make keys that expire. */
  "POST /generate-keys": {
    readonly given: {
      readonly body: {
        /** `user` keys search and read; `admin` keys can do everything. */
        readonly permission_level: "admin" | "user"
        /** What the keys are for; numbered if there are several. */
        readonly name?: string | null | undefined
        /** `["api:generate_keys"]` lets a `user` key make keys itself. */
        readonly scope?: readonly ("api:generate_keys")[] | null | undefined
        /** A label; both types work the same. */
        readonly key_type?: "development" | "production" | null | undefined
        /** Total credits that each key may use. */
        readonly key_limit?: number | null | undefined
        /** Hours after which the keys end. */
        readonly ttl_hours?: number | null | undefined
        /** Keys to make. */
        readonly count?: number | null | undefined
        /** Endpoints that the keys may use. */
        readonly endpoints?: readonly ("search" | "extract" | "crawl" | "map" | "research")[] | null | undefined
        /** Sources whose pages the keys may see. */
        readonly sources?: readonly string[] | null | undefined
        /** Collections of sources whose pages the keys may see. */
        readonly collections?: readonly string[] | null | undefined
        /** Domains whose pages the keys may see. */
        readonly domains?: readonly string[] | null | undefined
        /** Users and groups that the keys read as, such as `group:hr`; without it, only pages that everybody may read. */
        readonly principals?: readonly string[] | null | undefined
        /** Projects that the keys may name. */
        readonly projects?: readonly string[] | null | undefined
      }
    }
    readonly answer: KeysGenerated
  }
  /** Deactivate keys. */
  "POST /deactivate-keys": {
    readonly given: {
      readonly body?: {
        /** Id of the call that made the keys; the key of this call by default. */
        readonly request_id?: string | null | undefined
      }
    }
    readonly answer: KeysDeactivated
  }
  /** Details of the key of this call. */
  "GET /key-info": {
    readonly given: {}
    readonly answer: KeyInfo
  }
  /** Who is signed in. */
  "GET /session": {
    readonly given: {}
    readonly answer: Session
  }
  /** Sign in with a key. */
  "POST /session": {
    readonly given: {
      readonly body: {
        /** An API key. */
        readonly key: string
      }
    }
    readonly answer: Session
  }
  /** Sign out. */
  "DELETE /session": {
    readonly given: {}
    readonly answer: Session
  }
  /** The appliance's name, and whether it is new. */
  "GET /admin/appliance": {
    readonly given: {}
    readonly answer: Appliance
  }
  /** Name the appliance. */
  "PUT /admin/appliance": {
    readonly given: {
      readonly body: {
        /** Name to show on the appliance's pages; empty or null for none. */
        readonly name: string | null
      }
    }
    readonly answer: Appliance
  }
  /** The declared sources. */
  "GET /admin/sources": {
    readonly given: {
      readonly query?: { readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: SourceList
  }
  /** Declare a source, or replace it. */
  "PUT /admin/sources/{name}": {
    readonly given: {
      readonly path: { readonly name: string }
      readonly query?: { readonly run?: boolean | undefined }
      readonly body: Source
    }
    readonly answer: SourceEntry
  }
  /** One source. */
  "GET /admin/sources/{name}": {
    readonly given: {
      readonly path: { readonly name: string }
    }
    readonly answer: SourceEntry
  }
  /** When a source runs next. */
  "GET /admin/sources/{name}/next-runs": {
    readonly given: {
      readonly path: { readonly name: string }
      readonly query?: { readonly count?: number | undefined }
    }
    readonly answer: NextRuns
  }
  /** How long a run over a whole source takes. */
  "GET /admin/sources/{name}/full-crawl": {
    readonly given: {
      readonly path: { readonly name: string }
    }
    readonly answer: FullCrawl
  }
  /** Pause a source's schedule. */
  "POST /admin/sources/{name}/pause": {
    readonly given: {
      readonly path: { readonly name: string }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: SourceEntry
  }
  /** Resume a source's schedule. */
  "POST /admin/sources/{name}/resume": {
    readonly given: {
      readonly path: { readonly name: string }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: SourceEntry
  }
  /** Run a source now. */
  "POST /admin/sources/{name}/run": {
    readonly given: {
      readonly path: { readonly name: string }
      readonly body?: {
        /** Every known page, only those that are due, or only those whose last visit failed. */
        readonly visits?: "all" | "due" | "failed" | undefined
      }
    }
    readonly answer: Job
  }
  /** Run several sources now. */
  "POST /admin/sources/run": {
    readonly given: {
      readonly body: {
        /** Names of the sources; give these or `all`. */
        readonly names?: readonly string[] | undefined
        /** All sources that are not paused. */
        readonly all?: true | undefined
        /** Every known page, only those that are due, or only those whose last visit failed. */
        readonly visits?: "all" | "due" | "failed" | undefined
      }
    }
    readonly answer: JobsStarted
  }
  /** Runs, newest first. */
  "GET /admin/jobs": {
    readonly given: {
      readonly query?: { readonly source?: string | undefined; readonly state?: "queued" | "running" | "paused" | "finished" | "failed" | "cancelled" | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: JobList
  }
  /** One run: its counts, log and failures. */
  "GET /admin/jobs/{id}": {
    readonly given: {
      readonly path: { readonly id: number }
      readonly query?: { readonly log_limit?: number | undefined; readonly failure_limit?: number | undefined }
    }
    readonly answer: JobDetail
  }
  /** Addresses of a run, by outcome. */
  "GET /admin/jobs/{id}/addresses": {
    readonly given: {
      readonly path: { readonly id: number }
      readonly query?: { readonly outcome?: "bad-encoding" | "blocked-address" | "cancelled" | "crashed" | "dns" | "duplicate" | "empty" | "failed" | "failed:bad-encoding" | "failed:blocked-address" | "failed:cancelled" | "failed:crashed" | "failed:dns" | "failed:http-status" | "failed:redirect-loop" | "failed:refused" | "failed:timeout" | "failed:tls" | "failed:unreadable" | "gone" | "http-status" | "indexed" | "logout" | "noindex" | "out-of-scope" | "postponed" | "redirect-loop" | "refused" | "robots" | "skipped" | "skipped:duplicate" | "skipped:empty" | "skipped:gone" | "skipped:logout" | "skipped:noindex" | "skipped:out-of-scope" | "skipped:robots" | "skipped:soft-404" | "skipped:too-large" | "skipped:trap" | "skipped:undecodable" | "skipped:unsupported-type" | "soft-404" | "timeout" | "tls" | "too-large" | "trap" | "unchanged" | "undecodable" | "unreadable" | "unsupported-type" | undefined; readonly limit?: number | undefined; readonly after?: string | undefined }
    }
    readonly answer: JobAddresses
  }
  /** Pause a run. */
  "POST /admin/jobs/{id}/pause": {
    readonly given: {
      readonly path: { readonly id: number }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: Job
  }
  /** Resume a run. */
  "POST /admin/jobs/{id}/resume": {
    readonly given: {
      readonly path: { readonly id: number }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: Job
  }
  /** Cancel a run. */
  "POST /admin/jobs/{id}/cancel": {
    readonly given: {
      readonly path: { readonly id: number }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: Job
  }
  /** Give up on a host for this run. */
  "POST /admin/jobs/{id}/skip-host": {
    readonly given: {
      readonly path: { readonly id: number }
      readonly body: {
        /** Name of the host, with its port unless that is the default one. */
        readonly host: string
      }
    }
    readonly answer: Job
  }
  /** Follow runs, vectors and removals as they change. */
  "GET /admin/events": {
    readonly given: {
      readonly query?: { readonly seconds?: number | undefined }
    }
    readonly answer: string
  }
  /** Outcomes of visits and what they mean. */
  "GET /admin/outcomes": {
    readonly given: {}
    readonly answer: Outcomes
  }
  /** Delete a source and cancel its jobs. */
  "DELETE /admin/sources/{name}": {
    readonly given: {
      readonly path: { readonly name: string }
      readonly query?: { readonly remove_pages?: boolean | undefined }
    }
    readonly answer: SourceDeleted
  }
  /** Look at a site and propose how to crawl it. */
  "POST /admin/sources/propose": {
    readonly given: {
      readonly body: {
        /** Address to start from, http or https. A folder includes everything below it. */
        readonly url: string
        /** Ignores robots.txt, now and in the proposed source, because the site is yours. Only for hosts in FOSSICK_OWN_HOSTS or FOSSICK_ALLOWED_NETWORKS. */
        readonly ignore_robots?: boolean | undefined
      }
    }
    readonly answer: Proposal
  }
  /** Check a source without declaring it. */
  "POST /admin/sources/preview": {
    readonly given: {
      readonly body: {
        /** As in the sources file, with its name. Wrong values are reported, not refused. */
        readonly source: { readonly [name: string]: unknown }
      }
    }
    readonly answer: SourcePreview
  }
  /** Try a source before declaring it: its login and up to five pages. */
  "POST /admin/sources/trial": {
    readonly given: {
      readonly body: {
        /** As in the sources file, with its name. Wrong values are reported, not refused. */
        readonly source: { readonly [name: string]: unknown }
      }
    }
    readonly answer: SourceTrial
  }
  /** One source as YAML for a sources file. */
  "GET /admin/sources/{name}/written": {
    readonly given: {
      readonly path: { readonly name: string }
    }
    readonly answer: SourceWritten
  }
  /** Private networks that are open to sources declared over the API. */
  "GET /admin/networks": {
    readonly given: {}
    readonly answer: NetworkList
  }
  /** The addresses of a host, and the networks that can be opened for it. */
  "POST /admin/networks/look": {
    readonly given: {
      readonly body: {
        /** Address where a crawl will start, http or https. */
        readonly url: string
      }
    }
    readonly answer: NetworkLook
  }
  /** Open a private network, on one port. */
  "POST /admin/networks": {
    readonly given: {
      readonly body: {
        /** Address where a crawl will start, http or https. */
        readonly url: string
        /** The address as a network (`10.20.30.7/32`), or the network it is in (`10.20.30.0/24`). */
        readonly network: string
        /** Must be true: confirms that a person decided this. */
        readonly confirmed: true
      }
    }
    readonly answer: OpenedNetwork
  }
  /** Close a private network. */
  "DELETE /admin/networks/{id}": {
    readonly given: {
      readonly path: { readonly id: number }
    }
    readonly answer: NetworkClosed
  }
  /** Pages that are gone, or seem to be. */
  "GET /admin/removals": {
    readonly given: {
      readonly query?: { readonly state?: "struck" | "held" | "approved" | "removed" | "restoring" | undefined; readonly source?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: Removals
  }
  /** Approve a source's removals that are waiting for an answer. */
  "POST /admin/removals/approve": {
    readonly given: {
      readonly body: {
        /** Source of the removals. */
        readonly source: string
      }
    }
    readonly answer: RemovalsAnswered
  }
  /** Reject a source's removals that are waiting for an answer. */
  "POST /admin/removals/reject": {
    readonly given: {
      readonly body: {
        /** Source of the removals. */
        readonly source: string
      }
    }
    readonly answer: RemovalsAnswered
  }
  /** Restore removed pages. */
  "POST /admin/removals/restore": {
    readonly given: {
      readonly body: {
        /** Pages to restore. */
        readonly urls?: readonly string[] | undefined
        /** All removed pages of this source. */
        readonly source?: string | undefined
        /** All pages removed because of this run. */
        readonly job_id?: number | undefined
      }
    }
    readonly answer: RemovalsRestored
  }
  /** Why a page is found or not. */
  "GET /admin/why": {
    readonly given: {
      readonly query: { readonly url: string; readonly query?: string | undefined }
    }
    readonly answer: Trace
  }
  /** Read a page now as a run would, and index nothing. */
  "POST /admin/try": {
    readonly given: {
      readonly body: {
        /** The page to read, an http or https address. */
        readonly url: string
        /** Source whose settings apply to the page. */
        readonly source?: string | undefined
        /** Rendering to use instead of the source's. */
        readonly rendering?: "http" | "browser" | "auto" | undefined
      }
    }
    readonly answer: Tried
  }
  /** One page in the index: its passages, its dates and the pages that link to it. */
  "GET /admin/page": {
    readonly given: {
      readonly query: { readonly url: string }
    }
    readonly answer: PageState
  }
  /** Revisit a page now. */
  "POST /admin/page/recrawl": {
    readonly given: {
      readonly body: {
        /** A page that a declared source knows. */
        readonly url: string
      }
    }
    readonly answer: PageRecrawl
  }
  /** The size of the index, the progress of its vectors, and the machine's free space. */
  "GET /admin/index": {
    readonly given: {}
    readonly answer: IndexState
  }
  /** The embedding model in use and why, the available models, and the progress of a change. */
  "GET /admin/model": {
    readonly given: {}
    readonly answer: ModelState
  }
  /** Use another embedding model. */
  "POST /admin/model": {
    readonly given: {
      readonly body: {
        /** `auto`, `english`, `multilingual`, or the full path of a folder with a model. */
        readonly model: string
      }
    }
    readonly answer: ModelState
  }
  /** Failing sources and backups, and the alerts about them. */
  "GET /admin/alerts": {
    readonly given: {
      readonly query?: { readonly mail_limit?: number | undefined }
    }
    readonly answer: Alerts
  }
  /** Send a test alert to each receiver. */
  "POST /admin/alerts/test": {
    readonly given: {
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: AlertsTested
  }
  /** Messages to webhooks, newest first. */
  "GET /admin/webhooks/deliveries": {
    readonly given: {
      readonly query?: { readonly state?: "waiting" | "delivered" | "given-up" | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: DeliveryList
  }
  /** Send a message again now. */
  "POST /admin/webhooks/deliveries/{id}/retry": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: DeliveryRetried
  }
  /** Feedback on answers, newest first. */
  "GET /admin/feedback": {
    readonly given: {
      readonly query?: { readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: FeedbackList
  }
  /** Pages that callers ask for, most requested first. */
  "GET /admin/page-requests": {
    readonly given: {
      readonly query?: { readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: PageRequestList
  }
  /** Delete a request that is done or declined. */
  "DELETE /admin/page-requests/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: PageRequestSettled
  }
  /** Programs with access over OAuth, newest first. */
  "GET /admin/oauth/grants": {
    readonly given: {
      readonly query?: { readonly limit?: number | undefined }
    }
    readonly answer: GrantList
  }
  /** Revoke a program's access. */
  "DELETE /admin/oauth/grants/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: GrantRevoked
  }
  /** What each key used, by day or month, newest first. */
  "GET /admin/usage": {
    readonly given: {
      readonly query?: { readonly key_id?: string | undefined; readonly days?: number | undefined; readonly by?: "day" | "month" | undefined }
    }
    readonly answer: KeyUsage
  }
  /** Payments received for searches, newest first. */
  "GET /admin/payments": {
    readonly given: {
      readonly query?: { readonly from?: string | undefined; readonly to?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: PaymentList
  }
  /** Revenue and outcomes of requests, by day. */
  "GET /admin/payments/days": {
    readonly given: {
      readonly query?: { readonly from?: string | undefined; readonly to?: string | undefined }
    }
    readonly answer: PaymentDays
  }
  /** All payments as CSV, for bookkeeping. */
  "GET /admin/payments.csv": {
    readonly given: {
      readonly query?: { readonly from?: string | undefined; readonly to?: string | undefined }
    }
    readonly answer: string
  }
  /** All synonyms, pins and boosts. */
  "GET /admin/rules": {
    readonly given: {}
    readonly answer: Rules
  }
  /** Make a rule. */
  "POST /admin/rules": {
    readonly given: {
      readonly body: Rule
    }
    readonly answer: ChangedRule
  }
  /** What questions would find with other rules. */
  "POST /admin/rules/preview": {
    readonly given: {
      readonly body?: {
        /** Questions to ask with the current rules and with the changed ones. */
        readonly questions?: readonly string[] | undefined
        /** Also asks this many of the most frequent questions, which are kept if `FOSSICK_QUERY_LOG_DAYS` is set. Asks at most 50, those in `questions` first. */
        readonly logged?: number | undefined
        /** Rules to add; a rule replaces the existing one with its id. */
        readonly rules?: readonly Rule[] | undefined
        /** Ids of rules to leave out. */
        readonly without?: readonly string[] | undefined
      }
    }
    readonly answer: RulePreview
  }
  /** Make or replace a rule. */
  "PUT /admin/rules/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body: RuleBody
    }
    readonly answer: ChangedRule
  }
  /** One rule. */
  "GET /admin/rules/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: ChangedRule
  }
  /** Delete a rule. */
  "DELETE /admin/rules/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: DeletedRule
  }
  /** List questions that were frequent, unanswered or slow. */
  "GET /admin/queries": {
    readonly given: {
      readonly query?: { readonly report?: "top" | "zero" | "low" | "slow" | undefined; readonly from?: string | undefined; readonly before?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: Queries
  }
  /** Delete all stored questions. */
  "DELETE /admin/queries": {
    readonly given: {}
    readonly answer: DeletedQueries
  }
  /** The order in which pages get their vectors. */
  "GET /admin/vectors": {
    readonly given: {}
    readonly answer: VectorOrder
  }
  /** Make vectors for one source before the others. */
  "POST /admin/vectors/first": {
    readonly given: {
      readonly body?: {
        /** Name of the source; without it, no source goes first. */
        readonly source?: string | undefined
      }
    }
    readonly answer: VectorOrder
  }
  /** The plan for backups, its runs and its files. */
  "GET /admin/backups": {
    readonly given: {
      readonly query?: { readonly limit?: number | undefined }
    }
    readonly answer: Backups
  }
  /** Make a backup now, according to the plan. */
  "POST /admin/backups/run": {
    readonly given: {
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: BackupRun
  }
  /** Every setting, its value, and where the value comes from. */
  "GET /admin/settings": {
    readonly given: {}
    readonly answer: SettingList
  }
  /** Crawls, questions, memory and disk over the last days. */
  "GET /admin/history": {
    readonly given: {
      readonly query?: { readonly hours?: number | undefined }
    }
    readonly answer: History
  }
  /** How long ago crawls visited the pages. */
  "GET /admin/freshness": {
    readonly given: {}
    readonly answer: Freshness
  }
  /** Who changed what, newest first. */
  "GET /admin/audit": {
    readonly given: {
      readonly query?: { readonly from?: string | undefined; readonly before?: string | undefined; readonly who?: string | undefined; readonly object?: string | undefined; readonly action?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: AuditEntries
  }
  /** Who changed what, as a file. */
  "GET /admin/audit.jsonl": {
    readonly given: {
      readonly query?: { readonly from?: string | undefined; readonly before?: string | undefined; readonly who?: string | undefined; readonly object?: string | undefined; readonly action?: string | undefined }
    }
    readonly answer: string
  }
  /** Hosts that the appliance contacted. */
  "GET /admin/outbound": {
    readonly given: {
      readonly query?: { readonly purpose?: "crawl" | "live" | "webhook" | "mail" | "oauth-client" | "sign-on" | "proxy" | "embeddings" | "reranker" | "chat" | "model-hub" | "engine" | "state" | "peer" | "payments" | "traces" | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: OutboundHosts
  }
  /** Judged questions, with how each did in the last two runs. */
  "GET /admin/judged-questions": {
    readonly given: {
      readonly query?: { readonly question?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: JudgedQuestions
  }
  /** Add a question with the pages that answer it. */
  "POST /admin/judged-questions": {
    readonly given: {
      readonly body: {
        /** As people ask it. */
        readonly question: string
        /** Pages that answer the question; `grade` says how well, from 1 (the default) to 10. */
        readonly pages: readonly ({
          readonly url: string
          readonly grade?: number | undefined
        })[]
      }
    }
    readonly answer: JudgedQuestion
  }
  /** All judged questions as a file that `fossick judge` reads. */
  "GET /admin/judged-questions.yaml": {
    readonly given: {}
    readonly answer: string
  }
  /** Add the questions in a file. */
  "POST /admin/judged-questions/import": {
    readonly given: {
      readonly body: {
        /** Contents of a file of judged questions, YAML or JSON. */
        readonly text: string
        /** Deletes all other questions. */
        readonly alone?: boolean | undefined
      }
    }
    readonly answer: ImportedQuestions
  }
  /** How judged questions would do with other rules. */
  "POST /admin/judged-questions/preview": {
    readonly given: {
      readonly body?: {
        /** Rules to add; a rule replaces the existing one with its id. */
        readonly rules?: readonly Rule[] | undefined
        /** Ids of rules to leave out. */
        readonly without?: readonly string[] | undefined
        /** Depth of the searches. */
        readonly depth?: "ultra-fast" | "fast" | "basic" | "advanced" | undefined
        /** Maximum number of questions; if there are more, the same ones are asked each time. */
        readonly most?: number | undefined
      }
    }
    readonly answer: JudgedPreview
  }
  /** A judged question, and how it did in each run. */
  "GET /admin/judged-questions/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: JudgedHistory
  }
  /** Change the pages of a judged question. */
  "PUT /admin/judged-questions/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body: {
        /** Pages that answer the question; `grade` says how well, from 1 (the default) to 10. */
        readonly pages: readonly ({
          readonly url: string
          readonly grade?: number | undefined
        })[]
      }
    }
    readonly answer: JudgedQuestion
  }
  /** Delete a judged question. */
  "DELETE /admin/judged-questions/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: DeletedJudgedQuestion
  }
  /** Runs of the judged questions. */
  "GET /admin/judged-runs": {
    readonly given: {
      readonly query?: { readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: JudgedRuns
  }
  /** Ask the current index all judged questions. */
  "POST /admin/judged-runs": {
    readonly given: {
      readonly body?: {
        /** Depth of the searches. */
        readonly depth?: "ultra-fast" | "fast" | "basic" | "advanced" | undefined
        /** A note to find the run by. */
        readonly note?: string | undefined
      }
    }
    readonly answer: JudgedRun
  }
  /** A run, compared with another one. */
  "GET /admin/judged-runs/{id}": {
    readonly given: {
      readonly path: { readonly id: number }
      readonly query?: { readonly against?: number | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: ComparedRun
  }
  /** Delete a run; a run in progress ends. */
  "DELETE /admin/judged-runs/{id}": {
    readonly given: {
      readonly path: { readonly id: number }
    }
    readonly answer: DeletedJudgedRun
  }
  /** The people who have signed in. */
  "GET /admin/people": {
    readonly given: {
      readonly query?: { readonly search?: string | undefined; readonly group?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: People
  }
  /** One person. */
  "GET /admin/people/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: Person
  }
  /** Disable a person and sign them out everywhere. */
  "POST /admin/people/{id}/disable": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: Person
  }
  /** Enable a disabled person. */
  "POST /admin/people/{id}/enable": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: Person
  }
  /** Where a person is signed in. */
  "GET /admin/people/{id}/sign-ins": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: SignIns
  }
  /** Sign a person out everywhere. */
  "DELETE /admin/people/{id}/sign-ins": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: SignInsEnded
  }
  /** Sign a person out of one browser. */
  "DELETE /admin/people/{id}/sign-ins/{sign_in}": {
    readonly given: {
      readonly path: { readonly id: string; readonly sign_in: string }
    }
    readonly answer: SignInEnded
  }
  /** The groups that people are in or that readers name. */
  "GET /admin/groups": {
    readonly given: {
      readonly query?: { readonly search?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: Groups
  }
  /** Who may read a page, and why. */
  "GET /admin/readers": {
    readonly given: {
      readonly query: { readonly url: string; readonly person?: string | undefined; readonly principals?: string | undefined }
    }
    readonly answer: PageReaders
  }
  /** What a person or group may read. */
  "GET /admin/readers/seen-by": {
    readonly given: {
      readonly query?: { readonly person?: string | undefined; readonly principals?: string | undefined }
    }
    readonly answer: SeenBy
  }
  /** Pages that no one may read. */
  "GET /admin/readers/for-nobody": {
    readonly given: {
      readonly query?: { readonly limit?: number | undefined }
    }
    readonly answer: PagesForNobody
  }
  /** Which groups may read which sources. */
  "GET /admin/readers/matrix": {
    readonly given: {
      readonly query?: { readonly source?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: ReadersMatrix
  }
  /** Who would gain and lose access to pages if the readers of a source changed. */
  "POST /admin/readers/preview": {
    readonly given: {
      readonly body: {
        /** Name of a source. */
        readonly source: string
        /** The new readers, as in the source; null: everybody. */
        readonly readers: {
          /** As in the source. Without it: everybody. */
          readonly allow?: readonly string[] | undefined
          /** As in the source. */
          readonly deny?: readonly string[] | undefined
        } | null
      }
    }
    readonly answer: ReadersPreview
  }
  /** Search as a person or group. */
  "POST /admin/readers/search": {
    readonly given: {
      readonly body: {
        /** The query. */
        readonly query: string
        /** Id of a person, or the name of a user. */
        readonly person?: string | undefined
        /** Instead of a person: users and groups, separated by commas, such as `group:hr,signed-in`. */
        readonly principals?: string | undefined
      }
    }
    readonly answer: SearchAs
  }
  /** All keys, what each may do, and when it was last used. */
  "GET /admin/keys": {
    readonly given: {
      readonly query?: { readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: Keys
  }
  /** Make a key. */
  "POST /admin/keys": {
    readonly given: {
      readonly body?: {
        /** What the key may do. */
        readonly role?: "search" | "write" | "operator" | "admin" | undefined
        /** Who or what the key is for. */
        readonly name?: string | undefined
        /** When the key expires: a future time, such as `2027-01-31T00:00:00Z`; never by default. */
        readonly expires_at?: string | undefined
        /** Credits that the key may use; without it, the key has no limit of its own. */
        readonly credits?: number | undefined
        /** Period of the credit limit. */
        readonly per?: "month" | "total" | undefined
        /** Rate limits such as `search=100/m`, instead of those in the settings. */
        readonly rate_limits?: string | undefined
        /** Whether the key may make keys, which can do no more than it can. */
        readonly may_make_keys?: boolean | undefined
        /** The only endpoints that the key may call. */
        readonly endpoints?: readonly ("search" | "extract" | "crawl" | "map" | "research")[] | undefined
        /** Sources whose pages the key sees. */
        readonly sources?: readonly string[] | undefined
        /** Collections whose pages the key sees. */
        readonly collections?: readonly string[] | undefined
        /** The only domains whose pages the key sees. */
        readonly domains?: readonly string[] | undefined
        /** Users and groups that the key reads as, such as `group:hr`; without it, only pages that everybody may read. */
        readonly principals?: readonly string[] | undefined
        /** Whether the key acts for people, each with that person's rights: `tokens` takes signed names, `headers` also plain ones. */
        readonly acts_for_people?: "tokens" | "headers" | undefined
        /** Projects that the key may name. */
        readonly projects?: readonly string[] | undefined
      }
    }
    readonly answer: NewKey
  }
  /** Disable a key until it is enabled again. */
  "POST /admin/keys/{id}/disable": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: Key
  }
  /** Enable a disabled key. */
  "POST /admin/keys/{id}/enable": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body?: { readonly [name: string]: unknown }
    }
    readonly answer: Key
  }
  /** Replace a key with a new one that may do the same. */
  "POST /admin/keys/{id}/rotate": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body?: {
        /** Hours for which the old key is still accepted. */
        readonly overlap_hours?: number | undefined
      }
    }
    readonly answer: NewKey
  }
  /** Delete a key for good. */
  "DELETE /admin/keys/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: DeletedKey
  }
  /** All public keys. */
  "GET /admin/public-keys": {
    readonly given: {
      readonly query?: { readonly limit?: number | undefined; readonly offset?: number | undefined }
    }
    readonly answer: PublicKeys
  }
  /** Make a public key. */
  "POST /admin/public-keys": {
    readonly given: {
      readonly body: {
        /** Origins of the web pages that may use the key, such as `https://docs.example.com`. */
        readonly origins: readonly string[]
        /** What the key is for. */
        readonly name?: string | undefined
        /** Source whose pages the key finds; give this or `collection`. */
        readonly source?: string | null | undefined
        /** Collection whose pages the key finds; give this or `source`. */
        readonly collection?: string | null | undefined
        /** Whether the key may ask for answers. */
        readonly answers?: boolean | undefined
        /** Rate limits for each IP address, such as `search=60/m`; null for those in `FOSSICK_PUBLIC_RATE_LIMITS`. */
        readonly rate_limits?: string | null | undefined
        /** Credits that all callers together may use in a calendar month; null for no limit. */
        readonly credits?: number | null | undefined
        /** Whether the key is disabled. */
        readonly disabled?: boolean | undefined
      } & ({
        readonly source: string
      } | {
        readonly collection: string
      })
    }
    readonly answer: PublicKey
  }
  /** One public key. */
  "GET /admin/public-keys/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: PublicKey
  }
  /** Change a public key, or disable or enable it. */
  "PUT /admin/public-keys/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
      readonly body: {
        /** Origins of the web pages that may use the key, such as `https://docs.example.com`. */
        readonly origins: readonly string[]
        /** What the key is for. */
        readonly name?: string | undefined
        /** Source whose pages the key finds; give this or `collection`. */
        readonly source?: string | null | undefined
        /** Collection whose pages the key finds; give this or `source`. */
        readonly collection?: string | null | undefined
        /** Whether the key may ask for answers. */
        readonly answers?: boolean | undefined
        /** Rate limits for each IP address, such as `search=60/m`; null for those in `FOSSICK_PUBLIC_RATE_LIMITS`. */
        readonly rate_limits?: string | null | undefined
        /** Credits that all callers together may use in a calendar month; null for no limit. */
        readonly credits?: number | null | undefined
        /** Whether the key is disabled. */
        readonly disabled?: boolean | undefined
      } & ({
        readonly source: string
      } | {
        readonly collection: string
      })
    }
    readonly answer: PublicKey
  }
  /** Delete a public key. */
  "DELETE /admin/public-keys/{id}": {
    readonly given: {
      readonly path: { readonly id: string }
    }
    readonly answer: DeletedPublicKey
  }
  /** Whether the process answers. */
  "GET /healthz": {
    readonly given: {}
    readonly answer: Health
  }
  /** Whether the appliance can serve requests: index, model and crawler. */
  "GET /readyz": {
    readonly given: {
      readonly query?: { readonly exclude?: "crawler" | undefined }
    }
    readonly answer: Readiness
  }
  /** This document. */
  "GET /openapi.json": {
    readonly given: {}
    readonly answer: { readonly [name: string]: unknown }
  }
  /** Counts and times, for Prometheus. */
  "GET /metrics": {
    readonly given: {}
    readonly answer: string
  }
}

/** The calls that answer with text; all others answer with JSON. */
export const TEXT_CALLS: ReadonlySet<string> = new Set([
  "GET /suggest/opensearch",
  "GET /read/{url}",
  "GET /thumbnails",
  "GET /files/{source}/{path}",
  "GET /watches/{id}/feed",
  "GET /admin/events",
  "GET /admin/payments.csv",
  "GET /admin/audit.jsonl",
  "GET /admin/judged-questions.yaml",
  "GET /metrics",
])
