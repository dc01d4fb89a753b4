import { previewBody } from "./preview-schema.ts"
import { RULE_ID, ruleSchemas } from "./rule-schema.ts"
import { type Operation, type Parameter } from "../../server/operation/operation.ts"
import { count, listOf, object, ref, text, yesNo } from "../../server/operation/schemas.ts"

const version = count("Rises with each change of any rule.")
const compared = listOf(
  object({
    url: text(),
    title: text(),
    score: { type: "number", minimum: 0, maximum: 1 },
    rules: listOf(text(), "Ids of the rules that had a part in it."),
    parts: object(
      Object.fromEntries(
        ["lexical", "passage", "vector", "late", "rerank", "fused", "boost"].map((name) => [
          name,
          { type: "number" },
        ]),
      ),
      { description: "Of the score, as with `explain` of a search." },
    ),
  }),
)

export const ruleSchemasOfAnswers = {
  Rule: { oneOf: [ruleSchemas.synonym, ruleSchemas.pin, ruleSchemas.boost] },
  RuleBody: {
    oneOf: [ruleSchemas.synonym, ruleSchemas.pin, ruleSchemas.boost].map(({ required, ...schema }) => ({
      ...schema,
      required: required.filter((name) => name !== "id"),
    })),
  },
  Rules: object({ version, rules: listOf(ref("Rule"), "By id.") }),
  ChangedRule: object({ version, rule: ref("Rule") }),
  DeletedRule: object({ version, id: text(), deleted: yesNo() }),
  RulePreview: object({
    questions: listOf(
      object({
        question: text(),
        before: compared,
        after: compared,
        changed: yesNo("Whether the pages or their order differ."),
      }),
    ),
  }),
}

const id: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "Id of the rule.",
  schema: { type: "string", pattern: RULE_ID },
}
const PUMPS = { kind: "synonym", words: ["pump", "impeller"] } as const
const operation = (given: Omit<Operation, "access" | "tag">): Operation => ({
  access: "admin",
  tag: "Rules",
  ...given,
})

/** Synonyms, pins and boosts. */
export const ruleOperations: readonly Operation[] = [
  operation({
    id: "listRules",
    method: "get",
    path: "/admin/rules",
    summary: "All synonyms, pins and boosts",
    answers: { 200: { description: "The rules.", schema: ref("Rules") } },
    examples: [{ summary: "All rules", status: 200 }],
  }),
  operation({
    id: "createRule",
    method: "post",
    path: "/admin/rules",
    summary: "Make a rule",
    description: "It counts with the next question.",
    body: { schema: ref("Rule"), required: true },
    answers: { 201: { description: "Made.", schema: ref("ChangedRule") } },
    refusals: [409, 422],
    examples: [
      { summary: "A synonym", body: { id: "pumps", ...PUMPS }, status: 201 },
      { summary: "A boost without a factor", body: { id: "b", kind: "boost", where: {} }, status: 422 },
    ],
  }),
  operation({
    id: "previewRules",
    method: "post",
    path: "/admin/rules/preview",
    summary: "What questions would find with other rules",
    description: "Nothing is saved. Each question is asked with the rules as they are and as they would be.",
    body: {
      schema: {
        type: "object",
        additionalProperties: false,
        ...previewBody,
        properties: {
          ...previewBody.properties,
          rules: { ...previewBody.properties.rules, items: ref("Rule") },
        },
      },
      // Nothing asked, nothing compared.
      required: false,
    },
    answers: { 200: { description: "Results before and after.", schema: ref("RulePreview") } },
    refusals: [409, 422],
    examples: [
      {
        summary: "A synonym, tried",
        body: { questions: ["impeller"], rules: [{ id: "pumps", ...PUMPS }] },
        status: 200,
      },
    ],
  }),
  operation({
    id: "changeRule",
    method: "put",
    path: "/admin/rules/{id}",
    summary: "Make a rule, or replace it whole",
    parameters: [id],
    body: { schema: ref("RuleBody"), required: true },
    description: "A rule without its `id`, which stands in the path.",
    answers: { 200: { description: "Saved.", schema: ref("ChangedRule") } },
    refusals: [409, 422],
    examples: [{ summary: "Another synonym", path: { id: "pumps" }, body: PUMPS, status: 200 }],
  }),
  operation({
    id: "getRule",
    method: "get",
    path: "/admin/rules/{id}",
    summary: "One rule",
    parameters: [id],
    answers: { 200: { description: "The rule.", schema: ref("ChangedRule") } },
    refusals: [404],
    examples: [{ summary: "A rule that there is not", path: { id: "none" }, status: 404 }],
  }),
  operation({
    id: "deleteRule",
    method: "delete",
    path: "/admin/rules/{id}",
    summary: "Delete a rule",
    parameters: [id],
    answers: { 200: { description: "Deleted.", schema: ref("DeletedRule") } },
    refusals: [404],
    examples: [{ summary: "A rule that there is not", path: { id: "none" }, status: 404 }],
  }),
]
