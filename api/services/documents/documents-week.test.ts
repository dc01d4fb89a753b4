import { setTimeout as sleep } from "node:timers/promises"

import { expect, test } from "vitest"

import { chance } from "#base/testing/chance.ts"
import { until } from "#base/testing/until.ts"
import { rareWord } from "#engine/testing/pages.ts"

import { killableAppliance } from "../../testing/killable-appliance.ts"

// A whole appliance that is killed while a program is sending documents.

test("every acknowledged document ends up in the index, even if all processes are killed repeatedly", async () => {
  const appliance = await killableAppliance()
  const drawn = chance(12)
  const kept = new Map<string, string>()
  // A program repeats a call that got no response, whether or not the call had an effect.
  const change = async (): Promise<void> => {
    const ids = [...kept.keys()]
    if (ids.length > 30 && drawn.below(3) === 0) {
      const id = ids[drawn.below(ids.length)]!
      await send("/documents/delete", { source: "notes", ids: [id] })
      kept.delete(id)
      return
    }
    const documents = Array.from({ length: 1 + drawn.below(8) }, () => {
      const id =
        ids.length > 20 && drawn.below(2) === 0 ? ids[drawn.below(ids.length)]! : `n/${(written += 1)}`
      return {
        id,
        markdown: `The ${rareWord((words += 1))} is behind the door of the ${rareWord(words)} room.`,
      }
    })
    const last = new Map(documents.map((one) => [one.id, one]))
    await send("/documents", { source: "notes", documents: [...last.values()] })
    for (const { id, markdown } of last.values()) kept.set(id, markdown)
  }
  const send = async (path: string, body: unknown): Promise<void> => {
    for (;;) {
      try {
        await appliance.call(path, body)
        return
      } catch (error) {
        // The appliance was killed; a refusal would be an error.
        if (!(error instanceof TypeError)) throw error
        await sleep(100)
      }
    }
  }
  let written = 0
  let words = 0
  await appliance.start()
  await appliance.call(
    "/admin/sources/notes",
    { documents: true, seeds: ["https://notes.example/"], removal: { maxShare: 1 } },
    "PUT",
  )
  for (let round = 0; round < 3; round += 1) {
    const changes = (async () => {
      for (let number = 0; number < 12; number += 1) await change()
    })()
    await sleep(300 + drawn.below(1500))
    await appliance.kill()
    await appliance.start()
    await changes
  }
  const expected = new Map([...kept].map(([id, text]) => [`https://notes.example/${id}`, text]))
  await until(() => appliance.holds(expected), 200)
  expect(expected.size).toBeGreaterThan(20)
})
