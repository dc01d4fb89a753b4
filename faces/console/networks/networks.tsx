import { Button } from "../../design/button.tsx"
import { since } from "../../reading/dates.ts"
import { Block, Problem } from "../parts.tsx"
import { useActions } from "../asking/use-actions.ts"
import { useAnswer } from "../asking/use-polled.ts"

/** The private networks that admins have allowed, and a way to revoke each. */
export function Networks() {
  const { value, problem, refresh } = useAnswer("GET /admin/networks")
  const { isBusy, problem: refused, act } = useActions(refresh)
  if (problem !== null) return <Problem text={problem} onAgain={refresh} />
  if (value === null || value.networks.length === 0) return null
  const take = (id: number, what: string) =>
    act(`Crawls can no longer read ${what}`, "DELETE /admin/networks/{id}", { path: { id } })
  return (
    <Block id="networks" title="Allowed private networks">
      <p class="small">
        {value.on
          ? "Crawls of sources that are declared in the console can read them. "
          : "FOSSICK_ADMIN_NETWORKS is off: crawls cannot read them now. "}
        <a href="docs/private-networks">About private networks</a>
      </p>
      {refused !== null && <Problem text={refused} />}
      <ul class="networks" aria-label="Allowed private networks">
        {value.networks.map(({ id, network, port, host, opened_at: at }) => (
          <li key={id}>
            <code class="strong">
              {network}, port {port}
            </code>
            <span class="small">
              for {host}, <time dateTime={at}>{since(at)}</time>
            </span>
            <Button
              icon="trash"
              look="quiet"
              disabled={isBusy}
              onClick={() => void take(id, `${network}, port ${port}`)}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </Block>
  )
}
