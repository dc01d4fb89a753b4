import type { CrawlerConfig } from "./settings.ts"

type Mode = CrawlerConfig["readOnly"]

const NOTICES: Readonly<Record<Exclude<Mode, "off">, string>> = {
  on: `This appliance is read-only (FOSSICK_READ_ONLY): it answers from what it holds, crawls nothing, and tells nobody anything.`,
  drill: `This is a restore drill, and not the appliance it was restored from: it answers from what it holds, crawls nothing, and sends nothing anywhere.`,
}

/** What everybody who looks is told of an appliance that is read-only; null: it is not. */
export const readOnlyNotice = (mode: Mode): string | null => (mode === "off" ? null : NOTICES[mode])
