import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { tmpdir } from "node:os"
import { promisify } from "node:util"
import { installOpenSearch, OPENSEARCH_VERSION } from "#engine/testing/opensearch/cluster/install.ts"
import { postgresPrograms } from "#base/store/testing/postgres-server.ts"

// Builds images from this machine's own programs, under the names that compose.cluster.yaml pulls, for trials without
// access to an image registry. Each image contains the program that its service starts and the folders that are
// mounted; everything else comes from the machine, mounted read-only. The commands, settings, mounts, networks and
// limits are those in compose.cluster.yaml.

const run = promisify(execFile)
const HERE = import.meta.dirname
const ROOT = join(HERE, "../../..")
const HOME = "usr/share/opensearch"
/** Folders on this machine that are mounted into every stand-in. */
const SHARED = [
  "/usr/bin",
  "/usr/lib",
  "/usr/lib64",
  "/usr/share/postgresql",
  "/usr/share/zoneinfo",
  "/usr/share/java",
  "/etc/alternatives",
  "/etc/ssl",
  "/etc/java-17-openjdk",
  "/etc/java-21-openjdk",
  "/etc/java-25-openjdk",
].filter((folder) => existsSync(folder))

/** The mounts that every stand-in has, written as in a Compose file. */
export const STAND_IN_MOUNTS = SHARED.map((folder) => `${folder}:${folder}:ro`)
export const FOSSICK_MOUNT = `${ROOT}:/app:ro`

const POSTGRES_ENTRYPOINT = (bin: string) => `#!/bin/sh
# Does the part of the official image's entrypoint that is needed: creates the database on the first start, then runs the server.
set -eu
PATH=${bin}:$PATH
data=\${PGDATA:-/var/lib/postgresql/data}
mkdir -p "$data"
if [ ! -s "$data/PG_VERSION" ]; then
  chmod 700 "$data"
  initdb -D "$data" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 --auth-local=trust $POSTGRES_INITDB_ARGS
  echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
  pg_ctl -D "$data" -o "-c listen_addresses='' -k /tmp" -w start
  createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl -D "$data" -m fast -w stop
fi
shift
exec postgres -D "$data" -c listen_addresses='*' "$@"
`

const OPENSEARCH_PROGRAM = `#!/bin/sh
home=/${HOME}
exec java $OPENSEARCH_JAVA_OPTS -Djava.awt.headless=true -Dlog4j2.disable.jmx=true \\
  -Dlog4j2.configurationFile="$OPENSEARCH_PATH_CONF/log4j2.properties" -cp "$home/classes:$home/lib/*" StandInNode "$home"
`

