import { useMutation } from '@tanstack/react-query'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useOptimisticChoice } from '../../lib/ui/use-optimistic-choice.ts'
import { changeLibrary } from './mutations.ts'

export function ModelsSetting({ library }: { library: { id: string; allows_models: boolean } }) {
  const saving = useMutation({
    ...changeLibrary,
    // Serialized, so that the last choice wins.
    scope: { id: `models in ${library.id}` },
  })
  const [isAllowed, allow] = useOptimisticChoice(library.allows_models, (allows_models, options) =>
    saving.mutate({ library: library.id, change: { allows_models } }, options),
  )
  return (
    <div className="grid max-w-lg gap-4">
      <FailureNotice error={saving.error} />
      <LabelledCheckbox checked={isAllowed} onChange={allow}>
        {t('Language models may read this library')}
      </LabelledCheckbox>
      <p className="text-ink-soft text-sm leading-relaxed">
        {t(
          'Without them, search matches words only and Ask quotes passages as they are. No passage is sent to a model, and existing embeddings are replaced.',
        )}
      </p>
    </div>
  )
}
