import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { debianFolder, libraries } from "./packages.ts"
import type { Environment, Served } from "./site.ts"

const START_MS = 15_000
const LOOK_MS = 50

/** A location in nginx's configuration: a folder of files, and how paths are resolved in it. */
export interface StaticSite {
  readonly root: string
  /** nginx's `try_files`: where to look for a path. */
  readonly tryFiles?: string
  /** Path under which the folder is served, `/` by default. */
  readonly prefix?: string
  readonly listing?: boolean
  readonly certificate?: { readonly chain: string; readonly key: string }
  /** Lines for nginx's `server` block. */
  readonly more?: string
}

/** Serves a folder with a real nginx, as the current user. */
export async function serveByNginx(
  folder: string,
  port: number,
  site: StaticSite,
  env: Environment = {},
): Promise<Served> {
  const work = join(folder, "run", `nginx-${port}`)
  await mkdir(work, { recursive: true })
  const root = debianFolder(folder)
  const tls = site.certificate
  const prefix = site.prefix ?? "/"
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const config = `daemon off; worker_processes 1; pid ${work}/pid; error_log ${work}/error.log warn;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 256; }
http {
  include ${join(root, "etc/nginx/mime.types")};
  types { text/markdown md; }
  default_type application/octet-stream; access_log off; charset utf-8;
  ${temporary.map((name) => `${name}_temp_path ${work}/${name};`).join(" ")}
  server {
    listen 127.0.0.1:${port}${tls ? " ssl" : ""};
    ${tls ? `ssl_certificate ${tls.chain}; ssl_certificate_key ${tls.key};` : ""}
    absolute_redirect off;
    # Generators write the address that their configuration names into sitemaps and canonical links; the port is ours.
    sub_filter "http://127.0.0.1/" "http${tls ? "s" : ""}://$http_host/"; sub_filter_once off; sub_filter_last_modified on;
    sub_filter_types text/xml application/xml;
    ${site.more ?? ""}
    location ${prefix} {
      ${prefix === "/" ? "root" : "alias"} ${site.root}; index index.html; ${site.listing ? "autoindex on;" : ""}
      try_files ${site.tryFiles ?? "$uri $uri/ =404"};
    }
  }
}
`
  await writeFile(join(work, "nginx.conf"), config)
  const args = ["-c", join(work, "nginx.conf"), "-e", join(work, "error.log")]
  return serve(
    `http${tls ? "s" : ""}://127.0.0.1:${port}`,
    port,
    join(root, "usr/sbin/nginx"),
    args,
    env,
    work,
  )
}

const APACHE_MODULES =
  "mpm_event authz_core authz_host alias dir mime negotiation autoindex setenvif rewrite headers unixd"

/** Serves a folder below `prefix` with a real Apache, with content negotiation as Debian configures it. */
export async function serveByApache(
  folder: string,
  port: number,
  site: { root: string; prefix: string; more?: string },
  env: Environment = {},
): Promise<Served> {
  const root = debianFolder(folder)
  const work = join(folder, "run", `apache-${port}`)
  await mkdir(work, { recursive: true })
  const modules = join(root, "usr/lib/apache2/modules")
  const config = `ServerRoot ${work}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${work}/pid
ErrorLog ${work}/error.log
${APACHE_MODULES.split(" ")
  .filter((name) => name !== "unixd")
  .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  .join("\n")}
User www-data
Group www-data
StartServers 1
ThreadsPerChild 16
MaxRequestWorkers 32
TypesConfig /etc/mime.types
DocumentRoot ${site.root}
DirectoryIndex index.html
Alias ${site.prefix} ${site.root}
<Directory ${site.root}>
  Options Indexes FollowSymlinks MultiViews
  AllowOverride None
  Require all granted
  AddDefaultCharset off
</Directory>
${site.more ?? ""}
`
  await writeFile(join(work, "apache.conf"), config)
  const own = { ...env, LD_LIBRARY_PATH: await libraries(root) }
  const args = ["-f", join(work, "apache.conf"), "-DFOREGROUND"]
  return serve(`http://127.0.0.1:${port}`, port, join(root, "usr/sbin/apache2"), args, own, work)
}

/** PHP from the unpacked packages, with the extensions that the wikis need. */
export async function php(
  folder: string,
): Promise<{ command: string; args: readonly string[]; env: Readonly<Record<string, string>> }> {
  const root = debianFolder(folder)
  const extensions =
    "ctype curl dom exif fileinfo iconv intl mbstring pdo sqlite3 pdo_sqlite phar posix simplexml tokenizer xml xmlreader xmlwriter"
  const ini = `include_path=".:${root}/usr/share/php"
extension_dir="${root}/usr/lib/php/20220829"
zend_extension=opcache.so
memory_limit=256M
date.timezone=UTC
display_errors=0
log_errors=1
${extensions
  .split(" ")
  .map((name) => `extension=${name}`)
  .join("\n")}
`
  await writeFile(join(folder, "php.ini"), ini)
  return {
    command: join(root, "usr/bin/php8.2"),
    args: ["-c", join(folder, "php.ini")],
    env: { LD_LIBRARY_PATH: await libraries(root) },
  }
}

/** Serves a PHP program with PHP's built-in server, with three workers. */
export async function serveByPhp(
  folder: string,
  port: number,
  root: string,
  env: Environment = {},
): Promise<Served> {
  const program = await php(folder)
  const work = join(folder, "run", `php-${port}`)
  await mkdir(work, { recursive: true })
  const args = [...program.args, "-S", `127.0.0.1:${port}`, "-t", root]
  const workers = { PHP_CLI_SERVER_WORKERS: "3", ...program.env, ...env }
  return serve(`http://127.0.0.1:${port}`, port, program.command, args, workers, work)
}

/** Starts a server in its own process group and waits until its port answers. */
async function serve(
  url: string,
  port: number,
  command: string,
  args: readonly string[],
  env: Environment,
  work: string,
): Promise<Served> {
  if (await opens(port)) throw new Error(`something is already listening on port ${port}`)
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  })
  endWithUs(child)
  let said = ""
  child.stderr?.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2000)))
  await answers(child, port, () => `${command}: ${said}`)
  return {
    url,
    async [Symbol.asyncDispose]() {
      await end(child)
      await rm(work, { recursive: true, force: true })
    },
  }
}

async function answers(child: ChildProcess, port: number, said: () => string): Promise<void> {
  const deadline = Date.now() + START_MS
  while (!(await opens(port))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`no server on port ${port}: ${said()}`)
    await sleep(LOOK_MS)
  }
}

function opens(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, "127.0.0.1")
  socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
  return promise.finally(() => socket.destroy())
}

/** Ends a server with all its workers. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  process.kill(-child.pid!, "SIGTERM")
  const late = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), START_MS)
  await exit
  clearTimeout(late)
}