/** Builds the images, each in a second or two once the jars have been downloaded. Needs a JDK, Maven, PostgreSQL and nginx. */
export async function makeStandIns(
  images: Readonly<Record<"fossick" | "opensearch" | "postgres", string>> & { readonly proxy?: string },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), "fossick-stand-ins-"))
  try {
    const make = async (image: string, changes: readonly string[], fill: (root: string) => Promise<void>) => {
      const root = await emptyRoot(join(work, image.replaceAll(/\W/g, "-")))
      await fill(root)
      const tar = `${root}.tar`
      await run("tar", [
        "--create",
        "--xattrs",
        "--xattrs-include=*",
        "--directory",
        root,
        "--file",
        tar,
        ".",
      ])
      await run("docker", ["import", ...changes.flatMap((change) => ["--change", change]), tar, image], {
        env,
      })
      await rm(tar)
    }
    await make(
      images.fossick,
      [
        "ENV PATH=/app/node_modules/node/bin:/usr/local/bin:/usr/bin:/bin",
        "ENV NODE_ENV=production NODE_COMPILE_CACHE=/data/compile-cache MALLOC_ARENA_MAX=2 HOME=/tmp FOSSICK_DATA_DIR=/data FOSSICK_HOST=0.0.0.0",
        "WORKDIR /config",
        "USER 1000:1000",
        `CMD ["fossick", "start"]`,
      ],
      async (root) => {
        await mkdir(join(root, "usr/local/bin"), { recursive: true })
        await symlink("/app/command/fossick.js", join(root, "usr/local/bin/fossick"))
      },
    )
    await make(images.opensearch, ["ENV PATH=/usr/bin:/bin"], installNode)
    const bin = postgresPrograms()
    if (bin === null) throw new Error("PostgreSQL is not installed")
    await make(
      images.postgres,
      [`ENV PATH=${bin}:/usr/bin:/bin`, `ENTRYPOINT ["/entrypoint.sh"]`, `CMD ["postgres"]`],
      async (root) => {
        await writeFile(join(root, "entrypoint.sh"), POSTGRES_ENTRYPOINT(bin), { mode: 0o755 })
      },
    )
    if (images.proxy === undefined) return
    await make(images.proxy, ["ENV PATH=/usr/local/bin:/usr/bin:/bin"], async (root) => {
      const to = join(root, "usr/local/bin/nginx")
      await mkdir(dirname(to), { recursive: true })
      await copyFile(programPath("nginx"), to)
      await mkdir(join(root, "usr/share/nginx"), { recursive: true })
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** OpenSearch's home folder, like the one in its image: the parts from Maven Central, with the security plugin. */
async function installNode(root: string): Promise<void> {
  const home = join(root, HOME)
  await cp(await installOpenSearch(), home, { recursive: true })
  await run("mvn", [
    "-q",
    "-B",
    "-f",
    join(HERE, "pom.xml"),
    `-Dto=${home}`,
    `-Dopensearch=${OPENSEARCH_VERSION}`,
    "package",
  ])
  await run("javac", [
    "-cp",
    join(home, "lib/*"),
    "-d",
    join(home, "classes"),
    join(HERE, "StandInNode.java"),
  ])
  // This plugin isn't part of the server, and doesn't work with this version of the security plugin from Maven Central.
  await rm(join(home, "plugins/opensearch-neural-search"), { recursive: true, force: true })
  await mkdir(join(home, "bin"))
  await writeFile(join(home, "bin/opensearch"), OPENSEARCH_PROGRAM, { mode: 0o755 })
  const config = join(home, "config")
  await mkdir(config, { mode: 0o755 })
  await copyFile(join(home, "log4j2.properties"), join(config, "log4j2.properties"))
  await writeFile(join(config, "jvm.options"), "-Xms1g\n-Xmx1g\n8:-Xlog:gc*:file=logs/gc.log\n")
  for (const folder of ["data", "logs"]) await mkdir(join(home, folder))
  // The home folder was created for one user only.
  await run("chmod", ["-R", "a+rX", home])
}

async function emptyRoot(root: string): Promise<string> {
  const folders = [
    "app",
    "config",
    "cluster",
    "data",
    "dev",
    "etc/nginx",
    "proc",
    "run",
    "secrets",
    "sys",
    "tmp",
    "var/run/postgresql",
    "var/lib/postgresql/data",
  ]
  for (const folder of [...folders, ...SHARED]) await mkdir(join(root, folder), { recursive: true })
  // Not `sbin`, because Docker puts its init there.
  for (const name of ["bin", "lib", "lib64"]) await symlink(`usr/${name}`, join(root, name))
  // A tmpfs gets the permissions of the folder that it is mounted on.
  for (const name of ["tmp", "var/run/postgresql"]) await chmod(join(root, name), 0o1777)
  const users = ["appliance:x:1000:1000::/tmp:/bin/sh", "postgres:x:999:999::/tmp:/bin/sh"]
  await writeFile(join(root, "etc/passwd"), ["root:x:0:0::/:/bin/sh", ...users, ""].join("\n"))
  await writeFile(join(root, "etc/group"), "root:x:0:\nappliance:x:1000:\npostgres:x:999:\n")
  await writeFile(join(root, "etc/nsswitch.conf"), await readFile("/etc/nsswitch.conf"))
  return root
}

function programPath(name: string): string {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync)
  if (found === undefined) throw new Error(`${name} is not installed`)
  return found
}
