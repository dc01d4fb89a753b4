import type { Span, SpanOptions, TraceConfig, Tracer } from "./tracer.ts"

const NO_SPAN: Span = { set: () => {}, rename: () => {}, fail: () => {} }

let tracer: Tracer | null = null

/** Runs `work` as a step of the current trace. If no traces are recorded, this costs nothing. */
export const traced = <T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> =>
  tracer === null ? work(NO_SPAN) : tracer.span(name, options, work)

/** The context to pass to one of the operator's servers, or through a store to another process; undefined if nothing is traced. */
export const traceparent = (): string | undefined => tracer?.traceparent()

/** Whether this process records traces. */
export const isTracing = (): boolean => tracer !== null

/** Whether traces may contain addresses. */
export const mayShowText = (): boolean => tracer?.hasText === true

/**
 * Makes this process record traces from now on if the settings say so. The tracing code is loaded only in that case.
 * @param service `fossick-api`, `fossick-crawler`
 * @returns an object that sends the last traces when it is disposed of
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
