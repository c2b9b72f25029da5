import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openAsBlob, statSync } from 'node:fs'
import { cp, glob, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { parseEnvFile } from '../../config/env.ts'
import { findConfigFile, readProjectConfig } from '../../config/project.ts'
import { readMigrations } from '../../database/migrations/project-files.ts'
import { type FunctionSpec, findFunctions } from '../../functions/catalogue.ts'
import { startable } from '../../platform/process.ts'
import { UsageError } from '../arguments.ts'
import { AUTH_FIELDS, applyHosted, DATA_API_FIELDS, hostedSettings, STORAGE_FIELDS } from '../hosted/fields.ts'
import type { Hosted } from '../hosted/hosted.ts'
import type { DeployedFunction } from '../hosted/project.ts'
import { commandEnvironment } from '../stack/environment.ts'
import { findCli } from '../supabase/cli.ts'

/** A command of the deployment. @property fault Why it failed; null if it didn't. */
export type Step = { readonly name: string; readonly fault: string | null }

/** @property workdir The project. @property copy Its copy for the CLI. @property envFile The absolute path of the secrets to set. */
type Deployment = {
  readonly workdir: string
  readonly copy: string
  readonly envFile: string | undefined
  readonly signal: AbortSignal
}

/** Copies `supabase` without the CLI's and undock's state, so that the CLI links the copy instead of the project. Symlinks the project's
 *  other files. */
export async function copyProject(workdir: string, copy: string): Promise<void> {
  await mkdir(join(copy, 'supabase'), { recursive: true })
  for (const name of await readdir(join(workdir, 'supabase')))
    if (!/^\.(?:undock|temp|branches)$/.test(name))
      await cp(join(workdir, 'supabase', name), join(copy, 'supabase', name), { recursive: true })
  for (const name of await readdir(workdir))
    if (name !== 'supabase') await symlink(join(workdir, name), join(copy, name))
}

/** Deploys with the command, else with the Supabase CLI, else without it. Ends at the first failure.
 *  @throws {UsageError} if the command can't be started. */
export async function deploy(place: Hosted, deployment: Deployment, command: readonly string[]): Promise<Step[]> {
  const { workdir, copy, envFile } = deployment
  const cli = findCli(workdir)
  const supabase = join(copy, 'supabase')
  const functions = await findFunctions(join(supabase, 'functions'), readProjectConfig(copy).config.functions)
  if (command.length > 0) return inTurn([command], (words) => runCommand(place, deployment, words, process.cwd()))
  if (!cli) return inTurn([['undock']], () => deployWithoutCli(place, deployment, functions))
  const commands = [
    (await readMigrations(supabase)).length > 0 && ['db', 'push', '--linked'],
    findConfigFile(supabase) !== null && ['config', 'push'],
    functions.length > 0 && ['functions', 'deploy', '--use-api'],
    envFile !== undefined && ['secrets', 'set', '--env-file', envFile],
  ].filter((words) => words !== false)
  return inTurn(commands, (words) => runCommand(place, deployment, [cli, ...words, '--yes'], copy))
}

async function inTurn(
  commands: readonly (readonly string[])[],
  run: (words: readonly string[]) => Promise<void>,
): Promise<Step[]> {
  const done: Step[] = []
  for (const words of commands) {
    const name = words.join(' ')
    console.error(`Deploying: ${name}`)
    try {
      await run(words)
      done.push({ name, fault: null })
    } catch (error) {
      if (!(error instanceof Error) || ['UsageError', 'AbortError'].includes(error.name)) throw error
      return [...done, { name, fault: error.message }]
    }
  }
  return done
}

async function runCommand(
  { project, variables }: Hosted,
  { copy, signal }: Deployment,
  [program = '', ...words]: readonly string[],
  cwd: string,
): Promise<void> {
  const { file, args, options } = startable(program, words)
  const env = { ...process.env, ...commandEnvironment(project.stack), ...variables, SUPABASE_WORKDIR: copy }
  // Standard output is for the report.
  const child = spawn(file, args, { ...options, cwd, env, signal, stdio: ['inherit', 2, 2] })
  const [code, killedBy] = await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
    throw error.name === 'AbortError' ? error : new UsageError(`Couldn't start ${program}: ${error.message}`)
  })
  if (code !== 0) throw new Error(`It failed with ${killedBy ?? `exit code ${code}`}; its output is above.`)
}

/** Does the same as the CLI's commands. Each function gets the whole functions folder. */
async function deployWithoutCli(
  { folder, project }: Hosted,
  { copy, envFile }: Deployment,
  functions: readonly FunctionSpec[],
): Promise<void> {
  const { config } = readProjectConfig(copy)
  const supabase = join(copy, 'supabase')
  const migrations = join(supabase, 'migrations')
  if (existsSync(migrations)) await cp(migrations, join(folder, 'supabase', 'migrations'), { recursive: true })
  await project.stack.migrate()
  const inCopy = (path: string): string => path && relative(copy, path).split(sep).join('/')
  const paths = await Array.fromAsync(
    glob('functions/**/*', { cwd: supabase, exclude: ['**/node_modules', '**/.env*'] }),
  )
  const sources = paths.map((path) => join(supabase, path)).filter((path) => statSync(path).isFile())
  const files = await Promise.all(sources.map(async (path) => new File([await openAsBlob(path)], inCopy(path))))
  const stored: DeployedFunction[] = []
  for (const { name, entrypoint, importMap, verifyJwt, staticFiles } of functions) {
    const paths = { entrypoint_path: inCopy(entrypoint), import_map_path: inCopy(importMap) }
    const metadata = { ...paths, static_patterns: staticFiles.map(inCopy), verify_jwt: verifyJwt }
    stored.push(await project.storeFunction(name, metadata, files))
  }
  const secrets = envFile === undefined ? {} : parseEnvFile(await readFile(envFile, 'utf8'), envFile)
  await project.change((draft) => {
    for (const fields of [AUTH_FIELDS, DATA_API_FIELDS, STORAGE_FIELDS])
      draft.settings = applyHosted(draft.settings, fields, hostedSettings(fields, config))
    for (const one of stored) draft.functions[one.slug] = one
    Object.assign(draft.secrets, secrets)
  })
}
