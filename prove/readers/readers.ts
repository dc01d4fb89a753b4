import { chance } from "#base/testing/chance.ts"
import { Tools } from "../key-reach/asking.ts"
import { type Effort, type Outcome, type Proof, tries } from "../proof.ts"
import { someCall } from "./calls.ts"
import { Judge } from "./judge.ts"
import { askAsPayer, askFromPages, askThroughPeers } from "./other-doors.ts"
import { askAsPeople } from "./people.ts"
import { askWhileRewritten } from "./rewritten.ts"
import { compareWithTwins } from "./twins.ts"
import { watched } from "./watched.ts"
import { openWorld } from "./world.ts"

const TRIALS = 10_000
const PEOPLE = 120
const WATCHES = 200
/** Number of people who have signed in. */
const SIGNED_IN = 20
/** Number of people whose answers are compared with those of an index that never contained the pages hidden from them. */
const TWINS = 12
const QUESTIONS = 20
/** Number of live pages in each source of the site. */
const LIVE_PAGES = 8

export const proof: Proof = {
  title: "Who may read a page",
  promise:
    "No one sees a page that its `readers` setting does not let them read, whatever they ask. Sources, folders and pages have random readers, and people belong to " +
    "up to fifty groups each. " +
    "Random people make every call that shows pages, each about a random page: with a key, through a program that they let in over MCP, or " +
    "through a service that asks on their behalf, even while all pages are rewritten. " +
    "A page has a unique word in its title, text, facts and images, and another in its address; a response may contain " +
    "these only if a two-line oracle lets this person read the page. If it does, the page must be there.",
  run,
}

async function run(effort: Effort): Promise<Outcome> {
  const random = chance(effort.seed)
  await using world = await openWorld(random, tries(effort, LIVE_PAGES, 2), tries(effort, PEOPLE, 12))
  effort.tell("the appliance and its pages are ready")
  await using tools = new Tools(world.app.url)
  const judge = new Judge(world)
  const all = tries(effort, TRIALS, 200)
  const watches = tries(effort, WATCHES, 12)
  for (let at = 0; at < all - 5 * watches; at++) {
    const [person, page] = [random.one(world.people), random.one(world.pages)]
    // oxlint-disable-next-line no-await-in-loop -- a fault is to be told by the call that shows it
    await judge.one(someCall(page, world.pages, random, world.site.origin), person, page, tools)
    if (at % 1000 === 999) effort.tell(`${at + 1} of ${all}`)
  }
  effort.tell("calls of programs and services")
  await askAsPeople(world, random, judge, tools, { people: tries(effort, SIGNED_IN, 4), calls: 5 * watches })
  effort.tell("calls of payers, pages and peers")
  await askAsPayer(world, random, judge, watches)
  await askFromPages(world, random, judge, watches)
  await askThroughPeers(world, random, judge, watches)
  effort.tell("indexes without the hidden pages")
  await compareWithTwins(world, random, judge, { people: tries(effort, TWINS, 2), questions: QUESTIONS })
  effort.tell("calls while pages and readers change")
  await askWhileRewritten(world, effort.seed + 1, judge, tools, watches)
  effort.tell("watches")
  await watched(world, random, judge, watches)
  return judge.outcome()
}
