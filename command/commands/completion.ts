import { EXIT } from "#base/exit-codes.ts"
import { type CommandSpec, command, type Registry } from "../spec.ts"

/** @param commands all commands, including this one */
export const completion = (commands: Registry): CommandSpec =>
  command({
    about: `Prints a script that lets your shell complete commands, options and their values. It completes the word
fossick; if you type npx fossick, set alias fossick='npx fossick'.`,
    args: { shell: { about: "your shell", choices: ["bash", "zsh", "fish"] } },
    json: null,
    examples: [
      { line: "fossick completion bash > ~/.local/share/bash-completion/completions/fossick", about: "bash" },
      { line: 'fossick completion zsh > "${fpath[1]}/_fossick"', about: "zsh" },
      { line: "fossick completion fish > ~/.config/fish/completions/fossick.fish", about: "fish" },
    ],
    async run({ args }) {
      const { completionScript } = await import("../completion.ts")
      process.stdout.write(await completionScript(args.shell, commands))
      return EXIT.ok
    },
  })
