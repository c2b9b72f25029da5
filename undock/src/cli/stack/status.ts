import { stringify } from 'smol-toml'
import { z } from 'zod'
import type { FunctionCheck } from '../../functions/runtime.ts'
import { otherGitBranch } from '../../runtime/branches/follow-git.ts'
import { loadRegistry } from '../../runtime/branches/registry.ts'
import { stateFolder } from '../../runtime/place/state-folders.ts'
import { engineText } from '../../runtime/stack/event-text.ts'
import {
  type Backend,
  type BackendOptions,
  findBackend,
  type StatusFormat,
  splitNames,
  UsageError,
  withName,
} from '../arguments.ts'
import { findRunning, type Running } from '../running.ts'
import { prettyStatus, STATUS_NAMES, type StatusKey, statusVariables } from './environment.ts'
import { migrationNotes, readMigrationReport } from './migration-notes.ts'

type StatusOptions = BackendOptions & {
  readonly output: StatusFormat
  readonly overrideName: readonly string[]
}

/** `undock status`: prints URLs and keys of the running stack; exits with 1 if none is running. */
export async function status({ output, overrideName, ...options }: StatusOptions): Promise<number> {
  const renamed = parseNames(overrideName)
  const backend = findBackend(options)
  const running = await findRunning(backend)
  switch (output) {
    case 'env':
      for (const [name, value] of Object.entries(statusVariables(running, renamed))) console.log(`${name}="${value}"`)
      return 0
    case 'json':
      console.log(JSON.stringify(withEngine(running, renamed), null, 2))
      return 0
    case 'toml':
      console.log(stringify(withEngine(running, renamed)).trimEnd())
      return 0
    case 'yaml':
      // A JSON string is a YAML scalar.
      for (const [name, value] of Object.entries(withEngine(running, renamed)))
        console.log(`${name}: ${JSON.stringify(value)}`)
      return 0
    case 'pretty': {
      console.log(
        `Running as process ${running.holder.pid} since ${running.holder.startedAt}\n\n${prettyStatus(running)}`,
      )
      if (running.engine.remedy) console.log(`\n${withName(engineText(running.engine), backend.name)}`)
      for (const note of [...(await branchNotes(backend)), ...(await settingsNotes(running))])
        console.log(`\n${withName(note, backend.name)}`)
      const report = await readMigrationReport(running)
      for (const note of migrationNotes(report, backend.name)) console.log(`\n${note}`)
      for (const { name, fault } of await functionsOf(running))
        if (fault !== null) console.log(`\nThe function ${name} cannot boot: ${fault}`)
      return 0
    }
  }
}

/** `env` contains no sentences: a shell would run commands in backquotes. */
const withEngine = (running: Running, renamed: Partial<Record<StatusKey, string>>): Record<string, string> => ({
  ...statusVariables(running, renamed),
  DB_ENGINE_REASON: running.engine.reason,
  ...(running.engine.remedy === null ? {} : { DB_ENGINE_REMEDY: running.engine.remedy }),
})

/** Nothing for a backend that never had a second branch. */
async function branchNotes(backend: Backend): Promise<string[]> {
  const registry = loadRegistry(stateFolder(backend.workdir, backend.name))
  const other = await otherGitBranch(backend.workdir, registry)
  if (other) return [other]
  return registry.branches.length > 1 ? [`The backend uses the data of branch ${registry.current}.`] : []
}

const SettingsChanges = z.object({ changed: z.array(z.string()), fault: z.string().nullable() })

/** Settings changed in the files since the start. */
export async function settingsNotes({ url, identity }: Pick<Running, 'url' | 'identity'>): Promise<string[]> {
  const response = await fetch(`${url}/undock/v1/settings/changes`, { headers: { apikey: identity.keys.secret } })
  // Older versions of undock don't have this route.
  if (!response.ok) return []
  const { changed, fault } = SettingsChanges.parse(await response.json())
  const again = 'To apply them, run `undock stop` and `undock start`.'
  if (fault !== null) return [`The settings in supabase/ now have an error: ${fault}`]
  return changed.length === 0 ? [] : [`Settings have changed since the start: ${changed.join(', ')}. ${again}`]
}

async function functionsOf({ url, identity }: Running): Promise<FunctionCheck[]> {
  const response = await fetch(`${url}/undock/v1/functions`, { headers: { apikey: identity.keys.secret } })
  return response.ok ? ((await response.json()) as FunctionCheck[]) : []
}

function parseNames(values: readonly string[]): Partial<Record<StatusKey, string>> {
  const pairs = splitNames(values).map((value) => {
    const [key = '', name = ''] = value.split('=', 2).map((part) => part.trim())
    const keys = Object.keys(STATUS_NAMES).join(', ')
    if (!key || !/^[A-Za-z_]\w*$/.test(name))
      throw new UsageError(`--override-name needs KEY=NAME, not "${value}". The keys are ${keys}.`)
    // Upstream has more keys, such as GraphQL's URL, and only warns of unknown ones.
    if (!Object.hasOwn(STATUS_NAMES, key)) console.error(`--override-name: there is no ${key}. The keys are ${keys}.`)
    return [key, name]
  })
  return Object.fromEntries(pairs)
}
