import type { DegradedPart } from "#base/flow/degraded.ts"

import type { Source } from "../sources/evidence.ts"

/** The kinds of work that a caller is told of, by the names that clients know. */
export type StepName = "Planning" | "WebSearch" | "ResearchSubtopic" | "Generating"

export interface Step {
  readonly name: StepName
  readonly id: string
  /** What is done, in words. */
  readonly about: string
  readonly queries?: readonly string[]
  readonly sources?: readonly Source[]
  /** Id of the step that this one is a part of. */
  readonly parent?: string
}

/** What happens while a task is worked on, for whoever watches. */
export type ResearchEvent =
  | { readonly kind: "call" | "response"; readonly step: Step }
  /** A piece of the report, or all of a structured one. */
  | { readonly kind: "content"; readonly content: string | object }
  | {
      readonly kind: "sources"
      readonly sources: readonly Source[]
      /** What the report was made without. */
      readonly degraded?: readonly DegradedPart[]
    }
  | { readonly kind: "failed" }

export type Emit = (event: ResearchEvent) => void
