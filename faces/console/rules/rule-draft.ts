import type { Rule } from "../../../api/client/client.ts"
import type { PageType } from "../../reading/passages/page-formats.ts"
import type { RuleKind } from "../place.ts"

export const KIND_NAMES: Readonly<Record<RuleKind, string>> = {
  synonym: "Synonym",
  pin: "Pin",
  boost: "Boost",
}

/** A rule as its form shows it: lists are lines of text. */
export interface RuleDraft {
  readonly kind: RuleKind
  readonly id: string
  /** Whether a synonym's words are interchangeable; otherwise `words` also find `to`, but not vice versa. */
  readonly isMutual: boolean
  readonly words: string
  readonly to: string
  readonly questions: string
  readonly match: "equal" | "words"
  readonly url: string
  readonly position: string
  readonly sources: readonly string[]
  readonly domains: string
  readonly paths: string
  readonly languages: string
  readonly types: readonly PageType[]
  readonly younger: string
  readonly older: string
  readonly factor: string
}

/** A new rule, optionally for a question and with a page. */
export const newDraft = (kind: RuleKind, question: string | null, url: string | null): RuleDraft => ({
  kind,
  id: "",
  isMutual: true,
  words: kind === "synonym" ? (question ?? "") : "",
  to: "",
  questions: kind === "pin" ? (question ?? "") : "",
  match: "equal",
  url: url ?? "",
  position: "1",
  sources: [],
  domains: "",
  paths: "",
  languages: "",
  types: [],
  younger: "",
  older: "",
  factor: "1.5",
})

export function draftOf(rule: Rule): RuleDraft {
  const empty = { ...newDraft(rule.kind, null, null), id: rule.id }
  const lines = (list: readonly string[] | undefined) => (list ?? []).join("\n")
  if (rule.kind === "synonym") {
    const isMutual = rule.words !== undefined
    return { ...empty, isMutual, words: lines(rule.words ?? rule.from), to: lines(rule.to) }
  }
  if (rule.kind === "pin") {
    const { questions, match = "equal", url, position = 1 } = rule
    return { ...empty, questions: lines(questions), match, url, position: String(position) }
  }
  const { sources = [], domains, paths, languages, types = [], youngerThanDays, olderThanDays } = rule.where
  return {
    ...empty,
    sources,
    domains: lines(domains),
    paths: lines(paths),
    languages: lines(languages),
    types,
    younger: youngerThanDays === undefined ? "" : String(youngerThanDays),
    older: olderThanDays === undefined ? "" : String(olderThanDays),
    factor: String(rule.factor),
  }
}

/** Lines of a text, and with `commas` also the parts between commas. */
const listOf = (text: string, commas = true): readonly string[] =>
  text
    .split(commas ? /[\n,]/ : /\n/)
    .map((one) => one.trim())
    .filter((one) => one !== "")

/** The rule that a form describes. The appliance reports what is wrong with it. */
export function ruleOf(draft: RuleDraft, others: readonly string[]): Rule {
  const id = draft.id.trim() === "" ? freeId(draft, others) : draft.id.trim()
  if (draft.kind === "synonym") {
    const words = listOf(draft.words)
    return draft.isMutual
      ? { id, kind: "synonym", words }
      : { id, kind: "synonym", from: words, to: listOf(draft.to) }
  }
  if (draft.kind === "pin") {
    const { match, url, position } = draft
    return {
      id,
      kind: "pin",
      questions: listOf(draft.questions, false),
      match,
      url: url.trim(),
      position: Number(position || "1"),
    }
  }
  const { sources, types, younger, older } = draft
  const [domains, paths, languages] = [draft.domains, draft.paths, draft.languages].map((text) =>
    listOf(text),
  )
  return {
    id,
    kind: "boost",
    where: {
      ...(sources.length > 0 && { sources }),
      ...(domains!.length > 0 && { domains }),
      ...(paths!.length > 0 && { paths }),
      ...(languages!.length > 0 && { languages }),
      ...(types.length > 0 && { types }),
      ...(younger.trim() !== "" && { youngerThanDays: Number(younger) }),
      ...(older.trim() !== "" && { olderThanDays: Number(older) }),
    },
    factor: Number(draft.factor),
  }
}

const MAX_ID_CHARS = 40

/** An id made of the rule's first words, with a number if that id is already used. */
function freeId({ kind, words, questions, sources, paths }: RuleDraft, others: readonly string[]): string {
  const [first = ""] = {
    synonym: listOf(words),
    pin: listOf(questions, false),
    boost: [...sources, ...listOf(paths)],
  }[kind]
  const plain = first
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_ID_CHARS)
    .replaceAll(/^-+|-+$/g, "")
  const name = plain === "" ? kind : plain
  if (!others.includes(name)) return name
  for (let number = 2; ; number++) if (!others.includes(`${name}-${number}`)) return `${name}-${number}`
}

/** A rule's effect, in words. */
export function inWords(rule: Rule): string {
  if (rule.kind === "synonym") {
    if (rule.words !== undefined) return rule.words.join(" = ")
    return `${(rule.from ?? []).join(", ")} → ${(rule.to ?? []).join(", ")}`
  }
  if (rule.kind === "pin") return rule.questions.join(" · ")
  const { sources, domains, paths, languages, types, youngerThanDays, olderThanDays } = rule.where
  const parts = [
    sources && `from ${sources.join(", ")}`,
    domains && `on ${domains.join(", ")}`,
    paths && `under ${paths.join(", ")}`,
    languages && `in ${languages.join(", ")}`,
    types && types.join(", "),
    youngerThanDays !== undefined && `newer than ${youngerThanDays} days`,
    olderThanDays !== undefined && `older than ${olderThanDays} days`,
  ]
  return `Pages ${parts.filter(Boolean).join(", ")}`
}
