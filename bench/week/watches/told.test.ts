import { expect, test } from "vitest"

import { judge, ofFeed, ofMails } from "./told.ts"

const which = { watch: "source", way: "feed" } as const
const [one, two] = ["http://a.example/1", "http://a.example/2"].map((url) => ({ change: "changed", url }))

test("an unreported change is lost, and one reported again is doubled", () => {
  const told = [one!, one!, two!]
  expect(judge(which, told, { expected: [one!, two!] })).toMatchObject({ doubled: [`changed ${one!.url}`] })
  expect(judge(which, [two!], { expected: [one!, two!, two!] })).toMatchObject({
    lost: [`changed ${one!.url}`, `changed ${two!.url}`],
    doubled: [],
  })
  expect(judge(which, told, { expected: [one!], mayTell: [two!] }).doubled).toEqual([`changed ${one!.url}`])
})

test("feeds and e-mails are read in their real format, and a repeated e-mail counts once", () => {
  const xml = `<entry>\n<id>x</id>\n<link href="${one!.url}"/>\n<category term="changed"/>\n</entry>`
  expect(ofFeed(xml)).toEqual([one])
  const mail = (id: string, watch: string) =>
    `Message-ID: <${id}>\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nChanged: A =\r\npage\r\nhttp://a=\r\n.example/1\r\n\r\nFossick, watch ${watch}\r\n`
  expect(ofMails([mail("1", "w"), mail("1", "w"), mail("2", "other")], "w")).toEqual([one])
})
