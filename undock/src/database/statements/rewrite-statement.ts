import { rewritePrivileged } from './privileged.ts'
import { splitStatements, withoutComments } from './split-statements.ts'

const EXTENSION = /^create\s+extension\b/i
const VERSION = /\s+version\s+(?:'[^']*'|"[^"]*"|[\w.]+)|\s+from\s+(?:'[^']*'|"[^"]*"|[\w.]+)/gi
const UPDATE = /^(alter\s+extension\s+(?:"[^"]+"|[\w$]+)\s+update)\s+to\s+(?:'[^']*'|"[^"]*"|[\w.]+)/i
const NEW_COLLATION = /^create\s+collation\b/i
const COLLATION = /\bcollate\s+(?:(?:pg_catalog|"pg_catalog")\.)?"([^"]+)"/gi

/** Rewrites a statement for the engine: versions of extensions are left out, so that the available one is used; attributes of
 *  collations are written in the older syntax that the engine's ICU has data for; statements that hosted projects allow
 *  `postgres` to run become calls of procedures that run as a superuser. */
export function rewriteStatement(text: string): string {
  const code = withoutComments(text)
  if (EXTENSION.test(code)) return code.replace(VERSION, '')
  if (UPDATE.test(code)) return code.replace(UPDATE, '$1')
  if (NEW_COLLATION.test(code)) return text.replace(/'([\w-]+)-u-([\w-]+)'/g, legacyLocale)
  return rewritePrivileged(text)
}

const MAY_NEED_REWRITING =
  /extension|collation|event\s+trigger|publication|foreign\s+data|alter\s+(?:role|user|database)/i

/** The same for a text of several statements, as sent by clients. */
export function rewriteScript(text: string): string {
  if (!MAY_NEED_REWRITING.test(text)) return text
  const statements = splitStatements(text).map((one) => one.text)
  const rewritten = statements.map(rewriteStatement)
  return rewritten.every((one, index) => one === statements[index]) ? text : rewritten.join(';\n')
}

/** The names of collations that a statement uses. */
export const usedCollations = (text: string): string[] => [...text.matchAll(COLLATION)].map(([, name = '']) => name)

const STRENGTHS: Readonly<Record<string, string>> = {
  level1: 'primary',
  level2: 'secondary',
  level3: 'tertiary',
  level4: 'quaternary',
  identic: 'identical',
}

/** `und-u-ks-level2` → `und@colStrength=secondary`. What has no older spelling is left out.
 *  @see https://unicode-org.github.io/icu/userguide/locale/ */
function legacyLocale(_whole: string, language: string, attributes: string): string {
  const pairs = [...attributes.matchAll(/(k[acfnsrb])(?:-(?!k[acfnsrb](?:-|$))(\w+))?/g)].flatMap(([, key, value]) => {
    switch (key) {
      case 'ks':
        return `colStrength=${STRENGTHS[value ?? ''] ?? 'tertiary'}`
      case 'ka':
        return `colAlternate=${value === 'shifted' ? 'shifted' : 'non-ignorable'}`
      case 'kn':
        return `colNumeric=${value === 'false' ? 'no' : 'yes'}`
      case 'kc':
        return `colCaseLevel=${value === 'false' ? 'no' : 'yes'}`
      case 'kf':
        return value ? `colCaseFirst=${value}` : []
      case 'kb':
        return `colBackwards=${value === 'false' ? 'no' : 'yes'}`
      default:
        return []
    }
  })
  return pairs.length > 0 ? `'${language}@${pairs.join(';')}'` : `'${language}'`
}
