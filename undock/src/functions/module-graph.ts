import { z } from 'zod'

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
  let fault: string | null = null
  for (const specifier of reached) {
    const found = bySpecifier.get(redirects[specifier] ?? specifier)
    fault ??= found?.error ?? null
    for (const { isDynamic, code } of found?.dependencies ?? []) {
      if (isDynamic) continue
      fault ??= code?.error ?? null
      if (code?.specifier) reached.add(code.specifier)
    }
  }
  return {
    files: modules.flatMap(({ specifier, local }) => (specifier?.startsWith('file:') && local ? [local] : [])),
    fault,
  }
}
