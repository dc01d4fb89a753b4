import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

// `npm run smoke:systemd`, as root: installs the service under a real systemd and puts it through a day's events
// (inside.ts). systemd is the first process of a container (systemd-nspawn) on a throw-away copy of this machine's
// files, without network, so nothing on this machine changes. If the machine cannot do that, the script says so and
// exits with 0.

const ROOT = join(import.meta.dirname, "../../..")
const MAX_MS = 15 * 60_000

const works = (program: string, ...args: string[]) =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0

function skip(why: string): never {
  process.stdout.write(`skipped: ${why}\n`)
  process.exit(0)
}

if (process.platform !== "linux") skip("systemd needs Linux")
if (process.getuid?.() !== 0) skip("only root can make a container")
if (!works("systemd-nspawn", "--version")) skip("systemd-nspawn is not installed (package systemd-container)")
if (!existsSync(join(ROOT, "node_modules/node/bin/node"))) skip("npm ci has not been run here")

const work = mkdtempSync(join(tmpdir(), "fossick-systemd-"))
const files = join(work, "files")
const results = join(work, "results")
let code = 1
try {
  mkdirSync(results)
  mkdirSync(files)
  if (!works("mount", "-t", "tmpfs", "-o", "size=2g", "tmpfs", files))
    skip("file systems cannot be mounted here")
  for (const name of ["upper", "work", "root"]) mkdirSync(join(files, name))
  const layers = `lowerdir=/,upperdir=${join(files, "upper")},workdir=${join(files, "work")}`
  const root = join(files, "root")
  if (!works("mount", "-t", "overlay", "overlay", "-o", layers, root))
    skip("overlay file systems are not supported here")
  prepare(root)
  code = await boot(root)
} finally {
  spawnSync("umount", [join(files, "root")])
  spawnSync("umount", [files])
  rmSync(work, { recursive: true, force: true })
}
process.exit(code)

/** Leaves nothing but the test for systemd to start. */
function prepare(root: string): void {
  const units = join(root, "etc/systemd/system")
  for (const name of readdirSync(units)) {
    if (/\.(wants|requires)$/.test(name)) rmSync(join(units, name), { recursive: true })
  }
  for (const name of ["etc/fossick", "var/lib/fossick", "opt/fossick"]) {
    rmSync(join(root, name), { recursive: true, force: true })
  }
  // A machine without an id is on its first boot, when systemd enables the packages' recommended services.
  rmSync(join(root, "etc/machine-id"), { force: true })
  writeFileSync(join(root, "etc/machine-id"), `${randomBytes(16).toString("hex")}\n`)
  const inside = "/opt/fossick/command/service/testing/inside.ts"
  writeFileSync(
    join(units, "fossick-story.service"),
    `[Unit]
After=network.target
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/opt/fossick/node_modules/node/bin/node --disable-warning=ExperimentalWarning ${inside} /results/story
`,
  )
  mkdirSync(join(units, "multi-user.target.wants"))
  symlinkSync("../fossick-story.service", join(units, "multi-user.target.wants/fossick-story.service"))
}

async function boot(root: string): Promise<number> {
  const args = ["--quiet", "--register=no", "--keep-unit", "--private-network", "--directory", root]
  args.push(
    `--bind-ro=${ROOT}:/opt/fossick`,
    `--bind=${results}:/results`,
    "--boot",
    "systemd.unit=multi-user.target",
  )
  const story = join(results, "story")
  writeFileSync(story, "")
  const container = spawn("systemd-nspawn", args, { stdio: ["ignore", "pipe", "pipe"] })
  let screen = ""
  for (const stream of [container.stdout, container.stderr])
    stream.on("data", (part) => (screen += String(part)))
  let shown = 0
  const show = () => {
    const text = readFileSync(story, "utf8")
    process.stdout.write(text.slice(shown))
    shown = text.length
  }
  const showing = setInterval(show, 500)
  const late = setTimeout(() => container.kill("SIGKILL"), MAX_MS)
  await once(container, "close")
  clearInterval(showing)
  clearTimeout(late)
  show()
  const text = readFileSync(story, "utf8")
  if (text === "") {
    process.stdout.write(`skipped: systemd does not start in a container here:\n${screen.slice(-2000)}\n`)
    return 0
  }
  const isWell = text.endsWith("end\n") && !/^FAIL/m.test(text)
  process.stdout.write(isWell ? "The service does what the handbook says.\n" : "Something failed.\n")
  return isWell ? 0 : 1
}
