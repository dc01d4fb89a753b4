import type { DegradedPart } from "#base/flow/degraded.ts"

import type { Source } from "../sources/evidence.ts"

/** The kinds of work reported to callers, with the names that clients know. */
export type StepName = "Planning" | "WebSearch" | "ResearchSubtopic" | "Generating"

export interface Step {
  readonly name: StepName
  readonly id: string
  /** A description of the work. */
  readonly about: string
  readonly queries?: readonly string[]
  readonly sources?: readonly Source[]
  /** Id of the step that this step is part of. */
  readonly parent?: string
}

/** The events of a task in progress, for its watchers. */
export type ResearchEvent =
  | { readonly kind: "call" | "response"; readonly step: Step }
  /** A piece of the report, or all of a structured one. */
  | { readonly kind: "content"; readonly content: string | object }
  | {
      readonly kind: "sources"
      readonly sources: readonly Source[]
      /** The parts that are missing from the report. */
      readonly degraded?: readonly DegradedPart[]
    }
  | { readonly kind: "failed" }

export type Emit = (event: ResearchEvent) => void
