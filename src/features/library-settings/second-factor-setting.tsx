import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useOptimisticChoice } from '../../lib/ui/use-optimistic-choice.ts'
import { changeLibrary } from './mutations.ts'

type SecondFactorSettingProps = {
  library: { id: string; require_second_factor: boolean }
  /** Without a second factor, an owner would be locked out. Undefined while loading. */
  hasSecondFactor: boolean | undefined
}

export function SecondFactorSetting({ library, hasSecondFactor }: SecondFactorSettingProps) {
  const id = useId()
  const saving = useMutation({
    ...changeLibrary,
    // Serialized, so that the last choice wins.
    scope: { id: `second factor of ${library.id}` },
  })
  const [isRequired, require] = useOptimisticChoice(library.require_second_factor, (isWanted, options) =>
    saving.mutate({ library: library.id, change: { require_second_factor: isWanted } }, options),
  )
  // Stays enabled while saving: disabling would lose clicks and focus.
  const isLocked = hasSecondFactor === false && !isRequired && !saving.isPending
  return (
    <div className="grid max-w-lg gap-4">
      <FailureNotice error={saving.error} />
      <label htmlFor={id} className="flex items-center gap-3 font-medium text-sm">
        <Checkbox id={id} checked={isRequired} disabled={isLocked} onChange={({ target }) => require(target.checked)} />
        {t('Require a second factor from all members')}
      </label>
      <p className="text-ink-soft text-sm leading-relaxed">
        {t(
          'Without it, members see nothing of this library: no title, no file, no message. Its share links stop working while this is on.',
        )}
      </p>
      {!isLocked ? null : (
        <Notice tone="info">
          {t('You can turn this on once you’ve signed in with a second factor yourself.')}{' '}
          <Link to="/settings/security" className="font-medium underline underline-offset-2">
            {t('Security')}
          </Link>
        </Notice>
      )}
    </div>
  )
}
