import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** A location in a file. @property file Absolute. */
export type SourcePlace = { readonly file: string; readonly line: number; readonly column: number }

const OURS = new URL('./deno/', import.meta.url).href

/** The first location in a file of the project that a stack trace or a syntax error names. */
export function placeIn(trace: string): SourcePlace | null {
  for (const [, url = '', line, column] of trace.matchAll(/(file:\/\/[^\s()]+?):(\d+):(\d+)/g)) {
    if (url.startsWith(OURS)) continue
    const file = pathOf(url)
    if (file !== null) return { file, line: Number(line), column: Number(column) }
  }
  return null
}

/** Null for what is no path: a function writes what it likes into a trace. */
function pathOf(url: string): string | null {
  try {
    return fileURLToPath(url)
  } catch {
    return null
  }
}

/** What `deno info --json` prints, as far as it is read here. */
const Graph = z.object({
  roots: z.array(z.string()),
  redirects: z.record(z.string(), z.string()).default({}),
  modules: z.array(
    z.object({
      specifier: z.string().optional(),
      local: z.string().nullish(),
      error: z.string().optional(),
      dependencies: z
        .array(
          z.object({
            isDynamic: z.boolean().default(false),
            code: z.object({ specifier: z.string().optional(), error: z.string().optional() }).optional(),
          }),
        )
        .default([]),
    }),
  ),
})

export type ModuleGraph = {
  /** The paths of the local files. */
  readonly files: readonly string[]
  /** Why the entrypoint cannot be loaded; null when it can, as far as its imports tell. */
  readonly fault: string | null
}

/** Reads the module graph that Deno prints. Only what is imported statically must be there for a function to boot. */
export function readModuleGraph(printed: string): ModuleGraph {
  const { roots, redirects, modules } = Graph.parse(JSON.parse(printed))
  const bySpecifier = new Map(modules.map((one) => [one.specifier, one]))
  const reached = new Set(roots)
  const faults: Fault[] = []
  for (const specifier of reached) {
    const found = bySpecifier.get(redirects[specifier] ?? specifier)
    if (found?.error !== undefined) faults.push({ specifier, error: found.error })
    for (const { isDynamic, code } of found?.dependencies ?? []) {
      if (isDynamic) continue
      if (code?.error !== undefined) faults.push({ specifier: code.specifier ?? '', error: code.error })
      if (code?.specifier) reached.add(code.specifier)
    }
  }
  return {
    files: modules.flatMap(({ specifier, local }) => (specifier?.startsWith('file:') && local ? [local] : [])),
    fault: faults.length === 0 ? null : explain(faults),
  }
}

type Fault = { readonly specifier: string; readonly error: string }

/** The first error; with what to do when it is that a host could not be reached, for all imports from other hosts at once. */
function explain(faults: readonly Fault[]): string {
  const [{ error, specifier }] = faults as readonly [Fault]
  if (!isRemote(specifier) || !/\bfailed\b/.test(error)) return error
  const specifiers = faults.map((fault) => fault.specifier).filter(isRemote)
  const hosts = [...new Set(specifiers.map((one) => (one.startsWith('jsr:') ? 'jsr.io' : new URL(one).host)))]
  return (
    `${error} undock knows no npm package for ${specifiers.join(', ')}: run \`undock functions prepare\` once where ` +
    `${hosts.join(' and ')} can be reached, or import an npm package instead.`
  )
}

const isRemote = (specifier: string): boolean => /^(?:https?|jsr):/.test(specifier)
