/** The likely form of the answer to a question. */
export type QuestionType =
  | "amount"
  | "time"
  | "person"
  | "place"
  | "reason"
  | "definition"
  | "method"
  | "yes-or-no"
  | "open"

const TYPES: readonly (readonly [QuestionType, RegExp])[] = [
  [
    "amount",
    /\bhow (?:many|much|big|large|long|often|far|deep|high|small|fast|old)\b|\b(?:maximum|minimum|max|min|at most|at least) |\b(?:what|which) (?:version|port|size|number|percentage|limit|amount|age)\b|\bat what size\b/i,
  ],
  ["time", /\bwhen\b|\b(?:what|which) (?:year|date|day|month|time)\b|\bsince what\b/i],
  ["person", /\bwho(?:m|se)?\b/i],
  ["place", /\bwhere\b|\b(?:what|which) (?:folder|file|directory|path|place|country|city)\b/i],
  ["reason", /\bwhy\b|\bwhat for\b|\bwhat (?:is|was) the reason\b|\bhow come\b/i],
  [
    "definition",
    /^\s*(?:what(?:'s| is| are| does)|define|explain|meaning of)\b|\bwhat (?:is|was) meant\b|\bwhat does (?:it|that|this) mean\b|\bwhat does .{1,60} mean\b/i,
  ],
  [
    "method",
    /\bhow (?:do|does|did|can|could|to|should|must|would|may)\b|\bwhat (?:must|can|should|do) (?:i|you|we|one)\b|\bsteps to\b|\bway to\b/i,
  ],
  ["yes-or-no", /^\s*(?:is|are|was|were|does|do|did|can|could|may|will|would|should|must|has|have)\b/i],
]

export const questionType = (question: string): QuestionType =>
  TYPES.find(([, pattern]) => pattern.test(question))?.[0] ?? "open"

const FORMS: Readonly<Record<Exclude<QuestionType, "definition" | "open">, RegExp>> = {
  amount:
    /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million|billion|once|twice|every|any number|unlimited|no limit)\b/i,
  time: /\b(?:1[5-9]|20)\d\d\b|\bversion \d|\b(?:when|once|as soon as|after|before|until|since|during|daily|weekly|every|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b/i,
  person:
    /\b(?:users?|owner|administrator|superuser|everybody|nobody|anyone|only|by)\b|\p{Ll} \p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/u,
  place:
    /\b(?:in|under|at|into|below|inside) (?:the |a |an |its |your )?\S*[/\\_.-]\S*|\b(?:folder|director(?:y|ies)|file|path|located|stored|kept)\b/i,
  reason:
    /\b(?:because|since|so that|therefore|reason|otherwise|in order to|due to|cannot|requires?|avoids?|prevents?)\b|:/i,
  method:
    /^(?:to \w+|use|set|run|stop|start|add|open|choose|put|give|write|call|make|create|enable|install|copy|press|select|execute|type|select|say|name|ask|edit|change|switch|replace|remove|define|specify|pass|configure)\b|\b(?:you can|can be|you must|by \w+ing|using|use the)\b|\n/i,
  "yes-or-no":
    /\b(?:yes|no|not|only|cannot|can|always|never|every|may|must|is|are|does|do|will|supports?|obeys?)\b/i,
}

/** Whether a statement has the typical form of an answer to such a question. Supports only English; otherwise always false. */
export const hasForm = (type: QuestionType, statement: string): boolean =>
  type !== "definition" && type !== "open" && FORMS[type].test(statement.replaceAll(FOOTNOTE, ""))

/** A footnote mark isn't a number that can answer a question. */
const FOOTNOTE = /\[\d{1,3}\]/g
