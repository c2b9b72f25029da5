import { Argument, Command, Option } from 'commander'
import { FEATURES } from '../mcp/agent-settings.ts'
import { undockVersion } from '../platform/fetched-package.ts'
import { STARTER_NAMES } from '../project-tools/starters/catalog.ts'
import { addBranchCommands } from './branches/branch-commands.ts'
import {
  addCommand,
  addGroup,
  backend,
  errorText,
  examples,
  flag,
  list,
  noSnapshot,
  optionDescription,
  outputFormat,
  PART_NAMES,
  portOption,
  type Run,
  workdir,
} from './command-parts.ts'
import { addDatabaseCommands } from './database/database-commands.ts'
import { addRequestCommands } from './requests/request-commands.ts'
import { addStackCommands } from './stack/stack-commands.ts'

/** `undock functions …`. */
function addFunctionCommands(program: Command, run: Run): void {
  const functions = addGroup(program, 'functions', 'create edge functions and fetch their dependencies')
  addCommand(functions, 'new', 'create an edge function and add it to config.toml', [
    workdir(),
    new Option('--auth <kind>', 'who can call it: clients with an API key, signed-in users, or anyone')
      .choices(['apikey', 'user', 'none'])
      .default('apikey'),
  ])
    .argument('<name>', 'letters, digits, hyphens and underscores, starting with a letter')
    .addHelpText('after', examples('undock functions new send-mail --auth user'))
    .action(run(() => import('./functions/new.ts').then(({ newFunction }) => newFunction)))

  addCommand(functions, 'prepare', "fetch Deno and the functions' dependencies, and report functions that can't boot", [
    workdir(),
  ]).action(run(() => import('./functions/prepare.ts').then(({ prepareFunctions }) => prepareFunctions)))
}

/** One invocation of undock.
 *  @property afterDash What follows `undock run --` or `undock supabase`.
 *  @property exitCode Set by the command. */
export type Invocation = { readonly afterDash: readonly string[]; exitCode: number }

/** All commands of undock with their options, defaults and help. Actions import their module when called, so that help and `status` don't
 *  load a database engine. */
export function createProgram(invocation: Invocation): Command {
  const program = new Command('undock')
    .description('The whole Supabase backend on your machine, in one command, without Docker.')
    .version(undockVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command...]', 'print help for a command')
    .configureHelp({ subcommandTerm: (command) => command.name(), optionDescription })
    .configureOutput({ outputError: (text, write) => write(errorText(text)) })
    .exitOverride()
    .showHelpAfterError('See `undock --help`.')
    .addHelpText('after', PROGRAM_NOTES)

  const run: Run =
    (load) =>
    async (...given) => {
      const options = (given.at(-1) as Command).optsWithGlobals()
      const start = await load()
      invocation.exitCode = await start(...([...given.slice(0, -2), options] as never[]))
    }

  addStackCommands(program, run, invocation.afterDash)
  addRequestCommands(program, run)
  addCommand(program, 'console', 'open the console of the running backend in your browser', [
    ...backend(),
    new Option('--no-open', 'only print the link'),
  ]).action(run(() => import('./console.ts').then(({ openConsole }) => openConsole)))

  addCommand(program, 'prefetch', 'fetch optional parts ahead of time, for use offline', [])
    .addArgument(new Argument('[parts...]', 'only these (default: all)').choices(PART_NAMES))
    .addHelpText('after', examples('undock prefetch', 'undock prefetch deno images'))
    .action(run(() => import('./prefetch.ts').then(({ prefetch }) => prefetch)))

  addCommand(program, 'mcp', 'run an MCP server for coding agents, over stdin and stdout', [
    ...backend(),
    flag('--read-only', 'leave out tools that write, and run SQL in read-only transactions'),
    noSnapshot(),
    list('--features <groups>', `tools to offer, separated by commas: ${FEATURES.join(', ')} (default: all)`),
  ])
    .addHelpText('after', MCP_NOTES + examples('claude mcp add undock -- npx undock mcp --read-only'))
    .action(run(() => import('./mcp.ts').then(({ mcp }) => mcp)))

  addCommand(program, 'init', 'create a project, add a starter, or set up coding agents', [
    workdir(),
    new Option('--starter <name>', 'add a migration, seed and tests, and apply them to the running backend').choices(
      STARTER_NAMES,
    ),
    flag('--agent', 'set up Claude Code, Cursor, VS Code and AGENTS.md; existing files are kept'),
    flag('--read-only', 'give the agents read-only access'),
    flag('--shim', 'make `supabase` in package scripts and `npx supabase` run `undock supabase`'),
  ])
    .addHelpText('after', examples('undock init', 'undock init --starter todo', 'undock init --agent'))
    .action(run(() => import('./init.ts').then(({ init }) => init)))

  const config = addGroup(program, 'config', "check a project's settings, or convert its config.toml")
  addCommand(
    config,
    'validate',
    'check supabase/config.jsonc, config.json or config.toml, undock.toml and the env files',
    [workdir(), outputFormat()],
  )
    .addHelpText('after', examples('undock config validate', 'undock config validate -o json'))
    .action(run(() => import('./config.ts').then(({ configValidate }) => configValidate)))
  addCommand(config, 'convert', 'convert config.toml to config.jsonc, and keep its comments', [workdir()])
    .addHelpText('after', examples('undock config convert'))
    .action(run(() => import('./config.ts').then(({ configConvert }) => configConvert)))

  addCommand(program, 'compare', 'print how a hosted project differs from the local backend, without changing either', [
    ...backend(),
    // The default, accepted for scripts.
    new Option('--linked', 'the linked project').default(true).hideHelp(),
    new Option('--project-ref <ref>', 'the hosted project (default: the linked one)'),
    new Option('--db-url <url>', "the hosted project's database (default: read through the Management API)"),
    new Option('--api <url>', 'the URL of the Management API').default('https://api.supabase.com'),
    flag('--exit-code', 'exit with code 1 if anything differs'),
    outputFormat(),
  ])
    .addHelpText('after', COMPARE_NOTES + examples('undock compare --linked', 'undock compare --exit-code -o json'))
    .action(run(() => import('./compare/compare.ts').then(({ compare }) => compare)))

  addCommand(program, 'hosted', 'run an empty local project that the Supabase CLI deploys to as if it were hosted', [
    workdir(),
    portOption(54_340),
    new Option('--project-ref <ref>', 'its reference, such as that of your hosted project (default: a random one)'),
    flag('--empty', 'delete what was deployed before'),
  ])
    .addHelpText(
      'after',
      HOSTED_NOTES + examples('undock hosted', 'undock hosted --empty --project-ref abcdefghijklmnopqrst'),
    )
    .action(run(() => import('./hosted/hosted.ts').then(({ hosted }) => hosted)))

  addCommand(program, 'rehearse', 'deploy to a copy of what is deployed, and report what breaks or loses data', [
    workdir(),
    list('--from <source>', 'a snapshot, or a file of SQL; repeatable (default: what `undock hosted` keeps)'),
    new Option('--env-file <file>', 'secrets to set'),
    new Option('--project-ref <ref>', 'the reference that the command uses (default: that of the linked project)'),
    flag('--keep', 'begin the next rehearsal with the result'),
    outputFormat(),
  ])
    .usage('[options] [-- command...]')
    .addHelpText(
      'after',
      REHEARSE_NOTES + examples('undock rehearse', 'undock rehearse --from production -- ./deploy.sh'),
    )
    .action(run(() => import('./rehearse/rehearse.ts').then((it) => it.rehearse(invocation.afterDash))))

  addDatabaseCommands(program, run, invocation.afterDash)
  addBranchCommands(program, run)

  addFunctionCommands(program, run)

  addCommand(program, 'supabase', 'run a Supabase CLI command without Docker', [])
    .usage('<command...>')
    .addHelpText('after', SUPABASE_NOTES + examples('undock supabase start', 'undock supabase db reset'))
    .action(
      run(() =>
        import('./supabase/supabase.ts').then(
          ({ supabase }) =>
            () =>
              supabase(invocation.afterDash),
        ),
      ),
    )

  const completion = addGroup(program, 'completion', 'print a shell completion script')
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    addCommand(completion, shell, `print the script for ${shell}`, []).action(async () => {
      const { completionScript } = await import('./completion.ts')
      console.log(completionScript(program, shell))
    })
  completion.addHelpText('after', COMPLETION_NOTES)
  return program
}

