interface Item {
  readonly path: string
  readonly name: string
  readonly value: boolean | number | string
}

const SCRIPTING = "/org.openoffice.Office.Common/Security/Scripting"
const INTERNET = "/org.openoffice.Inet/Settings"
/** The port of the discard service, where nothing answers (RFC 863). */
const NOWHERE = 9

/**
 * Settings that keep anything in a file from being run, and anything that it refers to from being loaded. Names and
 * values come from LibreOffice's own schemas (`officecfg/registry/schema`); versions ignore names that they do not
 * know.
 */
const ITEMS: readonly Item[] = [
  { path: SCRIPTING, name: "DisableMacrosExecution", value: true },
  { path: SCRIPTING, name: "DisableActiveContent", value: true },
  { path: SCRIPTING, name: "DisableOLEAutomation", value: true },
  // Very high: only macros in trusted places run, and no place is trusted.
  { path: SCRIPTING, name: "MacroSecurityLevel", value: 3 },
  { path: SCRIPTING, name: "BlockUntrustedRefererLinks", value: true },
  // Never.
  { path: "/org.openoffice.Office.Writer/Content/Update", name: "Link", value: 0 },
  { path: "/org.openoffice.Office.Calc/Content/Update", name: "Link", value: 2 },
  // LibreOffice 7.4 loads linked pictures in spite of the settings above, so its proxy is set to a closed port.
  { path: INTERNET, name: "ooInetProxyType", value: 2 },
  { path: INTERNET, name: "ooInetHTTPProxyName", value: "127.0.0.1" },
  { path: INTERNET, name: "ooInetHTTPProxyPort", value: NOWHERE },
  { path: INTERNET, name: "ooInetHTTPSProxyName", value: "127.0.0.1" },
  { path: INTERNET, name: "ooInetHTTPSProxyPort", value: NOWHERE },
  { path: INTERNET, name: "ooInetNoProxy", value: "" },
  { path: "/org.openoffice.Office.Java/VirtualMachine", name: "Enable", value: false },
]

const itemXml = ({ path, name, value }: Item): string =>
  `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`

/** The file `registrymodifications.xcu` of a LibreOffice profile. */
export const PROFILE = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${ITEMS.map(itemXml).join("\n")}
</oor:items>
`
