import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { renderFault } from '../../config/fault.ts'
import { type ProjectConfig, readProjectConfig } from '../../config/project.ts'
import { findHostedRefusals } from '../../database/migrations/hosted-refusals.ts'
import { readMigrations, readScripts } from '../../database/migrations/project-files.ts'
import { doubledText, doubledVersions } from '../../database/migrations/state.ts'
import { chooseEngine } from '../../database/project/choose-engine.ts'
import { readHolder } from '../../database/project/lock.ts'
import { findFunctions } from '../../functions/catalogue.ts'
import { portOwner } from '../../platform/port-owner.ts'
import { startable } from '../../platform/process.ts'
import { versionWarnings } from '../../runtime/place/pinned-versions.ts'
import { configuredPorts } from '../../runtime/place/port-assignment.ts'
import { lockPath, persistentState } from '../../runtime/place/state-folders.ts'
import { engineText } from '../../runtime/stack/event-text.ts'
import { type BackendOptions, findWorkdir } from '../arguments.ts'
import { checkFunctions } from '../functions/prepare.ts'
import { missingParts } from '../prefetch.ts'
import { printEvent } from '../report.ts'
import { findCli, runningOf } from '../supabase/cli.ts'
import { readMigrationReport } from './migration-notes.ts'
import { settingsNotes } from './status.ts'

type DoctorOptions = Pick<BackendOptions, 'workdir'>

/** One line of the report. A fault is something that fails here or on the project's target. */
type Finding = { readonly text: string; readonly isFault: boolean }

const good = (text: string): Finding => ({ text, isFault: false })
const fault = (text: string): Finding => ({ text, isFault: true })

/** `undock doctor`: checks this machine, and reports what works here but would fail on a hosted project. @returns 1 if it finds a problem.
 *  @throws {ConfigError} */
export async function doctor(options: DoctorOptions): Promise<number> {
  const workdir = findWorkdir(options.workdir)
  const project = readProjectConfig(workdir)
  const sections: readonly (readonly [title: string, findings: Promise<readonly Finding[]>])[] = [
    ['This machine', checkMachine(workdir, project)],
    ['supabase/config.toml', Promise.resolve(project.warnings.map((one) => good(renderFault(one))))],
    ['Settings of the running backend', checkSettings(workdir)],
    ['Migrations', checkMigrations(workdir)],
    ['Edge functions', checkProjectFunctions(workdir, project)],
    ['On a hosted project', checkTarget(workdir, project)],
  ]
  let faults = 0
  for (const [title, pending] of sections) {
    const findings = await pending
    faults += findings.filter(({ isFault }) => isFault).length
    if (findings.length === 0) continue
    console.log(`${title}\n${findings.map(({ text, isFault }) => `  ${isFault ? '✗' : '·'} ${text}`).join('\n')}\n`)
  }
  console.log(faults === 0 ? 'No problems found.' : `${faults} ${faults === 1 ? 'problem' : 'problems'} found.`)
  return faults > 0 ? 1 : 0
}

async function checkMachine(workdir: string, { config, settings, env }: ProjectConfig): Promise<Finding[]> {
  const findings = [good(`Node ${process.versions.node}`)]
  const running = await runningOf({ workdir, name: null })
  if (running) findings.push(good(engineText(running.engine)))
  else if (settings.database_url) findings.push(good('The database is the server set by database_url.'))
  else if (settings.engine !== 'auto')
    findings.push(good(`The database's engine is ${settings.engine}, as set in undock.toml.`))
  else {
    const choice = await chooseEngine({
      config,
      supabaseFolder: join(workdir, 'supabase'),
      dataFolder: persistentState(workdir).database,
      experimental: ['1', 'true'].includes(env.SUPABASE_EXPERIMENTAL ?? ''),
      missingExtensions: settings.missing_extensions,
      tell: printEvent,
    })
    findings.push(
      good(
        choice.engine === 'native'
          ? `PostgreSQL ${choice.installation.major} runs the database.`
          : engineText({ kind: 'pglite', title: 'PGlite', ...choice }),
      ),
    )
  }
  const cli = findCli(workdir)
  const version = cli && versionOf(cli)
  findings.push(
    good(version ? `Supabase CLI ${version.trim()}` : "The Supabase CLI is not installed; undock doesn't need it."),
  )
  const missing = await missingParts()
  if (missing.length > 0)
    findings.push(
      good(
        `Not fetched yet: ${missing.join(', ')}. undock fetches each when it's first needed, or all with \`undock prefetch\`.`,
      ),
    )
  if (await readHolder(lockPath(workdir))) return findings
  for (const [name, port] of Object.entries(configuredPorts(config))) {
    const owner = port === 0 ? null : await portOwner(port)
    if (owner) findings.push(fault(`Port ${port} (${name}) is in use by ${owner}.`))
  }
  return findings
}

async function checkSettings(workdir: string): Promise<Finding[]> {
  const running = await runningOf({ workdir, name: null })
  return running ? (await settingsNotes(running)).map(good) : []
}

/** Without a running backend, only files can be checked. */
async function checkMigrations(workdir: string): Promise<Finding[]> {
  const running = await runningOf({ workdir, name: null })
  if (!running)
    return doubledVersions(await readMigrations(join(workdir, 'supabase'))).map((one) => fault(doubledText(one)))
  const { pending, faults } = await readMigrationReport(running)
  return [...pending.map((path) => good(`${path} has not been applied to the local data.`)), ...faults.map(fault)]
}

async function checkProjectFunctions(workdir: string, { config }: ProjectConfig): Promise<Finding[]> {
  const specs = await findFunctions(join(workdir, 'supabase', 'functions'), config.functions)
  if (specs.length === 0) return []
  const checked = await checkFunctions(workdir, () => undefined)
  return checked.map((one) =>
    one.fault === null ? good(`${one.name} can boot`) : fault(`${one.name} cannot boot: ${one.fault}`),
  )
}

async function checkTarget(workdir: string, { config }: ProjectConfig): Promise<Finding[]> {
  const folder = join(workdir, 'supabase')
  const { scripts: roles } = await readScripts(folder, ['roles.sql'])
  const scripts = [...roles, ...(await readMigrations(folder))]
  const version = config.db.major_version
  return [
    ...versionWarnings(workdir, version).map((one) => good(renderFault(one))),
    ...(version > 17 ? [fault(`Hosted projects don't offer PostgreSQL ${version}: 17 is the newest.`)] : []),
    ...findHostedRefusals(scripts, version).map(({ path, line, reason }) => fault(`${path}:${line}: ${reason}`)),
  ]
}

/** A program's `--version`; empty on failure. */
function versionOf(program: string): string {
  const { file, args, options } = startable(program, ['--version'])
  return spawnSync(file, args, { ...options, encoding: 'utf8' }).stdout
}
