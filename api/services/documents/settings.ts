import { integer } from "#base/settings.ts"

/** Settings for documents sent by programs. */
export const documentSettings = {
  documentsBodyMb: integer(
    {
      name: "FOSSICK_DOCUMENTS_BODY_MB",
      default: "64",
      about: "Largest body of a call that sends documents, in megabytes, measured after decompression.",
    },
    1,
    1024,
  ),
}
