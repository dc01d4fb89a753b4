import { freePort } from "#base/testing/free-port.ts"
import { stopProcess, untilAnswers } from "../../measure.ts"
import { HANDBOOK_QUESTIONS, MANUAL_QUESTIONS } from "../../questions/question-sets.ts"
import { askable, askApi } from "../../questions/ask-api.ts"
import type { Ground, Measure } from "../ground.ts"
import { cpuMsOf, startOwn } from "../run.ts"

const WARM_UP_TURNS = 3

/** Sends questions to the API's own process over HTTP. Each start asks each question once. */
interface Asked {
  readonly name: string
  readonly of: string
  readonly starts: number
  readonly turns: number
  /** Number of questions per turn. */
  readonly each: number
  readonly body: Readonly<Record<string, unknown>>
  readonly texts: (ground: Ground) => readonly string[] | Promise<readonly string[]>
}

const asking = ({ name, of, starts, turns, each, body, texts }: Asked): Measure => ({
  lines: [{ name, of }],
  starts,
  turns,
  startsCold: false,
  async open(side, ground) {
    const left = [...(await texts(ground))]
    const dataDir = await ground.index(side)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const api = startOwn(side, ["api/main.ts"], askable(dataDir, port))
    await untilAnswers(api, `${url}/healthz`)
    const askNext = async (count: number) => {
      for (const query of left.splice(0, count)) await askApi(url, { query, ...body })
    }
    await askNext(WARM_UP_TURNS * each)
    return {
      async turn() {
        const before = await cpuMsOf(api)
        await askNext(each)
        return { [name]: ((await cpuMsOf(api)) - before) / each }
      },
      [Symbol.asyncDispose]: () => stopProcess(api),
    }
  },
})

export const question = asking({
  name: "question",
  of: "CPU ms of a question",
  starts: 6,
  turns: 10,
  each: 20,
  body: { search_depth: "basic" },
  texts: (ground) => ground.stretches(),
})

export const advanced = asking({
  name: "advanced",
  of: "CPU ms of a question of search_depth `advanced`",
  starts: 6,
  turns: 6,
  each: 2,
  body: { search_depth: "advanced" },
  texts: async (ground) => (await ground.stretches()).toReversed(),
})

export const answer = asking({
  name: "answer",
  of: "CPU ms of a question with include_answer",
  starts: 6,
  turns: 6,
  each: 2,
  body: { include_answer: true },
  texts: () => [...MANUAL_QUESTIONS, ...HANDBOOK_QUESTIONS].map(({ text }) => text),
})
