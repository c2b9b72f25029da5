import { type Command, Option } from 'commander'
import type { BackendOptions } from '../arguments.ts'
import { addCommand, addGroup, type Exit, workdir } from '../command-parts.ts'
import { examples } from '../help.ts'
import type { NewFunctionOptions } from './new.ts'

/** `undock functions …`. */
export function addFunctionCommands(program: Command, exit: Exit): void {
  const functions = addGroup(program, 'functions', 'create edge functions, and fetch what they import')
  addCommand(functions, 'new', 'create an edge function and its section of config.toml', [
    workdir(),
    new Option('--auth <kind>', 'who may call it: programs with a key of the project, signed-in users, or anybody')
      .choices(['apikey', 'user', 'none'])
      .default('apikey'),
  ])
    .argument('<name>', 'letters, digits, dashes and underscores, with a letter first')
    .addHelpText('after', examples('undock functions new send-mail --auth user'))
    .action((name: string, options: NewFunctionOptions) =>
      exit(import('./new.ts').then(({ newFunction }) => newFunction(name, options))),
    )

  addCommand(functions, 'prepare', 'fetch Deno and what the functions import, and report those that cannot boot', [
    workdir(),
  ]).action((options: Pick<BackendOptions, 'workdir'>) =>
    exit(import('./prepare.ts').then(({ prepareFunctions }) => prepareFunctions(options))),
  )
}
