export default function (config) {
  config.addFilter("day", (date) => date.toISOString().slice(0, 10))
}
