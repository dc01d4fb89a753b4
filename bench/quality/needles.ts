// How well single pages are found in manuals that nothing was tuned for: long pages, exact words, typing errors, other
// languages. npm run bench -- needles [long|exact|misspelt|languages|everywhere ...] [--half tune|kept] [--depth basic
// ...]
//
// - `long`, `exact`, `misspelt` search 1,800 pages of English manuals; `languages` searches each language's handbook
// and manual pages in that language, and, as `across`, in English; `everywhere` searches all languages in one index.
// - Every second question of a set is held back for a final run: use `tune` while you change something.
//
// - `--language zh` asks only in that language; can be given several times.
// - `--sample 4` takes every fourth page of the languages, and all that answer a question, for a slow model.
// - `--vectors-alone` ignores the words.
//
// Needs Debian or Ubuntu (apt-get download). Vectors are kept between runs. `--engine meilisearch` also needs MEILI_URL
// (and MEILI_KEY).
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { type Engine, openEngine, type Page } from "#engine"
import { TransformersEmbedder, shippedModel } from "#engine/models/embedders/transformers-embedder.ts"
import { engineSettings } from "#engine/settings.ts"
import { readSettings } from "#base/settings.ts"
import { CachedEmbedder } from "../corpora/cached-embedder.ts"
import { englishManuals, manualsIn } from "../corpora/manuals.ts"
import { table } from "../measure.ts"
import {
  EXACT_WORD_QUESTIONS,
  type Language,
  LANGUAGE_QUESTIONS,
  LANGUAGES,
  LONG_PAGE_QUESTIONS,
  type ManualQuestion,
  MISSPELT_QUESTIONS,
} from "../questions/question-sets.ts"
import { type Answer, mean, ndcg, reciprocalRank } from "./metrics.ts"

const DEPTHS = ["ultra-fast", "fast", "basic", "advanced"] as const
const HALVES = ["tune", "kept"] as const
const ENGLISH_SETS: Readonly<Record<string, readonly ManualQuestion[]>> = {
  long: LONG_PAGE_QUESTIONS,
  exact: EXACT_WORD_QUESTIONS,
  misspelt: MISSPELT_QUESTIONS,
}
const SETS = [...Object.keys(ENGLISH_SETS), "languages", "everywhere"]
/** Number of pages passed to the engine at once. */
const BATCH = 64
/** Number of hits that are checked. */
const LIMIT = 10

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: "string", multiple: true, default: [...HALVES] },
    depth: { type: "string", multiple: true, default: [...DEPTHS] },
    engine: { type: "string", default: "embedded" },
    model: { type: "string" },
    language: { type: "string", multiple: true, default: [...LANGUAGES] },
    sample: { type: "string", default: "1" },
    "vectors-alone": { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
  },
})
const unknown = positionals.filter((name) => !SETS.includes(name))
if (unknown.length > 0) {
  console.error(`There is no set ${unknown.join(", ")}; there are ${SETS.join(", ")}.`)
  process.exit(2)
}
const wanted = positionals.length > 0 ? positionals : SETS
const depths = DEPTHS.filter((depth) => values.depth.includes(depth))
const languages = LANGUAGES.filter((language) => values.language.includes(language))
const halves = HALVES.filter((half) => values.half.includes(half))

interface Asked {
  readonly text: string
  /** Addresses without `http://`. */
  readonly answers: readonly string[]
}

const model = await TransformersEmbedder.open({ model: values.model ?? shippedModel, threads: 2 })
await using embedder = new CachedEmbedder(model)
const rows: (string | number)[][] = []

/** Every second question is held back. */
const halfOf = <T>(questions: readonly T[], half: (typeof HALVES)[number]) =>
  questions.filter((_, at) => (at % 2 === 0) === (half === "tune"))

