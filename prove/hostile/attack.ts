import type { FakeInternet } from "#crawler/testing/fake-internet.ts"
import type { TestSite } from "#crawler/testing/test-site.ts"
import type { PageReader } from "#crawler/visit/reader.ts"
import type { ServedApp } from "../../api/testing/serve-app.ts"

/** What the attacks are played against: real parts, over sockets of this machine. */
export interface Arena {
  /** The attacker's site, which counts as public: `http://evil.example:<port>`. */
  readonly evil: TestSite
  /** A service of the private network that nobody may ask anything: what it was asked is a fault. */
  readonly inner: TestSite
  readonly internet: FakeInternet
  /** Reads pages as live calls and crawls do; no network is allowed. */
  readonly reader: PageReader
  /** The API. */
  readonly app: ServedApp
  /** An address of the attacker's site, by a name. */
  at(path: string): string
  /** How large heavy attacks are: 1 is as large as they are meant. */
  readonly scale: number
}

/** One attack. */
export interface Attack {
  readonly name: string
  /** Plays it. @returns what went wrong; null when it was held off */
  readonly play: (arena: Arena) => Promise<string | null>
}

/** Attacks of one kind, and what must happen. */
export interface Kind {
  readonly kind: string
  readonly must: string
  readonly attacks: readonly Attack[]
}

/** Null when it holds. */
export const unless = (holds: boolean, fault: () => string): string | null => (holds ? null : fault())
