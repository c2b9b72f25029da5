import { fileURLToPath } from 'node:url'
import { z } from 'zod'

export type SourcePlace = { readonly file: string; readonly line: number; readonly column: number }

const OURS = new URL('./deno/', import.meta.url).href

/** Returns the first project location in a stack trace or syntax error. */
export function placeIn(trace: string): SourcePlace | null {
  for (const [place] of trace.matchAll(/file:\/\/[^\s()]+/g)) {
    const [, url = '', line, column] = /^(.+?):(\d+):(\d+)/.exec(place) ?? []
    const file = url === '' || url.startsWith(OURS) ? null : pathOf(url)
    if (file !== null) return { file, line: Number(line), column: Number(column) }
  }
  return null
}

/** Null unless it's a path: a function can write anything into a trace. */
function pathOf(url: string): string | null {
  try {
    return fileURLToPath(url)
  } catch {
    return null
  }
}

/** The parts of `deno info --json` used here. */
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
  /** Paths of the local files. */
  readonly files: readonly string[]
  /** Why the entrypoint can't be loaded, as far as its imports show; else null. */
  readonly fault: string | null
}

/** Reads Deno's module graph. Only static imports must exist for a function to boot. */
export function readModuleGraph(printed: string): ModuleGraph {
  const { roots, redirects, modules } = Graph.parse(JSON.parse(printed))
  const bySpecifier = new Map(modules.map((one) => [one.specifier, one]))
  const reached = new Set(roots)
  const faults: Fault[] = []
  for (const specifier of reached) {
    const module = bySpecifier.get(redirects[specifier] ?? specifier)
    if (module?.error !== undefined) faults.push({ specifier, error: module.error })
    for (const { isDynamic, code } of module?.dependencies ?? []) {
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

/** Explains the first error; if a host can't be reached, covers all imports from other hosts. */
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
