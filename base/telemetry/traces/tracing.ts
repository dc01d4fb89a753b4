import type { Span, SpanOptions, TraceConfig, Tracer } from "./tracer.ts"

const NO_SPAN: Span = { set: () => {}, rename: () => {}, fail: () => {} }

let tracer: Tracer | null = null

/** Does `work` as a step of the trace that is under way, if traces are made; it costs nothing where none are. */
export const traced = <T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> =>
  tracer === null ? work(NO_SPAN) : tracer.span(name, options, work)

/** What goes on to a server of the operator's, or into a store for another process; undefined: nothing is traced. */
export const traceparent = (): string | undefined => tracer?.traceparent()

/** Whether this process makes traces. */
export const isTracing = (): boolean => tracer !== null

/** Whether addresses may stand in traces. */
export const mayShowText = (): boolean => tracer?.hasText === true

/**
 * Has this process make traces from here on, where the settings say to. What makes them is loaded only then.
 * @param service `fossick-api`, `fossick-crawler`
 * @returns what sends the last of them when it is disposed of
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
