import { extractHtml } from "#crawler/page/extract/extract.ts"
import { type Page, type PageUrl, toPageUrl } from "#engine"
import {
  guideManuals,
  judgedManuals,
  laterManuals,
  packagePages,
  programManuals,
} from "../../corpora/manuals.ts"
import { ownHtml } from "../../corpora/documentation-pages.ts"
import { researchCorpus, urlOfPath } from "../../corpora/research-corpus.ts"
import {
  type Half,
  halfOf,
  type JudgedQuestion,
  type JudgedTask,
} from "../../questions/judged/judged-question.ts"
import {
  GUIDE_QUESTIONS,
  GUIDE_TASKS,
  JUDGED_QUESTIONS,
  JUDGED_TASKS,
  KEPT_GUIDE_QUESTIONS,
  KEPT_GUIDE_TASKS,
  LATER_QUESTIONS,
  PROGRAM_QUESTIONS,
} from "../../questions/judged/judged-questions.ts"
import {
  KEPT_MANY_QUESTIONS,
  MANY_PAGES,
  MANY_QUESTIONS,
  MORE_PAGES,
  MORE_QUESTIONS,
  TRAINED_QUESTIONS,
} from "../../questions/many/many-questions.ts"
import {
  HANDBOOK_QUESTIONS,
  MANUAL_QUESTIONS,
  NEAR_QUESTIONS,
  RESEARCH_QUESTIONS,
  UNRELATED_QUESTIONS,
} from "../../questions/question-sets.ts"

/** Pages, with the questions and tasks for them. */
interface JudgedSet {
  /** Pages for the questions. */
  readonly pages: () => AsyncIterable<Page>
  readonly questions: Readonly<Record<string, readonly JudgedQuestion[]>>
  /** The questions held back for a final run, if the set lists them. Otherwise every second one is held back. */
  readonly kept?: {
    readonly questions: Readonly<Record<string, readonly JudgedQuestion[]>>
    readonly tasks: readonly JudgedTask[]
  }
  /** Pages for the tasks. */
  readonly taskPages: () => AsyncIterable<Page>
  readonly tasks: readonly JudgedTask[]
  /** The address of a page by its path. */
  readonly urlOf: (path: string) => string
}

const NONE_KEPT = { questions: {}, tasks: [] }

const MANY: JudgedSet = {
  pages: () => packagePages(MANY_PAGES),
  questions: MANY_QUESTIONS,
  kept: { questions: KEPT_MANY_QUESTIONS, tasks: [] },
  taskPages: () => packagePages(MANY_PAGES),
  tasks: [],
  urlOf: (path) => `http://manuals.example/${path}`,
}

/**
 * `manuals` is over Debian's manuals; `later`, `programs` and `guides` are over other pages, each first asked after
 * answers had been tuned for the earlier sets; `many` has 620 questions over thirty more manuals, `trained` has 1,500
 * over the same manuals, on which readers of answers were trained; `more` has 999 over other pages of these manuals;
 * `own` is over the pages next to the benches and the project's handbook, for which answers were tuned.
 */
export const SETS: Readonly<Record<string, JudgedSet>> = {
  manuals: {
    pages: judgedManuals,
    questions: JUDGED_QUESTIONS,
    taskPages: judgedManuals,
    tasks: JUDGED_TASKS,
    urlOf: (path) => `http://manuals.example/${path}`,
  },
  later: {
    pages: laterManuals,
    questions: LATER_QUESTIONS,
    kept: NONE_KEPT,
    taskPages: laterManuals,
    tasks: [],
    urlOf: (path) => `http://manuals.example/${path}`,
  },
  programs: {
    pages: programManuals,
    questions: PROGRAM_QUESTIONS,
    kept: NONE_KEPT,
    taskPages: programManuals,
    tasks: [],
    urlOf: (path) => `http://manuals.example/${path}`,
  },
  guides: {
    pages: guideManuals,
    questions: GUIDE_QUESTIONS,
    kept: { questions: KEPT_GUIDE_QUESTIONS, tasks: KEPT_GUIDE_TASKS },
    taskPages: guideManuals,
    tasks: GUIDE_TASKS,
    urlOf: (path) => `http://manuals.example/${path}`,
  },
  many: MANY,
  more: {
    ...MANY,
    pages: () => packagePages(MORE_PAGES),
    taskPages: () => packagePages(MORE_PAGES),
    questions: MORE_QUESTIONS,
    kept: NONE_KEPT,
  },
  trained: { ...MANY, questions: TRAINED_QUESTIONS, kept: NONE_KEPT },
  own: {
    pages: ownPages,
    questions: {
      manuals: MANUAL_QUESTIONS.map(({ text, facts }) => ({ text, facts: [{ on: [], says: facts }] })),
      handbook: HANDBOOK_QUESTIONS.map(({ text, facts }) => ({ text, facts: [{ on: [], says: facts }] })),
      "near miss": NEAR_QUESTIONS.map((text) => ({ text, facts: null })),
      unrelated: UNRELATED_QUESTIONS.map((text) => ({ text, facts: null })),
    },
    taskPages: async function* () {
      yield* await researchCorpus()
    },
    tasks: RESEARCH_QUESTIONS.map(({ input, pages }) => ({
      input,
      parts: pages.map((page) => ({ about: page, on: [page], says: [] })),
    })),
    urlOf: urlOfPath,
  },
}

/** A set's questions of one kind, in one of its halves. */
export function questionsOf(set: JudgedSet, kind: string, half: Half): readonly JudgedQuestion[] {
  const all = set.questions[kind] ?? []
  if (set.kept) return half === "kept" ? (set.kept.questions[kind] ?? []) : all
  return halfOf(all, half)
}

/** A set's tasks, in one of its halves. */
export const tasksOf = (set: JudgedSet, half: Half): readonly JudgedTask[] =>
  set.kept ? (half === "kept" ? set.kept.tasks : set.tasks) : halfOf(set.tasks, half)

async function* ownPages(): AsyncGenerator<Page> {
  for await (const { site, path, html } of ownHtml()) yield toPage(path, site, html)
}

function toPage(path: string, site: string, html: string): Page {
  const url = toPageUrl(path, site) as PageUrl
  const {
    canonical: _canonical,
    robots: _robots,
    links: _links,
    feeds: _feeds,
    ...read
  } = extractHtml(html, url)
  return { ...read, url, source: site, fetchedAt: new Date(0) }
}
