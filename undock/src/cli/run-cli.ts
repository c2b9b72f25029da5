import { type Command, CommanderError } from 'commander'
import { UsageError } from './arguments.ts'
import { createProgram } from './program.ts'
import { failureText } from './report.ts'

/** @returns the exit code: 0 success, 1 failure, 2 invalid command line; for `run`, its command's. */
export async function runCli(words: readonly string[]): Promise<number> {
  const { own, others } = splitWords(words)
  const invocation = { afterDash: others, exitCode: 0 }
  const program = createProgram(invocation)
  try {
    await program.parseAsync(wordsToParse(program, own), { from: 'user' })
    return invocation.exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    console.error(failureText(error))
    return error instanceof UsageError ? 2 : 1
  }
}

/** Separates undock's arguments from those of the command to run. */
function splitWords(words: readonly string[]): { own: readonly string[]; others: readonly string[] } {
  if (words[0] === 'supabase' && words.length > 1) return { own: words.slice(0, 1), others: words.slice(1) }
  if (words[0] === 'psql') {
    let end = 1
    while (/^--(?:workdir|name)$/.test(words[end] ?? '')) end += 2
    while (/^--(?:workdir|name)=|^(?:-h|--help)$/.test(words[end] ?? '')) end += 1
    return { own: words.slice(0, end), others: words.slice(end) }
  }
  const split = ['run', 'rehearse'].includes(words[0] ?? '') ? words.indexOf('--') : -1
  return split === -1 ? { own: words, others: [] } : { own: words.slice(0, split), others: words.slice(split + 1) }
}

/** Turns `help db diff` into `db diff --help`. Drops the rest after a misspelled command, or the parser would print the group's help
 *  instead of the error. */
function wordsToParse(program: Command, words: readonly string[]): readonly string[] {
  const normalized = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  let group = program
  for (const [index, word] of normalized.entries()) {
    if (group.commands.length === 0 || group.registeredArguments.length > 0 || word.startsWith('-')) break
    const command = group.commands.find((candidate) => candidate.name() === word)
    if (!command) return normalized.slice(0, index + 1)
    group = command
  }
  return normalized
}
