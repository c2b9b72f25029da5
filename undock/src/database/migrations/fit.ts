import { asPrivileged } from '../privileged.ts'
import { splitStatements, withoutComments } from './split.ts'

const EXTENSION = /^create\s+extension\b/i
const VERSION = /\s+version\s+(?:'[^']*'|"[^"]*"|[\w.]+)|\s+from\s+(?:'[^']*'|"[^"]*"|[\w.]+)/gi
const UPDATE = /^(alter\s+extension\s+(?:"[^"]+"|[\w$]+)\s+update)\s+to\s+(?:'[^']*'|"[^"]*"|[\w.]+)/i
const NEW_COLLATION = /^create\s+collation\b/i
const COLLATION = /\bcollate\s+(?:(?:pg_catalog|"pg_catalog")\.)?"([^"]+)"/gi

/** A statement as it runs here: a named version of an extension is the one that is there, attributes of a collation are
 *  spelled as the engine's ICU, which has no data for the newer way, reads them, and what a hosted project lets
 *  `postgres` do is done by a superuser. */
export function fitStatement(text: string): string {
  const code = withoutComments(text)
  if (EXTENSION.test(code)) return code.replace(VERSION, '')
  if (UPDATE.test(code)) return code.replace(UPDATE, '$1')
  if (NEW_COLLATION.test(code)) return text.replace(/'([\w-]+)-u-([\w-]+)'/g, legacyLocale)
  return asPrivileged(text)
}

const MAY_NEED_FITTING =
  /extension|collation|event\s+trigger|publication|foreign\s+data|alter\s+(?:role|user|database)/i

/** The same for a text of several statements, as clients send them. */
export function fitScript(text: string): string {
  if (!MAY_NEED_FITTING.test(text)) return text
  const statements = splitStatements(text).map((one) => one.text)
  const fitted = statements.map(fitStatement)
  return fitted.every((one, index) => one === statements[index]) ? text : fitted.join(';\n')
}

/** Names of collations that a statement uses. */
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
