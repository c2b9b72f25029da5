import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readOptional } from '../../config/files.ts'
import { freePort } from '../../database/postgres/cluster.ts'
import { findSnapshot } from '../../runtime/branches/branches.ts'
import { loadRegistry } from '../../runtime/branches/registry.ts'
import { copyState, whileStopped } from '../../runtime/branches/state-copy.ts'
import { stateFolder } from '../../runtime/place/state-folders.ts'
import { SERVICES } from '../../runtime/stack/options.ts'
import { startStack } from '../../runtime/stack/stack.ts'
import { findWorkdir, UsageError } from '../arguments.ts'
import { backendEnvironment, checkedRef, hostedFolder, openHosted, whileAlone } from '../hosted/hosted.ts'
import { failureText, printEvent } from '../report.ts'
import { cancellable, exitSoon } from '../signals.ts'
import { copyProject, deploy } from './deploy.ts'
import { observeMigrations, takeMigrations } from './observe.ts'
import { lookAt, reportOf, reportText } from './report.ts'

type RehearseOptions = {
  readonly workdir?: string
  readonly from: readonly string[]
  readonly envFile?: string
  readonly projectRef?: string
  readonly keep: boolean
  readonly output: 'pretty' | 'json'
}

/** `undock rehearse`: deploys the project to a copy of the deployed one, and reports the effects. @param command The deploy command; by
 *  default the Supabase CLI, or undock without it.
 *  @returns 0 if nothing breaks and no data is lost, 1 otherwise, 2 if the rehearsal itself failed. */
export const rehearse = (command: readonly string[]) => async (options: RehearseOptions) => {
  try {
    checkedRef(options.projectRef)
    const workdir = findWorkdir(options.workdir)
    const folder = join(stateFolder(workdir), 'rehearsal')
    return await whileAlone(workdir, 'rehearse', () =>
      cancellable('Nothing was deployed.', (signal) => rehearseIn(folder, { ...options, workdir, command, signal })),
    )
  } catch (error) {
    console.error(failureText(error))
    return 2
  } finally {
    exitSoon()
  }
}

type Rehearsal = RehearseOptions & { workdir: string; command: readonly string[]; signal: AbortSignal }

async function rehearseIn(folder: string, options: Rehearsal): Promise<number> {
  const { workdir, from, command, keep, output, signal } = options
  const missing = [options.envFile ?? [], from.filter(isDump)].flat().find((path) => !existsSync(path))
  if (missing) throw new UsageError(`${missing} does not exist.`)
  await rm(folder, { recursive: true, force: true })
  try {
    const source = await prepareFolder(folder, workdir, from)
    const copy = join(folder, 'project')
    await copyProject(workdir, copy)
    const linked = readOptional(join(workdir, 'supabase', '.temp', 'project-ref'))?.trim()
    const at = [await freePort('127.0.0.1'), options.projectRef ?? linked] as const
    // The copied data's jobs and requests would reach real services.
    const quiet = { show: () => undefined, runsJobs: false, aborted: signal }
    const place = await openHosted(folder, workdir, at, () => undefined, quiet)
    const { project } = place
    let code = 1
    try {
      await observeMigrations(project.stack.db, project.stack.dbUrl)
      const before = await lookAt(project)
      const envFile = options.envFile && resolve(options.envFile)
      const steps = await deploy(place, { workdir, copy, envFile, signal }, command)
      const migrations = await takeMigrations(project.stack.db)
      const functions = await project.stack.prepareFunctions({ boots: true })
      const report = reportOf({ from: source, steps, migrations, functions }, before, await lookAt(project))
      signal.throwIfAborted()
      console.log(output === 'json' ? JSON.stringify(report, null, 2) : reportText(report, before.contents))
      code = report.problems.length > 0 ? 1 : 0
      if (!keep || steps.some(({ fault }) => fault !== null)) return code
    } finally {
      await place.close()
    }
    for (const path of ['project', join('supabase', 'migrations')])
      await rm(join(folder, path), { recursive: true, force: true })
    await rm(hostedFolder(workdir), { recursive: true, force: true })
    await rename(folder, hostedFolder(workdir))
    console.error('The result is kept: `undock hosted` and the next rehearsal start from it.')
    return code
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const isDump = (source: string): boolean => source.endsWith('.sql')

/** Copies what is deployed: settings, functions and secrets of `undock hosted`, with its data or that of `from`.
 *  @returns a description of the data. */
async function prepareFolder(folder: string, workdir: string, from: readonly string[]): Promise<string> {
  const [hosted, root, target] = [hostedFolder(workdir), stateFolder(workdir), stateFolder(folder)]
  await mkdir(target, { recursive: true })
  const isDeployed = existsSync(join(hosted, 'deployed.json'))
  if (isDeployed)
    await whileStopped(hosted, null, async () => {
      for (const path of ['deployed.json', join('supabase', 'functions')])
        await cp(join(hosted, path), join(folder, path), { recursive: true })
      if (from.length === 0) await copyState(stateFolder(hosted), target)
    })
  const [snapshot, ...others] = from.filter((one) => !isDump(one))
  if (snapshot === undefined && from.length > 0) {
    // Treated like a new database's seeds.
    const seed = { enabled: true, sql_paths: from.map((path) => resolve(path)) }
    await writeFile(join(folder, 'supabase', 'config.json'), JSON.stringify({ project_id: 'rehearsal', db: { seed } }))
    const options = { ports: 'free', exclude: SERVICES, runsJobs: false, tell: printEvent } as const
    await (await startStack({ workdir: folder, env: backendEnvironment(workdir), ...options })).stop()
    return from.join(', ')
  }
  if (snapshot === undefined)
    return isDeployed
      ? 'what `undock hosted` keeps'
      : 'an empty project, since nothing is deployed and --from is missing'
  if (others.length > 0 || from.length > 1) throw new UsageError('--from names one snapshot, or files of SQL.')
  await copyState(join(root, findSnapshot(loadRegistry(root), snapshot).folder), target)
  return `snapshot ${snapshot}`
}
