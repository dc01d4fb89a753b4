import { command, type GroupSpec } from "../../spec.ts"

const session = () => import("../../service/service-session.ts")

const dryRun = { "dry-run": { about: "show what would be done, change nothing" } } as const

export const service: GroupSpec = {
  about: `Runs the appliance as a systemd service, on Linux: settings and sources in /etc/fossick, data in
/var/lib/fossick, under its own user.`,
  commands: {
    install: command({
      about: `Installs the service and starts it, now and at every boot; waits until it is ready and shows its address.
If you run it again, such as after an upgrade, it replaces the unit and restarts the service; settings and data are kept.`,
      options: dryRun,
      json: null,
      examples: [
        { line: "fossick service install", about: "as root: install, or upgrade" },
        { line: "fossick service install --dry-run", about: "see what it would do" },
      ],
      run: async ({ options }) => await (await session()).installService({ dryRun: options["dry-run"] }),
    }),
    uninstall: command({
      about: "Stops the service and removes it. Settings, sources and data are kept.",
      options: dryRun,
      json: null,
      examples: [{ line: "fossick service uninstall", about: "as root: remove it, and keep the data" }],
      run: async ({ options }) => (await session()).uninstallService({ dryRun: options["dry-run"] }),
    }),
  },
}
