import { rewritePrivileged } from './privileged.ts'
import { withoutComments } from './split-statements.ts'

const EXTENSION = /^create\s+extension\b/i
const VERSION = /\s+version\s+(?:'[^']*'|"[^"]*"|[\w.]+)|\s+from\s+(?:'[^']*'|"[^"]*"|[\w.]+)/gi
const UPDATE = /^(alter\s+extension\s+(?:"[^"]+"|[\w$]+)\s+update)\s+to\s+(?:'[^']*'|"[^"]*"|[\w.]+)/i
const COLLATION = /\bcollate\s+(?:(?:pg_catalog|"pg_catalog")\.)?"([^"]+)"/gi

/** Rewrites a statement for the engine: versions of extensions are left out, so that the available one is used; statements
 *  that hosted projects allow `postgres` to run become calls of procedures that run as a superuser. */
export function rewriteStatement(text: string): string {
  const code = withoutComments(text)
  if (EXTENSION.test(code)) return code.replace(VERSION, '')
  if (UPDATE.test(code)) return code.replace(UPDATE, '$1')
  return rewritePrivileged(text)
}

/** The names of collations that a statement uses. */
export const usedCollations = (text: string): string[] => [...text.matchAll(COLLATION)].map(([, name = '']) => name)
