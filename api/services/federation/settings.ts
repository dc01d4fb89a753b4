import { integer, text } from "#base/settings.ts"

/** Settings of federation. */
export const federationSettings = {
  peersFile: text({
    name: "FOSSICK_PEERS_FILE",
    default: "",
    about:
      "File that declares other appliances to ask, read at every start; when this is empty, `peers.yaml` in the working directory, if there is one.",
  }),
  peerHops: integer(
    {
      name: "FOSSICK_PEER_HOPS",
      default: "1",
      about:
        "How many times a question may be handed on from one appliance to the next: 1 has peers answer from their own index alone, 0 asks none.",
    },
    0,
    4,
  ),
}
