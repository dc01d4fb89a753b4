import { afterAll, beforeAll, describe, expect, test } from "vitest"

import type { Embedder } from "#engine"
import { SHIPPED_MODELS } from "#engine/shipped-models.ts"
import { TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"

import { Bearing } from "./borne-out.ts"
import { CheckedReply, checkedSentences } from "./check-citations.ts"
import { isRefusal } from "./refusals.ts"

const SOURCES = [
  "Pumps\nA rotary pump moves 40 litres of water a minute. Rollers press its hose flat. It costs $3,000 and was first sold on 2024-03-09.",
  "Seals\nSeals wear out first. Replace the three seals every year with `pumpctl seal --new`.\npumpctl seal --new",
]
const signal = new AbortController().signal

async function kept(reply: string, sources: readonly string[] = SOURCES, embedder: Embedder | null = null) {
  const bearing = new Bearing({ embedder, signal })
  const statements = await checkedSentences({ text: reply }, { sources, bearing })
  return statements.map(({ text, source }) => `${text} [${source + 1}]`)
}

describe("a citation is read", () => {
  const PUMP = "A rotary pump moves 40 litres a minute"
  test.each([
    `${PUMP} [1].`,
    `${PUMP}. [1]`,
    `${PUMP}[1].`,
    `${PUMP} (1).`,
    `${PUMP}. (1)`,
    `${PUMP} [Source 1].`,
    `${PUMP} (Source 1).`,
    `${PUMP} (see source 1).`,
    `${PUMP} [source: 1].`,
    `${PUMP} [Quelle 1].`,
    `${PUMP} [来源1].`,
    `${PUMP} 【1】.`,
    `${PUMP}【1†source】.`,
    `${PUMP}【1†L3-L9】.`,
    `${PUMP} [^1].`,
    `${PUMP} [[1]].`,
    `${PUMP} [1](https://pumps.example/a).`,
    `${PUMP} <sup>1</sup>.`,
    `${PUMP}.¹`,
    `${PUMP} <source-0a1b2c3d n="1">.`,
    `${PUMP} [n="1"].`,
    `[1] ${PUMP}.`,
    `According to [1], ${PUMP.toLowerCase()}.`,
    `According to source [1], ${PUMP.toLowerCase()}.`,
    `Source 1 states that ${PUMP.toLowerCase()}.`,
    `- **Flow**: ${PUMP.toLowerCase()} [1].`,
    `**Answer:** ${PUMP} [1].`,
  ])("%s", async (reply) => {
    const [only, ...others] = await kept(reply)
    expect(only).toMatch(/rotary pump moves 40 litres a minute\.? \[1\]$/i)
    expect(others).toEqual([])
  })

  test.each([
    "[1][2]",
    "[1, 2]",
    "[1,2]",
    "[1-2]",
    "[1] [2]",
    "[1; 2]",
    "[Sources 1 and 2]",
    "【1】【2】",
    "(1, 2)",
  ])("from several sources: %s", async (marks) => {
    expect(await kept(`Replace the seals every year ${marks}.`)).toEqual([
      "Replace the seals every year. [2]",
    ])
  })

  test("at the end of a paragraph, for the sentences before it", async () => {
    expect(
      await kept("Seals wear out first. Replace the seals every year. [2]\n\nA pump costs $3,000. [1]"),
    ).toEqual(["Seals wear out first. [2]", "Replace the seals every year. [2]", "A pump costs $3,000. [1]"])
  })

  test("from the source that has the sentence, if it is missing", async () => {
    expect(await kept("Seals wear out first.")).toEqual(["Seals wear out first. [2]"])
    expect(await kept("Seals are made of rubber and wear out.")).toEqual([])
  })

  test("but not for a sentence that only announces an answer", async () => {
    expect(await kept("The answer is: 3 [2]. The source is: [2]. Source [2]")).toEqual([])
    expect(await kept("The answer is that seals wear out first [2].")).toEqual(["Seals wear out first. [2]"])
  })

  test("but not from a number in parentheses that is no citation", async () => {
    expect(await kept("Rollers press the hose flat, says pump(1). [1]")).toEqual([])
    expect(await kept("Rollers (40) press the hose flat [1].")).toEqual([
      "Rollers (40) press the hose flat. [1]",
    ])
  })

  test("but not in the list of sources that some models append", async () => {
    const reply =
      "Seals wear out first [2].\n\nSources:\n[1] Pumps: a rotary pump moves water\n[^2]: Seals wear out first"
    expect(await kept(reply)).toEqual(["Seals wear out first. [2]"])
  })
})

test("a model that repeats its input has said nothing", async () => {
  const mark = "source-55ccbd16eef04aa1"
  const echo = `<${mark} n="2">\n${SOURCES[0]}\n</${mark}>\n\nQuestion: How often are the three seals replaced every year?`
  expect(await kept(echo)).toEqual([])
  expect(await kept(`${echo}\n\nSeals wear out first [2].`)).toEqual(["Seals wear out first. [2]"])
  expect(await kept("Pumps")).toEqual([])
})

describe("matching numbers", () => {
  test.each([
    "It costs $3000 [1].",
    "It costs 3 000 $ [1].",
    "It costs $3.000 [1].",
    "It costs $3,000.00 [1].",
    "Replace the 3 seals every year [2].",
    "The pump was first sold on 9 March 2024 [1].",
    "The rotary pump moves 40.0 litres of water [1].",
  ])("%s", async (reply) => expect(await kept(reply)).toHaveLength(1))

  test.each([
    "It costs $300 [1].",
    "It costs $30,000 [1].",
    "Replace the 4 seals every year [2].",
    "The pump was first sold on 10 March 2024 [1].",
    "The rotary pump moves 4 litres of water [1].",
  ])("do not include: %s", async (reply) => expect(await kept(reply)).toEqual([]))
})

describe("code", () => {
  test("is kept only if it appears unchanged in a source", async () => {
    const reply = (command: string) => `Replace the seals every year [2]:\n\n\`\`\`sh\n${command}\n\`\`\``
    expect(await kept(reply("pumpctl seal --new"))).toContain("pumpctl seal --new [2]")
    expect((await kept(reply("pumpctl seal --all"))).join()).not.toContain("--all")
  })
})

describe("a refusal", () => {
  test.each([
    "NONE.",
    "The sources do not contain information about the price.",
    "The provided passages don't mention how many litres a pump moves [1][2].",
    "Unfortunately, the documents do not specify this.",
    "None of the sources mentions the price.",
    "There is no information on this in the sources.",
    "I cannot answer this question from the sources.",
    "The context provided doesn't say.",
    "Based on the provided sources, the sources do not state a price.",
    "Die Quellen enthalten keine Informationen über den Preis.",
    "In den Texten wird der Preis nicht erwähnt.",
    "Leider keine Angaben dazu.",
    "Les sources ne contiennent pas d'informations sur le prix.",
    "Je ne peux pas répondre à cette question.",
    "Las fuentes no contienen información sobre el precio.",
    "No hay información sobre el precio en las fuentes.",
    "Le fonti non contengono informazioni sul prezzo.",
    "As fontes não contêm informações sobre o preço.",
    "De bronnen bevatten geen informatie over de prijs.",
    "Źródła nie zawierają informacji o cenie.",
    "Источники не содержат информации о цене.",
    "Джерела не містять інформації про ціну.",
    "Kaynaklar fiyat hakkında bilgi içermiyor.",
    "来源中没有提到价格。",
    "出典には価格の情報が含まれていません。",
    "출처에는 가격에 대한 정보가 없습니다.",
    "المصادر لا تحتوي على معلومات عن السعر.",
    "स्रोतों में कीमत की जानकारी नहीं है।",
  ])("%s", async (sentence) => {
    expect(isRefusal(sentence.replace(" [1][2]", ""))).toBe(true)
    expect(await kept(sentence)).toEqual([])
  })

  test.each([
    "A rotary pump does not contain seals.",
    "The file does not exist.",
    "You cannot change the hose while it runs.",
    "Der Schlauch darf nicht gewechselt werden.",
    "La bomba no contiene agua.",
    "Насос не содержит воды.",
    "水泵没有密封圈。",
  ])("does not include: %s", (sentence) => expect(isRefusal(sentence)).toBe(false))

  test("counts as a statement if a source says it", async () => {
    const source = "The sources do not contain debug symbols."
    expect(await kept(`${source} [1]`, [source])).toEqual([`${source} [1]`])
  })
})

test("a streamed reply gives the same result as a complete one, and takes nothing back", async () => {
  const reply =
    "**Answer:** Seals wear out first. Replace the seals every year [2]. A rotary pump moves 40 litres a minute【1】. It has 7 wheels [1].\n- It costs $3000 [^1].\n\nSources:\n[1] Pumps"
  const options = { sources: SOURCES, bearing: new Bearing({ embedder: null, signal }) }
  const whole = await checkedSentences({ text: reply }, options)
  expect(whole).toHaveLength(4)
  const check = new CheckedReply(options)
  const pieces = []
  for (let end = 1; end < reply.length; end++) pieces.push(...(await check.take(reply.slice(0, end), false)))
  expect(pieces.length).toBeGreaterThan(2)
  pieces.push(...(await check.take(reply, true)))
  expect(pieces).toEqual(whole)
})

test("a sentence that was cut off is left out", async () => {
  const bearing = new Bearing({ embedder: null, signal })
  const reply = { text: "Seals wear out first [2]. Replace the seals every", isCut: true }
  expect(await checkedSentences(reply, { sources: SOURCES, bearing })).toHaveLength(1)
})

describe("a reply in another language than its sources", () => {
  let embedder: Embedder
  beforeAll(async () => {
    embedder = await TransformersEmbedder.open({ model: SHIPPED_MODELS.multilingual, threads: 1 })
  })
  afterAll(() => embedder[Symbol.asyncDispose]())

  test.each([
    "Eine Rotationspumpe fördert 40 Liter Wasser pro Minute [1].",
    "Remplacez les trois joints chaque année avec pumpctl [2].",
    "Роторный насос перекачивает 40 литров воды в минуту [1].",
    "密封件最先磨损，应每年更换 [2]。",
  ])("is kept if numbers, names and meaning match: %s", async (reply) => {
    expect(await kept(reply, SOURCES, embedder)).toHaveLength(1)
  })

  test.each([
    "Eine Rotationspumpe fördert 90 Liter Wasser pro Minute [1].",
    "Elefanten erinnern sich noch nach Jahrzehnten an ein Gesicht [1].",
    "Remplacez les trois joints chaque année avec sealCtl [2].",
    "Слоны помнят лица десятилетиями [1].",
  ])("is left out otherwise: %s", async (reply) => expect(await kept(reply, SOURCES, embedder)).toEqual([]))

  test("is checked by its untranslatable parts if there are no vectors", async () => {
    const away = {
      ...embedder,
      traits: embedder.traits!,
      embed: () => Promise.reject(new Error("away")),
    } as Embedder
    expect(await kept("Роторный насос перекачивает 40 литров воды [1].", SOURCES, away)).toHaveLength(1)
    expect(await kept("Слоны помнят лица десятилетиями [1].", SOURCES, away)).toEqual([])
  })
})
