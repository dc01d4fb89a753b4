import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

export const verify = command({
  about:
    "Checks the signature of a release, and the hash of each file in the release or in an installation of it.",
  args: {
    manifest: { about: "the manifest, with its signature beside it as <manifest>.sig", complete: "files" },
  },
  options: {
    key: { value: "file", about: "public key of the signer, in PEM", complete: "files" },
    installed: {
      about: "check the installed files of this Fossick instead of those beside the manifest",
    },
  },
  json: "one JSON object: the number of files, the wrong ones, and those not in the manifest",
  examples: [
    { line: "fossick verify fossick-0.1.0.manifest --key release.pub", about: "before you install it" },
    {
      line: "fossick verify fossick-0.1.0.manifest --key release.pub --installed",
      about: "afterwards, at any time",
    },
  ],
  async run({ args: { manifest }, options: { key, installed }, json }) {
    if (key === undefined) throw new ArgumentsError("verify needs --key, the public key of the signer")
    const { verifyRelease } = await import("../../release/verify-session.ts")
    return await verifyRelease({ manifest, key, installed, json })
  },
})
