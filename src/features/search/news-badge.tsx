import { countUpTo } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'

/** The backend counts one further. */
const MAX_COUNT = 99

export function NewsBadge({ passages }: { passages: number }) {
  if (passages === 0) return null
  return (
    <span className="rounded-full bg-accent-soft px-2 font-medium text-accent-strong text-xs leading-5">
      {countUpTo(MAX_COUNT, passages)}
      <span className="sr-only"> {t('new')}</span>
    </span>
  )
}
