import { expect, test } from "vitest"
import { isJunkAddress } from "./image-address.ts"

test.each([
  "https://a.example/img/spacer.gif",
  "https://a.example/blank.png",
  "https://a.example/1x1.gif?u=4711",
  "https://a.example/transparent-pixel.png",
  "https://a.example/css/sprite-v2.png",
  "https://a.example/favicon-32x32.png",
  "https://a.example/emoji/1f600.png",
  "https://img.shields.io/badge/build-passing-green",
  "https://github.com/a/b/actions/workflows/ci.yml/badge.svg",
  "https://secure.gravatar.com/avatar/abc",
  "https://www.facebook.com/tr?id=1&ev=PageView",
])("%s is not a content image", (address) => {
  expect(isJunkAddress(address)).toBe(true)
})

test.each([
  "https://a.example/img/pixel-art-castle.png",
  "https://a.example/photos/logo-of-the-hive.jpg",
  "https://a.example/photos/blanket.jpg",
  "https://a.example/transparent-frogs.jpg",
  "https://a.example/icons/bee.svg",
  "https://a.example/space.jpg",
  "https://a.example/image?id=77",
])("%s may be a content image", (address) => {
  expect(isJunkAddress(address)).toBe(false)
})