const PROGRAM_NOTES = `${examples(
  "undock start                  the backend of this folder's project",
  'undock run -- npm test        a temporary backend for one command',
  'undock status -o env          URLs and keys as variables',
  'undock db diff --help         the options of one command',
)}

To complete commands with the Tab key, see undock completion --help.`

const HOSTED_NOTES = `
Rehearses a deployment offline: link, db push, config push, functions deploy, secrets and projects of the Supabase CLI. Prints the
variables that the CLI needs, also as supabase/.undock/hosted/env.sh. Uses this port and the next three, and port 5432 of an
address of its own, on macOS of 127.0.0.1.
`

const REHEARSE_NOTES = `
Runs the command, or db push, config push, functions deploy and secrets set of the Supabase CLI, against a local copy that is deleted
afterwards. Reports migrations with their locks, lost rows and columns, changes of access, settings and secrets, and functions that
can't boot. Your backend and the hosted project are not used. Exit codes: 0 fine, 1 something breaks or loses data, 2 the rehearsal
failed.
`

const SUPABASE_NOTES = `
For package scripts and CI that call the Supabase CLI: the same flags, output formats and exit codes. start, stop, status,
db start, db reset, db diff, db dump, db pull, db schema declarative, migration squash, test db, gen types and functions serve
need no Docker; all other commands are passed on to the project's own Supabase CLI, which must be installed.
`

const MCP_NOTES = `
The API's port serves the same tools at /mcp, with the query parameters read_only=true, snapshots=false and
features=database,undock. The first use on a machine fetches Supabase's MCP server.
`

const COMPLETION_NOTES = `
To complete commands and options with the Tab key in every new terminal:
  bash   echo 'source <(undock completion bash)' >> ~/.bashrc
  zsh    echo 'source <(undock completion zsh)' >> ~/.zshrc    (after compinit)
  fish   undock completion fish > ~/.config/fish/completions/undock.fish
undock must be in your PATH: npm install --global undock`

const COMPARE_NOTES = `
Compares settings, kinds of keys, functions, names of secrets, extensions, buckets, row security, policies and migrations, but no values
of secrets. Set SUPABASE_ACCESS_TOKEN to an access token of your account.
`
