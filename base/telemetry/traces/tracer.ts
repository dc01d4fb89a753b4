import type { Values } from "#base/settings.ts"
import type { traceSettings } from "./trace-settings.ts"

export type TraceConfig = Values<typeof traceSettings>

/** Attributes of a step: names and numbers, no texts. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** `server` answers a call, `client` makes one. Default: a step inside. */
  readonly kind?: "server" | "client"
  readonly attributes?: Attributes
  /** `traceparent` of what asked for it (W3C Trace Context); left out: the step that is under way here. */
  readonly parent?: string | undefined
}

/** A step while it lasts. */
export interface Span {
  set(attributes: Attributes): void
  rename(name: string): void
  fail(): void
}

/** Makes traces; see otlp.ts. */
export interface Tracer extends AsyncDisposable {
  readonly hasText: boolean
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  /** The context of the current step. */
  traceparent(): string | undefined
}
