/** How a statement changes the session, as far as its text shows. Only the plain forms that clients send are recognized; Postgres
 *  itself parses the statement. */
export type StatementEffects = {
  /** Whether it is COPY … FROM STDIN, and whether the text has other statements too. */
  readonly copyIn: 'none' | 'alone' | 'among others'
  /** Whether it may change settings of the session. */
  readonly changesSettings: boolean
  /** Custom settings (`app.tenant`) that it may make; Postgres does not list them anywhere. */
  readonly ownSettings: readonly string[]
  /** The channels that it listens on. */
  readonly listens: readonly string[]
  /** The channels that it stops listening on; `*` means all. */
  readonly unlistens: readonly string[]
  /** Whether it drops all prepared statements of the session. */
  readonly deallocatesAll: boolean
  /** Whether it takes an advisory lock that outlives its transaction. */
  readonly takesAdvisoryLock: boolean
  /** Its beginning without comments and strings, for the log. */
  readonly summary: string
}

const COPY_IN = /(?:^|;)\s*copy\b[^;]*\bfrom\s+stdin\b/i
const CHANGES_SETTINGS =
  /(?:^|;)\s*(?:set|reset|discard|do|call|alter\s+(?:role|user|database|system))\b|set_config\s*\(/i
const OWN_SETTINGS =
  /\bset(?:\s+(?:session|local))?\s+([a-z_]\w*\.\w+)\s*(?:=|\bto\b)|set_config\s*\(\s*'([a-z_]\w*\.\w+)'/gi
const PREPARES = /(?:^|;)\s*prepare\s+("(?:[^"]|"")+"|[a-z_][\w$]*)/gi
const LISTENS = /(?:^|;)\s*listen\s+("(?:[^"]|"")+"|[a-z_][\w$]*)/gi
const UNLISTENS = /(?:^|;)\s*(?:unlisten\s+(\*|"(?:[^"]|"")+"|[a-z_][\w$]*)|discard\s+all\b)/gi
const DEALLOCATES_ALL = /(?:^|;)\s*(?:deallocate\s+(?:prepare\s+)?all|discard\s+all)\b/i
const SUMMARY_LENGTH = 120
const ADVISORY_LOCK = /\bpg_(?:try_)?advisory_lock(?:_shared)?\s*\(/i
const OWN_AUTHORIZATION =
  /^\s*(?:reset\s+session\s+authorization|set\s+(?:session\s+)?session\s+authorization\s+default)\s*;?\s*$/i
const DEALLOCATES = /^\s*deallocate\s+(?:prepare\s+)?("(?:[^"]|"")+"|[a-z_][\w$]*)\s*;?\s*$/i

/** The names of statements that the text prepares by SQL. */
export const preparedNames = (text: string): string[] =>
  /\bprepare\b/i.test(text)
    ? [...withoutCommentsAndStrings(text).matchAll(PREPARES)].map(([, name = '']) => foldName(name))
    : []

export function readEffects(text: string): StatementEffects {
  const plain = withoutCommentsAndStrings(text)
  return {
    copyIn: readCopyIn(plain),
    changesSettings: CHANGES_SETTINGS.test(plain),
    ownSettings: [...text.matchAll(OWN_SETTINGS)].flatMap(([, set, configured]) => set ?? configured ?? []),
    listens: [...plain.matchAll(LISTENS)].map(([, name = '']) => foldName(name)),
    unlistens: [...plain.matchAll(UNLISTENS)].map(([, name = '*']) => (name === '*' ? name : foldName(name))),
    deallocatesAll: DEALLOCATES_ALL.test(plain),
    takesAdvisoryLock: ADVISORY_LOCK.test(plain),
    summary: plain.trim().replaceAll(/\s+/g, ' ').slice(0, SUMMARY_LENGTH),
  }
}

/** Whether the text only resets the session's user. */
export const resetsAuthorization = (text: string): boolean => OWN_AUTHORIZATION.test(text)

/** The name of the prepared statement, if the text only deallocates one. */
export function deallocatedName(text: string): string | undefined {
  const name = DEALLOCATES.exec(text)?.[1]
  return name === undefined || /^all$/i.test(name) ? undefined : foldName(name)
}

function readCopyIn(plain: string): StatementEffects['copyIn'] {
  if (!COPY_IN.test(plain)) return 'none'
  return plain.split(';').filter((part) => part.trim() !== '').length === 1 ? 'alone' : 'among others'
}

const COMMENT_OR_STRING = /--[^\n]*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$/g

/** Removes comments and the contents of strings, which could look like statements. */
const withoutCommentsAndStrings = (text: string): string =>
  text.replace(COMMENT_OR_STRING, (noise) => {
    if (noise.startsWith('"')) return noise
    return noise.startsWith('-') || noise.startsWith('/') ? ' ' : "''"
  })

/** Folds a name as Postgres does: to lower case unless it is quoted. */
export const foldName = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase()
