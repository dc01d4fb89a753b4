import { fileFormat } from "../file-format.ts"

/** PowerPoint presentations (ECMA-376), with or without macros, slide shows and templates. */
export const pptx = fileFormat({
  name: "pptx",
  types: [
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
    "application/vnd.openxmlformats-officedocument.presentationml.template",
    "application/vnd.ms-powerpoint.presentation.macroenabled.12",
  ],
  extensions: ["pptx", "pptm", "ppsx", "potx"],
  isArchiveOf: (names) => names.some((name) => /^ppt\/presentation\d*\.xml$/i.test(name)),
  async load() {
    const { readOffice } = await import("../office/office.ts")
    return (body) => readOffice("pptx", body)
  },
})
