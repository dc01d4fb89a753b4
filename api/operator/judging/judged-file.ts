import { Ajv } from "ajv"

import { lazily } from "#base/process/lazily.ts"
import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"
import { stringify } from "yaml"

import { toPageUrl } from "#engine"
import { placeAt, readYaml } from "#crawler/sources/written/yaml-slips.ts"

import {
  type JudgedPage,
  type JudgedQuestion,
  MOST_QUESTIONS,
  pagesSchema,
  questionSchema,
  type WrittenPage,
} from "./judged-schema.ts"

/** An invalid file of judged questions; the message has one line per problem: `judged.yaml:12:5: …`. */
export class JudgedFileError extends Error {}

const validator = lazily(() =>
  new Ajv({ ...OWN_SCHEMA, allErrors: true }).compile<{
    readonly questions: readonly {
      readonly question: string
      readonly pages: readonly WrittenPage[]
    }[]
  }>({
    type: "object",
    additionalProperties: false,
    required: ["questions"],
    properties: {
      questions: {
        type: "array",
        minItems: 1,
        maxItems: MOST_QUESTIONS,
        items: {
          type: "object",
          additionalProperties: false,
          required: ["question", "pages"],
          properties: { question: questionSchema, pages: pagesSchema },
        },
      },
    },
  }),
)

/**
 * The judged questions in a file's text: YAML 1.2 or JSON.
 * @throws JudgedFileError
 */
export function parseJudged(text: string, file: string): readonly JudgedQuestion[] {
  const yaml = readYaml(text)
  const lines = yaml.slips.map(({ place, text }) => `${file}:${place.line}:${place.column}: ${text}`)
  if (lines.length > 0) throw new JudgedFileError(lines.join("\n"))
  const wrong = (path: readonly (string | number)[], message: string) => {
    let place = null
    for (let end = path.length; place === null && end > 0; end--) place = placeAt(yaml, path.slice(0, end))
    lines.push(`${place === null ? file : `${file}:${place.line}:${place.column}`}: ${message}`)
  }
  const value = yaml.document.toJS({ maxAliasCount: 1000 }) as unknown
  const validate = validator()
  if (!validate(value)) {
    for (const { instancePath, message = "is wrong", params } of validate.errors ?? []) {
      const path = instancePath.split("/").slice(1)
      const steps = path.map((step) => (/^\d+$/.test(step) ? Number(step) : step))
      const extra = (params as { readonly additionalProperty?: string }).additionalProperty
      wrong(steps, `${path.join(".")} ${message}${extra === undefined ? "" : ` (${extra})`}`.trim())
    }
    throw new JudgedFileError(lines.join("\n"))
  }
  const questions = value.questions.map(({ question, pages }, i) => ({
    question,
    pages: pages.flatMap(({ url: given, grade = 1 }, j): JudgedPage[] => {
      const url = toPageUrl(given)
      if (url === null) wrong(["questions", i, "pages", j, "url"], `${given} isn't an http or https address`)
      return url === null ? [] : [{ url, grade }]
    }),
  }))
  if (lines.length > 0) throw new JudgedFileError(lines.join("\n"))
  return questions
}

/** Questions in the form that {@link parseJudged} reads. */
export const judgedText = (questions: readonly JudgedQuestion[]): string =>
  stringify(
    {
      questions: questions.map(({ question, pages }) => ({
        question,
        pages: pages.map(({ url, grade }) => (grade === 1 ? { url } : { url, grade })),
      })),
    },
    { lineWidth: 0 },
  )
