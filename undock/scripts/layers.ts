import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A table of layers. */
export type Layers = {
  /** For each folder the ones that it may import. It may also import what those may. */
  readonly imports: Readonly<Record<string, readonly string[]>>
  /** Groups of folders that do not import each other; `features/*` is every folder in `features`. */
  readonly apart: readonly (readonly string[])[]
}

type Import = { readonly file: string; readonly target: string }

/** Sentences about imports that a table does not allow, folders that it lacks, and allowed imports that nothing needs.
 *  @param source The folder whose folders the table names. */
export function layerFaults(source: string, { imports, apart }: Layers): string[] {
  const found = importsIn(source)
  const faults: string[] = []
  const used = new Set<string>()
  for (const { file, target } of found) {
    const [from, to] = [top(file), top(target)]
    if (from !== to) {
      used.add(`${from} ${to}`)
      if (!imports[from]) faults.push(`${source}/${file}: the table of layers has no folder ${from}.`)
      else if (!reachable(imports, from).has(to))
        faults.push(`${source}/${file} imports ${target}: ${from} may not import ${to}.`)
    }
    for (const group of apart) {
      const [one, other] = [memberOf(group, file), memberOf(group, target)]
      if (one && other && one !== other)
        faults.push(`${source}/${file} imports ${target}: ${one} and ${other} are apart.`)
    }
  }
  for (const [from, targets] of Object.entries(imports))
    for (const to of targets)
      if (![...used].some((one) => one.startsWith(`${from} `) && isBelow(imports, to, one.split(' ')[1])))
        faults.push(`${source}: ${from} imports nothing by way of ${to}; the table of layers allows it.`)
  return faults
}

/** The table as a Mermaid flowchart. */
export const drawLayers = ({ imports }: Layers): string =>
  [
    '```mermaid',
    'flowchart TD',
    ...Object.entries(imports).flatMap(([from, targets]) => targets.map((to) => `  ${from} --> ${to}`)),
    '```',
  ].join('\n')

/** The relative imports of the files in folders, without tests and what only tests use. */
function importsIn(source: string): Import[] {
  return globSync('*/**/*.{ts,tsx}', { cwd: source })
    .filter((file) => !/\.test\.tsx?$|(?:^|\/)testing\//.test(file))
    .toSorted()
    .flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)]
        .map(([, path = '']) => ({ file, target: join(dirname(file), path) }))
        .filter(({ target }) => !target.startsWith('..') && target.includes('/')),
    )
}

const top = (path: string): string => path.slice(0, path.indexOf('/'))

function reachable(imports: Layers['imports'], from: string, seen = new Set<string>()): Set<string> {
  for (const next of imports[from] ?? []) if (!seen.has(next)) reachable(imports, next, seen.add(next))
  return seen
}

const isBelow = (imports: Layers['imports'], layer: string, target = ''): boolean =>
  layer === target || reachable(imports, layer).has(target)

/** The folder of the group that contains the path. */
function memberOf(group: readonly string[], path: string): string | undefined {
  for (const one of group) {
    const folder = one.endsWith('/*') ? path.split('/').slice(0, one.split('/').length).join('/') : one
    if (path.startsWith(`${folder}/`) && folder.startsWith(one.replace('*', ''))) return folder
  }
  return undefined
}
