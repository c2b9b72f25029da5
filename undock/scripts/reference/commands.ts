import type { Command } from 'commander'
import { fullName } from '../../src/cli/command-parts.ts'
import { createProgram } from '../../src/cli/program.ts'
import { cell, codeCell, prose } from './source.ts'

/** The commands with their options and defaults, as `--help` prints them. */
export function commandsPage(): string {
  const program = createProgram({ afterDash: [], exitCode: 0 })
  const commands = commandsBelow(program)
  return `---
outline: 2
---

# Commands

Generated from the program: \`undock COMMAND --help\` prints the same. Exit codes: 0 success, 1 failure, 2 wrong command line, 130 after Ctrl-C;
\`undock run\` returns its command's.

${commands.map(sectionOf).join('\n')}`
}

const commandsBelow = (command: Command): Command[] =>
  command.commands.flatMap((one) => (one.name() === 'help' ? [] : [one, ...commandsBelow(one)]))

function sectionOf(command: Command): string {
  const help = command.createHelp()
  const rows = [
    ...help
      .visibleArguments(command)
      .map((one) => ({ term: help.argumentTerm(one), text: help.argumentDescription(one) })),
    ...help.visibleOptions(command).map((one) => ({ term: help.optionTerm(one), text: help.optionDescription(one) })),
  ].filter(({ term }) => !term.includes('--help'))
  const groups = command.commands.map((one) => `[${one.name()}](#${fullName(one).replaceAll(' ', '-')})`)
  return [
    `## ${fullName(command)}`,
    prose(command.description()),
    ...(groups.length > 0
      ? [`Commands: ${groups.join(', ')}.`]
      : [`\`\`\`text\n${help.commandUsage(command)}\n\`\`\``]),
    ...(rows.length > 0
      ? [`| | |\n|---|---|\n${rows.map(({ term, text }) => `| ${codeCell(term)} | ${cell(text)} |`).join('\n')}`]
      : []),
    notesOf(command),
    '',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

/** The help's text after the options. */
function notesOf(command: Command): string {
  let all = ''
  command.configureOutput({
    writeOut: (text) => {
      all += text
    },
  })
  command.outputHelp()
  const notes = all.replace(command.helpInformation(), '').trim()
  return notes === '' ? '' : `\`\`\`text\n${notes}\n\`\`\``
}