async function ask(engine: Engine, label: string, questions: readonly Asked[]): Promise<void> {
  for (const half of halves) {
    const some = halfOf(questions, half)
    for (const depth of depths) {
      const answers: Answer[] = []
      for (const { text, answers: expected } of some) {
        const { hits } = await engine.search({
          text,
          limit: LIMIT,
          passagesPerPage: 1,
          ...(values["vectors-alone"] ? { arms: "vector" as const } : { depth }),
        })
        const found = hits.map(({ url }) => decodeURI(url).replace(/^https?:\/\//, ""))
        const gains = found.map((one) => Number(expected.includes(one)))
        // A reader needs only one good page, so it is no loss if the other suitable ones are missing.
        answers.push({ gains: onlyFirst(gains), ideal: [1] })
        if (values.misses && gains[0] !== 1) {
          const rank = gains.indexOf(1) + 1
          console.log(
            `  ${label} ${depth} ${rank || "-"}: ${text}\n      first: ${found.slice(0, 3).join(" ")}`,
          )
        }
      }
      const at = (k: number) => mean(answers.map(({ gains }) => Number(gains.slice(0, k).includes(1))))
      const figures = [
        at(1),
        at(3),
        mean(answers.map((one) => ndcg(one, LIMIT))),
        mean(answers.map(reciprocalRank)),
      ]
      rows.push([label, half, some.length, depth, ...figures.map((value) => value.toFixed(3))])
      console.log(rows.at(-1)!.join("  "))
    }
  }
}

function onlyFirst(gains: readonly number[]): number[] {
  const first = gains.indexOf(1)
  return gains.map((_, at) => Number(at === first))
}

async function withIndex(
  pages: AsyncIterable<Page> | Iterable<AsyncIterable<Page>>,
  use: (engine: Engine) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "fossick-needles-"))
  const server = process.env["MEILI_URL"]
  const key = process.env["MEILI_KEY"]
  const settings = readSettings(engineSettings, {
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_ENGINE: values.engine,
    FOSSICK_MEILI_INDEX: path.basename(dataDir),
    ...(server ? { FOSSICK_MEILI_URL: server } : {}),
    ...(key ? { FOSSICK_MEILI_KEY: key } : {}),
  })
  const needsVectors = depths.some((depth) => depth === "basic" || depth === "advanced")
  try {
    await using engine = await openEngine(settings, {
      mode: "write",
      embedder,
      ...(needsVectors ? {} : { embedding: "off" as const }),
    })
    const started = performance.now()
    let batch: Page[] = []
    let count = 0
    for (const one of Symbol.asyncIterator in pages ? [pages] : pages) {
      for await (const page of one) {
        count += 1
        if (batch.push(page) < BATCH) continue
        await engine.index(batch)
        batch = []
      }
    }
    await engine.index(batch)
    if (needsVectors) await engine.settled()
    console.log(`${count} pages in ${((performance.now() - started) / 1000).toFixed(0)} s`)
    await use(engine)
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

const inLanguage = (language: Language, asked: Language): Asked[] =>
  LANGUAGE_QUESTIONS.map((one) => ({ text: one[asked], answers: [`${language}.example/${one.answer}`] }))

const asked = new Set(LANGUAGE_QUESTIONS.map(({ answer }) => answer))

/** Every nth page in a language, and the pages that questions need. */
async function* sampleOf(language: Language): AsyncGenerator<Page> {
  let count = 0
  for await (const page of manualsIn(language)) {
    const isAsked = asked.has(decodeURI(page.url).replace(`http://${language}.example/`, ""))
    if (count++ % Number(values.sample) === 0 || isAsked) yield page
  }
}

const english = wanted.filter((name) => name in ENGLISH_SETS)
if (english.length > 0)
  await withIndex(englishManuals(), async (engine) => {
    for (const name of english)
      await ask(
        engine,
        name,
        ENGLISH_SETS[name]!.map(({ text, answers }) => ({
          text,
          answers: answers.map((one) => `manuals.example/${one}`),
        })),
      )
  })
if (wanted.includes("languages"))
  for (const language of languages)
    await withIndex(sampleOf(language), async (engine) => {
      await ask(engine, language, inLanguage(language, language))
      if (language !== "en") await ask(engine, `across en-${language}`, inLanguage(language, "en"))
    })
if (wanted.includes("everywhere"))
  await withIndex(
    LANGUAGES.map((language) => sampleOf(language)),
    async (engine) => {
      for (const language of languages)
        await ask(engine, `everywhere ${language}`, inLanguage(language, language))
    },
  )
console.log(
  `\n${table([["set", "half", "questions", "depth", "hit@1", "hit@3", "nDCG@10", "MRR"], ...rows])}`,
)
