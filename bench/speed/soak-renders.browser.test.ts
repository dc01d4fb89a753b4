import { describe, expect, test } from "vitest"
import { soakRenders } from "./soak-renders.ts"

describe("nine renders", { tags: ["chromium"] }, () => {
  test("leave no browser process behind, and never have more processes than one browser with its pages", async () => {
    const { samples, outcomes, left } = await soakRenders({ renders: 9, every: 3 })
    expect(samples).toHaveLength(3)
    // These are the main process, two zygotes, graphics, network, storage, the browser's own renderers, a spare one,
    // and two pages.
    for (const { processes } of samples) expect(processes).toBeLessThanOrEqual(14)
    expect(outcomes["read in the browser"]).toBe(9)
    expect(left).toBe(0)
  })
})
