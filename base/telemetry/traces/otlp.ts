import { AsyncLocalStorage } from "node:async_hooks"

import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { resourceFromAttributes } from "@opentelemetry/resources"
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base"

import { fossickVersion } from "#base/fossick-version.ts"
import { noteOutbound } from "#base/outbound/outbound.ts"

import type { TraceConfig, Tracer } from "./tracer.ts"

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const EXPORT_MS = 5000
/** Maximum number of spans waiting to be sent. Any others are dropped, since a response must not wait for the receiver. */
const MOST_WAITING = 4096
const SEND_EVERY_MS = 1000
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT }

/** Sends traces over OTLP/HTTP in JSON, using OpenTelemetry's own SDK. */
export function openTracer(service: string, config: TraceConfig): Tracer {
  const url = `${config.tracesUrl}/v1/traces`
  const exporter = noting(
    new OTLPTraceExporter({
      url,
      timeoutMillis: EXPORT_MS,
      headers: config.tracesKey === "" ? {} : { Authorization: `Bearer ${config.tracesKey}` },
    }),
    new URL(url).host,
  )
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": service, "service.version": fossickVersion() }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.tracesShare / 100) }),
    spanProcessors: [
      new BatchSpanProcessor(exporter, { maxQueueSize: MOST_WAITING, scheduledDelayMillis: SEND_EVERY_MS }),
    ],
  })
  const tracer = provider.getTracer("fossick")
  const current = new AsyncLocalStorage<Context>()
  return {
    hasText: config.tracesText,
    async span(name, { kind, attributes = {}, parent }, work) {
      const above = contextOf(parent) ?? current.getStore() ?? ROOT_CONTEXT
      const made = tracer.startSpan(name, { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, attributes }, above)
      const fail = () => void made.setStatus({ code: SpanStatusCode.ERROR })
      try {
        return await current.run(trace.setSpan(above, made), () =>
          work({
            set: (more) => void made.setAttributes(more),
            rename: (other) => void made.updateName(other),
            fail,
          }),
        )
      } catch (error) {
        // The error's message may contain text that must not be in a trace.
        made.setAttribute("error.type", (error as Error).name)
        fail()
        throw error
      } finally {
        made.end()
      }
    },
    traceparent() {
      const context = current.getStore()
      const span = context && trace.getSpanContext(context)
      return (
        span &&
        `00-${span.traceId}-${span.spanId}-${(span.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`
      )
    },
    async [Symbol.asyncDispose]() {
      await provider.shutdown().catch(() => undefined)
    },
  }
}

/** Parses a W3C Trace Context header, level 1; returns undefined if it is invalid. */
function contextOf(parent: string | undefined): Context | undefined {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(parent ?? "") ?? []
  if (traceId === "" || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  }
  return trace.setSpanContext(ROOT_CONTEXT, context)
}

/** Records successful exports in the ledger of hosts. */
const noting = (exporter: SpanExporter, host: string): SpanExporter => ({
  export(spans, done) {
    exporter.export(spans, (result) => {
      if (result.error === undefined) noteOutbound("traces", host)
      done(result)
    })
  },
  shutdown: () => exporter.shutdown(),
})
