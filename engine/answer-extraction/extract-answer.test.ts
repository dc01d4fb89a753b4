import { describe, expect, test } from "vitest"
import type { PageUrl } from "../index/page/page-url.ts"
import { toPassages } from "../text/passages.ts"
import { extractAnswer, extractSides } from "./extract-answer.ts"

const QUESTION = "how do I schedule a crawl every night?"

function page(title: string, markdown: string, score = 0.8) {
  const passages = toPassages(markdown).map((passage, position) => ({ ...passage, position }))
  return { title, markdown, passages, language: "en", score }
}

const SCHEDULE = page(
  "How to schedule a crawl",
  `To schedule a crawl every night, let cron run it at the times you choose. Fossick keeps a log of each run.

Weather in the mountains changes quickly.`,
)

describe("an answer from the pages' own sentences", () => {
  test("says what the page says, and where it stands", async () => {
    const answer = await extractAnswer(QUESTION, [page("Pumps", "Seals wear out first.", 0.1), SCHEDULE], {
      length: "short",
    })
    expect(answer[0]).toEqual({
      text: "To schedule a crawl every night, let cron run it at the times you choose.",
      source: 1,
      kind: "prose",
    })
    expect(answer.map(({ text }) => text).join(" ")).not.toContain("Weather")
  })

  test("is none when nothing there answers", async () => {
    expect(await extractAnswer("who painted the Mona Lisa?", [SCHEDULE], { length: "long" })).toEqual([])
  })

  test("is never the question itself, as examples repeat it", async () => {
    const example = page(
      "Ask something",
      'Ask it by its number:\n\n```\ncurl -d \'{"query": "How do I schedule a crawl, every night"}\'\n```',
      0.9,
    )
    const answer = await extractAnswer(QUESTION, [example, SCHEDULE], { length: "long" })
    expect(answer.length).toBeGreaterThan(0)
    expect(answer.every(({ source }) => source === 1)).toBe(true)
  })
})

describe("what an answer is made of", () => {
  const long = { length: "long" } as const

  test("what only a heading says of a statement is printed with it, and a heading that turns it", async () => {
    const rules = page(
      "Rules of the mill",
      "# Mill\n\n## Not allowed\n\n- Smoking beside the flour sacks of the mill.\n\n## Rotor brake\n\nPull the red lever twice.",
    )
    const [smoking] = await extractAnswer("is smoking fine in the mill, beside flour sacks", [rules], long)
    expect(smoking).toMatchObject({ leads: ["Not allowed"] })
    const [lever] = await extractAnswer("pull which lever for the rotor brake", [rules], long)
    expect(lever).toMatchObject({ leads: ["Rotor brake"], text: "Pull the red lever twice." })
  })

  test("what a setting is by default is said with it, wherever it stands under its name", async () => {
    const settings = page(
      "Settings of the mill",
      `# Settings of the mill

**RetryPause**

: How long the mill waits before it grinds again after it failed.

  Asked for by other mills as well.

  Default is 600.`,
    )
    const all = await extractAnswer("how long does the mill wait before it grinds again", [settings], {
      length: "short",
    })
    expect(all.map(({ text }) => text)).toEqual([
      "How long the mill waits before it grinds again after it failed.",
      "Default is 600.",
    ])
  })

  test("a name that its page does not have speaks against an answer", async () => {
    // All texts mean the same to it.
    const embedder = { embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1)) }
    const ask = (question: string) =>
      extractAnswer(question, [{ ...SCHEDULE, score: 0.05 }], { length: "short", embedder })
    expect(await ask("how do I schedule a crawl with Fossick every night")).not.toEqual([])
    expect(await ask("how do I schedule a crawl with Kubernetes every night")).toEqual([])
  })

  test("a comparison has something for each side, or names the one that is missing", async () => {
    const engines = page(
      "Engines",
      "A diesel engine burns oil under pressure. A petrol engine burns petrol with a spark.\n\nEngines need air.",
    )
    const both = await extractSides("diesel engine versus petrol engine", [engines], { length: "short" })
    expect(both.statements.map(({ text }) => text)).toEqual([
      "A diesel engine burns oil under pressure.",
      "A petrol engine burns petrol with a spark.",
    ])
    expect(both.missing).toEqual([])
    const one = await extractSides("diesel engine versus steam turbine", [engines], { length: "short" })
    expect(one.statements.map(({ text }) => text)).toEqual(["A diesel engine burns oil under pressure."])
    expect(one.missing).toEqual(["steam turbine"])
  })

  test("the newest is preferred where it is asked for", async () => {
    const fairs = page(
      "Fairs",
      "The fair of 2009 was held in the town of Ulm.\n\nThe fair of 2021 was held in the town of Graz.\n\nThe fair of 2015 was held in the town of Lyon.",
    )
    const [latest] = await extractAnswer("in which town was the most recent fair held", [fairs], {
      length: "short",
    })
    expect(latest?.text).toContain("Graz")
  })

  test("of two versions of a page, too", async () => {
    const of = (version: string, size: number) => ({
      ...page(`Sails ${version}`, `The largest sail of the mill measures ${size} metres.`),
      url: `http://mill.test/docs/${version}/sails` as PageUrl,
    })
    const [latest] = await extractAnswer(
      "how large is the largest sail of the mill now",
      [of("2.9", 20), of("2.10", 30)],
      { length: "short" },
    )
    expect(latest?.text).toContain("30")
  })

  test("no page that merely speaks of the subject answers for a year or a rare thing that no page has", async () => {
    const leaders = page("Guild", "The leader of the millers' guild is chosen each spring.", 0.52)
    const asked = { length: "short" } as const
    expect(await extractAnswer("who is chosen as leader of the guild", [leaders], asked)).toHaveLength(1)
    expect(await extractAnswer("who was chosen as leader of the guild in 2023", [leaders], asked)).toEqual([])
    const rarity = new Map([["zeppelin", 9]])
    const far = { ...leaders, score: 0.26 }
    const question = "zeppelin of the millers guild leader spring"
    expect(await extractAnswer(question, [far], asked)).toHaveLength(1)
    expect(await extractAnswer(question, [far], { ...asked, rarity })).toEqual([])
  })

  test("more candidates than sixteen are read for their meaning", async () => {
    const rooms = Array.from({ length: 40 }, (_, i) => `The inn has a room ${i} with a bed.`)
    const numbered = page("Inn", rooms.join("\n\n"))
    const texts: string[] = []
    const embed = (asked: readonly string[]) => {
      texts.push(...asked)
      return Promise.resolve(asked.map(() => Float32Array.of(1, 0)))
    }
    await extractAnswer("room of the inn", [numbered], { length: "short", embedder: { embed } })
    expect(texts.filter((text) => text.startsWith("The inn has")).length).toBeGreaterThan(16)
  })
})

