import { addressOf } from "../../session/appliance.ts"

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly description: string
  readonly required: boolean
}

/** A call as described in the OpenAPI document. */
export interface OfferedCall {
  /** Method and path: `POST /search`. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly tag: string
  readonly parameters: readonly Parameter[]
  /** An initial body; null if the call has none. */
  readonly body: string | null
}

interface Operation {
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly Partial<Parameter>[]
  readonly requestBody?: {
    readonly content?: Readonly<
      Record<
        string,
        {
          readonly example?: unknown
          readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
        }
      >
    >
  }
}

const METHODS = ["get", "post", "put", "patch", "delete"]

/** Every call of the appliance. @throws TypeError when it cannot be reached */
export async function offeredCalls(signal: AbortSignal): Promise<readonly OfferedCall[]> {
  const response = await fetch(addressOf("openapi.json"), { signal })
  const { paths } = (await response.json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => callOf(method.toUpperCase(), path, operation)),
  )
}

function callOf(method: string, path: string, operation: Operation): OfferedCall {
  const content = operation.requestBody?.content?.["application/json"]
  const example = content?.example ?? Object.values(content?.examples ?? {})[0]?.value ?? {}
  return {
    id: `${method} ${path}`,
    method,
    path,
    summary: operation.summary ?? "",
    tag: operation.tags?.[0] ?? "Other",
    parameters: (operation.parameters ?? []).flatMap(
      ({ name, in: where, description = "", required = false }) =>
        name !== undefined && (where === "path" || where === "query")
          ? [{ name, in: where, description, required }]
          : [],
    ),
    body: content === undefined ? null : JSON.stringify(example, null, 2),
  }
}
