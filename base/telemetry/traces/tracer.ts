import type { Values } from "#base/settings.ts"
import type { traceSettings } from "./trace-settings.ts"

export type TraceConfig = Values<typeof traceSettings>

/** Attributes of a step: names and numbers, no free text. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** `server` answers a call, `client` makes one. Default: `internal`. */
  readonly kind?: "server" | "client"
  readonly attributes?: Attributes
  /** The caller's `traceparent` (W3C Trace Context). Default: the current step in this process. */
  readonly parent?: string | undefined
}

/** A step while it is running. */
export interface Span {
  set(attributes: Attributes): void
  rename(name: string): void
  fail(): void
}

/** Records traces; see otlp.ts. */
export interface Tracer extends AsyncDisposable {
  readonly hasText: boolean
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  /** The context of the current step. */
  traceparent(): string | undefined
}
