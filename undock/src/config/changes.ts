import { renderPath } from './fault.ts'
import type { Path } from './position.ts'
import { isTable } from './references.ts'

/** Returns the keys whose values differ, such as `auth.site_url`. Lists differ as a whole. */
export function changedKeys(before: unknown, after: unknown, path: Path = []): string[] {
  if (isTable(before) && isTable(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => changedKeys(before[key], after[key], [...path, key]))
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [renderPath(path)]
}
