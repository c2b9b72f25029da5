import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { userCacheFolder } from '../../src/platform/folders.ts'

/** A release of a service's upstream project. */
export type Upstream = {
  readonly repository: string
  readonly tag: string
  /** The folder of the suite's package.json in the repository; missing if it needs no packages. */
  readonly packages?: string
}

/** Returns the folder of an upstream release with its packages: the given one, or a clone in the user's cache folder.
 *  @param named The path of an existing checkout.
 *  @throws if it can't be cloned or its packages can't be installed */
export async function checkout({ repository, tag, packages }: Upstream, named: string | undefined): Promise<string> {
  const folder = named ?? (await clone(repository, tag))
  if (packages !== undefined) await installPackages(join(folder, packages))
  return folder
}

/** Returns the release of a checkout according to git. @param otherwise The result for a folder without git. */
export function versionOf(folder: string, otherwise: string): string {
  // Some projects also have a tag that follows their branch.
  const describe = ['-C', folder, 'describe', '--tags', '--always', '--match', 'v*']
  const { status, stdout } = spawnSync('git', describe, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : otherwise
}

async function clone(repository: string, tag: string): Promise<string> {
  const folder = join(userCacheFolder(process.env), 'conformance', `${repository.replace('/', '-')}-${tag}`)
  if (existsSync(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const source = `https://github.com/${repository}.git`
  const { status } = spawnSync('git', ['clone', '--depth', '1', '--branch', tag, source, folder], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${source} could not be cloned. Name a checkout of ${tag} with --source DIR.`)
  return folder
}

async function installPackages(folder: string): Promise<void> {
  if (existsSync(join(folder, 'node_modules'))) return
  const { packageManager = '' } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const [pnpm] = /^pnpm@[\d.]+/.exec(packageManager) ?? []
  const isLocked = existsSync(join(folder, 'package-lock.json'))
  const command = pnpm
    ? ['npx', '--yes', pnpm, 'install', '--frozen-lockfile', '--ignore-scripts']
    : ['npm', isLocked ? 'ci' : 'install', '--ignore-scripts']
  const [program = '', ...args] = command
  const { status } = spawnSync(program, args, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error(`\`${command.join(' ')}\` failed in ${folder}; its output above says why.`)
}
