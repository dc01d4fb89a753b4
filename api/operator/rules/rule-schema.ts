import { Ajv } from "ajv"

import { lazily } from "#base/process/lazily.ts"
import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"
import { type Rule, toPageUrl } from "#engine"
import { PAGE_TYPES } from "#engine/index/page/page-type.ts"
import { LEAST_FACTOR, MOST_FACTOR } from "#engine/search/rules/rule.ts"
import { NOT_BLANK } from "../../server/wire/characters.ts"

/**
 * Maximum number of rules: each is checked for every question. On one core, a thousand synonyms take 10 ms, a thousand
 * pins take 4 ms, and a thousand boosts by path take 47 ms, for the hundred pages whose scores they may change.
 */
export const MOST_RULES = 1000
const MOST_WORDS = 20
const MAX_WORDS_CHARS = 100
const MOST_QUESTIONS = 100
const MAX_QUESTION_CHARS = 400
const MAX_URL_CHARS = 2000
const MAX_PATTERN_CHARS = 200
const MOST_VALUES = 100
const MOST_DAYS = 36_500
/** Highest position that a pin can name, because no more results are shown. */
export const MOST_POSITION = 50
/** A rule's name: a word that can be part of an address. */
export const RULE_ID = "^[a-z0-9][a-z0-9-]{0,63}$"

const list = (maxLength: number, maxItems: number, minItems = 1) => ({
  type: "array",
  minItems,
  maxItems,
  items: { type: "string", pattern: NOT_BLANK, maxLength },
})
const phrases = (minItems: number) => list(MAX_WORDS_CHARS, MOST_WORDS, minItems)
const days = { type: "integer", minimum: 1, maximum: MOST_DAYS }

/** JSON Schema of a rule of each kind, in the format of the file and the admin API. */
export const ruleSchemas = {
  synonym: {
    type: "object",
    additionalProperties: false,
    required: ["id", "kind"],
    properties: {
      id: { type: "string", pattern: RULE_ID },
      kind: { type: "string", enum: ["synonym"] },
      words: { ...phrases(2), description: "Words or phrases with the same meaning." },
      from: { ...phrases(1), description: "With `to`: words or phrases that also find those in `to`." },
      to: { ...phrases(1), description: "With `from`: words or phrases that are also found." },
    },
  },
  pin: {
    type: "object",
    additionalProperties: false,
    required: ["id", "kind", "questions", "url"],
    properties: {
      id: { type: "string", pattern: RULE_ID },
      kind: { type: "string", enum: ["pin"] },
      questions: {
        ...list(MAX_QUESTION_CHARS, MOST_QUESTIONS),
        description: "The pin applies to any of these.",
      },
      match: {
        type: "string",
        enum: ["equal", "words"],
        description:
          "`equal` (the default): the question has exactly these words; `words`: it contains all of them in any form.",
      },
      url: { type: "string", pattern: "^https?://\\S+$", maxLength: MAX_URL_CHARS },
      position: { type: "integer", minimum: 1, maximum: MOST_POSITION },
    },
  },
  boost: {
    type: "object",
    additionalProperties: false,
    required: ["id", "kind", "where", "factor"],
    properties: {
      id: { type: "string", pattern: RULE_ID },
      kind: { type: "string", enum: ["boost"] },
      where: {
        type: "object",
        additionalProperties: false,
        minProperties: 1,
        properties: {
          sources: list(MAX_WORDS_CHARS, MOST_VALUES),
          domains: list(MAX_PATTERN_CHARS, MOST_VALUES),
          paths: {
            ...list(MAX_PATTERN_CHARS, MOST_VALUES),
            items: { type: "string", pattern: "^[/*]", maxLength: MAX_PATTERN_CHARS },
          },
          languages: { ...list(2, MOST_VALUES), items: { type: "string", pattern: "^[a-z]{2}$" } },
          types: { type: "array", minItems: 1, items: { type: "string", enum: PAGE_TYPES } },
          youngerThanDays: days,
          olderThanDays: days,
        },
      },
      factor: { type: "number", minimum: LEAST_FACTOR, maximum: MOST_FACTOR },
    },
  },
} as const

/** A problem in a rule as written. */
export interface RuleProblem {
  /** Path to the field: `["where", "paths", 0]`. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

const validators = lazily(() => {
  const ajv = new Ajv({ ...OWN_SCHEMA, strict: false, allErrors: true })
  return {
    synonym: ajv.compile<Rule>(ruleSchemas.synonym),
    pin: ajv.compile<Rule>(ruleSchemas.pin),
    boost: ajv.compile<Rule>(ruleSchemas.boost),
  }
})
const KINDS = Object.keys(ruleSchemas)

/** Why a value is not a valid rule; empty if it is one. */
export function ruleProblems(value: unknown): RuleProblem[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [{ path: [], message: "must be a rule with fields and values" }]
  }
  const { kind } = value as { readonly kind?: unknown }
  if (typeof kind !== "string" || !KINDS.includes(kind)) {
    return [{ path: ["kind"], message: `must be one of ${KINDS.join(", ")}` }]
  }
  const validate = validators()[kind as keyof typeof ruleSchemas]
  if (validate(value)) return togetherProblems(value)
  return (validate.errors ?? []).map(({ instancePath, keyword, params, message = "is wrong" }) => {
    const path = instancePath
      .split("/")
      .slice(1)
      .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
    switch (keyword) {
      case "additionalProperties":
        return {
          path: [...path, String(params["additionalProperty"])],
          message: `isn't a field of a ${kind}`,
        }
      case "required":
        return { path: [...path, String(params["missingProperty"])], message: "is missing" }
      case "enum":
        return { path, message: `must be one of ${(params["allowedValues"] as string[]).join(", ")}` }
      default:
        return { path, message }
    }
  })
}

/** Violations of conditions that a schema cannot express. */
function togetherProblems(rule: Rule): RuleProblem[] {
  if (rule.kind === "synonym") {
    const { words, from, to } = rule
    const isOneWay = from !== undefined && to !== undefined
    if (words !== undefined && (from !== undefined || to !== undefined)) {
      return [{ path: ["words"], message: "can't be combined with from and to" }]
    }
    return words !== undefined || isOneWay
      ? []
      : [{ path: ["words"], message: "is missing; give words, or both from and to" }]
  }
  if (rule.kind === "pin" && toPageUrl(rule.url) === null) {
    return [{ path: ["url"], message: "must be an http or https address" }]
  }
  return []
}

/** A problem as text: `where.paths[0] must be …`. */
export const problemText = ({ path, message }: RuleProblem): string => {
  const field = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")
  return `${field.replace(/^\./, "")} ${message}`.trim()
}
