import { useMutation } from '@tanstack/react-query'
import { Checkbox } from '../../components/checkbox.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import {
  ALL_RECOGNITION_LANGUAGES,
  RECOGNITION_LANGUAGES,
  type RecognitionLanguage,
  recognitionLanguages,
} from '../../domain/recognition.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useOptimisticChoice } from '../../lib/ui/use-optimistic-choice.ts'
import { changeLibrary } from './mutations.ts'

type RecognitionSettingProps = { library: { id: string; recognition_languages: string[] } }

export function RecognitionSetting({ library }: RecognitionSettingProps) {
  const saving = useMutation({
    ...changeLibrary,
    // Serialized, so that the last choice wins.
    scope: { id: `recognition in ${library.id}` },
  })
  // As text, so that equal lists compare equal.
  const stored = recognitionLanguages(library.recognition_languages).join()
  const [chosen, choose] = useOptimisticChoice(stored, (languages, options) =>
    saving.mutate({ library: library.id, change: { recognition_languages: split(languages) } }, options),
  )
  const languages = split(chosen)
  return (
    <fieldset className="grid max-w-lg gap-4" aria-describedby="recognition-explained">
      <FailureNotice error={saving.error} />
      <legend className="contents font-medium text-sm">{t('Recognize the text of scans and images in')}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {ALL_RECOGNITION_LANGUAGES.map((language) => (
          <label
            key={language}
            htmlFor={`recognize-${language}`}
            className="flex items-center gap-3 font-medium text-sm"
          >
            <Checkbox
              id={`recognize-${language}`}
              checked={languages.includes(language)}
              onChange={({ target }) =>
                choose(
                  ALL_RECOGNITION_LANGUAGES.filter((one) =>
                    one === language ? target.checked : languages.includes(one),
                  ).join(),
                )
              }
            />
            {t(RECOGNITION_LANGUAGES[language].label)}
          </label>
        ))}
      </div>
      {'locks' in navigator ? null : (
        <Notice tone="info">
          {t(
            'This browser can’t recognize text automatically, because the address doesn’t start with https. Each scan has a button for it.',
          )}
        </Notice>
      )}
      <p id="recognition-explained" className="text-ink-soft text-sm leading-relaxed">
        {t(
          'Text on pages that are pictures becomes searchable, and Ask can answer from it. Editors’ browsers recognize it automatically on their own devices; no picture is sent to another service. With no language chosen it’s off, and text recognized earlier stays.',
        )}
      </p>
    </fieldset>
  )
}

const split = (languages: string): RecognitionLanguage[] =>
  recognitionLanguages(languages === '' ? [] : languages.split(','))
