import { BadgeCheck, TriangleAlert } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { verificationState } from '../../domain/validity.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'

export function VerificationBadge({ until }: { until: string }) {
  const date = formatDate(`${until}T12:00:00`)
  switch (verificationState(until)) {
    case 'valid':
      return (
        <Badge tone="accent" className="self-start">
          <BadgeCheck aria-hidden />
          {t('Verified until {date}', { date })}
        </Badge>
      )
    case 'due':
      return (
        <Badge tone="amber" className="self-start">
          <BadgeCheck aria-hidden />
          {t('Verify again by {date}', { date })}
        </Badge>
      )
    case 'expired':
      return (
        <Badge tone="danger" className="self-start">
          <TriangleAlert aria-hidden />
          {t('Verification ended {date}', { date })}
        </Badge>
      )
  }
}
