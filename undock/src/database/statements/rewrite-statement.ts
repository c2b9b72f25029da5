import { rewritePrivileged } from './privileged.ts'
import { withoutComments } from './split-statements.ts'

const EXTENSION = /^create\s+extension\b/i
const VERSION = /\s+version\s+(?:'[^']*'|"[^"]*"|[\w.]+)|\s+from\s+(?:'[^']*'|"[^"]*"|[\w.]+)/gi
const UPDATE = /^(alter\s+extension\s+(?:"[^"]+"|[\w$]+)\s+update)\s+to\s+(?:'[^']*'|"[^"]*"|[\w.]+)/i
const COLLATION = /\bcollate\s+(?:(?:pg_catalog|"pg_catalog")\.)?"([^"]+)"/gi

/** Rewrites a statement for the engine: drops extension versions, so that the available one is used, and turns
 *  statements that hosted projects allow `postgres` into calls of privileged procedures. */
export function rewriteStatement(text: string): string {
  const code = withoutComments(text)
  if (EXTENSION.test(code)) return code.replace(VERSION, '')
  if (UPDATE.test(code)) return code.replace(UPDATE, '$1')
  return rewritePrivileged(text)
}

export const usedCollations = (text: string): string[] => [...text.matchAll(COLLATION)].map(([, name = '']) => name)
