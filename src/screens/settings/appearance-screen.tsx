import { Keyboard, KeyboardOff, Monitor, Moon, Rows2, Rows4, Sun } from 'lucide-react'
import { Segmented } from '../../components/segmented.tsx'
import { SelectField } from '../../components/select.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { saveMailLanguage } from '../../features/account/mutations.ts'
import { LANGUAGE_CHOICES, t } from '../../lib/i18n/i18n.ts'
import { type Appearance, chosenLanguage, setAppearance, useAppearance } from '../../lib/ui/appearance.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

export function AppearanceScreen() {
  const { theme, density, language, letters } = useAppearance()
  const mailLanguage = useAction(saveMailLanguage)
  const chooseLanguage = (chosen: Appearance['language']) => {
    setAppearance({ language: chosen })
    mailLanguage.mutate(chosenLanguage())
  }
  usePageTitle(t('Appearance'), t('Settings'))
  return (
    <>
      <h1 className="mb-6 font-semibold font-serif text-3xl tracking-tight">{t('Appearance')}</h1>
      <SettingsSection title={t('Theme')} lead={t('Saved in this browser.')}>
        <Segmented
          label={t('Theme')}
          value={theme}
          onChange={(chosen) => setAppearance({ theme: chosen })}
          options={[
            { value: 'system', label: t('Same as system'), icon: Monitor },
            { value: 'light', label: t('Light'), icon: Sun },
            { value: 'dark', label: t('Dark'), icon: Moon },
          ]}
        />
      </SettingsSection>
      <SettingsSection title={t('Density')} lead={t('How much fits on a screen.')}>
        <Segmented
          label={t('Density')}
          value={density}
          onChange={(chosen) => setAppearance({ density: chosen })}
          options={[
            { value: 'comfortable', label: t('Comfortable'), icon: Rows2 },
            { value: 'compact', label: t('Compact'), icon: Rows4 },
          ]}
        />
      </SettingsSection>
      <SettingsSection
        title={t('Single-key shortcuts')}
        lead={t(
          'Letters like J or S act on the list or document that has the focus. Shortcuts with Ctrl or ⌘ always work.',
        )}
      >
        <Segmented
          label={t('Single-key shortcuts')}
          value={letters}
          onChange={(chosen) => setAppearance({ letters: chosen })}
          options={[
            { value: 'on', label: t('On'), icon: Keyboard },
            { value: 'off', label: t('Off'), icon: KeyboardOff },
          ]}
        />
      </SettingsSection>
      <SettingsSection title={t('Language')} lead={t('Applies to dates, numbers and the emails you get.')}>
        <div className="max-w-xs">
          <SelectField
            label={t('Language')}
            value={language}
            onValue={chooseLanguage}
            options={[{ value: 'system', label: t('Same as browser') }, ...LANGUAGE_CHOICES]}
          />
        </div>
      </SettingsSection>
    </>
  )
}
