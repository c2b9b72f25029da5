import { existsSync, watchFile } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../../runtime/place/state-folders.ts'
import { type LogLine, readLogLines } from '../../runtime/stack/log-files.ts'
import { SERVICES } from '../../runtime/stack/options.ts'
import { type BackendOptions, findBackend, UsageError } from '../arguments.ts'
import { untilSignal } from '../signals.ts'

type LogsOptions = BackendOptions & { readonly follow: boolean }

/** `undock logs [service]`: prints the log lines of the services, oldest first; with --follow also new ones. */
export async function logs(service: string | undefined, options: LogsOptions): Promise<number> {
  const { workdir, name } = findBackend(options)
  const folder = join(stateFolder(workdir, name), 'logs')
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith('.log')) : []
  const logged = names.map((name) => name.slice(0, -'.log'.length)).filter((name) => name !== 'undock')
  // A service that hasn't logged anything has no file.
  const services = [...new Set([...logged, ...SERVICES])]
  if (service !== undefined && !services.includes(service))
    throw new UsageError(`There is no log of "${service}". Choose from: ${services.join(', ')}.`)
  const paths = (service === undefined ? services : [service]).map((name) => join(folder, `${name}.log`))
  const files = await Promise.all(
    paths.map(async (path) => ({ path, ...(existsSync(path) ? await readLogLines(path) : { lines: [], end: 0 }) })),
  )
  const lines = files.flatMap((file) => file.lines)
  for (const line of lines.sort((a, b) => a.time.localeCompare(b.time))) print(line)
  if (!options.follow) return 0
  for (const { path, end } of files) follow(path, end)
  await untilSignal()
  process.exit(0)
}

/** @param end The number of bytes already printed. */
function follow(path: string, end: number): void {
  let reading = Promise.resolve()
  watchFile(path, { interval: 250 }, ({ size }) => {
    reading = reading.then(async () => {
      if (size <= end) return
      const read = await readLogLines(path, end)
      end = read.end
      for (const line of read.lines) print(line)
    })
  })
}

function print({ time, service, level, message, fields, trace }: LogLine): void {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
  const mark = level === 'info' ? '' : `${level.toUpperCase()} `
  console.log([time, `[${service}]`, `${mark}${message}`, ...rest].join(' '))
  if (trace) console.log(trace)
}
