import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'

const Package = z.object({ dependencies: z.record(z.string(), z.string()).default({}) })

/** The dependencies of a function's package.json as an import map: npm packages by their version ranges, folders by
 *  path. Dependencies from elsewhere (git, archives) are left out; importing one fails with Deno's own message.
 *  @throws when the file is not a usable package.json. */
export function packageImports(json: unknown, path: string): Record<string, string> {
  const parsed = Package.safeParse(json)
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`)
  const folder = pathToFileURL(`${dirname(path)}/`)
  return Object.fromEntries(
    Object.entries(parsed.data.dependencies).flatMap(([name, range]): [string, string][] => {
      if (/^(npm|jsr):/.test(range)) return [[name, range]]
      const [, local] = /^(?:file:|link:)?(\.{1,2}\/.*)$/.exec(range) ?? []
      if (local) return [[`${name}/`, new URL(`${local.replace(/\/$/, '')}/`, folder).href]]
      return range.includes(':') || range.includes('/') ? [] : [[name, `npm:${name}@${range === '' ? '*' : range}`]]
    }),
  )
}
