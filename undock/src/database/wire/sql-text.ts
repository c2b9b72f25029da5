/** What a statement's text tells the wire listener. This looks for the plain forms that clients send; Postgres itself
 *  parses the statement. */
export type Traits = {
  /** COPY … FROM STDIN, and whether the text has other statements beside it. */
  readonly copyIn: 'none' | 'alone' | 'among others'
  /** It may change settings of the session. */
  readonly changesSettings: boolean
  /** Settings of the project's own (`app.tenant`) that it may make; Postgres lists those nowhere. */
  readonly ownSettings: readonly string[]
  /** The channels it begins to listen on. */
  readonly listens: readonly string[]
  /** The channels it stops listening on; `*` stands for all of them. */
  readonly unlistens: readonly string[]
  /** It drops every prepared statement of the session. */
  readonly forgetsAll: boolean
}

const COPY_IN = /(?:^|;)\s*copy\b[^;]*\bfrom\s+stdin\b/i
const SETS = /(?:^|;)\s*(?:set|reset|discard|do|call|alter\s+(?:role|user|database|system))\b|set_config\s*\(/i
const OWN_SETTINGS =
  /\bset(?:\s+(?:session|local))?\s+([a-z_]\w*\.\w+)\s*(?:=|\bto\b)|set_config\s*\(\s*'([a-z_]\w*\.\w+)'/gi
const LISTENS = /(?:^|;)\s*listen\s+("(?:[^"]|"")+"|[a-z_][\w$]*)/gi
const UNLISTENS = /(?:^|;)\s*(?:unlisten\s+(\*|"(?:[^"]|"")+"|[a-z_][\w$]*)|discard\s+all\b)/gi
const FORGETS_ALL = /(?:^|;)\s*(?:deallocate\s+(?:prepare\s+)?all|discard\s+all)\b/i
const OWN_AUTHORIZATION =
  /^\s*(?:reset\s+session\s+authorization|set\s+(?:session\s+)?session\s+authorization\s+default)\s*;?\s*$/i
const DEALLOCATES = /^\s*deallocate\s+(?:prepare\s+)?("(?:[^"]|"")+"|[a-z_][\w$]*)\s*;?\s*$/i

export function readTraits(text: string): Traits {
  const plain = withoutNoise(text)
  return {
    copyIn: readCopyIn(plain),
    changesSettings: SETS.test(plain),
    ownSettings: [...text.matchAll(OWN_SETTINGS)].flatMap(([, set, configured]) => set ?? configured ?? []),
    listens: [...plain.matchAll(LISTENS)].map(([, name = '']) => foldName(name)),
    unlistens: [...plain.matchAll(UNLISTENS)].map(([, name = '*']) => (name === '*' ? name : foldName(name))),
    forgetsAll: FORGETS_ALL.test(plain),
  }
}

/** Whether the text does nothing but ask for the session's own user back. */
export const resetsAuthorization = (text: string): boolean => OWN_AUTHORIZATION.test(text)

/** The prepared statement that the text, which does nothing else, deallocates. */
export function deallocatedName(text: string): string | undefined {
  const name = DEALLOCATES.exec(text)?.[1]
  return name === undefined || /^all$/i.test(name) ? undefined : foldName(name)
}

function readCopyIn(plain: string): Traits['copyIn'] {
  if (!COPY_IN.test(plain)) return 'none'
  return plain.split(';').filter((part) => part.trim() !== '').length === 1 ? 'alone' : 'among others'
}

const NOISE = /--[^\n]*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$/g

/** The text without comments and the insides of strings, which could look like statements. */
const withoutNoise = (text: string): string =>
  text.replace(NOISE, (noise) => {
    if (noise.startsWith('"')) return noise
    return noise.startsWith('-') || noise.startsWith('/') ? ' ' : "''"
  })

/** A name as Postgres reads it: small letters unless quoted. */
const foldName = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase()
