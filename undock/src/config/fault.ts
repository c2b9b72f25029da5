import type { Path } from './position.ts'

/** An error in a settings file, or a setting without its usual effect. */
export type Fault = {
  readonly file: string
  /** The line from 1; undefined when the file has none for it (a missing key, a variable of the environment). */
  readonly line: number | undefined
  /** The column from 1, of a text that cannot be parsed. */
  readonly column?: number
  /** `auth.email.otp_length`; empty for the file as a whole. */
  readonly key: string
  readonly message: string
}

export type ConfigWarning = Fault

/** All faults of the settings at once, so that they can be corrected together. */
export class ConfigError extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[], options?: ErrorOptions) {
    super(faults.map(renderFault).join('\n'), options)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** Renders a fault as a line: `supabase/config.toml:12: api.port must be …` */
export function renderFault({ file, line, column, key, message }: Fault): string {
  const where = [file, line, column].filter((part) => part !== undefined).join(':')
  return key === '' ? `${where}: ${message}` : `${where}: ${key} ${message}`
}

const BARE = /^[A-Za-z0-9_-]+$/

/** Renders a path in the syntax of TOML. */
export const renderPath = (path: Path): string =>
  path
    .map((part, index) =>
      typeof part === 'number'
        ? `[${part}]`
        : `${index === 0 ? '' : '.'}${BARE.test(part) ? part : JSON.stringify(part)}`,
    )
    .join('')
