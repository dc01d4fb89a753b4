import type { PageFilter, PagePreference, PageType } from "#engine"

import { type KnownNames, NAMELESS } from "../../identity/accounts/reach/known-names.ts"
import { filterFields } from "../../server/operation/filter-fields.ts"
import { domainList } from "../../server/wire/domains.ts"
import {
  anything,
  flag,
  listOf,
  object,
  type Of,
  oneOf,
  optional,
  ref,
  text,
  withDefault,
} from "../../server/schema/schemas.ts"
import { NOT_BLANK } from "../../server/wire/characters.ts"
import { type Attachment, filesSchema, readFiles } from "./sources/files.ts"
import { checkOutputSchema, type OutputSchema } from "./report/output-schema.ts"

// The body of POST /research in wire format, and the request made from it.

export const RESEARCH_MODELS = ["mini", "pro", "auto"] as const
export const CITATION_FORMATS = ["numbered", "mla", "apa", "chicago"] as const
export const OUTPUT_LENGTHS = ["short", "standard", "long"] as const
const MAX_DOMAINS = 20
const MAX_INPUT_CHARS = 20_000

export type CitationFormat = (typeof CITATION_FORMATS)[number]
export type OutputLength = (typeof OUTPUT_LENGTHS)[number]

const domains = (description: string) => listOf(text(), description, { maxItems: MAX_DOMAINS })

export const researchSchema = object({
  input: text("What the report is about: a question, or a task in your own words.", {
    maxLength: MAX_INPUT_CHARS,
    "x-judged": { pattern: NOT_BLANK },
  }),
  ...optional({
    model: withDefault(
      oneOf(
        RESEARCH_MODELS,
        "How deep to go: `mini` answers the questions in the task, `pro` also follows up on the answers in two rounds, `auto` chooses based on the input.",
      ),
      "auto",
    ),
    stream: flag("Whether to stream server-sent events while the report is written."),
    output_schema: anything(
      "The report as an object of this form: `properties`, each with a type and a description, and `required`.",
      { "x-allowed": "an object with properties", "x-judged": ref("OutputSchema") },
    ),
    citation_format: withDefault(
      oneOf(CITATION_FORMATS, "How sources are named in the text and listed below it."),
      "numbered",
    ),
    include_domains: domains(
      "Pages on these domains, subdomains included, rank higher; others still appear.",
    ),
    exclude_domains: domains("Leaves out pages on these domains and their subdomains."),
    ...filterFields,
    output_length: withDefault(oneOf(OUTPUT_LENGTHS, "About how long: 250, 800 or 1,600 words."), "standard"),
    files: filesSchema,
  }),
})

export type ResearchBody = Of<typeof researchSchema>

/** A checked request, stored with the task so that the task can resume. */
export interface ResearchRequest {
  readonly input: string
  readonly model: "mini" | "pro"
  readonly citationFormat: CitationFormat
  readonly outputLength: OutputLength
  readonly outputSchema: OutputSchema | null
  readonly includeDomains: readonly string[]
  readonly excludeDomains: readonly string[]
  /** Names of the sources to search; null: all. */
  readonly sources: readonly string[] | null
  /** Page types to search; if empty, all types. */
  readonly types: readonly PageType[]
  readonly files: readonly Attachment[]
}

/**
 * Fills in the options that the body leaves out.
 * @param names the sources and collections that may be asked for
 * @throws ApiError 400 naming the field, for values that a schema cannot judge
 */
export async function toRequest(
  body: ResearchBody,
  names: Pick<KnownNames, "named"> = NAMELESS,
): Promise<ResearchRequest> {
  const input = body.input.trim()
  return {
    input,
    model: body.model === "auto" ? modelFor(input) : body.model,
    citationFormat: body.citation_format,
    outputLength: body.output_length,
    outputSchema: body.output_schema === undefined ? null : checkOutputSchema(body.output_schema),
    includeDomains: domainList("include_domains", body.include_domains, MAX_DOMAINS),
    excludeDomains: domainList("exclude_domains", body.exclude_domains, MAX_DOMAINS),
    sources: (await names.named(body)) ?? null,
    types: [body.types ?? []].flat(),
    files: await readFiles(body.files ?? []),
  }
}

/** Inputs with more words than this, or with several parts, use the more thorough model. */
const PRO_WORDS = 25
const SEVERAL_PARTS =
  /\b(?:compare|versus|vs\.?|differences? between|trade-?offs?|pros and cons|in depth|comprehensive|detailed)\b/i

const modelFor = (input: string): "mini" | "pro" =>
  input.split(/\s+/).length >= PRO_WORDS || SEVERAL_PARTS.test(input) ? "pro" : "mini"

/** The filters of every search in a task. */
export function searchRules({ includeDomains, excludeDomains, sources, types }: ResearchRequest): {
  filter: PageFilter
  preference: PagePreference
} {
  return {
    filter: {
      ...(excludeDomains.length > 0 && { excludeDomains }),
      ...(sources && { sources }),
      ...(types.length > 0 && { types }),
    },
    preference: includeDomains.length > 0 ? { domains: includeDomains } : {},
  }
}
