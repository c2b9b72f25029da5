import { t } from '../../lib/i18n/i18n.ts'

/** The auth service may require more (config.toml: minimum_password_length) and reports that itself. */
const SHORTEST = 10
/** bcrypt's limit, enforced by the auth service. */
const LONGEST_BYTES = 72

export const passwordHint = (): string =>
  t('At least {shortest} characters. A few unrelated words are easy to remember.', { shortest: SHORTEST })

export function passwordFault(password: string): string | undefined {
  if ([...password].length < SHORTEST) return t('Too short: at least {shortest} characters.', { shortest: SHORTEST })
  if (new TextEncoder().encode(password).length > LONGEST_BYTES) {
    return t('Too long: at most {longest} bytes.', { longest: LONGEST_BYTES })
  }
}
