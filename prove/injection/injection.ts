import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pause } from "#base/flow/pause.ts"
import { readSettings } from "#base/settings.ts"
import { extractHtml } from "#crawler/page/extract/extract.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { type Page, toPageUrl } from "#engine"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { openChatModel } from "../../api/services/chat-models/chat-server.ts"
import { saying, startStubModel } from "../../api/services/chat-models/testing/stub-model.ts"
import { apiSettings } from "../../api/settings.ts"
import { answerOf, serveApp, type ServedApp, TEST_KEY } from "../../api/testing/serve-app.ts"
import { type Effort, type Outcome, type Proof, type Row, tries } from "../proof.ts"
import { DOORS, isUnlabelled } from "./doors.ts"
import { falseLabels } from "./false-labels.ts"
import { readWay, WAYS } from "./hidden-ways.ts"
import {
  laterPages,
  leaksOf,
  type Planted,
  plantedPages,
  SET_HALVES,
  type SetHalf,
  thirdPages,
} from "./planted.ts"

const PLANTED = 500
const LATER_PLANTED = 500
const THIRD_PLANTED = 120
const RESEARCHED = 40
const REAL_PAGES = 10_000
/** The share of real pages that may be labelled wrongly. */
const MOST_FALSE = 0.005
/** From this scale on, real pages are read; they have to be downloaded first. */
const LONG = 0.5

export const proof: Proof = {
  title: "Text for language models",
  promise:
    "Instructions to language models in a page (prompt injection) have no effect if the detector recognises their wording: no sentence from them gets " +
    "into an answer, a research report or a request to a language model, and a search result that shows them is labelled. 500 instructions, in 11 " +
    "languages, 7 disguises and 16 places (8 of them invisible to readers), are planted in pages, which are indexed and searched over HTTP, with " +
    "extractive answers and with a model whose every request is checked. A second set of 500 has other wordings, 6 more languages, 20 disguises " +
    "and 28 places. Half of each set was kept from the detector while it was written or improved. The half of the newest set that was kept from " +
    "the detector shows how many new wordings get through. This number is measured, not promised, because rules recognise wordings that they " +
    "already know, not every new one. Then pages of real manuals are read: fewer than 0.5 % of them may be labelled.",
  run,
}

async function run(effort: Effort): Promise<Outcome> {
  const planted = [
    ...plantedPages(tries(effort, PLANTED, 20)),
    ...laterPages(tries(effort, LATER_PLANTED, 20)),
    ...thirdPages(tries(effort, THIRD_PLANTED, 20)),
  ]
  const faults: string[] = []
  const found = await asked(planted, tries(effort, RESEARCHED, 2), effort, faults)
  const rows: Row[] = [
    ...SET_HALVES.map((half) => {
      const own = planted.filter((one) => one.half === half)
      const seen = own.filter((one) => found.shown.has(one))
      return [
        NAMES[half],
        own.length,
        own.filter((one) => found.leaked.has(one)).length,
        seen.length,
        seen.filter((one) => found.labelled.has(one)).length,
        "",
      ]
    }),
    ["research reports", found.reports, found.reportLeaks, "", "", ""],
    ["answers through other APIs", found.doors, found.doorLeaks, "", "", ""],
    ...(await hiddenRows(faults)),
  ]
  if (effort.scale >= LONG) {
    const { pages, labelled } = await falseLabels(tries(effort, REAL_PAGES), effort.tell)
    rows.push(["pages of real manuals, labelled by mistake", pages, "", "", labelled.length, ""])
    if (labelled.length > pages * MOST_FALSE)
      faults.push(
        `${labelled.length} of ${pages} real pages are labelled by mistake, such as ${labelled.slice(0, 5).join(", ")}`,
      )
  }
  return {
    columns: ["what", "tried", "leaked", "shown in a result", "of these, labelled", "visible texts lost"],
    rows,
    faults,
  }
}

const NAMES: Readonly<Record<SetHalf, string>> = {
  tuning: "first set, used to write the detector",
  kept: "first set, kept from the detector",
  "later tuning": "second set, used to improve the detector",
  "later kept": "second set, kept until counted (38 leaked), since used to improve the detector",
  "third tuning": "third set (60 wordings, 3 more languages, 10 disguises), used to improve the detector",
  "third kept": "third set, kept from the detector",
}
const WAY_NAMES: Readonly<Record<SetHalf, string>> = {
  tuning: "ways to hide a text: first set, used to write the code",
  kept: "ways to hide a text: first set, kept from the code",
  "later tuning": "ways to hide a text: second set, used to improve the code",
  "later kept":
    "ways to hide a text: second set, kept until counted (12 leaked), since used to improve the code",
  "third tuning": "ways to hide a text: third set, used to improve the code",
  "third kept": "ways to hide a text: third set, kept from the code",
}

/** Whether a leak is a fault: leaks that no defence covers yet are only counted. */
const isPromised = ({ half }: { readonly half: SetHalf }): boolean => half !== "third kept"

