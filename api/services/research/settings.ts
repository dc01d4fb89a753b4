import { integer } from "#base/settings.ts"

/** Settings of research. */
export const researchSettings = {
  researchConcurrency: integer(
    {
      name: "FOSSICK_RESEARCH_CONCURRENCY",
      default: "1",
      about: "Reports that are made at the same time; the others wait.",
    },
    1,
    64,
  ),
  researchQueue: integer(
    {
      name: "FOSSICK_RESEARCH_QUEUE",
      default: "100",
      about: "Research tasks that may wait, of all keys; a quarter of them of one key.",
    },
    4,
    10_000,
  ),
  researchDays: integer(
    {
      name: "FOSSICK_RESEARCH_DAYS",
      default: "30",
      about: "Days that reports are kept after they are done.",
    },
    1,
    3650,
  ),
  researchMb: integer(
    {
      name: "FOSSICK_RESEARCH_MB",
      default: "1024",
      about:
        "Megabytes that research tasks may take with their files and reports, a quarter of them of one key; the next task is refused with 432.",
    },
    4,
    1_000_000,
  ),
  researchMemoryMb: integer(
    {
      name: "FOSSICK_RESEARCH_MEMORY_MB",
      default: "64",
      about:
        "Memory, in megabytes, for the pages that research tasks read at one time, four bytes for each character, and at most an eighth of what FOSSICK_MEMORY_MB leaves beside caches; with less, fewer pages are read.",
    },
    1,
    64_000,
  ),
  researchTokens: integer(
    {
      name: "FOSSICK_RESEARCH_TOKENS",
      default: "20000",
      about:
        "Tokens that the model at FOSSICK_LLM_URL may write for one report; the rest is made without it.",
    },
    0,
    1_000_000,
  ),
}
