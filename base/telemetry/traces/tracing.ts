import type { Span, SpanOptions, TraceConfig, Tracer } from "./tracer.ts"

const NO_SPAN: Span = { set: () => {}, rename: () => {}, fail: () => {} }

let tracer: Tracer | null = null

/** Does `work` as a step of the trace that is under way, if traces are made; it costs nothing where none are. */
export const traced = <T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> =>
  tracer === null ? work(NO_SPAN) : tracer.span(name, options, work)

/** The context to pass to a server of the operator's, or through a store to another process; undefined when nothing is traced. */
export const traceparent = (): string | undefined => tracer?.traceparent()

/** Whether this process makes traces. */
export const isTracing = (): boolean => tracer !== null

/** Whether traces may contain addresses. */
export const mayShowText = (): boolean => tracer?.hasText === true

/**
 * Makes this process trace from here on if the settings say so. The tracing code is loaded only then.
 * @param service `fossick-api`, `fossick-crawler`
 * @returns dispose of it to send the last traces
 */
export async function startTracing(service: string, config: TraceConfig): Promise<AsyncDisposable> {
  if (config.tracesUrl !== "") {
    const { openTracer } = await import("./otlp.ts")
    tracer = openTracer(service, config)
  }
  return {
    async [Symbol.asyncDispose]() {
      const opened = tracer
      tracer = null
      await opened?.[Symbol.asyncDispose]()
    },
  }
}
