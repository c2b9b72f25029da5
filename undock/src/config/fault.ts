import { UserError } from '../kernel/service-error.ts'
import type { Path } from './position.ts'

/** An error in a settings file, or a setting without its usual effect. */
export type Fault = {
  readonly file: string
  /** Line from 1; undefined if there's none (a missing key, an environment variable). */
  readonly line: number | undefined
  /** Column from 1, only for unparsable text. */
  readonly column?: number
  /** `auth.email.otp_length`; empty for the whole file. */
  readonly key: string
  readonly message: string
}

/** All faults of the settings together, so that they can be fixed in one go. */
export class ConfigError extends UserError {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[], options?: ErrorOptions) {
    super(faults.map(renderFault).join('\n'), options)
    this.faults = faults
  }
}

/** Renders a fault as a line: `supabase/config.toml:12: api.port must be …` */
export function renderFault({ file, line, column, key, message }: Fault): string {
  const where = [file, line, column].filter((part) => part !== undefined).join(':')
  return key === '' ? `${where}: ${message}` : `${where}: ${key} ${message}`
}

const BARE = /^[A-Za-z0-9_-]+$/

export const renderPath = (path: Path): string =>
  path
    .map((part, index) =>
      typeof part === 'number'
        ? `[${part}]`
        : `${index === 0 ? '' : '.'}${BARE.test(part) ? part : JSON.stringify(part)}`,
    )
    .join('')
