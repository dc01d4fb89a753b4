import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { stringify } from "yaml"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { WeekAppliance } from "./appliance.ts"
import { judgeRun, rankOf, type Truth, TROUBLE, type Verdict, WELL } from "./judge.ts"
import { startReceiver } from "./receiver.ts"
import { Manual } from "./watches/manual.ts"
import { busyFor, ownSite, Stand } from "./world.ts"

const SECRET = "a-Secret-of-the-short-week"
const TIMEOUT_MS = 240_000

test(
  "over three days, the operator's reports on three sites match what happened",
  { timeout: TIMEOUT_MS },
  async () => {
    await using cleanup = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), "fossick-short-week-"))
    cleanup.defer(() => rm(folder, { recursive: true, force: true }))
    const receiver = cleanup.use(await startReceiver(SECRET))
    const workshop = new Manual([
      "hammer",
      "chisel",
      "lathe",
      "anvil",
      "plane",
      "mallet",
      "gouge",
      "clamp",
      "square",
      "spokeshave",
    ])
    const garden = new Manual(["spade", "rake", "hoe", "trowel"])
    const ask = { text: "how long does it take to clean the spokeshave", path: "/spokeshave" }
    const stands = new Map(
      [
        ownSite("workshop", "a manual", workshop.serve, [], ask),
        ownSite("garden", "another", garden.serve),
        ownSite("partner", "never well", busyFor(1)),
      ].map((site) => [site.name, cleanup.use(new Stand(site, 0))]),
    )
    for (const stand of stands.values()) await stand.up()
    const sources = [...stands.values()].map(({ name, start }) => ({
      name,
      seeds: start,
      allowedNetworks: ["127.0.0.1"],
      webhooks: [{ url: receiver.url, events: ["finished", "changed"], secret: "${SHORT_WEEK_SECRET}" }],
    }))
    await writeFile(join(folder, "sources.yaml"), stringify({ sources }))
    const vectors = cleanup.use(await startCheapVectors())
    const appliance = cleanup.use(
      new WeekAppliance(folder, {
        FOSSICK_PORT: "0",
        FOSSICK_HANDBOOK: "off",
        FOSSICK_RETRY_DELAY_MS: "50",
        FOSSICK_MAX_WAIT_MS: "50",
        FOSSICK_WEBHOOK_NETWORKS: receiver.address,
        FOSSICK_UNIT_READER: "off",
        ...vectors.settings,
        SHORT_WEEK_SECRET: SECRET,
      }),
    )
    await appliance.start()

    const sick: Truth = {
      source: "partner",
      what: "answers 503",
      results: ["failed"],
      reason: /503/,
    }
    const calm = (source: string): Truth => ({ source, what: "nothing", results: WELL, reason: null })
    const verdicts: Verdict[] = []
    const night = async (day: number, truths: readonly Truth[]) => {
      const ids = new Map<string, number>()
      for (const name of stands.keys())
        ids.set(name, (await appliance.call<{ id: number }>(`/admin/sources/${name}/run`, {})).id)
      await appliance.rest(1)
      await expect
        .poll(() => receiver.messages.filter(({ type }) => type === "crawl.finished").length)
        .toBe(day * stands.size)
      const list = (await appliance.command("sources", "list")).out
      const metrics = await appliance.call<string>("/metrics")
      const told = { messages: receiver.messages, list, metrics }
      const runs = await appliance.runs()
      for (const truth of truths)
        verdicts.push(
          judgeRun(
            day,
            truth,
            runs.find(({ id }) => id === ids.get(truth.source)),
            told,
          ),
        )
    }

    await night(1, [calm("workshop"), calm("garden"), sick])
    expect(await rankOf(appliance, ask.text, `${stands.get("workshop")?.url}/spokeshave`)).toBe(1)

    for (const subject of ["hammer", "chisel", "lathe"]) workshop.texts.delete(`/${subject}`)
    await stands.get("garden")?.down()
    await night(2, [
      { source: "workshop", what: "three of ten pages are gone", results: TROUBLE, reason: /gone|404/ },
      { source: "garden", what: "its server is down", results: ["failed"], reason: /refuse|connect/ },
      sick,
    ])

    for (const subject of ["hammer", "chisel", "lathe"]) workshop.write(subject, 1)
    workshop.write("spokeshave", 2)
    await stands.get("garden")?.up()
    await night(3, [{ ...calm("workshop"), changes: { changed: 1 } }, calm("garden"), sick])
    expect(await rankOf(appliance, ask.text, `${stands.get("workshop")?.url}/spokeshave`)).toBe(1)

    expect(verdicts.filter(({ right }) => !right)).toEqual([])
  },
)
