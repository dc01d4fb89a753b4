import { text } from "#base/settings.ts"

/** Settings for sign-on. */
export const signOnSettings = {
  signOnFile: text({
    name: "FOSSICK_SIGN_ON_FILE",
    default: "",
    about:
      "File that declares the identity providers that sign people in, and what people may do, read at every start; empty means `sign-on.yaml` in the working directory, if there is one.",
  }),
}
