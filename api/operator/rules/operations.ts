import type { Rule as EngineRule } from "#engine"

import { created, ok, operations } from "../../server/operation/operation.ts"
import { closedBody } from "../../server/operation/published.ts"
import {
  always,
  count,
  listOf,
  named,
  namedObject,
  number,
  object,
  optional,
  type Schema,
  share,
  text,
  whole,
  yesNo,
} from "../../server/schema/schemas.ts"
import { NOT_BLANK } from "../../server/wire/characters.ts"
import { RULE_ID, ruleSchemas } from "./rule-schema.ts"

/** Maximum number of questions in one preview; each is asked twice, one question at a time. */
export const MOST_PREVIEWED = 50
const MAX_QUESTION_CHARS = 400
const MOST_CHANGED = 100

const kinds = [ruleSchemas.synonym, ruleSchemas.pin, ruleSchemas.boost]
const Rule = named<Schema<EngineRule>>("Rule", { oneOf: kinds })
const RuleBody = named("RuleBody", {
  oneOf: kinds.map(({ required, ...schema }) => ({
    ...schema,
    required: required.filter((name) => name !== "id"),
  })),
})
const version = count("Increases with every change to a rule.")
const Rules = namedObject("Rules", { version, rules: listOf(Rule, "Sorted by id.") })
const ChangedRule = namedObject("ChangedRule", { version, rule: Rule })
const DeletedRule = namedObject("DeletedRule", { version, id: text(), deleted: always(true) })
const compared = listOf(
  object({
    url: text(),
    title: text(),
    score: share(),
    rules: listOf(text(), "Ids of the rules that affected it."),
    parts: object(
      {
        lexical: number(),
        passage: number(),
        vector: number(),
        late: number(),
        rerank: number(),
        fused: number(),
        boost: number(),
      },
      "Parts of the score, as with `explain` in a search.",
    ),
  }),
)
const RulePreview = namedObject("RulePreview", {
  questions: listOf(
    object({
      question: text(),
      before: compared,
      after: compared,
      changed: yesNo("Whether the pages or their order differ."),
    }),
  ),
})

/** Fields of request bodies that contain rules to try out. */
export const triedRules = {
  rules: listOf<Schema<object>>(
    { type: "object" },
    "Rules to add; a rule replaces the existing one with its id.",
    { maxItems: MOST_CHANGED, "x-judged": { items: Rule } },
  ),
  without: listOf(text(), "Ids of rules to leave out.", { maxItems: MOST_CHANGED }),
}
const preview = object(
  optional({
    questions: listOf(
      text(undefined, { pattern: NOT_BLANK, maxLength: MAX_QUESTION_CHARS }),
      "Questions to ask with the current rules and with the changed ones.",
      { minItems: 1, maxItems: MOST_PREVIEWED },
    ),
    logged: whole(
      1,
      MOST_PREVIEWED,
      "Also asks this many of the most frequent questions, which are kept if `FOSSICK_QUERY_LOG_DAYS` is set. Asks at most 50, those in `questions` first.",
    ),
    ...triedRules,
  }),
)

const path = { id: text("Id of the rule.", { pattern: RULE_ID }) }
const PUMPS = { kind: "synonym", words: ["pump", "impeller"] } as const
const none = { summary: "An unknown rule", path: { id: "none" }, status: 404 }

/** Synonyms, pins and boosts. */
export const ruleOperations = operations("Rules", "admin", {
  listRules: {
    at: "GET /admin/rules",
    access: "operator",
    summary: "All synonyms, pins and boosts",
    answers: ok(Rules, "The rules."),
    examples: [{ summary: "All rules" }],
  },
  createRule: {
    at: "POST /admin/rules",
    access: "operator",
    summary: "Make a rule",
    description: "Takes effect with the next question.",
    body: { schema: Rule, required: true },
    answers: created(ChangedRule, "Made."),
    refusals: [409, 422],
    examples: [
      { summary: "A synonym", body: { id: "pumps", ...PUMPS } },
      { summary: "A boost without a factor", body: { id: "b", kind: "boost", where: {} }, status: 422 },
    ],
  },
  previewRules: {
    at: "POST /admin/rules/preview",
    summary: "What questions would find with other rules",
    description: "Nothing is saved. Each question is asked with the current rules and with the changed ones.",
    // No field is required, but without questions there is nothing to compare.
    body: closedBody(preview),
    answers: ok(RulePreview, "Results before and after."),
    refusals: [409, 422],
    examples: [
      {
        summary: "A synonym, tried",
        body: { questions: ["impeller"], rules: [{ id: "pumps", ...PUMPS }] },
      },
    ],
  },
  changeRule: {
    at: "PUT /admin/rules/{id}",
    access: "operator",
    summary: "Make or replace a rule",
    path,
    body: { schema: RuleBody, required: true },
    description: "The body is a rule without its `id`, which is in the path.",
    answers: ok(ChangedRule, "Saved."),
    refusals: [409, 422],
    examples: [{ summary: "Another synonym", path: { id: "pumps" }, body: PUMPS }],
  },
  getRule: {
    at: "GET /admin/rules/{id}",
    access: "operator",
    summary: "One rule",
    path,
    answers: ok(ChangedRule, "The rule."),
    refusals: [404],
    examples: [none],
  },
  deleteRule: {
    at: "DELETE /admin/rules/{id}",
    access: "operator",
    summary: "Delete a rule",
    path,
    answers: ok(DeletedRule, "Deleted."),
    refusals: [404],
    examples: [none],
  },
})
