import { chmod, chown, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

// Runs the pods of rendered manifests as Compose services: their commands, environments, files, users and limits are
// kept. Features that only Kubernetes has are left out: scheduling, network policies, disruption budgets.

interface Volume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
  readonly secret?: { readonly secretName: string; readonly items?: readonly Item[] }
  readonly configMap?: { readonly name: string }
  readonly projected?: {
    readonly sources: readonly {
      readonly secret: { readonly name: string; readonly items: readonly Item[] }
    }[]
  }
}

interface Item {
  readonly key: string
  readonly path: string
}

/** How Kubernetes checks a container's health. */
export interface Probe {
  readonly httpGet?: { readonly path: string }
  readonly exec?: { readonly command: readonly string[] }
}

interface PodContainer {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[]
  readonly volumeMounts?: readonly {
    readonly name: string
    readonly mountPath: string
    readonly readOnly?: boolean
  }[]
  readonly readinessProbe?: Probe
  readonly resources: { readonly limits: { readonly memory: string } }
}

type Labels = Readonly<Record<string, string>>

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: Labels
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
    readonly template?: {
      readonly metadata: { readonly labels: Labels }
      readonly spec: {
        readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number }
        readonly initContainers?: readonly PodContainer[]
        readonly containers: readonly PodContainer[]
        readonly volumes?: readonly Volume[]
      }
    }
  }
}

/** The Compose project, and which of its services exit on their own. */
export interface Pods {
  readonly services: Readonly<Record<string, object>>
  readonly ending: readonly string[]
}

/** @param folder where root creates the volumes of all pods: each belongs to its pod's user */
export async function podsOf(
  manifests: readonly Manifest[],
  folder: string,
  mountsOf: (image: string) => readonly string[],
): Promise<Pods> {
  const services: Record<string, object> = {}
  const ending: string[] = []
  for (const { kind, metadata, spec } of manifests) {
    const template = spec?.template
    if (spec === undefined || template === undefined) continue
    const { runAsUser: user, runAsGroup: group } = template.spec.securityContext
    const called = manifests.filter(
      (one) => one.kind === "Service" && isOf(template.metadata.labels, one.spec?.selector ?? {}),
    )
    for (let ordinal = 0; ordinal < (spec.replicas ?? 1); ordinal++) {
      const pod = `${metadata.name}-${ordinal}`
      const aliases = called.flatMap(({ metadata: { name } }) =>
        kind === "StatefulSet" ? [name, `${pod}.${name}`] : [name],
      )
      const claimed = (spec.volumeClaimTemplates ?? []).map(({ metadata: { name } }): Volume => ({ name }))
      const all = [...(template.spec.volumes ?? []), ...claimed]
      const volumes = await makeVolumes(all, { manifests, folder, pod, user, group })
      await makeMountPoints(template.spec.containers, volumes)
      const service = (container: PodContainer) => ({
        image: container.image,
        ...(container.command && { entrypoint: container.command }),
        command: container.args ?? [],
        environment: Object.fromEntries(
          (container.env ?? []).map(({ name, value }) => [name, value ?? pod] as const),
        ),
        hostname: pod,
        networks: { pods: { aliases } },
        user: `${user}:${group}`,
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        mem_limit: container.resources.limits.memory.replace("i", "").toLowerCase(),
        volumes: [
          ...mountsOf(container.image),
          ...(container.volumeMounts ?? []).map(
            ({ name, mountPath, readOnly }) => `${volumes.get(name)!}:${mountPath}${readOnly ? ":ro" : ""}`,
          ),
        ],
      })
      const before = (template.spec.initContainers ?? []).map((container) => {
        const name = `${pod}-${container.name}`
        services[name] = service(container)
        ending.push(name)
        return name
      })
      for (const container of template.spec.containers) {
        services[pod] = {
          ...service(container),
          restart: "always",
          healthcheck: { ...checkOf(container.readinessProbe ?? {}), interval: "5s", timeout: "30s" },
          depends_on: Object.fromEntries(
            before.map((name) => [name, { condition: "service_completed_successfully" }]),
          ),
        }
      }
    }
  }
  return { services, ending }
}

interface Owner {
  readonly manifests: readonly Manifest[]
  readonly folder: string
  readonly pod: string
  readonly user: number
  readonly group: number
}

/** The folders of a pod's volumes by name, with the files of secrets and config maps. A claim is one folder shared by all pods. */
async function makeVolumes(
  volumes: readonly Volume[],
  { manifests, folder, pod, user, group }: Owner,
): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>()
  for (const volume of volumes) {
    const { name, persistentVolumeClaim: claim } = volume
    const at = claim ? join(folder, claim.claimName) : join(folder, pod, name)
    await mkdir(at, { recursive: true })
    await chown(at, user, group)
    for (const [file, content] of filesOf(volume, manifests)) {
      await writeFile(join(at, file), content)
      await chown(join(at, file), 0, group)
      await chmod(join(at, file), 0o440)
    }
    made.set(name, at)
  }
  return made
}

/** Creates mount points, as the kubelet does: a volume can be mounted inside a folder of another, read-only volume. */
async function makeMountPoints(
  containers: readonly PodContainer[],
  volumes: ReadonlyMap<string, string>,
): Promise<void> {
  for (const { volumeMounts = [] } of containers)
    for (const { name, mountPath } of volumeMounts)
      for (const inner of volumeMounts)
        if (inner.mountPath.startsWith(`${mountPath}/`))
          await mkdir(join(volumes.get(name)!, inner.mountPath.slice(mountPath.length)), { recursive: true })
}

const isOf = (labels: Labels, selector: Labels): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

function* filesOf(volume: Volume, manifests: readonly Manifest[]): Generator<[string, Buffer]> {
  const dataOf = (kind: string, of: string): [string, Buffer][] => {
    const found = manifests.find(({ kind: one, metadata: { name } }) => one === kind && name === of)
    if (found === undefined) throw new Error(`there is no ${kind} ${of}`)
    const encoding = kind === "Secret" ? "base64" : "utf8"
    return Object.entries(found.data ?? {}).map(([key, value]) => [key, Buffer.from(value, encoding)])
  }
  const chosen = (all: readonly [string, Buffer][], items: readonly Item[] | undefined): [string, Buffer][] =>
    items === undefined
      ? [...all]
      : items.map(({ key, path }) => [path, all.find(([name]) => name === key)![1]])
  const { secret, configMap, projected } = volume
  if (secret) yield* chosen(dataOf("Secret", secret.secretName), secret.items)
  if (configMap) yield* dataOf("ConfigMap", configMap.name)
  for (const { secret: part } of projected?.sources ?? [])
    yield* chosen(dataOf("Secret", part.name), part.items)
}

/** A Kubernetes probe as a Docker health check; Docker can't send requests itself. */
function checkOf({ httpGet, exec }: Probe): { readonly test: readonly string[] } {
  if (exec) return { test: ["CMD", ...exec.command] }
  const ask = `const { ok } = await fetch("http://127.0.0.1:8080${httpGet!.path}"); process.exit(ok ? 0 : 1)`
  return { test: ["CMD", "node", "--input-type=module", "--eval", ask] }
}
