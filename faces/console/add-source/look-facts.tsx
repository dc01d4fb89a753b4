import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Icon } from "../../design/icons.tsx"
import { PageLink } from "../../reading/page-link.tsx"
import { languageName } from "../../reading/languages.ts"
import { Block, Fact } from "../parts.tsx"
import { AllowNetwork } from "../networks/allow-network.tsx"
import { counted, lasting, whole } from "../words.ts"

export type Look = AnswerOf<"POST /admin/sources/propose">

interface LookProps {
  readonly look: Look
  /** Looks again, ignoring robots.txt. */
  readonly onIgnoreRobots: () => void
  /** Looks again, now that the network of the site is allowed. */
  readonly onAllowed: () => void
}

/** The findings of one look at a site, and the obstacles to a crawl. */
export function LookFacts(props: LookProps) {
  const { look } = props
  const { url, estimate, rendering, languages, program } = look
  return (
    <Block id="found" title="What the check found">
      <dl class="facts">
        <SiteFact look={look} />
        {estimate !== null && <CrawlFact estimate={estimate} />}
        {url !== null && <SitemapFact sitemap={look.sitemap} />}
        <RobotsFact look={look} />
        {rendering !== null && <BrowserFact rendering={rendering} />}
        {url !== null && <LoginFact login={look.login} />}
        {languages.length > 0 && <LanguagesFact languages={languages} />}
        {program !== null && <ProgramFact program={program} />}
      </dl>
      {look.obstacles.length > 0 && <Obstacles {...props} />}
      {look.notes.map((note) => (
        <p key={note} class="small">
          {note}
        </p>
      ))}
      <p class="small">
        {counted(look.requests, "request")} in{" "}
        {look.took_ms < 1000 ? "less than a second" : lasting(look.took_ms / 1000)}; nothing was indexed.
      </p>
    </Block>
  )
}

type Known<Name extends keyof Look> = { readonly [name in Name]: NonNullable<Look[name]> }

const SiteFact = ({ look: { url, title, asked } }: Pick<LookProps, "look">) => (
  <Fact name="Site" wide>
    {url === null ? (
      <>Nothing could be read at {asked}</>
    ) : (
      <>
        <b>{title ?? "Untitled"}</b>
        <br />
        <PageLink to={url} isApart>
          {url}
        </PageLink>
        {url !== asked && <small> after redirects from {asked}</small>}
      </>
    )}
  </Fact>
)

const CrawlFact = ({ estimate }: Known<"estimate">) => (
  <Fact name="A full crawl">
    <b>
      {estimate.from === "links" ? "at least " : "about "}
      {lasting(estimate.seconds)}
    </b>
    <small>
      {counted(estimate.pages, "page")},{" "}
      {estimate.delay_ms === 0 ? "without pauses" : `${estimate.delay_ms / 1000} s between requests`}
    </small>
  </Fact>
)

const SitemapFact = ({ sitemap }: Pick<Look, "sitemap">) => (
  <Fact name="Sitemap">
    {sitemap === null ? (
      <>None found, so the crawl follows links</>
    ) : (
      <>
        <b>{counted(sitemap.pages, "page")}</b>
        <small>{sitemap.url}</small>
      </>
    )}
  </Fact>
)

const RobotsFact = ({ look: { url, robots } }: Pick<LookProps, "look">) => (
  <Fact name="robots.txt">
    {robots === null ? (
      <>{url === null ? "Not read" : "Ignored"}</>
    ) : (
      <>
        {robots.allowed ? "Allows the crawler" : <b>Blocks the crawler</b>}
        {robots.delay_ms !== null && <small>asks for a pause of {robots.delay_ms / 1000} s</small>}
      </>
    )}
  </Fact>
)

const BrowserFact = ({ rendering }: Known<"rendering">) => (
  <Fact name="Browser">
    {rendering.rendering === "browser" ? <b>Needed</b> : "Not needed"}
    <small>
      {rendering.characters_in_browser === null
        ? rendering.because
        : `${whole(rendering.characters)} characters without scripts, ${whole(rendering.characters_in_browser)} with them`}
    </small>
  </Fact>
)

const LoginFact = ({ login }: Pick<Look, "login">) => (
  <Fact name="Login">
    {login === null ? "No form found" : login.needed ? <b>Needed</b> : "Optional"}
    {login !== null && <small>{login.url}</small>}
  </Fact>
)

const MOST_LANGUAGES = 6

const LanguagesFact = ({ languages }: Known<"languages">) => (
  <Fact name={languages.length === 1 ? "Language" : "Languages"}>
    {languages
      .slice(0, MOST_LANGUAGES)
      .map(({ language }) => languageName(language))
      .join(", ")}
    {languages.length > MOST_LANGUAGES && ` and ${languages.length - MOST_LANGUAGES} more`}
  </Fact>
)

const ProgramFact = ({ program }: Known<"program">) => (
  <Fact name="Made with">
    {program.name} {program.version}
    {program.recipe !== null && (
      <small>
        <a href={`docs/recipes#${program.recipe}`}>How to crawl it</a>
      </small>
    )}
  </Fact>
)

/** The obstacles to a crawl, each with its remedy. */
const Obstacles = ({ look: { url, asked, obstacles }, onIgnoreRobots, onAllowed }: LookProps) => (
  <ul class="obstacles" aria-label="Obstacles">
    {obstacles.map(({ kind, text, help }) => (
      <li key={text} class="notice warn">
        <Icon name="alert" />
        <p class="strong">{text}</p>
        {kind === "network" ? (
          <AllowNetwork url={asked} otherwise={help} onAllowed={onAllowed} />
        ) : (
          help !== null && <p class="small">{help}</p>
        )}
        {kind === "robots" && url === null && (
          <p>
            <Button onClick={onIgnoreRobots}>Check anyway (I own this site)</Button>
          </p>
        )}
      </li>
    ))}
  </ul>
)
