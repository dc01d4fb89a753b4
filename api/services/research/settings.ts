import { integer } from "#base/settings.ts"

/** Settings for research. */
export const researchSettings = {
  researchConcurrency: integer(
    {
      name: "FOSSICK_RESEARCH_CONCURRENCY",
      default: "1",
      about: "Reports that are written at the same time; the others wait.",
    },
    1,
    64,
  ),
  researchQueue: integer(
    {
      name: "FOSSICK_RESEARCH_QUEUE",
      default: "100",
      about: "Research tasks that can wait, for all keys together; one key can have a quarter of them.",
    },
    4,
    10_000,
  ),
  researchDays: integer(
    {
      name: "FOSSICK_RESEARCH_DAYS",
      default: "30",
      about: "Days to keep finished reports.",
    },
    1,
    3650,
  ),
  researchMb: integer(
    {
      name: "FOSSICK_RESEARCH_MB",
      default: "1024",
      about:
        "Megabytes for research tasks with their files and reports; one key can use a quarter. When they are used up, new tasks get 432.",
    },
    4,
    1_000_000,
  ),
  researchMemoryMb: integer(
    {
      name: "FOSSICK_RESEARCH_MEMORY_MB",
      default: "64",
      about:
        "Memory, in megabytes, for the pages that research tasks read at the same time, at four bytes a character, and at most an eighth of what FOSSICK_MEMORY_MB leaves after caches. With less, fewer pages are read.",
    },
    1,
    64_000,
  ),
  researchTokens: integer(
    {
      name: "FOSSICK_RESEARCH_TOKENS",
      default: "20000",
      about:
        "Tokens that the model at FOSSICK_LLM_URL may write for one report; the rest is written without it.",
    },
    0,
    1_000_000,
  ),
}