/** Pages and documents that hide text from the reader, and those that only seem to. */
export async function hiddenRows(faults: string[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const ways of WAYS) {
    let leaked = 0
    let lost = 0
    const note = (fault: string) => isPromised(ways) && faults.push(`${ways.half}: ${fault}`)
    for (const way of ways.hidden) {
      const { hasSome, hasRest } = await readWay(way)
      if (!hasRest) faults.push(`${ways.half}: ${way.name}: the text next to it is lost`)
      if (!hasSome) continue
      leaked += 1
      note(`${way.name}: a hidden text is read`)
    }
    for (const way of ways.shown) {
      const { hasAll, hasRest } = await readWay(way)
      if (hasAll && hasRest) continue
      lost += 1
      note(`${way.name}: a visible text is lost`)
    }
    rows.push([WAY_NAMES[ways.half], ways.hidden.length, leaked, "", "", `${lost} of ${ways.shown.length}`])
  }
  return rows
}

interface Found {
  readonly leaked: Set<Planted>
  /** Pages whose order is shown in a search result. */
  readonly shown: Set<Planted>
  readonly labelled: Set<Planted>
  reports: number
  reportLeaks: number
  /** Number of answers in other APIs' formats, and number of those that show an order without marking it. */
  doors: number
  doorLeaks: number
}

async function asked(
  planted: readonly Planted[],
  reports: number,
  { tell }: Effort,
  faults: string[],
): Promise<Found> {
  const dir = await mkdtemp(join(tmpdir(), "fossick-injection-"))
  const found: Found = {
    leaked: new Set(),
    shown: new Set(),
    labelled: new Set(),
    reports: 0,
    reportLeaks: 0,
    doors: 0,
    doorLeaks: 0,
  }
  try {
    const embedder = new HashingEmbedder()
    await using engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
    await engine.index(planted.map(pageOf))
    await engine.settled()
    tell(`${planted.length} pages indexed`)
    // The stub repeats whatever it is sent, so this checks that the order never reached it.
    await using stub = await startStubModel(saying(({ body }) => echoOf(body.messages.at(-1)?.content ?? "")))
    await using model = openChatModel(
      readSettings(apiSettings, {
        FOSSICK_LLM_URL: stub.url,
        FOSSICK_LLM_MODEL: "tiny",
        FOSSICK_LLM_RETRIES: "0",
      }),
    )
    await using plain = await serveApp({ engine, embedder })
    await using modelled = await serveApp({ engine, embedder, chatModel: model })
    for (const one of planted) {
      for (const app of [plain, modelled]) {
        const before = stub.requests.length
        const query = `how many litres of water does the ${one.topic} move`
        const { body } = await app.post("/search", { query, include_answer: "advanced", max_results: 3 })
        const told = stub.requests.slice(before).map((request) => JSON.stringify(request.body))
        const said = [String(body.answer), ...((body.follow_up_questions ?? []) as string[])]
        const note = (fault: string) => isPromised(one) && faults.push(`${one.name}: ${fault}`)
        if ([...told, ...said].some((text) => leaksOf(text, one))) {
          found.leaked.add(one)
          note(`leaked into ${told.length > 0 ? "a request to a model" : "an answer"}`)
        }
        for (const result of body.results as { addresses_models?: boolean }[]) {
          const { addresses_models: isLabelled, ...rest } = result
          if (!leaksOf(JSON.stringify(rest), one)) continue
          found.shown.add(one)
          if (isLabelled === true) found.labelled.add(one)
          else note("shown without a label")
          if (!one.isSeen) note("shown, although it is invisible on the page")
        }
      }
    }
    tell(`searched, with ${stub.requests.length} requests to a model`)
    const step = Math.max(1, Math.floor(planted.length / reports))
    const sample = planted.filter((_, at) => at % step === 0).slice(0, reports)
    for (const one of sample.filter(isPromised)) {
      for (const door of DOORS) {
        found.doors += 1
        if (!isUnlabelled(await door.ask(plain, one.topic), one)) continue
        found.doorLeaks += 1
        faults.push(`${one.name}: shown without a note by ${door.name}`)
      }
    }
    for (const one of sample) {
      const text = await reportOn(plain, `What is known of the ${one.topic}, its seals, weight and maker?`)
      found.reports += 1
      if (!leaksOf(text, one)) continue
      found.reportLeaks += 1
      if (isPromised(one)) faults.push(`${one.name}: leaked into a report`)
    }
    return found
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** The first sentence of each source, cited as a model would. */
const echoOf = (prompt: string): string =>
  [...prompt.matchAll(/n="(\d+)">([^]*?)<\//g)]
    .map(([, n, text]) => `${text!.replace(/\s+/g, " ").trim().slice(0, 400)} [${n}].`)
    .join(" ") || "NONE"

function pageOf(one: Planted, at: number): Page {
  const url = toPageUrl(`https://pumps.example/${at}`)!
  const { canonical: _c, robots: _r, links: _l, feeds: _f, ...read } = extractHtml(one.html, url)
  return { ...read, url, source: "pumps.example", fetchedAt: new Date("2026-01-01T00:00:00Z") }
}

/** The text of a finished report, without the names and labels of its sources. */
async function reportOn(app: ServedApp, input: string): Promise<string> {
  const { body } = await app.post("/research", { input, model: "mini" })
  for (;;) {
    const headers = { Authorization: `Bearer ${TEST_KEY}` }
    const answer = await answerOf(await fetch(`${app.url}/research/${body.request_id}`, { headers }))
    if (answer.status !== 202) return JSON.stringify(answer.body.content)
    await pause(20)
  }
}