describe("the length of an answer", () => {
  test("takes the sentence along that goes on with what was chosen, and not the next one that does not", async () => {
    const bit = page(
      "Rights of folders",
      "The sticky bit is a permission that is useful for folders only. It keeps others from deleting what is not theirs. Owls sleep by day.",
    )
    const answer = await extractAnswer("what is the sticky bit of folders useful for", [bit], {
      length: "short",
    })
    expect(answer.map(({ text }) => text)).toEqual([
      "The sticky bit is a permission that is useful for folders only.",
      "It keeps others from deleting what is not theirs.",
    ])
  })
})

describe("sides of a comparison", () => {
  const SCRIPTS = page(
    "Scripts of a package",
    `# Scripts of a package

The preinst and postinst scripts run when a package is installed.

**preinst**
: Runs before the files of the package are unpacked. Many preinst scripts stop a service until the postinst script starts it again.

**postinst**
: Completes the settings once the files are there. Often a postinst script asks for input, unlike the preinst script.`,
  )

  test("each say what stands first under their name", async () => {
    const { statements } = await extractSides("preinst versus postinst", [SCRIPTS], { length: "short" })
    const said = statements.map(({ text }) => text).join(" ")
    expect(said).toContain("Runs before the files of the package are unpacked.")
    expect(said).toContain("Completes the settings once the files are there.")
  })

  test("are not missed because their names stand in no statement together", async () => {
    const levels = page(
      "Levels of RAID",
      `# Levels of RAID

## RAID-0

RAID-0 divides the data in stripes without any redundancy.

## RAID-1

RAID-1 keeps all data on both disks alike.`,
      0.6,
    )
    const rarity = new Map([
      ["raid", 2],
      ["0", 6],
      ["1", 6],
    ])
    const { statements } = await extractSides("How do RAID-0 and RAID-1 differ?", [levels], {
      length: "short",
      rarity,
    })
    expect(statements.map(({ text }) => text)).toEqual([
      "RAID-0 divides the data in stripes without any redundancy.",
      "RAID-1 keeps all data on both disks alike.",
    ])
  })
})
