import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { changeLibrary } from './mutations.ts'

type SecondFactorSettingProps = {
  library: { id: string; require_second_factor: boolean }
  /** Whether this session has given a second factor: whoever turns it on without one would lock themselves out. */
  hasSecondFactor: boolean
}

export function SecondFactorSetting({ library, hasSecondFactor }: SecondFactorSettingProps) {
  const id = useId()
  const queryClient = useQueryClient()
  const saving = useMutation({
    ...changeLibrary,
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.library(library.id) }),
  })
  const wanted =
    saving.isPending && 'require_second_factor' in saving.variables.change
      ? saving.variables.change.require_second_factor
      : library.require_second_factor
  return (
    <div className="grid max-w-lg gap-4">
      <FailureNotice error={saving.error} />
      <label htmlFor={id} className="flex items-center gap-3 font-medium text-sm">
        <Checkbox
          id={id}
          checked={wanted}
          disabled={!hasSecondFactor && !library.require_second_factor}
          onChange={({ target }) =>
            saving.mutate({ library: library.id, change: { require_second_factor: target.checked } })
          }
        />
        {t('Ask everybody for a second factor')}
      </label>
      <p className="text-ink-soft text-sm leading-relaxed">
        {t(
          'Without it, members see nothing of this library: no title, no file, no message. Its share links stop working as long as this is on.',
        )}
      </p>
      {hasSecondFactor || library.require_second_factor ? null : (
        <Notice tone="info">
          {t('You can turn this on once you have signed in with a second factor yourself.')}{' '}
          <Link to="/settings/security" className="font-medium underline underline-offset-2">
            {t('Security')}
          </Link>
        </Notice>
      )}
    </div>
  )
}
