import { CopyField } from '../../components/copy-field.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'

export const RequestLink = ({ token }: { token: string }) => (
  <Notice tone="success" title={t('Anyone with this link can send files.')}>
    <p className="mb-2">{t('Copy it now. You won’t see it again.')}</p>
    <CopyField label={t('Link for senders')} value={`${location.origin}/r/${token}`} />
  </Notice>
)
