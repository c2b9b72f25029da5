import { existsSync, statSync, watchFile } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type LogLine, readLogLines } from '../runtime/log-files.ts'
import { SERVICES } from '../runtime/service-names.ts'
import { stateFolder } from '../runtime/state-folders.ts'
import { type BackendOptions, findBackend, UsageError } from './arguments.ts'
import { untilSignal } from './signals.ts'

export type LogsOptions = BackendOptions & { readonly follow: boolean }

/** `undock logs [service]`: prints the log lines of the services, oldest first; with --follow also new ones as they
 *  come. */
export async function logs(service: string | undefined, options: LogsOptions): Promise<number> {
  const { workdir, name } = findBackend(options)
  const folder = join(stateFolder(workdir, name), 'logs')
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith('.log')) : []
  const logged = names.map((name) => name.slice(0, -'.log'.length)).filter((name) => name !== 'undock')
  // A service that has logged nothing yet has no file.
  const services = [...new Set([...logged, ...SERVICES])]
  if (service !== undefined && !services.includes(service))
    throw new UsageError(`There is no log of "${service}". There are: ${services.join(', ')}.`)
  const paths = (service === undefined ? services : [service]).map((name) => join(folder, `${name}.log`))
  const lines = (await Promise.all(paths.filter(existsSync).map((path) => readLogLines(path)))).flat()
  for (const line of lines.sort((a, b) => a.time.localeCompare(b.time))) print(line)
  if (!options.follow) return 0
  for (const path of paths) follow(path)
  await untilSignal()
  process.exit(0)
}

function follow(path: string): void {
  let end = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  watchFile(path, { interval: 250 }, async ({ size }) => {
    const start = end
    end = size
    if (size > start) for (const line of await readLogLines(path, start)) print(line)
  })
}

function print({ time, service, level, message, fields, trace }: LogLine): void {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
  const mark = level === 'info' ? '' : `${level.toUpperCase()} `
  console.log([time, `[${service}]`, `${mark}${message}`, ...rest].join(' '))
  if (trace) console.log(trace)
}
