import { integer, text } from "#base/settings.ts"

/** Settings for federation. */
export const federationSettings = {
  peersFile: text({
    name: "FOSSICK_PEERS_FILE",
    default: "",
    about:
      "File that lists the peers, read at every start. If empty: `peers.yaml` in the working directory, if it exists.",
  }),
  peerHops: integer(
    {
      name: "FOSSICK_PEER_HOPS",
      default: "1",
      about:
        "How many times a question may be passed from one appliance to the next. With 1, peers answer from their own index only; with 0, no peer is asked.",
    },
    0,
    4,
  ),
}
