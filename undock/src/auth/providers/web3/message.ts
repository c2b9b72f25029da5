/** An EIP-4361 message, or Solana's counterpart, that wallets display and sign. */
export type SignInMessage = {
  readonly raw: string
  readonly domain: string
  readonly address: string
  readonly statement: string | null
  readonly uri: URL
  readonly chainId: string
  readonly issuedAt: Date
  readonly expirationTime: Date | null
  readonly notBefore: Date | null
}

export type Chain = 'ethereum' | 'solana'

type Rules = {
  readonly name: string
  readonly prefix: 'siwe' | 'siws'
  readonly address: RegExp
  readonly addressFault: string
  isChainId(id: string): boolean
}

const RULES: Record<Chain, Rules> = {
  ethereum: {
    name: 'Ethereum',
    prefix: 'siwe',
    address: /^0x[a-fA-F0-9]{40}$/,
    addressFault: 'wallet address is not a valid Ethereum address',
    // EIP-155: a positive whole number.
    isChainId: (id) => /^\+?\d+$/.test(id) && Number(id) > 0 && Number(id) <= Number.MAX_SAFE_INTEGER,
  },
  solana: {
    name: 'Solana',
    prefix: 'siws',
    address: /^[a-zA-Z0-9]{32,44}$/,
    addressFault: 'wallet address is not in base58 format',
    isChainId: (id) => id === '' || /^solana:(main|dev|test|local)net$/.test(id),
  },
}

const DOMAIN = /^(localhost|(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,})(?::\d{1,5})?$/

/** Says, in upstream's words, why a text isn't a sign-in message. */
export class SignInMessageError extends Error {}

/** @throws {SignInMessageError} @see supabase/auth internal/utilities/siwe, siws */
export function parseMessage(raw: string, chain: Chain): SignInMessage {
  const rules = RULES[chain]
  const fault = (why: string) => new SignInMessageError(`${rules.prefix}: ${why}`)
  const lines = raw.split('\n')
  const [header = '', second = '', third = '', fourth = '', fifth = ''] = lines
  const suffix = ` wants you to sign in with your ${rules.name} account:`
  if (lines.length < 6) throw fault('message needs at least 6 lines')
  if (!header.endsWith(suffix)) throw fault(`message first line does not end in "${suffix}"`)
  const domain = header.slice(0, -suffix.length).trim()
  if (!DOMAIN.test(domain)) throw fault('domain in first line of message is not valid')
  const address = second.trim()
  if (!rules.address.test(address)) throw fault(rules.addressFault)
  if (third !== '') throw fault('third line must be empty')
  const hasStatement = fourth !== '' && fifth === ''
  const fields = readFields(lines, hasStatement ? 5 : 3, fault)
  const version = fields.get('Version') ?? ''
  const uri = readUri(fields.get('URI'), fault)
  const chainId = fields.get('Chain ID')
  if (chainId !== undefined && !rules.isChainId(chainId)) throw fault('Chain ID is not valid')
  const times = readTimes(fields, fault)
  if (version !== '1') throw fault(`Version value is not supported, expected 1 got ${JSON.stringify(version)}`)
  if (!times.issuedAt) throw fault('Issued At is not specified')
  if (!uri) throw fault('URI is not specified')
  checkOrder({ ...times, issuedAt: times.issuedAt }, fault)
  const statement = hasStatement ? fourth : null
  return { raw, domain, address, statement, uri, chainId: chainId ?? '', ...times, issuedAt: times.issuedAt }
}

type Fault = (why: string) => SignInMessageError

/** Reads `Name: value` lines. Resources are only checked, because nothing uses them. */
function readFields(lines: readonly string[], from: number, fault: Fault): Map<string, string> {
  const fields = new Map<string, string>()
  let resources: number | null = null
  for (const [index, line] of lines.entries()) {
    const text = line.trim()
    if (index < from) continue
    if (resources !== null && text.startsWith('- ')) {
      if (!isRequestUri(text.slice(2).trim())) throw fault(`Resource at position ${resources} has invalid URI`)
      resources += 1
      continue
    }
    resources = text === 'Resources:' ? 0 : null
    if (text === '' || resources !== null) continue
    const colon = text.indexOf(':')
    if (colon < 0) throw fault(`encountered unparsable line at index ${index}`)
    const name = text.slice(0, colon)
    // Users must not read another value than the one that counts.
    if (fields.has(name)) throw fault(`${name} is specified twice`)
    fields.set(name, text.slice(colon + 1).trim())
  }
  return fields
}

const isRequestUri = (uri: string): boolean => uri.startsWith('/') || URL.canParse(uri)

function readUri(uri: string | undefined, fault: Fault): URL | null {
  if (uri === undefined) return null
  const parsed = URL.parse(uri)
  if (!parsed) throw fault('URI is not valid')
  return parsed
}

const TIMES = { issuedAt: 'Issued At', expirationTime: 'Expiration Time', notBefore: 'Not Before' } as const

type Times = Record<keyof typeof TIMES, Date | null>

function readTimes(fields: ReadonlyMap<string, string>, fault: Fault): Times {
  const read = (name: string): Date | null => {
    const text = fields.get(name)
    if (text === undefined) return null
    // RFC 3339: a timestamp without a time zone is invalid.
    const isWhole = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text)
    const time = new Date(text)
    if (!isWhole || Number.isNaN(time.getTime())) throw fault(`${name} is not a valid ISO8601 timestamp`)
    return time
  }
  return {
    issuedAt: read(TIMES.issuedAt),
    expirationTime: read(TIMES.expirationTime),
    notBefore: read(TIMES.notBefore),
  }
}

function checkOrder({ issuedAt, expirationTime, notBefore }: Times & { issuedAt: Date }, fault: Fault): void {
  if (expirationTime && issuedAt > expirationTime) throw fault('Issued At is after Expiration Time')
  if (notBefore && expirationTime && notBefore > expirationTime) throw fault('Not Before is after Expiration Time')
}
