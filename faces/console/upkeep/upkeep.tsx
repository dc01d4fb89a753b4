import { LinkTabs } from "../link.tsx"
import { Head } from "../parts.tsx"
import { UPKEEP_SHOWN, type UpkeepShown } from "../place.ts"
import { Backups } from "./backups.tsx"
import { Changes } from "./changes.tsx"
import { Connections } from "./connections.tsx"
import { Networks } from "../networks/networks.tsx"
import { Payments } from "./payments.tsx"
import { SettingList } from "./settings.tsx"
import { Webhooks } from "./webhooks.tsx"

const NAMES: Readonly<Record<UpkeepShown, string>> = {
  backups: "Backups",
  webhooks: "Webhooks",
  payments: "Payments",
  changes: "Changes",
  connections: "Connections",
  settings: "Settings",
}

/** Running the appliance, apart from its sources. */
export function Upkeep({ shown }: { readonly shown: UpkeepShown }) {
  return (
    <>
      <Head title="Upkeep" page={NAMES[shown]} />
      <LinkTabs
        label="Upkeep"
        parts={UPKEEP_SHOWN}
        names={NAMES}
        shown={shown}
        to={(one) => ({ view: "upkeep", shown: one })}
      />
      {shown === "backups" && <Backups />}
      {shown === "webhooks" && <Webhooks />}
      {shown === "payments" && <Payments />}
      {shown === "changes" && <Changes />}
      {shown === "connections" && (
        <>
          <Networks />
          <Connections />
        </>
      )}
      {shown === "settings" && <SettingList />}
    </>
  )
}
