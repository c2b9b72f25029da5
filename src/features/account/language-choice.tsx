import { LANGUAGE_CHOICES, t } from '../../lib/i18n/i18n.ts'
import { chosenLanguage, setAppearance } from '../../lib/ui/appearance.ts'

/** The language, for those who are not signed in yet. The browser's own list of choices: Radix' one would be loaded for it alone. */
export function LanguageChoice() {
  return (
    <select
      aria-label={t('Language')}
      value={chosenLanguage()}
      onChange={({ target }) => {
        const chosen = LANGUAGE_CHOICES.find(({ value }) => value === target.value)
        if (chosen) setAppearance({ language: chosen.value })
      }}
      className="h-9 cursor-pointer rounded-md border border-transparent bg-transparent px-2 text-ink-soft text-sm hover:border-edge hover:text-ink"
    >
      {LANGUAGE_CHOICES.map(({ value, label }) => (
        <option key={value} value={value} lang={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
