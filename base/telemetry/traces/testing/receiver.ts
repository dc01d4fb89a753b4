import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

// Imported here so that a test loads the module: a mutation run changes code that runs at load time only in modules
// that no test loads.
import "../otlp.ts"

/** A span as received. */
interface ReceivedSpan {
  readonly service: string
  readonly version: string
  /** The component within the service that created the span. */
  readonly scope: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  /** As in OTLP: bit 9 means that the parent step belongs to another process. */
  readonly flags: number
  /** As in OTLP: 1 internal, 2 server, 3 client. */
  readonly kind: number
  /** 2 means failed. */
  readonly status: { readonly code: number; readonly message?: string }
  readonly events: readonly object[]
  readonly attributes: Readonly<Record<string, unknown>>
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly boolValue?: boolean
}
interface Attribute {
  readonly key: string
  readonly value: Value
}
interface Batch {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string }
      readonly spans: readonly (Omit<ReceivedSpan, "service" | "version" | "scope" | "attributes"> & {
        readonly attributes: readonly Attribute[]
      })[]
    }[]
  }[]
}

interface ReceiverOptions {
  readonly status?: number
  /** Delay before the receiver answers. */
  readonly answerAfter?: Promise<void>
}

/** A receiver for OTLP over HTTP in JSON, and everything it received. */
export async function startReceiver({ status = 200, answerAfter }: ReceiverOptions = {}) {
  const got: ReceivedSpan[] = []
  const keys = new Set<string | undefined>()
  const paths = new Set<string | undefined>()
  let raw = ""
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      raw += body
      keys.add(request.headers.authorization)
      paths.add(request.url)
      const { resourceSpans = [] } = (request.url === "/v1/traces" ? JSON.parse(body) : {}) as Batch
      for (const { resource, scopeSpans } of resourceSpans) {
        const of = valuesOf(resource.attributes)
        const [service, version] = [String(of["service.name"]), String(of["service.version"])]
        for (const { scope, spans } of scopeSpans)
          for (const span of spans)
            got.push({ ...span, service, version, scope: scope.name, attributes: valuesOf(span.attributes) })
      }
      const answer = () => response.writeHead(status, { "Content-Type": "application/json" }).end("{}")
      void Promise.resolve(answerAfter).then(answer)
    })
  })
  server.listen(0, "127.0.0.1")
  await new Promise((done) => server.once("listening", done))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}`,
    host,
    got,
    keys,
    paths,
    /** All bodies, as received. */
    raw: () => raw,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const valuesOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]),
  )
