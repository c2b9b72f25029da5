import { CopyField } from '../../components/copy-field.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'

/** A new secret, shown once. @param isReplacement Whether it replaces another. */
export function SecretNotice({ secret, isReplacement }: { secret: string; isReplacement: boolean }) {
  return (
    <Notice tone="success" title={t('Your receiver checks the signature with this secret.')}>
      <p className="mb-2">
        {t('Copy it now. You won’t see it again.')}{' '}
        {isReplacement ? t('For 24 hours, deliveries are also signed with the old secret.') : null}
      </p>
      <CopyField label={t('Secret')} value={secret} />
    </Notice>
  )
}
