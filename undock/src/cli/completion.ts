import type { Command, Option } from 'commander'
import { fullName } from './command-parts.ts'
import { quote } from './report.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

type Entry = { readonly name: string; readonly description: string }

/** What can follow a command.
 *  @property path Such as "db diff"; empty for undock itself.
 *  @property takesFiles Whether other words than options can be files. */
type Level = {
  readonly path: string
  readonly commands: readonly Entry[]
  readonly options: readonly Option[]
  readonly takesFiles: boolean
}

/** A shell script that completes commands, options and the values of options. It is generated from the current
 *  commands, so that completing starts no process. If the values aren't known (of --workdir, or after `run --`), the shell completes files. */
export function completionScript(program: Command, shell: Shell): string {
  return { bash, zsh, fish }[shell](levelsOf(program))
}

function levelsOf(command: Command): Level[] {
  const help = command.createHelp()
  const level: Level = {
    path: fullName(command).split(' ').slice(1).join(' '),
    commands: help
      .visibleCommands(command)
      .map((one) => ({ name: one.name(), description: one.summary() || one.description() })),
    options: help.visibleOptions(command),
    takesFiles: command.registeredArguments.length > 0 || command.name() === 'run',
  }
  return [level, ...command.commands.flatMap(levelsOf)]
}

const flagsOf = ({ short, long }: Option): string[] => [long, short].filter((flag) => flag !== undefined)
const takesValue = ({ required, optional }: Option): boolean => required || optional
/** Removes text in parentheses: completion menus have little room. */
const brief = (description: string): string => description.replace(/ \(.*\)$/, '')

/** The paths of all commands as patterns of a shell's `case`. */
const pathPatterns = (levels: readonly Level[]): string =>
  levels
    .map(({ path }) => path)
    .filter(Boolean)
    .map(quote)
    .join('|')

/** The lines of a shell's `case` over "command:previous word", which set the variable `found`. Values come first,
 *  because each command's last pattern matches every word.
 *  @param list Writes an assignment's value. */
function cases(levels: readonly Level[], list: (entries: readonly Entry[]) => string): string {
  const values = levels.flatMap(({ path, options }) =>
    options.filter(takesValue).map((option) => {
      const patterns = flagsOf(option).map((flag) => quote(`${path}:${flag}`))
      const choices = (option.argChoices ?? []).map((name) => ({ name, description: name }))
      return `    ${patterns.join('|')}) found=${list(choices)} ;;`
    }),
  )
  const words = levels.map(({ path, commands, options, takesFiles }) => {
    const flags = list(
      options.flatMap((option) => flagsOf(option).map((name) => ({ name, description: brief(option.description) }))),
    )
    const others = takesFiles || commands.length > 0 ? `; [[ $word == -* ]] || found=${list(commands)}` : ''
    return `    ${quote(`${path}:`)}*) found=${flags}${others} ;;`
  })
  return [...values, ...words].join('\n')
}

const bash = (levels: readonly Level[]): string => `# bash completion for undock
_undock() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' found='' next i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -- ]] && return
    next="\${command:+$command }\${COMP_WORDS[i]}"
    case $next in
      ${pathPatterns(levels)}) command=$next ;;
    esac
  done
  case "$command:$previous" in
${cases(levels, (entries) => quote(entries.map(({ name }) => name).join(' ')))}
  esac
  COMPREPLY=($(compgen -W "$found" -- "$word"))
}
complete -o bashdefault -o default -F _undock undock`

const zsh = (levels: readonly Level[]): string => `#compdef undock
# zsh completion for undock
_undock() {
  local word=$words[CURRENT] previous=$words[CURRENT-1] command='' next i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    if [[ $words[i] == -- ]]; then _files; return; fi
    next="\${command:+$command }$words[i]"
    case $next in
      ${pathPatterns(levels)}) command=$next ;;
    esac
  done
  case "$command:$previous" in
${cases(levels, (entries) => `(${entries.map(({ name, description }) => quote(`${name}:${description}`)).join(' ')})`)}
  esac
  if (( $#found )); then _describe undock found; else _files; fi
}
if [[ $funcstack[1] == _undock ]]; then _undock "$@"; else compdef _undock undock; fi`

function fish(levels: readonly Level[]): string {
  const lines = levels.flatMap(({ path, commands, options, takesFiles }) => {
    const start = `complete -c undock -n '__undock_at "${path}"'`
    return [
      ...(takesFiles ? [] : [`${start} -f`]),
      ...commands.map(({ name, description }) => `${start} -a ${name} -d ${quote(description)}`),
      ...options.map((option) => {
        const names = [option.long && `-l ${option.long.slice(2)}`, option.short && `-s ${option.short.slice(1)}`]
        const choices = option.argChoices && `-x -a ${quote(option.argChoices.join(' '))}`
        const value = choices ?? (takesValue(option) ? '-r -F' : '')
        return [start, ...names, value, `-d ${quote(brief(option.description))}`].filter(Boolean).join(' ')
      }),
    ]
  })
  return `# fish completion for undock
function __undock_at
  set -l command
  for word in (commandline -opc)[2..-1]
    test "$word" = --; and return 1
    set -l next (string trim -- "$command $word")
    contains -- "$next" ${levels.flatMap(({ path }) => (path ? [quote(path)] : [])).join(' ')}; and set command $next
  end
  test "$command" = "$argv[1]"
end
${lines.join('\n')}`
}
