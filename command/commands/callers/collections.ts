import { command, type GroupSpec } from "../../spec.ts"

const session = () => import("../../../api/operator/commands/collections-session.ts")

export const collections: GroupSpec = {
  about: `A collection is a named set of sources. Keys can be limited to collections (fossick keys create
--collection). A running appliance applies each change at once.`,
  commands: {
    set: command({
      changes: () => true,
      about: "Makes a collection of these sources, or replaces the one with that name.",
      args: {
        name: { about: "name of the collection" },
        source: { about: "names of its sources", several: true },
      },
      examples: [{ line: "fossick collections set staff wiki handbook", about: "with two sources" }],
      run: async ({ args, json }) => await (await session()).setCollection(args.name, args.source, json),
    }),
    list: command({
      about: "Shows the collections and their sources.",
      json: "one JSON array, for programs",
      examples: [{ line: "fossick collections list", about: "one per line" }],
      run: async ({ json }) => await (await session()).listCollections(json),
    }),
    delete: command({
      changes: () => true,
      about: "Deletes a collection. Keys that are limited to it no longer see its sources.",
      args: { name: { about: "name of the collection" } },
      examples: [{ line: "fossick collections delete staff", about: "its sources are kept" }],
      run: async ({ args, json }) => await (await session()).deleteCollection(args.name, json),
    }),
  },
}
