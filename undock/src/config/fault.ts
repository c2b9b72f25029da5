import type { Path } from './position.ts'

/** Something in a file of settings that is wrong, or that will not do what it says. */
export type Fault = {
  readonly file: string
  /** From 1; undefined when the file has no line for it (a missing key, a variable of the environment). */
  readonly line: number | undefined
  /** `auth.email.otp_length`; empty for the file as a whole. */
  readonly key: string
  readonly message: string
}

export type ConfigWarning = Fault

/** Every fault of the settings at once, so that one edit mends them all. */
export class ConfigError extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[], options?: ErrorOptions) {
    super(faults.map(renderFault).join('\n'), options)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** One line for people: `supabase/config.toml:12: api.port must be …` */
export function renderFault({ file, line, key, message }: Fault): string {
  const where = line === undefined ? file : `${file}:${line}`
  return key === '' ? `${where}: ${message}` : `${where}: ${key} ${message}`
}

const BARE = /^[A-Za-z0-9_-]+$/

/** A path as it would be written in TOML, so that it can be searched for. */
export const renderPath = (path: Path): string =>
  path
    .map((part, index) =>
      typeof part === 'number'
        ? `[${part}]`
        : `${index === 0 ? '' : '.'}${BARE.test(part) ? part : JSON.stringify(part)}`,
    )
    .join('')
