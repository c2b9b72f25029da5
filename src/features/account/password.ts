import { t } from '../../lib/i18n/i18n.ts'

/** The auth service may require more (config.toml: minimum_password_length) and reports that itself. */
const MIN_LENGTH = 10
/** bcrypt's limit, enforced by the auth service. */
const MAX_BYTES = 72

export const passwordHint = (): string =>
  t('At least {shortest} characters. A few unrelated words are easy to remember.', { shortest: MIN_LENGTH })

export function passwordFault(password: string): string | undefined {
  if ([...password].length < MIN_LENGTH)
    return t('Too short: at least {shortest} characters.', { shortest: MIN_LENGTH })
  if (new TextEncoder().encode(password).length > MAX_BYTES) {
    return t('Too long: at most {longest} bytes.', { longest: MAX_BYTES })
  }
}
