import { type Command, InvalidArgumentError, Option } from 'commander'
import { ACTIONS } from '../../access/questions.ts'
import { parseDuration } from '../../config/units.ts'
import { addCommand, backend, examples, flag, outputFormat, type Run } from '../command-parts.ts'

/** The commands about requests and permissions: `undock requests …`, `policies …` and `explain`. */
export function addRequestCommands(program: Command, run: Run): void {
  const requests = addCommand(program, 'requests', 'print the last requests and what each of them caused', [
    ...backend(),
    flag('-f, --follow', 'keep printing requests as they are answered'),
    flag('--failed', 'only requests that failed, or in which something failed'),
    new Option('--slow <duration>', 'only requests that took at least this long, such as 200ms or 1.5s').argParser(
      milliseconds,
    ),
    new Option('--service <name>', 'only requests to this service, such as rest or auth (default: all)'),
    new Option('--limit <number>', 'how many to print').argParser(wholeNumber).default(50),
    new Option('--from <file>', 'read a file of `undock requests save` (default: the running backend)'),
    outputFormat(),
  ])
    .addHelpText('after', REQUESTS_NOTES)
    .action(run(() => import('./requests.ts').then(({ requests }) => requests)))
  addCommand(requests, 'show', 'print a request with its SQL, emails, calls and the requests that it caused', [])
    .argument('<id>', 'the id that `undock requests` prints, or its first characters')
    .action(run(() => import('./requests.ts').then(({ showRequest }) => showRequest)))
  addCommand(requests, 'save', 'save the last requests to a file', [])
    .argument('<file>', 'an HTTP Archive if it ends in .har, else a file for --from')
    .addHelpText('after', examples('undock requests save failed.json', 'undock requests --from failed.json'))
    .action(run(() => import('./requests.ts').then(({ saveRequests }) => saveRequests)))
  addCommand(requests, 'replay', 'send a request again, as the same or another caller, and compare the responses', [
    new Option('--as <caller>', "a user's id or email, or a role (default: the original caller)"),
    new Option('--body <file>', 'a file with another body to send; - reads it from stdin'),
    new Option('--secret <path=value>', 'a value that was not recorded; repeatable')
      .argParser((value: string, all: readonly string[]) => [...all, value])
      .default([]),
  ])
    .argument('<id>', 'the id that `undock requests` prints, or its first characters')
    .addHelpText('after', REPLAY_NOTES)
    .action(run(() => import('./replay.ts').then(({ replayRequest }) => replayRequest)))
  addCommand(requests, 'to-test', 'write a Vitest test that repeats a request with supabase-js', [
    new Option('--file <path>', 'the file to write (default: request-ID.test.ts)'),
    flag('--force', 'overwrite the file'),
  ])
    .argument('<id>', 'the id that `undock requests` prints, or its first characters')
    .addHelpText('after', examples('undock requests to-test 3f2a91bc --file tests/notes.test.ts'))
    .action(run(() => import('./replay.ts').then(({ writeRequestTest }) => writeRequestTest)))

  const policies = addCommand(program, 'policies', 'print what each role can do with each table', [
    ...backend(),
    outputFormat(),
  ]).action(run(() => import('./policies.ts').then(({ policies }) => policies)))
  addCommand(policies, 'test', 'write a pgTAP test that fails when strangers can do more than now', [
    ...backend(),
    new Option('--file <path>', 'relative to supabase/').default('tests/strangers.test.sql'),
    flag('--force', 'overwrite the file'),
  ])
    .addHelpText('after', examples('undock policies test && undock db test'))
    .action(run(() => import('./policies.ts').then(({ writePolicyTests }) => writePolicyTests)))

  addCommand(program, 'explain', 'explain whether a caller can read or write something, and why', [
    ...backend(),
    new Option('--as <caller>', "a user's id or email, or a role such as anon"),
    new Option('--where <sql>', 'the rows in question, as an SQL condition (default: all)'),
    new Option('--row <json>', 'the values to insert or update'),
    flag('--returning', 'also return the rows, like .select()'),
    new Option('--claims <json>', "claims to add to the user's token, or to replace in it"),
    outputFormat(),
  ])
    .usage('[options] --as <caller> <action> <target>\n       undock explain [options] <request>')
    .argument('<action>', `${ACTIONS.join(', ')}; or the id of a request`)
    .argument('[target]', 'a table or view (schema.name), a stored file (bucket/path), or a Realtime topic')
    .addHelpText('after', EXPLAIN_NOTES)
    .action(run(() => import('./explain.ts').then(({ explain }) => explain)))
}

function milliseconds(value: string): number {
  const parsed = parseDuration(/^[\d.]+$/.test(value) ? `${value}ms` : value)
  if (parsed === undefined) throw new InvalidArgumentError('Enter a duration, such as 200ms or 1.5s.')
  return parsed * 1000
}

function wholeNumber(value: string): number {
  const parsed = Number(value)
  if (!Number.isInteger(parsed) || parsed < 1 || parsed > 1000)
    throw new InvalidArgumentError('Enter a whole number from 1 to 1000.')
  return parsed
}

const EXPLAIN_NOTES = `
Evaluates grants and policies for the caller and the rows, tries the command, and rolls everything back.
To explain a request of \`undock requests\` as things are now, give its id.
Tables and views: select, insert, update, delete. Stored files: download, upload, remove. Realtime topics: listen, send.
${examples(
  'undock explain --as anon select notes',
  'undock explain --as ada@example.org update notes --where \'id = 7\' --row \'{"title": "x"}\'',
  'undock explain --as ada@example.org upload avatars/ada.png',
  'undock explain --as anon listen room:1',
  'undock explain 3f2a91bc',
)}`

const REQUESTS_NOTES = `
Requests are recorded in memory, up to a limit. Tokens, keys and passwords never are; bodies only with bodies = true under [timeline] in
supabase/undock.toml. Text parameters are printed as their length. To turn recording off, set enabled = false there.
${examples('undock requests --failed', 'undock requests --follow --slow 200ms', 'undock requests show 3f2a91bc')}`

const REPLAY_NOTES = `
Sends the request to the running backend with a fresh token. To replay requests with a body, set bodies = true under [timeline] in
supabase/undock.toml before they are made; passwords, tokens and keys in bodies are never recorded. Custom headers are not
sent again.
${examples(
  'undock requests replay 3f2a91bc --as anon',
  'undock requests replay 3f2a91bc --as ada@example.org',
  'undock requests replay 3f2a91bc --secret password=correct-horse',
)}`
