import { createFileRoute } from '@tanstack/react-router'
import { Monitor, Moon, Rows2, Rows4, Sun } from 'lucide-react'
import { Segmented } from '../../components/segmented.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { setAppearance, useAppearance } from '../../lib/appearance.ts'
import { usePageTitle } from '../../lib/page-title.ts'

export const Route = createFileRoute('/_signed-in/settings/appearance')({ component: AppearancePage })

function AppearancePage() {
  const { theme, density } = useAppearance()
  usePageTitle('Appearance', 'Settings')
  return (
    <>
      <h1 className="mb-6 font-semibold font-serif text-3xl tracking-tight">Appearance</h1>
      <SettingsSection title="Theme" lead="Kept in this browser.">
        <Segmented
          label="Theme"
          value={theme}
          onChange={(chosen) => setAppearance({ theme: chosen })}
          options={[
            { value: 'system', label: 'As the system', icon: Monitor },
            { value: 'light', label: 'Light', icon: Sun },
            { value: 'dark', label: 'Dark', icon: Moon },
          ]}
        />
      </SettingsSection>
      <SettingsSection title="Density" lead="How much fits on a screen.">
        <Segmented
          label="Density"
          value={density}
          onChange={(chosen) => setAppearance({ density: chosen })}
          options={[
            { value: 'comfortable', label: 'Comfortable', icon: Rows2 },
            { value: 'compact', label: 'Compact', icon: Rows4 },
          ]}
        />
      </SettingsSection>
    </>
  )
}
