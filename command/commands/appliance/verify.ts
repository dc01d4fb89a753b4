import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

export const verify = command({
  about: "Checks that a release, or what is installed, is what was signed: each file by its hash.",
  args: {
    manifest: { about: "the manifest; its signature lies beside it as <manifest>.sig", complete: "files" },
  },
  options: {
    key: { value: "file", about: "public key of who signed, in PEM", complete: "files" },
    installed: {
      about: "look at the files of the Fossick that runs this, instead of those beside the manifest",
    },
  },
  json: "one JSON object: how many files, which are wrong, which are in no manifest",
  examples: [
    { line: "fossick verify fossick-0.1.0.manifest --key release.pub", about: "before it is installed" },
    {
      line: "fossick verify fossick-0.1.0.manifest --key release.pub --installed",
      about: "afterwards, at any time",
    },
  ],
  async run({ args: { manifest }, options: { key, installed }, json }) {
    if (key === undefined)
      throw new ArgumentsError("verify needs --key: the public key of who signed the release")
    const { verifyRelease } = await import("../../release/verify-session.ts")
    return await verifyRelease({ manifest, key, installed, json })
  },
})
