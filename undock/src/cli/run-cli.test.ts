import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { runCli } from './run-cli.ts'

let stdout = ''
let stderr = ''
const toStdout = (text: unknown) => {
  stdout += text
  return true
}
const toStderr = (text: unknown) => {
  stderr += text
  return true
}
beforeEach(() => {
  stdout = ''
  stderr = ''
  vi.spyOn(process.stdout, 'write').mockImplementation(toStdout)
  vi.spyOn(process.stderr, 'write').mockImplementation(toStderr)
  vi.spyOn(console, 'log').mockImplementation((text) => void toStdout(`${text}\n`))
  vi.spyOn(console, 'error').mockImplementation((text) => void toStderr(`${text}\n`))
})
afterEach(() => vi.restoreAllMocks())

const COMMANDS = ['start', 'run', 'status', 'stop', 'reset', 'logs', 'db test', 'db diff', 'db dump', 'functions new']

test.each(COMMANDS)('undock %s --help lists its options and their defaults', async (name) => {
  const words = name.split(' ')
  expect(await runCli([...words, '--help'])).toBe(0)
  expect(stdout).toContain(`Usage: undock ${name}`)
  expect(stdout).toContain('--workdir <folder>')
  expect(stdout).not.toMatch(/default: (\[\]|false)/)
  expect(stderr).toBe('')
  const help = stdout
  stdout = ''
  expect(await runCli(['help', ...words])).toBe(0)
  expect(stdout).toBe(help)
})

test.each([['--help'], ['-h'], ['help']])('undock %s lists every command', async (word) => {
  expect(await runCli([word])).toBe(0)
  for (const name of new Set([...COMMANDS, 'list'].map((command) => command.split(' ')[0])))
    expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'))
})

test('help lists the allowed values', async () => {
  await runCli(['status', '--help'])
  expect(stdout.replace(/\s+/g, ' ')).toContain('(pretty, env, json, toml, yaml; default: pretty)')
})

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(await runCli(['--version'])).toBe(0)
  expect(stdout).toBe(`${version}\n`)
})

test.each([
  [[], 'Usage: undock [options] [command]'],
  [['db'], 'Usage: undock db [options] [command]'],
  [['completion'], 'Usage: undock completion [options] [command]'],
  [['strat'], 'Unknown command "strat". Did you mean start?\nSee `undock --help`.'],
  [['strat', '--help'], 'Unknown command "strat". Did you mean start?'],
  [['help', 'strat'], 'Unknown command "strat". Did you mean start?'],
  [['db', 'dif', '--help'], 'Unknown command "dif". Did you mean diff?\nSee `undock db --help`.'],
  [['start', '--prots'], "Unknown option '--prots'. Did you mean --ports?\nSee `undock start --help`."],
  [['start', '--ports', 'some'], '"some" is not a valid value for --ports <which>. Allowed choices are config, free.'],
  [['start', '--workdir'], 'Option --workdir <folder> needs a value.'],
  [['start', 'now'], "Too many arguments for 'start'."],
  [['stop', '--timeout', 'soon'], '"soon" is not a valid value for --timeout <seconds>. Enter a number of seconds.'],
  [['stop', '--timeout', '-1'], 'Enter a number of seconds.'],
  [['run'], 'Add the command to run: undock run -- npm test'],
  [['run', 'npm', 'test', '--watch'], 'Put -- before the command: undock run -- npm test'],
  [['run', 'npm', '--', 'test'], 'Put -- before the command'],
  [['functions', 'new'], "Missing required argument 'name'"],
  [['functions', 'new', 'fine', '--auth', 'everybody'], 'Allowed choices are apikey, user, none.'],
  [['db', 'dump', '--data-only', '--role-only'], 'Use --data-only or --role-only, not both.'],
  [['db', 'dump', '--data-only', '--keep-comments'], 'Use --data-only or --keep-comments, not both.'],
  [['db', 'dump', '--role-only', '--schema', 'public'], 'Use --role-only or --schema, not both.'],
  [['stop', '--all', '--workdir', '.'], "Option '--all' cannot be used with option '--workdir <folder>'"],
  [['stop', '--all', '--name', 'two'], "Option '--all' cannot be used with option '--name <name>'"],
  [['status', '--name', '../two'], '"../two" is not a valid name for a backend: use 1 to 63 letters, digits,'],
  [['start', '--name', ''], '"" is not a valid name for a backend'],
  [['list', '--output', 'env'], 'Allowed choices are pretty, json.'],
  [['completion', 'tcsh'], 'Unknown command "tcsh".'],
])('rejects %j with exit code 2', async (words, message) => {
  expect(await runCli(words)).toBe(2)
  expect(stderr).toContain(message)
  expect(stdout).toBe('')
})

test.each([
  [['db', 'diff', '--use-migra', '--use-pgadmin'], 'Use --use-migra or --use-pgadmin, not both.'],
  [['db', 'reset', '--version', 'abc'], '--version needs the number of a migration, not "abc".'],
])('rejects `supabase` with %j before it does anything', async (words, message) => {
  expect(await runCli(['supabase', ...words])).toBe(1)
  expect([stderr, stdout]).toEqual([`${message}\n`, ''])
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-completion-'))
  await writeFile(join(folder, 'file.sql'), '')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each([
  ['undock st', ['start', 'status', 'stop', 'storage']],
  ['undock db ', ['test', 'diff', 'dump']],
  ['undock status --output ', ['pretty', 'env', 'json', 'toml', 'yaml']],
  ['undock status -o j', ['json']],
  ['undock start --d', ['--detach', '--db-url']],
  ['undock stop ', ['--workdir', '--name', '--all', '--timeout', '--help', '-h']],
  ['undock completion ', ['bash', 'zsh', 'fish']],
  // No candidates, so bash completes files.
  ['undock db test fi', []],
  ['undock start --workdir ', []],
  ['undock run -- undock st', []],
])('bash completes "%s"', async (line, expected) => {
  expect(await runCli(['completion', 'bash'])).toBe(0)
  const words = line.split(' ')
  const script = `set -u
${stdout}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_undock
printf '%s\\n' "\${COMPREPLY[@]-}"`
  const { status, stdout: found, stderr: errors } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' })
  expect([status, errors, found.split('\n').filter(Boolean)]).toEqual([0, '', expected])
})

test('bash completion never executes the typed text', async () => {
  await runCli(['completion', 'bash'])
  const script = `${stdout}
COMP_WORDS=(undock logs '$(touch ran)' '\`touch ran\`'); COMP_CWORD=3
_undock; ls`
  expect(spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' }).stdout).toBe('file.sql\n')
})

test.each([
  ['zsh', "'--detach:run in the background until"],
  ['fish', "complete -c undock -n '__undock_at \"status\"' -l output -s o -x -a 'pretty env json toml yaml'"],
])('completion %s prints a script with every command', async (shell, line) => {
  expect(await runCli(['completion', shell])).toBe(0)
  for (const name of COMMANDS) expect(stdout).toContain(`'${name}'`)
  expect(stdout).toContain(line)
})
